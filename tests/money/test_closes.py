"""Month close and year close: proved, locked, closed; opened again in the opposite order."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from sqlalchemy import Connection

from api.kit.storage.business_log import BusinessLog
from api.ledger import open_period
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.fixtures import Site

API = "v2/system/MonthClose"
YEAR = "v2/system/CloseBusinessAccount"


def close_month(desk: BillClient, period: str, company: int | None = None) -> Answer:
    return desk.caller.post(
        f"{API}/closePeriod", {"company_id": company or desk.world.company_a, "period": period}
    )


def reopen_month(desk: BillClient, period: str, reason: str = "补录单据") -> Answer:
    body = {"company_id": desk.world.company_a, "period": period, "reason": reason}
    return desk.caller.post(f"{API}/openPeriod", body)


def read_consequence(desk: BillClient, action: str, period: str) -> Answer:
    body = {"action": action, "company_id": desk.world.company_a, "period": period}
    return desk.caller.post(f"{API}/getConsequence", body)


def read_questions(desk: BillClient, period: str) -> dict[str, Any]:
    answer = desk.caller.get(f"{API}/getQuestions", company_id=desk.world.company_a, period=period)
    assert answer.ok, answer
    return {item["name"]: item for item in answer.data}


def read_status(desk: BillClient, bill: SavedBill) -> int:
    found: int = desk.read_bill(bill)["status"]
    return found


class TestClosing:
    def test_a_month_locks_its_bills_and_keeps_its_figures(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[0]
        received = desk.stock_in(goods, 10, business_date="2025-01-10")
        sold = desk.add_audited(
            "sales_outbound",
            {"goods_id": goods, "quantity": "4", "price": "200"},
            business_date="2025-01-20",
        )
        order = desk.add_audited(
            "sales_order",
            {"goods_id": goods, "quantity": "1", "price": "200"},
            business_date="2025-01-21",
        )
        later = desk.stock_in(goods, 1, business_date="2025-02-01")

        answer = close_month(desk, "2025-01")

        assert (answer.code, answer.data) == (200, {"period": "2025-01", "bill_count": 2})
        assert [read_status(desk, bill) for bill in (received, sold, order, later)] == [5, 5, 2, 2]
        [row] = books.rows(
            "select stock_quantity, stock_amount, receivable, payable from month_close where period = '2025-01'"
        )
        assert row == ("6", "600.00", "800.00", "0.00")
        listed = desk.caller.get(f"{API}/getList").data
        assert listed["data"] and not listed["totals"], "what stood at the ends of months is not added up"
        refused = desk.apply_action("antiAuditor", sold)
        assert (refused.code, refused.msg) == (400, "会计期间 2025-01 已结账，单据已锁定，请先反结账")

    def test_an_order_of_a_closed_month_is_carried_on(self, desk: BillClient) -> None:
        [order] = [
            row["bill_id"]
            for row in desk.caller.get("v2/sales/SalesOrder/getList").data["data"]
            if row["business_date"] == "2025-01-21"
        ]
        for action in ("close", "open"):
            answer = desk.caller.post(f"v2/sales/SalesOrder/{action}", {"ids": [order]})
            assert answer.ok, answer

    def test_it_is_closed_once(self, desk: BillClient) -> None:
        answer = close_month(desk, "2025-01")
        assert (answer.code, answer.msg) == (400, "会计期间 2025-01 已经结账")
        assert read_consequence(desk, "closePeriod", "2025-01").msg == answer.msg

    def test_the_present_month_is_not_over(self, desk: BillClient) -> None:
        answer = close_month(desk, "2099-12")
        assert (answer.code, answer.msg) == (400, "会计期间 2099-12 尚未结束，不能结账")
        assert read_consequence(desk, "closePeriod", "2099-12").msg == answer.msg

    @pytest.mark.parametrize("period", ["2025-13", "2025", "2025-1-1", "x"])
    def test_a_period_is_a_month(self, desk: BillClient, period: str) -> None:
        answer = close_month(desk, period)
        assert answer.code == 400
        assert "会计期间" in answer.msg

    def test_a_foreign_company_is_refused(self, site: Site, conn: Connection) -> None:
        before = fingerprint_tables(conn)
        conn.rollback()
        manager = BillClient(site, "manager_a")
        answer = close_month(manager, "2025-01", manager.world.company_b)
        assert (answer.code, answer.msg) == (400, "公司不存在或无权访问")
        assert fingerprint_tables(conn) == before


class TestQuestions:
    def test_undecided_bills_stand_in_the_way_and_are_led_to(
        self, desk: BillClient, conn: Connection
    ) -> None:
        draft = desk.draft(
            "other_inbound",
            {"goods_id": desk.world.spares[1], "quantity": "1", "price": "1"},
            business_date="2025-02-10",
        )
        found = read_questions(desk, "2025-02")["bills_decided"]
        assert (found["blocking"], found["count"]) == (True, 1)
        assert found["rows"] == [
            {
                "serial": draft.no,
                "msg": "其他入库未审核",
                "route": f"/inventory/otheninstorageSee?id={draft.id}",
            }
        ]
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = close_month(desk, "2025-02")
        assert (answer.code, answer.msg) == (400, "以下检查未通过，不能结账：本期单据都已审核或作废（1）")
        assert fingerprint_tables(conn) == before
        desk.apply_action("invalid", draft)
        assert close_month(desk, "2025-02").ok

    def test_months_are_closed_in_their_order(self, desk: BillClient) -> None:
        desk.stock_in(desk.world.spares[1], 1, business_date="2025-03-10")
        found = read_questions(desk, "2025-04")["previous_periods"]
        assert [row["serial"] for row in found["rows"]] == ["2025-03"]
        assert "以前的会计期间都已结账（1）" in close_month(desk, "2025-04").msg

    @pytest.mark.parametrize(
        ("damage", "name"),
        [
            ("update stock_balance set quantity = quantity + 1 where goods_id = %s", "stock_ties"),
            ("update cost_balance set amount = amount + 1 where goods_id = %s", "stock_ties"),
        ],
    )
    def test_books_that_do_not_tie_stand_in_the_way(
        self, desk: BillClient, site: Site, damage: str, name: str
    ) -> None:
        goods = desk.world.spares[1]
        with site.engine.begin() as conn:
            conn.exec_driver_sql(damage, (goods,))
        assert read_questions(desk, "2025-03")[name]["count"] > 0
        assert not close_month(desk, "2025-03").ok
        with site.engine.begin() as conn:
            conn.exec_driver_sql(damage.replace("+ 1", "- 1"), (goods,))
        assert read_questions(desk, "2025-03")[name]["count"] == 0


class TestOpening:
    def test_the_last_month_comes_first(self, desk: BillClient) -> None:
        answer = reopen_month(desk, "2025-01")
        assert (answer.code, answer.msg) == (400, "会计期间 2025-02 已结账，请先反结账 2025-02")
        assert read_consequence(desk, "openPeriod", "2025-01").msg == answer.msg
        assert read_consequence(desk, "openPeriod", "2025-02").ok

    def test_a_reason_is_asked_for(self, desk: BillClient) -> None:
        assert reopen_month(desk, "2025-02", " ").msg == "请填写反结账原因"

    def test_bills_come_back_as_they_were(
        self, desk: BillClient, conn: Connection, books: PostingReader
    ) -> None:
        assert reopen_month(desk, "2025-02").ok
        answer = reopen_month(desk, "2025-01")
        assert (answer.code, answer.data) == (200, {"period": "2025-01", "bill_count": 2})
        assert books.rows("select count(*) from sales_outbound where status = 5") == [(0,)]
        assert books.rows("select status, open_reason from month_close where period = '2025-01'") == [
            (0, "补录单据")
        ]
        actions = conn.execute(
            BusinessLog.__table__.select()
            .where(BusinessLog.resource == "month_close")
            .with_only_columns(BusinessLog.action)
        ).scalars()
        assert set(actions) == {"closePeriod", "openPeriod"}
        assert find_broken_checks(conn) == {}

    def test_an_open_month_is_not_opened(self, desk: BillClient) -> None:
        assert reopen_month(desk, "2025-01").msg == "会计期间 2025-01 未结账"
        told = read_consequence(desk, "openPeriod", "2025-01")
        assert (told.code, told.msg) == (400, "会计期间 2025-01 未结账")


class TestRace:
    def test_two_closes_at_once_one_wins(self, desk: BillClient, site: Site, conn: Connection) -> None:
        answers: list[Answer] = []
        threads = [
            threading.Thread(target=lambda: answers.append(close_month(BillClient(site), "2025-01")))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert sorted(answer.code for answer in answers) == [200, 400, 400, 400]
        rows = conn.exec_driver_sql(
            "select count(*) from month_close where period = '2025-01' and status = 1"
        )
        assert rows.scalar() == 1

    def test_audits_beside_a_close_are_in_it_or_refused(
        self, desk: BillClient, site: Site, conn: Connection, books: PostingReader
    ) -> None:
        drafts = [
            desk.draft(
                "other_inbound",
                {"goods_id": desk.world.spares[2], "quantity": "1", "price": "113"},
                business_date="2025-02-15",
            )
            for _ in range(6)
        ]
        closed: list[Answer] = []

        def audit() -> None:
            for bill in drafts:
                while not BillClient(site).apply_action("auditorPass", bill).ok:
                    pass

        def shut() -> None:
            end = time.monotonic() + 30
            while time.monotonic() < end and not (closed and closed[-1].ok):
                closed.append(close_month(BillClient(site), "2025-02"))

        threads = [threading.Thread(target=audit), threading.Thread(target=shut)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert closed[-1].ok, closed[-1]
        states = books.rows("select distinct status from other_inbound where business_date = '2025-02-15'")
        assert states == [(5,)]
        assert find_broken_checks(conn) == {}


def read_year_consequence(desk: BillClient, key: int) -> dict[str, str]:
    """Read the consequence of closing a year."""
    told = desk.caller.post(f"{YEAR}/getConsequence", {"action": "auditorPass", "ids": [key]}).data
    assert told["effect"] == "该年度的十二个月永久结账，不能再反结账"
    return {fact["label"]: fact["value"] for fact in told["facts"] if fact["label"].startswith("永久")}


class TestYear:
    def test_a_year_needs_its_twelve_months(self, desk: BillClient) -> None:
        made = desk.caller.post(f"{YEAR}/add", {"company_id": desk.world.company_a, "year": "2024"})
        assert made.ok, made
        told = desk.caller.post(
            f"{YEAR}/getConsequence", {"action": "auditorPass", "ids": [made.data["id"]]}
        ).data
        assert [text.endswith("2024 年还有 12 个月未结账，不能年结") for text in told["warnings"]] == [True]
        answer = desk.caller.post(f"{YEAR}/auditorPass", {"ids": [made.data["id"]]})
        assert (answer.code, answer.msg) == (400, "2024 年还有 12 个月未结账，不能年结")
        refused = desk.caller.post(f"{YEAR}/auditorNoPass", {"ids": [made.data["id"]], "reason": "先结月"})
        assert refused.ok, refused
        assert desk.caller.get(f"{YEAR}/info", id=made.data["id"]).data["reject_reason"] == "先结月"

    def test_an_approved_year_stays_closed(self, desk: BillClient, site: Site) -> None:
        with site.engine.begin() as conn:
            conn.exec_driver_sql(
                "insert into accounting_period (company_id, period, status)"
                " select %s, '2023-' || lpad(m::text, 2, '0'), 1 from generate_series(1, 12) m",
                (desk.world.company_a,),
            )
        made = desk.caller.post(f"{YEAR}/add", {"company_id": desk.world.company_a, "year": "2023"})
        assert read_year_consequence(desk, made.data["id"]) == {
            "永久结账月份": "12 个",
            "永久锁定单据": "0 张",
        }
        assert desk.caller.post(f"{YEAR}/auditorPass", {"ids": [made.data["id"]]}).ok
        assert reopen_month(desk, "2023-12").msg == "2023 年已年结，不能反结账"
        again = desk.caller.post(f"{YEAR}/auditorPass", {"ids": [made.data["id"]]})
        assert again.code == 400

    def test_a_month_is_not_opened_while_its_year_is_approved(
        self, desk: BillClient, site: Site, conn: Connection
    ) -> None:
        """The approval takes place while a month of the year is being opened: it waits, and then finds eleven."""
        with site.engine.begin() as prepared:
            prepared.exec_driver_sql(
                "insert into accounting_period (company_id, period, status)"
                " select %s, '2022-' || lpad(m::text, 2, '0'), 1 from generate_series(1, 12) m",
                (desk.world.company_a,),
            )
        made = desk.caller.post(f"{YEAR}/add", {"company_id": desk.world.company_a, "year": "2022"})
        open_period(conn, desk.world.company_a, "2022-07")
        answers: list[Answer] = []
        approval = threading.Thread(
            target=lambda: answers.append(
                BillClient(site).caller.post(f"{YEAR}/auditorPass", {"ids": [made.data["id"]]})
            )
        )
        approval.start()
        approval.join(1)
        assert answers == [], "the approval waits for the opening"
        conn.commit()
        approval.join(30)
        assert [answer.msg for answer in answers] == ["2022 年还有 1 个月未结账，不能年结"]

    def test_a_year_is_four_digits(self, desk: BillClient) -> None:
        answer = desk.caller.post(f"{YEAR}/add", {"company_id": desk.world.company_a, "year": "20x5"})
        assert answer.msg == "年度应为四位年份，如 2026"
