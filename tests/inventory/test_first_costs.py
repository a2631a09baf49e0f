"""Goods without any cost yet: bills that bring them in without one are refused until a unit cost is entered."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from tests.inventory.test_stock_take import enter_counts, list_differences
from tests.support.bill_client import BillClient, PostingReader
from tests.support.database_state import find_broken_checks, fingerprint_tables

NEEDS_SURPLUS_COST = "没有入库成本可依，请在明细中录入盘盈单位成本，确无价值的录入0"
NEEDS_PRICE = "没有入库成本可依，请在明细中录入单价，确无价值的作为赠品"
NEEDS_UNIT_COST = "没有入库成本可依，请在明细中录入单位成本，确无价值的录入0"


def build_line(desk: BillClient, spare: int, **more: Any) -> dict[str, Any]:
    return {"goods_id": desk.world.spares[spare], **more}


class TestStocktake:
    def test_a_surplus_asks_for_a_price(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        take = desk.draft("stock_take", build_line(desk, 0, counted_quantity="3"))
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = desk.apply_action("auditorPass", take)
        assert (answer.code, answer.msg) == (400, f"备件0{NEEDS_SURPLUS_COST}")
        assert fingerprint_tables(conn) == before
        assert enter_counts(desk, take, "3", name="counted_quantity").ok
        info = desk.read_bill(take)
        body = {**info, "id": take.id, "lines": [{**info["lines"][0], "unit_cost": "12.5"}]}
        assert desk.caller.post(desk.path("stock_take", "edit"), body).ok
        assert desk.apply_action("auditorPass", take).ok
        assert list_differences(books, take) == [(True, "3", "37.50")]
        assert books.cost(desk.world.spares[0], desk.world.company_a) == ("3", "37.50")
        assert find_broken_checks(conn) == {}

    def test_its_purchase_price_is_proposed(self, desk: BillClient) -> None:
        goods = desk.world.spares[1]
        body = {"company_id": desk.world.company_a, "goods_id": goods, "purchase_price": "80"}
        assert desk.caller.post("v2/system/CompanyGoods/add", body).ok
        take = desk.draft("stock_take", build_line(desk, 1, counted_quantity="1"))
        assert desk.apply_action("auditorPass", take).msg == f"备件1（参考采购价 80.00）{NEEDS_SURPLUS_COST}"

    def test_a_zero_that_was_written_down_stands(self, desk: BillClient, books: PostingReader) -> None:
        take = desk.draft("stock_take", build_line(desk, 2, counted_quantity="1", unit_cost="0"))
        assert desk.apply_action("auditorPass", take).ok
        assert list_differences(books, take) == [(True, "1", "0.00")]

    def test_the_average_comes_before_what_was_written_down(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        desk.stock_in(desk.world.spares[3], 2)
        take = desk.draft("stock_take", build_line(desk, 3, counted_quantity="3", unit_cost="7"))
        asked = desk.apply_action("auditorPass", take)
        told = "备件3有成本均价或最近进价，按它入库，录入的盘盈单位成本不采用，是否继续？"
        assert (asked.code, asked.msg) == (363, told)
        assert desk.apply_action("auditorPass", take, confirmed=True).ok
        assert list_differences(books, take) == [(True, "1", "100.00")]

    def test_who_may_not_see_cost_neither_tells_nor_reads_it(self, desk: BillClient) -> None:
        take = desk.draft("stock_take", build_line(desk, 12, counted_quantity="1", unit_cost="12.5"))
        clerk = BillClient(desk.site, "clerk_a")
        info = clerk.read_bill(take)
        assert info["lines"][0]["unit_cost"] == "无权限"
        body = {**info, "id": take.id, "lines": [{**info["lines"][0], "unit_cost": "1", "remark": "已核对"}]}
        assert clerk.caller.post(clerk.path("stock_take", "edit"), body).ok
        [kept] = desk.read_bill(take)["lines"]
        assert (kept["unit_cost"], kept["remark"]) == ("12.500000", "已核对")

    def test_who_may_not_see_cost_is_told_who_can(self, desk: BillClient) -> None:
        take = desk.draft("stock_take", build_line(desk, 13, counted_quantity="1"))
        answer = BillClient(desk.site, "clerk_a").apply_action("auditorPass", take)
        told = "没有入库成本可依，请由可查看成本的人员在明细中录入盘盈单位成本，确无价值的录入0"
        assert (answer.code, answer.msg) == (400, f"备件13{told}")


class TestOthers:
    @pytest.mark.parametrize(
        ("resource", "spare", "told", "given"),
        [
            ("stock_surplus", 4, NEEDS_SURPLUS_COST, {}),
            ("other_inbound", 5, NEEDS_PRICE, {}),
            ("sales_return", 6, NEEDS_UNIT_COST, {"price": "100"}),
        ],
    )
    def test_what_comes_in_without_a_cost_is_refused_by_the_name_that_its_form_shows(
        self, desk: BillClient, resource: str, spare: int, told: str, given: dict[str, str]
    ) -> None:
        bill = desk.draft(resource, build_line(desk, spare, quantity="2", **given))
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, f"备件{spare}{told}")
        assert desk.read_bill(bill)["status"] == 1

    @pytest.mark.parametrize(("resource", "spare"), [("stock_surplus", 7), ("sales_return", 8)])
    def test_with_one_it_comes_in_at_it(
        self, desk: BillClient, books: PostingReader, resource: str, spare: int
    ) -> None:
        bill = desk.add_audited(resource, build_line(desk, spare, quantity="2", unit_cost="12.5"))
        assert books.stock(bill) == [(desk.world.spares[spare], "2", "12.5", "25.00")]

    def test_a_gift_may_be_worth_nothing(self, desk: BillClient, books: PostingReader) -> None:
        bill = desk.add_audited("other_inbound", build_line(desk, 9, quantity="2", is_gift=True))
        assert books.stock(bill) == [(desk.world.spares[9], "2", "0", "0.00")]

    def test_three_guarantee_goods_may_be_worth_nothing(self, desk: BillClient) -> None:
        world = desk.world
        desk.add_audited("three_inbound", build_line(desk, 10, quantity="1"), warehouse_id=world.warehouse3_a)

    def test_goods_that_were_sold_out_keep_their_last_cost(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[11]
        desk.stock_in(goods, 1)
        desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "1"})
        bill = desk.add_audited("stock_surplus", {"goods_id": goods, "quantity": "1"})
        assert books.stock(bill) == [(goods, "1", "100", "100.00")]
