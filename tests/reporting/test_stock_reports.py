"""Stock reports over the published figures: bills are posted, the warehouse refreshed, and each report compared with
figures worked out by hand."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import text

from api.reporting.snapshot.snapshot_connection import open_snapshot
from tests.reporting.report_client import fetch_page, fetch_row, fetch_rows, pick_numbers
from tests.reporting.stock_scenario import (
    BATCHES,
    CARD,
    FEBRUARY,
    INFORMATION,
    OUT_IN,
    REPORTS,
    SUMMARY,
    Refresh,
)
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

_CLOSING = text("""
select coalesce(sum(closing_quantity), 0), coalesce(sum(closing_value), 0) from facts.fct_stock_balance_daily
where warehouse_id = :warehouse and goods_id = :goods and :day between valid_from and valid_to
""")


def test_before_the_first_snapshot_a_report_says_so(site: Site) -> None:
    for report in REPORTS:
        for call in ("getList", "getTotals"):
            answer = site.as_("admin").get(f"{report}/{call}")
            assert (answer.status, answer.code, answer.msg) == (
                400,
                400,
                "报表数据尚未发布，请稍后再查询",
            )


class TestOutIn:
    def test_a_month_of_a_warehouse(self, stocked: BillClient) -> None:
        world = stocked.world
        found = fetch_row(
            stocked, OUT_IN, goods_id=world.spares[0], warehouse_id=world.warehouse_a, **FEBRUARY
        )
        quantities = {name: value for name, value in found.items() if name.endswith("_quantity")}
        assert {name: Decimal(value) for name, value in quantities.items() if Decimal(value)} == {
            "opening_quantity": 10,
            "purchase_in_quantity": 10,
            "sale_in_quantity": 1,
            "in_quantity": 11,
            "sale_out_quantity": 4,
            "transfer_out_quantity": 5,
            "out_quantity": 9,
            "closing_quantity": 12,
        }
        amounts = {name: Decimal(value) for name, value in found.items() if name.endswith("_amount")}
        # Of 22 on hand worth 4,550, 12 lie here.
        closing = round(Decimal(4550) * 12 / 22, 2)
        assert {name: value for name, value in amounts.items() if value} == {
            "opening_amount": 1000,
            "purchase_in_amount": 2000,
            "sale_in_amount": 150,
            "revaluation_amount": closing - 1800,
            "in_amount": 2150 + closing - 1800,
            "sale_out_amount": 600,
            "transfer_out_amount": 750,
            "out_amount": 1350,
            "closing_amount": closing,
        }

    def test_a_company_gains_nothing_by_its_average(self, stocked: BillClient) -> None:
        totals = fetch_page(
            stocked,
            OUT_IN,
            goods_id=stocked.world.spares[0],
            company_id=stocked.world.company_a,
            **FEBRUARY,
        )["totals"]
        assert pick_numbers(totals, "opening_amount", "in_amount", "out_amount", "closing_amount") == {
            "opening_amount": "1000",
            "in_amount": "4900",
            "out_amount": "1350",
            "closing_amount": "4550",
        }
        assert pick_numbers(totals, "revaluation_amount", "transfer_in_amount", "other_in_amount") == {
            "revaluation_amount": "0",
            "transfer_in_amount": "750",
            "other_in_amount": "2000",
        }

    @pytest.mark.parametrize("first", ["2026-01-02", "2026-02-06", "2026-02-12", "2026-02-20", "2026-03-10"])
    @pytest.mark.parametrize("days", [0, 8, 40, 400])
    def test_any_days_tie(self, stocked: BillClient, first: str, days: int) -> None:
        """opening + in − out = closing in every row and in total; the parts make up the sums."""
        last = date.fromisoformat(first) + timedelta(days)
        found = fetch_page(stocked, OUT_IN, day_start=first, day_end=last.isoformat())
        kinds = ("purchase", "sale", "transfer", "stocktake", "conversion", "other")
        assert found["total"] == len(found["data"]) > 0
        for row in [*found["data"], found["totals"]]:
            value = {name: Decimal(row[name]) for name in found["totals"]}
            for measure in ("quantity", "amount"):
                moved = value[f"in_{measure}"] - value[f"out_{measure}"]
                assert value[f"opening_{measure}"] + moved == value[f"closing_{measure}"]
                more = value["adjustment_amount"] + value["revaluation_amount"] if measure == "amount" else 0
                assert value[f"in_{measure}"] == more + sum(value[f"{kind}_in_{measure}"] for kind in kinds)
                assert value[f"out_{measure}"] == sum(value[f"{kind}_out_{measure}"] for kind in kinds)
        for name, total in found["totals"].items():
            assert Decimal(total) == sum(Decimal(row[name]) for row in found["data"])

    def test_what_was_taken_and_made_stands_apart_from_other_moves(self, stocked: BillClient) -> None:
        names = (
            "in_quantity",
            "in_amount",
            "out_quantity",
            "out_amount",
            "closing_quantity",
            "closing_amount",
        )
        taken, made = (
            fetch_row(stocked, OUT_IN, goods_id=goods, **FEBRUARY) for goods in stocked.world.spares[8:10]
        )
        assert pick_numbers(taken, "other_in_amount", "conversion_out_quantity", "conversion_out_amount") == {
            "other_in_amount": "600",
            "conversion_out_quantity": "4",
            "conversion_out_amount": "400",
        }
        assert pick_numbers(made, "conversion_in_quantity", "conversion_in_amount", "other_in_amount") == {
            "conversion_in_quantity": "2",
            "conversion_in_amount": "440",
            "other_in_amount": "0",
        }
        assert list(pick_numbers(taken, *names).values()) == ["6", "600", "4", "400", "2", "200"]
        assert list(pick_numbers(made, *names).values()) == ["2", "440", "0", "0", "2", "440"]

    def test_a_closing_is_the_next_opening(self, stocked: BillClient) -> None:
        def figures(side: str, **days: str) -> dict[int, tuple[str, str]]:
            found = fetch_rows(stocked, OUT_IN, **days)
            kept = [row for row in found if Decimal(row[f"{side}_quantity"])]
            return {
                row["inventory_out_in_id"]: (row[f"{side}_quantity"], row[f"{side}_amount"]) for row in kept
            }

        before = figures("closing", day_end="2026-02-14")
        assert before == figures("opening", day_start="2026-02-15", day_end="2026-02-15")
        assert before

    def test_a_correction_counts_with_the_issue_it_corrects(self, stocked: BillClient) -> None:
        """4 of 30 worth 3,500; the second correction gave some of the first one's cost back."""
        goods = stocked.world.spares[1]
        found = fetch_row(stocked, OUT_IN, goods_id=goods, day_start="2026-03-01", day_end="2026-03-31")
        assert pick_numbers(found, "opening_amount", "in_amount", "out_amount", "sale_out_amount") == {
            "opening_amount": "3500",
            "in_amount": "0",
            "out_amount": "466.67",
            "sale_out_amount": "466.67",
        }

    def test_what_was_all_taken_back_is_no_row_and_sold_out_is_one(
        self, stocked: BillClient, refresh: Refresh
    ) -> None:
        """Places without stock at either end of the days are counted by their moves."""
        world = stocked.world
        taken_back, sold_out = world.spares[4:6]
        assert stocked.apply_action(
            "antiAuditor", stocked.stock_in(taken_back, 2, business_date="2026-02-02")
        ).ok
        stocked.stock_in(sold_out, 1, business_date="2026-02-03")
        stocked.add_audited(
            "transfer_out",
            {"goods_id": sold_out, "quantity": "1"},
            to_warehouse_id=world.warehouse2_a,
            business_date="2026-02-04",
            reason="备货",
        )
        refresh()
        assert fetch_page(stocked, OUT_IN, goods_id=taken_back, **FEBRUARY)["total"] == 0
        found = fetch_page(stocked, OUT_IN, goods_id=sold_out, warehouse_id=world.warehouse_a, **FEBRUARY)
        assert found["total"] == len(found["data"]) == 1
        assert pick_numbers(
            found["data"][0], "opening_quantity", "in_quantity", "out_quantity", "closing_quantity"
        ) == {
            "opening_quantity": "0",
            "in_quantity": "1",
            "out_quantity": "1",
            "closing_quantity": "0",
        }

    def test_without_days_it_is_everything_until_today(self, stocked: BillClient) -> None:
        found = fetch_row(stocked, OUT_IN, goods_id=stocked.world.tyre, company_id=stocked.world.company_a)
        assert pick_numbers(found, "opening_quantity", "in_quantity", "out_quantity", "closing_quantity") == {
            "opening_quantity": "0",
            "in_quantity": "8",
            "out_quantity": "2",
            "closing_quantity": "6",
        }

    def test_its_page_opens_with_this_month_and_leads_to_the_card(
        self, stocked: BillClient, now: date
    ) -> None:
        screen = stocked.caller.get("v2/Open/Screen/getScreen", route="/report/inventoryoutin").data
        assert screen["usual"] == {
            "day_start": now.replace(day=1).isoformat(),
            "day_end": now.isoformat(),
        }
        row = fetch_rows(stocked, OUT_IN, **FEBRUARY)[0]
        query = {name: row[field] for name, field in screen["drill"]["by"].items()}
        assert query["business_date_start"] == "2026-02-01"
        assert query["business_date_end"] == "2026-02-28"
        moves = fetch_rows(stocked, CARD, **query)
        assert moves[-1]["balance_quantity"] == row["closing_quantity"]
        assert moves[-1]["balance_amount"] == row["closing_amount"]


