"""Stock in the past: bills of an earlier date leave the days since with what they had, and a month is closed on it."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.fixtures import Site

OCTOBER, NOVEMBER = "2025-10-31", "2025-11-01"
NUMBERS = count(1)


@pytest.fixture
def received(desk: BillClient) -> tuple[int, SavedBill]:
    """Goods of which 10 were received on 1 November."""
    goods = desk.caller.post(
        "v2/system/Goods/add",
        {
            "goods_num": f"GQ{next(NUMBERS)}",
            "goods_name": "过去件",
            "goods_type_id": desk.world.type1,
            "unit_id": desk.world.unit,
        },
    )
    assert goods.ok, goods
    key = int(goods.data["id"])
    return key, desk.stock_in(key, 10, business_date=NOVEMBER)


def build_line(goods: int, quantity: str, **more: Any) -> dict[str, Any]:
    return {"goods_id": goods, "quantity": quantity, **more}


def audit_draft(desk: BillClient, resource: str, *lines: dict[str, Any], **header: Any) -> Answer:
    return desk.apply_action("auditorPass", desk.draft(resource, *lines, **header))


class TestBackdated:
    def test_a_sale_before_the_receipt_is_refused(
        self, desk: BillClient, received: tuple[int, SavedBill], conn: Connection
    ) -> None:
        goods, _ = received
        bill = desk.draft("sales_outbound", build_line(goods, "5", price="10"), business_date=OCTOBER)
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, f"库存不足：过去件 在 {OCTOBER} 结存不足，缺 5")
        assert fingerprint_tables(conn) == before
        assert audit_draft(
            desk, "sales_outbound", build_line(goods, "5", price="10"), business_date=NOVEMBER
        ).ok

    @pytest.mark.parametrize("resource", ["other_outbound", "stock_loss", "surplus_out", "purchase_return"])
    def test_so_is_whatever_takes_stock(
        self, desk: BillClient, received: tuple[int, SavedBill], resource: str
    ) -> None:
        goods, _ = received
        priced = {"price": "10"} if resource == "purchase_return" else {}
        answer = audit_draft(desk, resource, build_line(goods, "4", **priced), business_date=OCTOBER)
        assert (answer.code, answer.msg) == (400, f"库存不足：过去件 在 {OCTOBER} 结存不足，缺 4")

    def test_so_is_a_move_to_another_place(self, desk: BillClient, received: tuple[int, SavedBill]) -> None:
        goods, _ = received
        world = desk.world
        sent = audit_draft(
            desk,
            "transfer_out",
            build_line(goods, "4"),
            to_warehouse_id=world.warehouse2_a,
            business_date=OCTOBER,
        )
        assert (sent.code, sent.msg) == (400, f"库存不足：过去件 在 {OCTOBER} 结存不足，缺 4")

    def test_so_is_what_a_count_lacks(
        self, desk: BillClient, received: tuple[int, SavedBill], conn: Connection
    ) -> None:
        goods, _ = received
        desk.add_audited("other_outbound", build_line(goods, "8"), business_date="2025-11-02")
        counted = {"goods_id": goods, "counted_quantity": "7"}
        answer = audit_draft(desk, "stock_take", counted, business_date=NOVEMBER)
        assert (answer.code, answer.msg) == (400, "库存不足：过去件缺 1")
        assert find_broken_checks(conn) == {}

    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_a_receipt_that_an_issue_lived_on_stays(
        self, desk: BillClient, received: tuple[int, SavedBill], action: str, conn: Connection
    ) -> None:
        """Today there is enough, as more came since; on 2 November there would not have been."""
        goods, first = received
        sold = desk.add_audited(
            "sales_outbound", build_line(goods, "6", price="10"), business_date="2025-11-02"
        )
        desk.stock_in(goods, 10, business_date="2025-11-03")
        answer = desk.apply_action(action, first)
        assert answer.code == 400
        assert answer.msg == (
            "该单据的库存已被使用，不能反审核或作废：过去件 在 2025-11-02 结存不足，缺 6"
            f"（相关单据：{sold.no}）"
        )
        assert find_broken_checks(conn) == {}

    def test_where_negatives_are_allowed_it_passes(self, desk: BillClient, conn: Connection) -> None:
        goods, warehouse = desk.world.spares[0], _create_warehouse(desk, "过去直发仓")
        desk.stock_in(goods, 10, business_date=NOVEMBER, warehouse_id=warehouse)
        assert audit_draft(
            desk,
            "sales_outbound",
            build_line(goods, "5", price="10"),
            business_date=OCTOBER,
            warehouse_id=warehouse,
        ).ok
        assert find_broken_checks(conn) == {}


def _create_warehouse(desk: BillClient, name: str) -> int:
    body = {"warehouse_name": name, "company_id": desk.world.company_a, "allow_negative": True}
    answer = desk.caller.post("v2/system/Warehouse/add", body)
    assert answer.ok, answer
    return int(answer.data["id"])


def _forbid_negative_stock(desk: BillClient, warehouse: int, **more: Any) -> Answer:
    info = desk.caller.get("v2/system/Warehouse/getInfo", id=warehouse).data
    body = {**info, "id": warehouse, "allow_negative": False, **more}
    return desk.caller.post("v2/system/Warehouse/edit", body)


class TestTightening:
    def test_a_warehouse_with_negative_stock_goes_on_allowing_it(self, desk: BillClient) -> None:
        goods, warehouse = desk.world.spares[1], _create_warehouse(desk, "过去负库存仓")
        desk.add_audited("sales_outbound", build_line(goods, "5", price="10"), warehouse_id=warehouse)
        answer = _forbid_negative_stock(desk, warehouse)
        assert (answer.code, answer.msg) == (
            400,
            "仓库现有负库存，不能改为不允许负库存：备件1 -5，请先补录入库或盘点",
        )

    def test_days_before_it_stay_as_they_were_allowed(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, warehouse = desk.world.spares[2], _create_warehouse(desk, "过去收紧仓")
        desk.add_audited(
            "sales_outbound",
            build_line(goods, "5", price="10"),
            warehouse_id=warehouse,
            business_date=OCTOBER,
        )
        desk.stock_in(goods, 10, warehouse_id=warehouse, business_date=NOVEMBER)
        asked = _forbid_negative_stock(desk, warehouse)
        assert (asked.code, asked.msg) == (
            363,
            "未结账的会计期间期末有负库存：2025-10 备件2 -5，改后这些期间仍按允许负库存处理，结账时会提示，是否继续？",
        )
        assert _forbid_negative_stock(desk, warehouse, confirmed=True).ok
        assert books.rows(
            "select strict_since = current_date from warehouse where warehouse_id = %s", warehouse
        ) == [(True,)]
        assert find_broken_checks(conn) == {}
        answer = audit_draft(
            desk,
            "sales_outbound",
            build_line(goods, "1", price="10"),
            warehouse_id=warehouse,
            business_date=OCTOBER,
        )
        assert (answer.code, answer.msg) == (400, f"库存不足：备件2 在 {OCTOBER} 结存不足，缺 1")


class TestClose:
    def test_a_day_of_the_month_below_zero_stands_in_the_way(
        self, desk: BillClient, site: Site, received: tuple[int, SavedBill]
    ) -> None:
        goods, _ = received
        sold = desk.add_audited("sales_outbound", build_line(goods, "5", price="10"), business_date=NOVEMBER)
        assert _read_question(desk, "2025-10")["count"] == 0
        with site.engine.begin() as conn:
            _backdate_bill(conn, sold, OCTOBER)
        try:
            found = _read_question(desk, "2025-10")
            assert found["blocking"]
            assert [row["msg"] for row in found["rows"]] == [f"过去件 在 {OCTOBER} 结存 -5，单据 {sold.no}"]
            answer = desk.caller.post(
                "v2/system/MonthClose/closePeriod",
                {"company_id": desk.world.company_a, "period": "2025-10"},
            )
            assert "本期各日没有负库存（不允许负库存的仓库）（1）" in answer.msg
            assert _read_question(desk, "2025-11")["count"] == 0
            with site.engine.connect() as conn:
                assert "stock_days_not_negative" in find_broken_checks(conn)
        finally:
            with site.engine.begin() as conn:
                _backdate_bill(conn, sold, NOVEMBER)

    def test_the_balances_of_its_own_end_are_looked_at(
        self, desk: BillClient, received: tuple[int, SavedBill]
    ) -> None:
        """Where it is allowed, a month that ends below zero is told, though more has come since."""
        goods, _ = received
        warehouse = _create_warehouse(desk, "结账时可负仓")
        here = {"warehouse_id": warehouse}
        desk.add_audited(
            "sales_outbound", build_line(goods, "5", price="10"), business_date="2025-10-10", **here
        )
        told = {"2025-09": [], "2025-10": ["过去件 在 2025-10-31 结存 -5"], "2025-11": []}
        desk.stock_in(goods, 10, business_date=NOVEMBER, **here)
        for _ in range(2):
            for period, expected in told.items():
                found = _read_question(desk, period, "stock_not_negative")
                rows = [row["msg"] for row in found["rows"] if row["serial"] == "结账时可负仓"]
                assert (rows, found["blocking"]) == (expected, False)
            assert _forbid_negative_stock(desk, warehouse, confirmed=True).ok


def _read_question(desk: BillClient, period: str, name: str = "stock_days_not_negative") -> dict[str, Any]:
    answer = desk.caller.get(
        "v2/system/MonthClose/getQuestions", company_id=desk.world.company_a, period=period
    )
    assert answer.ok, answer
    [found] = [item for item in answer.data if item["name"] == name]
    return dict(found)


def _backdate_bill(conn: Connection, bill: SavedBill, day: str) -> None:
    """Plant a date that the ledger refuses."""
    conn.exec_driver_sql("alter table stock_ledger disable trigger user")
    conn.exec_driver_sql("update stock_ledger set business_date = %s where bill_no = %s", (day, bill.no))
    conn.exec_driver_sql("alter table stock_ledger enable trigger user")
