"""A refused audit tells at once all that stands in its way, with what can be done about each, and posts nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.bill_client import BillClient, SavedBill
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role, read_editor

CHANGE = "减少数量，或换有货的仓库、库位、批次；要先入库的，入库审核后再审核本单"


@pytest.fixture(autouse=True)
def blocked(site: Site) -> Iterator[None]:
    """Passing the limit of credit is refused, and so is selling below the lowest price."""
    _set_price_mode(site, 1)
    yield
    _set_price_mode(site, 0)


def _set_price_mode(site: Site, mode: int) -> None:
    with site.engine.begin() as conn:
        told = "update bill_setting set credit_mode = 1, price_mode = %s where type = 2"
        conn.exec_driver_sql(told, (mode,))


@pytest.fixture
def limited_client(site: Site) -> BillClient:
    return BillClient(site, "clerk_a")


def draft_impossible(desk: BillClient, name: str, quantity: str = "987654") -> SavedBill:
    """Draft an outbound of goods that are not there, to a customer without credit."""
    customer = desk.partner("customer", name, credit_limit="0")
    line = {"goods_id": desk.world.spares[31], "quantity": quantity, "price": "1"}
    return desk.draft("sales_outbound", line, customer_id=customer)


def list_reasons(data: Any) -> list[str]:
    return [reason["msg"] for reason in data["reasons"]]


class TestSingle:
    def test_credit_does_not_hide_the_shortage(self, desk: BillClient, limited_client: BillClient) -> None:
        bill = draft_impossible(desk, "额度与库存")
        answer = limited_client.apply_action("auditorPass", bill)
        credit, short = list_reasons(answer.data)
        assert credit.startswith("客户已超信用额度（额度 0.00 元")
        assert short.startswith("库存不足：") and "缺 987654" in short
        assert (answer.code, answer.msg) == (400, f"{credit}；{short}")

    def test_what_can_be_done_is_told_with_each(self, desk: BillClient, limited_client: BillClient) -> None:
        bill = draft_impossible(desk, "怎么办")
        credit, short = limited_client.apply_action("auditorPass", bill).data["reasons"]
        world, customer = desk.world, desk.read_bill(bill)["customer_id"]
        use, holders = credit["ways"]
        assert use == {"label": "查看信用占用", "route": f"/custom/creditfind?customer_id={customer}"}
        assert holders["label"].startswith("可以放行的人：manager_a、")
        assert "own_a" not in holders["label"], "he would not see the bill"
        stock, change = short["ways"]
        assert change == {"label": CHANGE, "route": ""}
        place = f"goods_id={world.spares[31]}&warehouse_id={world.warehouse_a}"
        assert stock["route"] == f"/inventory/inventorygoods?{place}"
        assert short["kind"] == "shortage"

    def test_who_may_not_look_is_told_what_to_change_and_who_may(
        self, site: Site, desk: BillClient, limited_client: BillClient
    ) -> None:
        bill = draft_impossible(desk, "看不到库存")
        role = site.world.role_clerk_a
        admin = site.as_("admin")
        rights = [
            code for code in read_editor(admin, role)["holdings"]["rights"] if code != "stock_detail:list"
        ]
        with changed_role(admin, role, rights=rights):
            short = limited_client.apply_action("auditorPass", bill).data["reasons"][-1]
        change, helpers = short["ways"]
        assert change == {"label": CHANGE, "route": ""}
        assert helpers["label"].startswith("可以查看库存明细的人：manager_a、")
        assert helpers["route"] == ""

    def test_nothing_is_posted_and_nothing_of_the_search_stays(
        self, desk: BillClient, limited_client: BillClient
    ) -> None:
        bill = draft_impossible(desk, "不留痕迹")
        before = _count_rows(desk, bill)
        limited_client.apply_action("auditorPass", bill)
        assert _count_rows(desk, bill) == before
        assert desk.read_bill(bill)["status"] == 1

    def test_a_single_cause_keeps_its_answer(self, desk: BillClient, limited_client: BillClient) -> None:
        goods = desk.world.spares[31]
        line = {"goods_id": goods, "quantity": "987654", "price": "1"}
        customer = desk.partner("customer", "只缺库存", credit_limit=None)
        answer = limited_client.apply_action(
            "auditorPass", desk.draft("sales_outbound", line, customer_id=customer)
        )
        assert answer.data["kind"] == "shortage"
        assert [cause["goods_id"] for cause in answer.data["causes"]] == [goods]
        assert list_reasons(answer.data) == [answer.msg]

    def test_who_may_pass_the_limit_is_told_what_refuses_him_and_asked_later(self, desk: BillClient) -> None:
        bill = draft_impossible(desk, "先补货", quantity="987654")
        answer = desk.apply_action("auditorPass", bill)
        assert answer.code == 400
        assert [reason.split("：")[0] for reason in list_reasons(answer.data)] == ["库存不足"]


class TestBatch:
    def test_each_bill_has_one_row_with_all_its_causes(
        self, desk: BillClient, limited_client: BillClient
    ) -> None:
        good = desk.draft("other_inbound", {"goods_id": desk.world.spares[32], "quantity": "1", "price": "1"})
        bills = [draft_impossible(desk, "批量一"), draft_impossible(desk, "批量二")]
        answer = limited_client.apply_action("auditorPass", *bills)
        rows = answer.data["failures"]
        assert [row["index"] for row in rows] == [1, 2]
        assert [row["serial"] for row in rows] == [bill.no for bill in bills]
        for row in rows:
            assert len(row["reasons"]) == 2
            assert row["msg"] == "；".join(list_reasons(row))
        assert desk.apply_action("auditorPass", good).ok


def _count_rows(desk: BillClient, bill: SavedBill) -> tuple[Any, ...]:
    with desk.site.engine.connect() as conn:
        counts = (
            "select (select count(*) from stock_ledger), (select count(*) from settlement_item),"
            " (select count(*) from business_log), (select sum(reserved) from stock_total),"
            " (select revision from sales_outbound where bill_id = %s)"
        )
        return tuple(conn.exec_driver_sql(counts, (bill.id,)).one())