class TestCard:
    def test_moves_in_business_order_with_their_balance(self, stocked: BillClient) -> None:
        world = stocked.world
        found = fetch_rows(
            stocked,
            CARD,
            goods_id=world.spares[0],
            warehouse_id=world.warehouse_a,
            business_date_start="2026-02-01",
            business_date_end="2026-02-28",
        )
        told = [
            (
                row["business_date"][-2:],
                row["entry"],
                row["bill_name"],
                *pick_numbers(row, "balance_quantity", "balance_amount").values(),
            )
            for row in found
        ]
        assert told == [
            ("01", 0, None, "10", "1000"),
            ("05", 1, "采购入库", "20", "3000"),
            ("10", 1, "销售出库", "16", "2400"),
            ("12", 1, "仓库调拨", "11", "1650"),
            ("15", 1, "销售退货", "12", "1800"),
            ("20", 2, None, "12", "2481.82"),
        ]
        assert [row["unit_cost"] for row in found][:2] == ["100.000000", "150.000000"]
        assert all((row["route"] or "").startswith("/") == (row["entry"] == 1) for row in found)

    def test_every_card_ends_at_the_closing_stock(self, stocked: BillClient) -> None:
        ends = {
            (row["warehouse_id"], row["goods_id"]): (row["balance_quantity"], row["balance_amount"])
            for row in fetch_rows(stocked, CARD, business_date_start="2026-02-06")
        }
        closings = {
            (row["warehouse_id"], row["goods_id"]): (row["closing_quantity"], row["closing_amount"])
            for row in fetch_rows(stocked, OUT_IN, day_start="2026-02-06")
        }
        assert ends == closings

    def test_a_balance_is_the_same_in_any_days(self, stocked: BillClient, refresh: Refresh) -> None:
        """2 at 100 here become worth 150 each on the day after, when the other warehouse buys 2 at 200; both are sold
        one by one at that."""
        world = stocked.world
        goods = world.spares[7]
        stocked.stock_in(goods, 2, business_date="2026-01-10")
        stocked.stock_in(goods, 2, "226", business_date="2026-01-11", warehouse_id=world.warehouse2_a)
        for day in ("2026-01-20", "2026-01-25"):
            line = {"goods_id": goods, "quantity": "1", "price": "300", "tax_rate": "13"}
            stocked.add_audited("sales_outbound", line, business_date=day)
        refresh()

        def card(first: str) -> list[tuple[str, int, str | None, str | None, str | None]]:
            found = fetch_rows(
                stocked, CARD, goods_id=goods, warehouse_id=world.warehouse_a, business_date_start=first
            )
            told = [
                pick_numbers(row, "balance_quantity", "balance_amount", "unit_cost").values() for row in found
            ]
            return [
                (row["business_date"][-2:], row["entry"], *told)
                for row, told in zip(found, told, strict=True)
            ]

        whole = [
            ("10", 1, "2", "200", "100"),
            ("11", 2, "2", "300", "150"),
            ("20", 1, "1", "150", "150"),
            ("25", 1, "0", "0", None),
        ]
        assert card("2026-01-01") == whole
        assert card("2026-01-11") == [("11", 0, *whole[0][2:]), *whole[1:]]
        assert card("2026-01-15") == [("15", 0, *whole[1][2:]), *whole[2:]]
        assert card("2026-01-25") == [("25", 0, *whole[2][2:]), *whole[3:]]

    @pytest.mark.parametrize("first", ["2026-01-01", "2026-02-06", "2026-02-12", "2026-02-21", "2026-03-10"])
    def test_every_day_ends_at_that_days_stock(self, stocked: BillClient, first: str) -> None:
        ends = {
            (row["business_date"], row["warehouse_id"], row["goods_id"]): (
                Decimal(row["balance_quantity"]),
                Decimal(row["balance_amount"]),
            )
            for row in fetch_rows(stocked, CARD, business_date_start=first)
            if row["entry"]
        }
        assert ends
        with open_snapshot() as conn:
            for (day, warehouse, goods), told in ends.items():
                at = {"warehouse": warehouse, "goods": goods, "day": date.fromisoformat(day)}
                assert told == tuple(conn.execute(_CLOSING, at).one())

    def test_a_difference_follows_the_issue(self, stocked: BillClient) -> None:
        found = fetch_rows(stocked, CARD, goods_id=stocked.world.spares[1], business_date_start="2026-03-01")
        assert [(row["in_amount"], row["out_amount"]) for row in found] == [
            (None, None),
            (None, "400.00"),
            (None, "200.00"),
            (None, "-133.33"),
        ]


