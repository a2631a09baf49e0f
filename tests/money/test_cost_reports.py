"""Cost detail and cost prices: issue by issue with the averages around it, for those who may see costs."""

from __future__ import annotations

from typing import Any

import pytest

from api.money import cost_recalculation
from tests.kit.desk import Desk
from tests.kit.fixtures import Site

DETAIL = "v2/report/CostDetail/getList"


@pytest.fixture(scope="module")
def goods(desk: Desk) -> int:
    """10 at 100; 4 sold on the 10th, 1 of them returned; then 10 at 120 dated the 5th, and recalculated."""
    goods = desk.world.spares[0]
    desk.stock_in(goods, 10, business_date="2026-03-01")
    sale = {"goods_id": goods, "quantity": "4", "price": "200"}
    sold = desk.audited("sales_outbound", sale, business_date="2026-03-10")
    back = {**sale, "quantity": "1", "source_line_id": desk.line_ids(sold)[0]}
    desk.audited("sales_return", back, business_date="2026-03-11")
    undone = desk.audited("sales_outbound", sale, business_date="2026-03-12")
    assert desk.act("antiAuditor", undone).ok
    desk.stock_in(goods, 10, "135.6", business_date="2026-03-05")
    asked = {"company_id": desk.world.company_a, "period": "2026-03"}
    answer = desk.caller.post("v2/system/CostRecalculate/start", asked)
    cost_recalculation.run(answer.data["recalculation_id"])
    return goods


def rows(desk: Desk, goods: int, **more: Any) -> list[tuple[Any, ...]]:
    answer = desk.caller.get(DETAIL, goods_id=goods, order_key="cost_detail_id", order_by="asc", **more)
    assert answer.ok, answer
    names = ("bill_type", "quantity", "posted_amount", "difference_amount", "amount")
    return [tuple(row[name] for name in names) for row in answer.data["data"]]


class TestCostDetail:
    def test_an_issue_shows_what_it_cost_before_and_after_its_recalculation(
        self, desk: Desk, goods: int
    ) -> None:
        assert rows(desk, goods) == [
            ("XSCK", "4.000", "400.00", "40.00", "440.00"),
            ("XSTH", "-1.000", "-100.00", "-10.00", "-110.00"),
        ]

    def test_the_averages_stand_in_business_order(self, desk: Desk, goods: int) -> None:
        found = desk.caller.get(DETAIL, goods_id=goods, order_key="cost_detail_id", order_by="asc").data[
            "data"
        ]
        averages = [(row["average_before"], row["unit_cost"], row["average_after"]) for row in found]
        assert averages == [("110.000000",) * 3] * 2

    def test_it_is_filtered_and_totalled(self, desk: Desk, goods: int) -> None:
        assert len(rows(desk, goods, bill_type="XSCK")) == 1
        assert rows(desk, goods, business_date_start="2026-04-01") == []
        assert desk.caller.get(DETAIL, goods_id=goods).data["totals"]["amount"] == "330.00"

    def test_each_row_leads_to_its_bill(self, desk: Desk, goods: int) -> None:
        [row] = desk.caller.get(DETAIL, goods_id=goods, bill_type="XSCK").data["data"]
        assert row["route"].startswith("/sales/") and "?id=" in row["route"]


class TestCostPrice:
    def test_the_present_average_and_the_last_price(self, desk: Desk, goods: int) -> None:
        [row] = desk.caller.get("v2/inventory/CostPrice/getList", goods_id=goods).data["data"]
        assert (row["quantity"], row["average"], row["last_unit_cost"]) == (
            "17.000",
            "110.000000",
            "120.000000",
        )

    def test_without_the_cost_right_nothing_is_told(self, site: Site, goods: int) -> None:
        clerk = Desk(site, "clerk_a")
        for call, names in (
            (DETAIL, ("amount", "average_before")),
            ("v2/inventory/CostPrice/getList", ("average",)),
        ):
            answer = clerk.caller.get(call, goods_id=goods)
            told = [row[name] for row in answer.data["data"] for name in names] if answer.ok else []
            assert set(told) <= {"无权限"}
