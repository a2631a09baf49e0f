"""Stock warning query: what stands outside its limits, by how much, and what to buy; pending items tell of it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

QUERY, PENDING = "v2/inventory/StockWarningQuery/getList", "v2/open/Message/getPendingMessage"


@pytest.fixture(scope="module", autouse=True)
def limits(desk: BillClient) -> None:
    """In A's warehouse: one goods too few, one too many, one just right, one that was never there."""
    world, caller = desk.world, desk.caller
    few, many, right, never = world.spares[:4]
    desk.stock_in(few, 10, business_date="2023-12-01")
    desk.stock_in(many, 10, business_date="2023-12-01")
    desk.stock_in(right, 10, business_date="2023-12-01")
    line = {"goods_id": few, "quantity": "2", "price": "10", "tax_rate": "13"}
    desk.add_audited("sales_outbound", line, business_date="2026-03-04")
    desk.add_audited("purchase_order", {**line, "quantity": "3"})
    for goods, minimum, maximum in (
        (few, "9", "20"),
        (many, "1", "4"),
        (right, "10", "10"),
        (never, "5", None),
    ):
        body = {"company_id": world.company_a, "warehouse_id": world.warehouse_a, "goods_id": goods}
        answer = caller.post("v2/risk/SafetyStock/add", {**body, "minimum": minimum, "maximum": maximum})
        assert answer.ok, answer


def list_warnings(site: Site, user: str = "admin", **query: Any) -> dict[str, dict[str, Any]]:
    answer = site.as_(user).get(QUERY, **query)
    assert answer.ok, answer
    return {row["goods_num"]: row for row in answer.data["data"]}


def parse_numbers(row: dict[str, Any], *names: str) -> list[Decimal]:
    return [Decimal(row[name]) for name in names]


class TestQuery:
    def test_only_what_is_outside_its_limits(self, site: Site) -> None:
        assert set(list_warnings(site)) == {"SPARE0", "SPARE1", "SPARE3"}
        assert set(list_warnings(site, side=2)) == {"SPARE1"}

    def test_shortage_last_sale_and_what_to_buy(self, site: Site) -> None:
        row = list_warnings(site)["SPARE0"]
        assert (row["quantity"], row["shortage"], row["ordered"]) == ("8.000", "1.000", "3.000")
        assert (row["suggested"], row["last_sale"]) == ("9.000", "2026-03-04")

    def test_goods_that_were_never_there_are_missing_as_well(self, site: Site) -> None:
        row = list_warnings(site)["SPARE3"]
        assert parse_numbers(row, "quantity", "shortage", "suggested") == [0, 5, 5]

    def test_too_much_is_told_by_how_much(self, site: Site) -> None:
        row = list_warnings(site)["SPARE1"]
        assert parse_numbers(row, "excess", "shortage", "suggested") == [6, 0, 0]

    def test_totals_cover_the_whole_filter(self, site: Site) -> None:
        answer = site.as_("admin").get(QUERY, per_page=1)
        assert answer.data["total"] == 3
        assert Decimal(answer.data["totals"]["shortage"]) == 6

    def test_another_company_sees_nothing_of_it(self, site: Site) -> None:
        assert list_warnings(site, "manager_b") == {}


class TestPending:
    def list_pending(self, site: Site, user: str) -> list[tuple[str, str]]:
        items = site.as_(user).get(PENDING).data
        return [(item["content"], item["url"]) for item in items if item["type"] == 0]

    def test_whoever_may_read_warnings_is_told_where_nobody_answers_for_them(self, site: Site) -> None:
        told = [
            ("2 种商品低于最低库存", "/inventory/stockWarningQuery?side=1"),
            ("1 种商品高于最高库存", "/inventory/stockWarningQuery?side=2"),
        ]
        assert self.list_pending(site, "manager_a") == told
        assert self.list_pending(site, "manager_b") == []
        assert self.list_pending(site, "nobody") == []

    def test_then_those_who_answer_for_the_warehouse(self, site: Site, desk: BillClient) -> None:
        world, caller = desk.world, desk.caller
        values = {
            "company_id": world.company_a,
            "warehouse_id": world.warehouse_a,
            "employee_id": world.employee_a,
            "warns_below": True,
        }
        key = caller.post("v2/inventory/StockEarlyWarning/add", values).data["id"]
        assert self.list_pending(site, "manager_a") == [
            ("2 种商品低于最低库存", "/inventory/stockWarningQuery?side=1")
        ]
        assert self.list_pending(site, "admin") == []
        assert caller.post("v2/inventory/StockEarlyWarning/del", {"ids": [key]}).ok