class TestSummary:
    def test_by_warehouse_on_a_day(self, stocked: BillClient) -> None:
        world = stocked.world
        found = fetch_rows(stocked, SUMMARY, goods_id=world.spares[0], as_of_end="2026-02-14")
        assert {row["warehouse_name"]: (row["quantity"], row["amount"]) for row in found} == {
            "A仓": ("11.000", "1650.00"),
            "A分公司在途": ("5.000", "750.00"),
        }
        assert {row["amount_share"] for row in found} == {"68.7500", "31.2500"}

    def test_is_asked_for_one_day(self, stocked: BillClient) -> None:
        screen = stocked.caller.get("v2/Open/Screen/getScreen", route="/report/inventorysumrpt").data
        assert {item["name"]: item["span"] for item in screen["fields"]}["as_of"] == "until"
        day = {"goods_id": stocked.world.spares[0], "as_of_end": "2026-02-14"}
        assert (
            fetch_rows(stocked, SUMMARY, **day, as_of_start="2026-02-15")
            == fetch_rows(stocked, SUMMARY, **day)
            != []
        )

    def test_by_company(self, stocked: BillClient) -> None:
        found = fetch_rows(stocked, SUMMARY, goods_id=stocked.world.spares[0], grouping="1")
        assert {row["company_name"]: (row["quantity"], row["goods_count"]) for row in found} == {
            "A分公司": ("22.000", 1),
            "B分公司": ("3.000", 1),
        }
        assert {row["warehouse_name"] for row in found} == {None}

    def test_groupings_go_together(self, stocked: BillClient) -> None:
        """By company and brand at once; the total is that of any grouping."""
        both = fetch_page(stocked, SUMMARY, grouping="1,4")
        assert {(row["company_name"], row["brand_name"]) for row in both["data"]} >= {("A分公司", "米其林")}
        for grouping in ("1", "2", "3", "4"):
            assert fetch_page(stocked, SUMMARY, grouping=grouping)["totals"] == both["totals"]

    def test_shares_are_of_what_one_may_see(self, stocked: BillClient) -> None:
        for user in ("manager_a", "keeper_a"):
            found = fetch_rows(stocked, SUMMARY, user, grouping="2")
            assert abs(sum(Decimal(row["amount_share"]) for row in found) - 100) < Decimal("0.001")


