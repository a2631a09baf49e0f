"""Goods that were short, rebates of service stations, coupons: bills are posted, each figure worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.reporting.report_client import fetch_page, fetch_row, fetch_rows, pick_numbers
from tests.support.bill_client import BillClient

SHORTAGE, REBATE = "v2/report/GoodsShortage", "v2/report/StationRebate"
COUPONS, DETAIL = "v2/report/CouponAnalysis", "v2/report/SalesDetail"
MARCH = {"day_start": "2026-03-01", "day_end": "2026-03-31"}
REBATES = """
update customer_rebate_policy set starts_on = '2026-01-01', ends_on = '2026-12-31' where bill_id = {policy};
insert into customer_rebate_policy_goods (bill_id, line_no, goods_id) values ({policy}, 1, {goods});
insert into customer_rebate (bill_no, business_date, status, company_id, customer_id, policy_id, cycle_start, cycle_end,
    amount, maker_id)
select 'KHFL-' || cycle, '2026-04-02', status, {company}, {customer}, {policy}, date(cycle), date(cycle) + days, amount,
    {user}
from (values ('2026-02-01', 27, 9.04, 2), ('2026-03-01', 30, 45.20, 2), ('2026-04-01', 29, 99, 1))
    as granted (cycle, days, amount, status)
"""
GRANTED = """
insert into sales_coupon (company_id, sales_coupon_name, kind, face_amount, threshold_amount)
values ({company}, '满300减50', 2, 50, 300);
insert into sales_coupon_grant (coupon_no, sales_coupon_id, company_id, customer_id, granted_on, expires_on, face_amount)
select 'YHQ' || n, sales_coupon_id, company_id, {customer}, date '2026-03-01' + n,
    case n when 2 then date '2026-03-31' else date '2099-12-31' end, 50
