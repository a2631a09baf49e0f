"""Double submit: one client key is one bill, one after the other or fifty at once, over several processes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection

from tests.faults.serve_process import ServeProcess
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer, Caller
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.fixtures import Site

REUSED = "同一请求标识不能用于不同的内容，请刷新页面后重试"


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    found = BillClient(site)
    found.stock_in(site.world.oil, 1000)
    return found


def post_at_once(
    server: ServeProcess, site: Site, path: str, body: Any, key: str, times: int = 50
) -> list[Answer]:
    """Post the same command over as many connections, all at the same time."""
    limits = httpx.Limits(max_connections=times)
    with httpx.Client(base_url=server.address, timeout=60, limits=limits) as http:
        caller = Caller(http, site.world.tokens["admin"])
        with ThreadPoolExecutor(times) as pool:
            return list(pool.map(lambda _: caller.post(path, body, key=key), range(times)))


def count_bills(conn: Connection, table: str) -> int:
    conn.rollback()
    found: int = conn.exec_driver_sql(f"select count(*) from {table}").scalar_one()
    return found


class TestAdd:
    def test_the_second_answers_like_the_first(self, desk: BillClient, conn: Connection) -> None:
        line, before = (
            {"goods_id": desk.world.oil, "quantity": "1", "price": "5"},
            count_bills(conn, "sales_outbound"),
        )
        first = desk.add("sales_outbound", line, key="add-1")
        again = desk.add("sales_outbound", line, key="add-1")
        assert first.ok
        assert (again.code, again.data) == (200, first.data)
        assert count_bills(conn, "sales_outbound") == before + 1

    def test_another_body_under_the_key_is_refused(self, desk: BillClient, conn: Connection) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1", "price": "5"}
        assert desk.add("sales_outbound", line, key="add-2").ok
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = desk.add("sales_outbound", {**line, "quantity": "2"}, key="add-2")
        assert (answer.code, answer.msg) == (400, REUSED)
        assert fingerprint_tables(conn) == before

    def test_another_users_key_is_another_key(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1", "price": "5"}
        one = desk.add("sales_outbound", line, key="add-3")
        other = BillClient(desk.site, "manager_a").add("sales_outbound", line, key="add-3")
        assert one.ok
        assert other.ok
        assert one.data["id"] != other.data["id"]

    def test_a_refused_command_leaves_its_key_free(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "0", "price": "5"}
        assert desk.add("sales_outbound", line, key="add-4").code == 400
        assert desk.add("sales_outbound", {**line, "quantity": "1"}, key="add-4").ok

    def test_an_empty_key_is_no_key(self, desk: BillClient) -> None:
        """Two commands without a real key are two commands: neither answers for the other."""
        body = {"unit_name": "空键一"}
        first = desk.caller.raw("POST", "v2/system/Unit/add", body, extra={"Idempotency-Key": ""}).json()
        body = {"supplier_name": "空键二"}
        other = desk.caller.raw("POST", "v2/system/Supplier/add", body, extra={"Idempotency-Key": " "}).json()
        assert (first["code"], other["code"]) == (200, 200)
        assert desk.caller.get("v2/system/Supplier/getInfo", id=other["data"]["id"]).ok

    def test_a_key_that_is_too_long_is_refused(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1", "price": "5"}
        assert desk.add("sales_outbound", line, key="k" * 81).code == 400

    def test_fifty_at_once_make_one_bill(
        self, desk: BillClient, server: ServeProcess, conn: Connection
    ) -> None:
        before = count_bills(conn, "sales_outbound")
        body = {
            **desk.build_header("sales_outbound"),
            "lines": [{"goods_id": desk.world.oil, "quantity": "1", "price": "5"}],
        }
        path = desk.path("sales_outbound", "add")
        answers = post_at_once(server, desk.site, path, body, "storm-add")
        assert {answer.code for answer in answers} == {200}
        assert len({answer.data["id"] for answer in answers}) == 1
        assert count_bills(conn, "sales_outbound") == before + 1

    def test_sixty_different_ones_at_once_are_all_made(
        self, desk: BillClient, server: ServeProcess, conn: Connection
    ) -> None:
        """More callers than connections: nobody waits for a second connection that another holds."""
        before = count_bills(conn, "sales_outbound")
        body = {
            **desk.build_header("sales_outbound"),
            "lines": [{"goods_id": desk.world.oil, "quantity": "1", "price": "5"}],
        }
        path = desk.path("sales_outbound", "add")
        limits = httpx.Limits(max_connections=60)
        with httpx.Client(base_url=server.address, timeout=60, limits=limits) as http:
            caller = Caller(http, desk.site.world.tokens["admin"])
            with ThreadPoolExecutor(60) as pool:
                answers = list(pool.map(lambda n: caller.post(path, body, key=f"many-{n}"), range(60)))
        assert [answer.msg for answer in answers if not answer.ok] == []
        assert len({answer.data["bill_no"] for answer in answers}) == 60
        assert count_bills(conn, "sales_outbound") == before + 60


class TestAudit:
    def test_fifty_at_once_post_once(self, desk: BillClient, server: ServeProcess, conn: Connection) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "3", "price": "5"}
        bill = desk.draft("sales_outbound", line)
        path = desk.path("sales_outbound", "auditorPass")
        answers = post_at_once(server, desk.site, path, {"ids": [bill.id]}, "storm-audit")
        assert {answer.code for answer in answers} == {200}
        rows = conn.exec_driver_sql("select count(*) from stock_ledger where bill_no = %s", (bill.no,))
        assert rows.scalar() == 1
        assert find_broken_checks(conn) == {}

    def test_without_a_key_one_of_many_wins(
        self, desk: BillClient, server: ServeProcess, conn: Connection
    ) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "3", "price": "5"}
        bill = desk.draft("sales_outbound", line)
        path = desk.path("sales_outbound", "auditorPass")
        answers = post_at_once(server, desk.site, path, {"ids": [bill.id]}, "", times=20)
        assert sorted(answer.code for answer in answers) == [200] + [400] * 19
        assert {answer.msg for answer in answers if not answer.ok} == {"单据状态已变化，请刷新后重试"}
        assert find_broken_checks(conn) == {}

    def test_a_batch_repeated_after_half_of_it_finishes_the_rest(
        self, desk: BillClient, conn: Connection
    ) -> None:
        """The client lost the answer: the same key goes over all bills again, and each is audited once."""
        line = {"goods_id": desk.world.oil, "quantity": "1", "price": "5"}
        first, second = (desk.draft("sales_outbound", line) for _ in range(2))
        unknown = SavedBill("sales_outbound", 999_999_999, "")
        answer = desk.apply_action("auditorPass", first, unknown, second, key="batch-1")
        again = desk.apply_action("auditorPass", first, unknown, second, key="batch-1")
        assert answer.data == again.data
        assert answer.data["success"] == [first.id, second.id]
        assert find_broken_checks(conn) == {}


class TestDelete:
    def test_repeated_it_still_answers_success(self, desk: BillClient) -> None:
        bill = desk.draft("sales_outbound", {"goods_id": desk.world.oil, "quantity": "1", "price": "5"})
        first = desk.apply_action("del", bill, key="del-1")
        again = desk.apply_action("del", bill, key="del-1")
        assert first.ok
        assert again.data == first.data


class TestRecord:
    def test_fifty_at_once_make_one(self, desk: BillClient, server: ServeProcess, conn: Connection) -> None:
        answers = post_at_once(server, desk.site, "v2/system/Unit/add", {"unit_name": "一次"}, "storm-unit")
        assert {answer.code for answer in answers} == {200}
        assert len({answer.data["id"] for answer in answers}) == 1

    def test_the_same_name_under_other_keys_is_refused_in_words(self, desk: BillClient) -> None:
        assert desk.caller.post("v2/system/Unit/add", {"unit_name": "两次"}, key="u1").ok
        answer = desk.caller.post("v2/system/Unit/add", {"unit_name": "两次"}, key="u2")
        assert (answer.code, answer.msg) == (400, "单位名称已存在，请更换")