class TestInformation:
    def test_history_and_cover(self, stocked: BillClient, now: date) -> None:
        found = fetch_row(stocked, INFORMATION, goods_id=stocked.world.tyre)
        assert pick_numbers(
            found, "quantity", "unit_cost", "amount", "sales_30", "sales_90", "cover_days"
        ) == {
            "quantity": "6",
            "unit_cost": "100",
            "amount": "600",
            "sales_30": "2",
            "sales_90": "2",
            "cover_days": "90",
        }
        assert (found["first_receipt_date"], found["last_in_date"]) == ("2026-02-20", "2026-02-20")
        assert found["last_sale_date"] == now.isoformat()

    def test_what_never_sold_has_no_cover(self, stocked: BillClient) -> None:
        found = fetch_row(
            stocked, INFORMATION, goods_id=stocked.world.spares[0], company_id=stocked.world.company_b
        )
        assert (found["last_sale_date"], found["cover_days"]) == (None, None)


class TestBatches:
    def test_received_issued_held_and_age(self, stocked: BillClient, now: date) -> None:
        found = fetch_row(stocked, BATCHES, goods_id=stocked.world.tyre, quantity_start="1")
        assert found["batch"] == "0124"
        assert pick_numbers(found, "in_quantity", "out_quantity", "quantity", "amount") == {
            "in_quantity": "8",
            "out_quantity": "2",
            "quantity": "6",
            "amount": "600",
        }
        monday = now - timedelta(now.weekday())
        assert found["age_weeks"] == (monday - date(2024, 1, 1)).days // 7