from sales_coupon, generate_series(1, 4) n;
insert into sales_coupon_use (sales_coupon_grant_id, bill_id, discount_amount)
select sales_coupon_grant_id, case coupon_no when 'YHQ1' then {sold} else {void} end, 50
from sales_coupon_grant where coupon_no in ('YHQ1', 'YHQ4')
"""


def _build_line(goods: int, quantity: int, price: str = "226", **more: Any) -> dict[str, Any]:
    return {"goods_id": goods, "quantity": str(quantity), "price": price, "tax_rate": "13", **more}


@pytest.fixture(scope="module")
def posted(desk: BillClient, refresh: Callable[[], None]) -> BillClient:
    """Company A sells the last 6 of 10 on February 1st and has none until March 5th; of an order of 8 it then delivers
    5, one of 2 is closed. Company B, a station, sells 2 in February, and in March 4, of which 1 comes back, with a
    rebate on these, and other goods without one."""
    world = desk.world
    first, second = world.spares[:2]
    b = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
    to_b = {**b, "customer_id": world.customer_b}
    desk.stock_in(first, 10, business_date="2026-01-01")
    for goods in (first, second):
        desk.stock_in(goods, 20, business_date="2026-01-01", **b)
    desk.add_audited("sales_outbound", _build_line(first, 4), business_date="2026-01-10")
    desk.add_audited("sales_outbound", _build_line(first, 6), business_date="2026-02-01")
    desk.stock_in(first, 20, business_date="2026-03-05")
    order = desk.add_audited("sales_order", _build_line(first, 8), business_date="2026-03-10")
    drawn = _build_line(first, 5, order_line_id=desk.line_ids(order)[0])
    desk.add_audited("sales_outbound", drawn, business_date="2026-03-12")
    closed = desk.add_audited("sales_order", _build_line(first, 2), business_date="2026-03-11")
    assert desk.apply_action("close", closed).ok
    desk.add_audited("sales_outbound", _build_line(first, 2), business_date="2026-02-10", **to_b)
    sold = desk.add_audited("sales_outbound", _build_line(first, 4), business_date="2026-03-05", **to_b)
    desk.add_audited("sales_outbound", _build_line(second, 1, "113"), business_date="2026-03-06", **to_b)
    back = _build_line(first, 1, source_line_id=desk.line_ids(sold)[0])
    desk.add_audited("sales_return", back, business_date="2026-03-20", **to_b)
    void = desk.add_audited("sales_outbound", _build_line(second, 1), business_date="2026-03-07", **to_b)
    assert desk.apply_action("invalid", void).ok
    names = {"company": world.company_b, "customer": world.customer_b, "user": world.user_manager_b}
    names |= {"policy": world.customer_rebate_policy_b, "goods": first, "sold": sold.id, "void": void.id}
    with desk.site.engine.begin() as conn:
        conn.exec_driver_sql(f"update company set type = 3 where company_id = {world.company_b}")
        for statement in f"{REBATES};{GRANTED}".format(**names).split(";"):
            conn.exec_driver_sql(statement)
    refresh()
    return desk


class TestShortage:
    def test_days_missed_sales_and_orders(self, posted: BillClient) -> None:
        """Ten were sold for 2,000 in the 90 days before: 27 days of February miss 3 of them, 4 of March 0.444."""
        found = fetch_row(posted, SHORTAGE, goods_id=posted.world.spares[0], **MARCH)
        assert pick_numbers(found, "stock_out_days", "missed_goods", "lost_quantity", "lost_amount") == {
            "stock_out_days": "4",
            "missed_goods": "1",
            "lost_quantity": "0.444",
            "lost_amount": "88.89",
        }
        assert pick_numbers(
            found, "ordered_quantity", "open_quantity", "cancelled_quantity", "unfilled_amount"
        ) == {
            "ordered_quantity": "10",
            "open_quantity": "3",
            "cancelled_quantity": "2",
            "unfilled_amount": "1130",
        }
        assert pick_numbers(
            found, "previous_lost_amount", "fill_rate", "stock_quantity", "coming_quantity"
        ) == {
            "previous_lost_amount": "600",
            "fill_rate": "50",
            "stock_quantity": "15",
            "coming_quantity": "0",
        }
        february = {"day_start": "2026-02-01", "day_end": "2026-02-28"}
        assert (
            fetch_row(posted, SHORTAGE, goods_id=posted.world.spares[0], **february)["stock_out_days"] == 27
        )

    def test_every_grouping_adds_up_to_the_same(self, posted: BillClient) -> None:
        totals = fetch_page(posted, SHORTAGE, **MARCH)["totals"]
        assert totals["unfilled_amount"] == "1130.00"
        for grouping in "234":
            assert fetch_page(posted, SHORTAGE, grouping=grouping, **MARCH)["totals"] == totals

    @pytest.mark.parametrize("grouping", ["1", "2", "3", "4", "1,2", "3,4"])
    def test_goods_that_were_short_count_once(self, posted: BillClient, grouping: str) -> None:
        assert (
            sum(row["missed_goods"] for row in fetch_rows(posted, SHORTAGE, grouping=grouping, **MARCH)) == 1
        )

    def test_it_leads_to_the_orders(self, posted: BillClient) -> None:
        screen = posted.caller.get("v2/Open/Screen/getScreen", route="/report/NoGoodsSentiment").data
        found = fetch_row(posted, SHORTAGE, grouping="1,2", goods_id=posted.world.spares[0], **MARCH)
        query = {name: found[field] for name, field in screen["drill"]["by"].items()}
        lines = fetch_rows(posted, "v2/sales/SalesOrderDetail", **query)
        assert sum(Decimal(line["quantity"]) for line in lines) == Decimal(found["ordered_quantity"])

    def test_who_sees_only_a_part_of_the_company_sees_none(self, posted: BillClient) -> None:
        assert {
            len(fetch_rows(posted, SHORTAGE, user, **MARCH)) for user in ("keeper_a", "own_a", "manager_b")
        } == {0}
        assert len(fetch_rows(posted, SHORTAGE, "manager_a", **MARCH)) == 1


class TestStationRebate:
    def test_of_the_sales_that_earned_it(self, posted: BillClient) -> None:
        """March: 45.20 of 678 + 113; February 9.04 of 452. The draft of April grants nothing."""
        found = fetch_row(posted, REBATE, **MARCH)
        names = ("rebate", "amount", "rebate_rate", "previous_rebate", "previous_rate", "last_year_rate")
        assert pick_numbers(found, *names) == {
            "rebate": "45.2",
            "amount": "791",
            "rebate_rate": f"{round(Decimal('4520') / 791, 4)}",
            "previous_rebate": "9.04",
            "previous_rate": "2",
            "last_year_rate": None,
        }
        assert found["company_name"] == "B分公司"

    def test_by_goods_and_month(self, posted: BillClient) -> None:
        both = {"day_start": "2026-02-01", "day_end": "2026-03-31"}
        found = {
            (row["goods_id"], row["month"]): (row["rebate"], row["amount"], row["day"])
            for row in fetch_rows(posted, REBATE, grouping="7,9", **both)
            if Decimal(row["amount"])
        }
        first, second = posted.world.spares[:2]
        assert found == {
            (first, "2026-02-01"): ("9.04", "452.00", "2026-02-28"),
            (first, "2026-03-01"): ("45.20", "678.00", "2026-03-31"),
            (second, "2026-03-01"): ("0.00", "113.00", "2026-03-31"),
        }
        months = {
            row["month"]: row["previous_rate"] for row in fetch_rows(posted, REBATE, grouping="9", **MARCH)
        }
        assert months == {"2026-03-01": "2.0000"}

    def test_it_leads_to_the_sales(self, posted: BillClient) -> None:
        screen = posted.caller.get("v2/Open/Screen/getScreen", route="/report/FwzRebateRatio").data
        for row in fetch_rows(posted, REBATE, grouping="4,7,9", **MARCH):
            asked = {name: row[field] for name, field in screen["drill"]["by"].items()}
            query = {name: value for name, value in asked.items() if value is not None}
            assert fetch_page(posted, DETAIL, **query)["totals"]["amount"] == row["amount"]

    def test_other_companies_stations_are_not_shown(self, posted: BillClient) -> None:
        assert fetch_rows(posted, REBATE, "manager_a", **MARCH) == []
        assert len(fetch_rows(posted, REBATE, "manager_b", **MARCH)) == 1


class TestCoupons:
    def test_of_a_month_s_grants(self, posted: BillClient) -> None:
        """Of four one was used on a bill of 904, one expired, one's bill was voided."""
        found = fetch_row(posted, COUPONS)
        assert (found["month"], found["sales_coupon_name"], found["coupon_kind"]) == (
            "2026-03-01",
            "满300减50",
            "定制优惠券",
        )
        counts = ("granted_count", "used_count", "expired_count", "open_count")
        assert [found[name] for name in counts] == [4, 1, 1, 2]
        amounts = ("granted_amount", "discount_amount", "sales_amount", "used_rate", "discount_rate")
        assert pick_numbers(found, *amounts) == {
            "granted_amount": "200",
            "discount_amount": "50",
            "sales_amount": "904",
            "used_rate": "25",
            "discount_rate": "5.531",
        }

    def test_its_chart_is_of_months(self, posted: BillClient) -> None:
        chart = posted.caller.get(f"{COUPONS}/getChart", axis="month").data
        assert {(point["key"], point["name"]) for point in chart["points"]} == {
            (row["month"][:7], row["month"][:7]) for row in fetch_rows(posted, COUPONS)
        }

    def test_it_leads_to_the_sales_of_its_days(self, posted: BillClient) -> None:
        screen = posted.caller.get("v2/Open/Screen/getScreen", route="/report/CustomerSentiment").data
        assert {item["name"]: item["span"] for item in screen["fields"]}["month"] == "month"
        found = fetch_row(posted, COUPONS)
        query = {name: found[field] for name, field in screen["drill"]["by"].items()}
        assert fetch_page(posted, DETAIL, **query)["totals"]["amount"] == "904.00"

    def test_where_there_are_none(self, posted: BillClient) -> None:
        found = fetch_page(posted, COUPONS, "manager_a")
        assert (found["data"], found["total"]) == ([], 0)
        chart = posted.site.as_("manager_a").get(f"{COUPONS}/getChart")
        assert (chart.ok, chart.data["points"]) == (True, [])
