"""The income statement and service stations' profit against polars over the tables of Postgres."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from reports.catalogue import find_report
from tests.warehouse.conftest import BOTH, SMALL, Core, Mart, assert_frames_agree

KEYS = ["month", "company_id", "item"]
MONTH = pl.col("business_date").dt.truncate("1mo").alias("month")
MOVES = {
    **{"PYRK": "stocktake", "PKCK": "stocktake", "PYCK": "stocktake"},
    **{"TBRK": "guarantee", "TBCK": "guarantee", "TBTH": "guarantee"},
    **{"QTRK": "other_moves", "QTCK": "other_moves", "QTFH": "other_moves"},
    **{"XSCK": "sales_cost", "XSTH": "sales_cost", "CGTH": "return_variance", "CBTZ": "adjustment"},
}


@pytest.fixture(scope="module")
def entries(core_rows: Core) -> pl.DataFrame:
    """Everything that changes the result, signed."""
    ledger = core_rows("select company_id, business_date, bill_type, quantity, amount from stock_ledger")
    moves = ledger.filter(pl.col("bill_type").is_in(list(MOVES))).with_columns(
        pl.col("bill_type").replace_strict(MOVES).alias("item")
    )
    short = ledger.filter(~pl.col("bill_type").is_in(list(MOVES)), pl.col("quantity") == 0).with_columns(
        pl.lit("adjustment").alias("item")
    )
    queries = {
        "revenue": "select company_id, business_date, l.no_tax_amount as amount from sales_outbound"
        " join sales_outbound_line l using (bill_id) where status in (2, 4, 5) union all"
        " select company_id, business_date, -l.no_tax_amount from sales_return"
        " join sales_return_line l using (bill_id) where status in (2, 4, 5)",
        "return_variance": "select company_id, business_date, l.no_tax_amount as amount from purchase_return"
        " join purchase_return_line l using (bill_id) where status in (2, 4, 5)",
        "adjustment": "select company_id, business_date, -l.amount as amount from cost_adjustment"
        " join cost_adjustment_line l using (bill_id) where status in (2, 4, 5)",
        "supplier_rebate": "select company_id, business_date, amount from supplier_rebate where status in (2, 4, 5)",
        "customer_rebate": "select company_id, business_date, amount from settlement_item where bill_type = 'KHFL'",
        "claims": "select company_id, business_date, -l.amount as amount from company_claim"
        " join company_claim_line l using (bill_id) where status in (2, 4, 5) union all"
        " select company_id, business_date, l.amount from factory_claim"
        " join factory_claim_line l using (bill_id) where status in (2, 4, 5)",
        "freight": "select company_id, business_date, -freight_amount as amount from sales_delivery"
        " where status in (2, 4, 5)",
    }
    bills = [core_rows(query).with_columns(pl.lit(item).alias("item")) for item, query in queries.items()]
    names = ["company_id", "business_date", "item", "amount"]
    return pl.concat([frame.select(names) for frame in (moves, short, *bills)]).with_columns(MONTH)


@BOTH
class TestIncome:
    def test_lines_by_month_and_company(self, mart: Mart, entries: pl.DataFrame) -> None:
        expected = entries.group_by(KEYS).agg(pl.col("amount").sum())
        found = mart("select month, company_id, item, amount from mart_income")
        moved = pl.col("amount").round(2) != 0
        assert_frames_agree(found.filter(moved), expected.filter(moved), KEYS)
        assert expected["item"].n_unique() >= 10

    @pytest.mark.parametrize(
        ("month", "part"), [("2026-11", 20 / 30), ("2026-10", 1)], ids=["running", "whole"]
    )
    def test_a_line_of_a_running_month_is_beside_the_same_part_of_the_others(
        self, mart: Mart, month: str, part: float
    ) -> None:
        board = find_report("IncomeStatement").tabs[0].cost
        data = board.dataset(board.chart("statement").dataset)
        figures = ", ".join(
            f'{data.metric(name).sql} as "{name}"' for name in ("amount", "before", "moved", "year", "grown")
        )
        lines = mart(
            f"select {figures} from ({data.sql}) as d where role_id = 1 and month_label = '{month}' group by line_name"
        ).to_dicts()
        compared = 0
        for line in lines:
            for then, more in (("before", "moved"), ("year", "grown")):
                if None not in (line["amount"], line[then]):
                    assert line[more] == pytest.approx(line["amount"] - line[then] * part, abs=1e-6), more
                    compared += bool(line[then])
        assert compared > 10

    def test_open_months_are_provisional(self, mart: Mart, core_rows: Core) -> None:
        closed = {
            (company, dt.date.fromisoformat(f"{period}-01"))
            for company, period in core_rows(
                "select company_id, period from month_close where status = 1"
            ).rows()
        }
        found = mart("select distinct company_id, month, state, month_mark from mart_income")
        assert {(company, month) for company, month, state, _ in found.rows() if state == "已结账"} == closed
        companies = {}
        for company, month, _, mark in found.rows():
            companies.setdefault((month, mark), set()).add((company, month) in closed)
        assert all(mark.endswith("（暂估）") is (states != {True}) for (_, mark), states in companies.items())


@SMALL
class TestTakenBack:
    def test_a_close_that_is_taken_back_is_none(self, mart: Mart) -> None:
        found = mart("select state from mart_income where company_id = 1 and month = date '2026-10-01'")
        assert set(found["state"]) == {"暂估"}


@BOTH
class TestStations:
    def test_only_service_stations_are_shown(self, mart: Mart, core_rows: Core) -> None:
        sold = core_rows(
            "select c.company_name, sum(l.no_tax_amount) as revenue from company c join sales_outbound h using (company_id)"
            " join sales_outbound_line l using (bill_id) where c.type = 3 and h.status in (2, 4, 5) group by 1"
        )
        back = core_rows(
            "select c.company_name, sum(l.no_tax_amount) as back from company c join sales_return h using (company_id)"
            " join sales_return_line l using (bill_id) where c.type = 3 and h.status in (2, 4, 5) group by 1"
        )
        expected = sold.join(back, on="company_name").select(
            "company_name", pl.col("revenue") - pl.col("back")
        )
        assert len(expected) == 1
        for tab in find_report("stationProfitAnalysis").tabs:
            data = tab.cost.datasets[0]
            found = mart(
                f"select company_name, {data.metric('revenue').sql} as revenue from ({data.sql}) as d"
                " where role_id = 1 group by 1"
            )
            assert_frames_agree(found, expected, ["company_name"])
