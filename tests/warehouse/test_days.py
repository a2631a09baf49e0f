"""Any days of the reports by days, and those that stand beside them, against polars over the bills in Postgres."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from reports.catalogue import find_report
from reports.semantics.dashboards import COST, Tab
from reports.semantics.kpi_comparison import KPI_KEY
from reports.superset.snapshot import LOCKED_CONFIG
from tests.warehouse.conftest import AS_OF, BOTH, Core, Mart, assert_frames_agree

TODAY = dt.date.fromisoformat(AS_OF)
"""The twentieth of November."""
RANGES = {
    "this month, to its end": (dt.date(2026, 11, 1), dt.date(2026, 12, 1)),
    "a week": (dt.date(2026, 11, 13), dt.date(2026, 11, 20)),
    "over the end of a month": (dt.date(2026, 10, 25), dt.date(2026, 11, 6)),
    "a whole short month": (dt.date(2026, 2, 1), dt.date(2026, 3, 1)),
    "a year to date": (dt.date(2026, 1, 1), dt.date(2026, 11, 21)),
    "days that February lacks": (dt.date(2026, 3, 29), dt.date(2026, 4, 1)),
}


def net_lines_sql(out: str, back: str, column: str) -> str:
    """Return SQL of the lines of counting bills with their companies, returns negative."""
    return " union all ".join(
        f"select h.business_date, c.company_name, {sign} * l.{column} as told from {bill} h join {bill}_line l"
        " using (bill_id) join company c using (company_id) where h.status in (2, 4, 5)"
        for bill, sign in ((out, 1), (back, -1))
    )


SALES, PURCHASES = ("sales_outbound", "sales_return"), ("purchase_inbound", "purchase_return")
REVENUE = net_lines_sql(*SALES, "no_tax_amount")
ORDERS = (
    "select h.business_date, c.company_name, l.{told} as told from sales_order h join sales_order_line l"
    " using (bill_id) join company c using (company_id) where h.status in (2, 4, 5)"
)
WRITE_OFFS = (
    "select l.business_date, c.company_name, -l.amount as told from settlement_ledger l"
    " join settlement_item i using (settlement_id) join company c on c.company_id = l.company_id"
    " where l.party_type = '{party}' and (l.bill_type, l.bill_id) <> (i.bill_type, i.bill_id)"
)
PAYABLES = (
    "select l.business_date, c.company_name, {sign}l.amount as told from settlement_ledger l"
    " join company c using (company_id) where l.party_type = 'supplier' and l.bill_type in ({bills})"
)
FIGURES = {
    "CommodityProfit": {"revenue": REVENUE, "quantity": net_lines_sql(*SALES, "quantity")},
    "CustomerProfit": {"revenue": REVENUE, "quantity": net_lines_sql(*SALES, "quantity")},
    "SalesBuy": {"bought": net_lines_sql(*PURCHASES, "quantity"), "sold": net_lines_sql(*SALES, "quantity")},
    "inPurchasingAnalysisTable": {"bought": net_lines_sql(*PURCHASES, "quantity")},
    "inAnalysisTablePayment": {
        "purchased": PAYABLES.format(sign="", bills="'CGRK', 'CGTH'"),
        "settled": PAYABLES.format(sign="-", bills="'GYFK'"),
    },
}
"""What is told of reports by days, and the same from the bills of Postgres."""
FIGURES_OF_LINES = {
    ("OperatingRevenue", "days"): {"revenue": REVENUE},
    ("SalesOrder", "days"): {"amount": ORDERS.format(told="amount")},
    ("verificationDetails", "receivable_day"): {"amount": WRITE_OFFS.format(party="customer")},
    ("verificationDetails", "payable_day"): {"amount": WRITE_OFFS.format(party="supplier")},
}
BY_MONTH = (
    *("CommodityProfit", "ClassifiedProfit", "CustomerProfit", "categorySalesPurchase"),
    *("inPurchasingAnalysisTable", "inAnalysisTablePayment", "SalesOrder"),
)
MONTHLY = (
    *((code, "all", "days") for code in BY_MONTH),
    *(("verificationDetails", key, f"{key}_day") for key in ("receivable", "payable")),
)
"""The tabs of reports by months, each with that by days."""
WEIGHED = ("amount", "bills", "mean_held", "mean_late", "late_share")
HEADS = {
    ("inAnalysisTablePayment", "all", "days"): ("settled", "days", "invoiced_share", "purchased"),
    ("SalesOrder", "all", "days"): ("amount", "fill_rate", "lead", "rest"),
    ("verificationDetails", "receivable", "receivable_day"): WEIGHED,
    ("verificationDetails", "payable", "payable_day"): WEIGHED,
}
WORDS = ("所选日期", "上月同期", "去年同期")


def sum_days(rows: pl.DataFrame, first: dt.date, until: dt.date) -> dict[str, float]:
    """Return the sums of the rows of some days by company."""
    found = rows.filter(pl.col("business_date").is_between(first, until, closed="left"))
    return dict(found.group_by("company_name").agg(pl.col("told").sum()).rows())


def moved_on(rows: pl.DataFrame, step: str) -> pl.DataFrame:
    """Rows a month or a year later, as far as the day that the figures are of."""
    later = rows.with_columns(pl.col("business_date").dt.offset_by(step))
    return later.filter(pl.col("business_date") <= TODAY)


RANGED = pytest.mark.parametrize("chosen", RANGES.values(), ids=RANGES)


@BOTH
@RANGED
@pytest.mark.parametrize("code", FIGURES)
def test_any_days_stand_beside_the_same_days_of_the_month_and_the_year_before(
    mart: Mart, core_rows: Core, code: str, chosen: tuple[dt.date, dt.date]
) -> None:
    assert_compared_days(mart, core_rows, find_report(code).tab("days"), FIGURES[code], chosen)


@BOTH
@RANGED
@pytest.mark.parametrize(
    ("code", "key"), FIGURES_OF_LINES, ids=["-".join(place) for place in FIGURES_OF_LINES]
)
def test_so_do_those_of_marts_whose_rows_have_their_day(
    mart: Mart, core_rows: Core, code: str, key: str, chosen: tuple[dt.date, dt.date]
) -> None:
    assert_compared_days(mart, core_rows, find_report(code).tab(key), FIGURES_OF_LINES[code, key], chosen)


def assert_compared_days(
    mart: Mart, core_rows: Core, tab: Tab, figures: dict[str, str], chosen: tuple[dt.date, dt.date]
) -> None:
    """Assert that chosen days, from the first to before the second, and their prior ones equal those of the
    bills."""
    first, until = chosen
    dataset, head = tab.plain.datasets[0], tab.plain.dataset(tab.plain.chart(KPI_KEY).dataset)
    where = f"role_id = 1 and day >= date '{first}' and day < date '{until}'"
    for name, bills in figures.items():
        rows = core_rows(bills)
        expected = {
            end: sum_days(days, first, until)
            for end, days in (
                ("", rows),
                ("_before", moved_on(rows, "1mo")),
                ("_year", moved_on(rows, "12mo")),
            )
        }
        measures = next(item for item in dataset.metrics if item.name == name).sql
        found = mart(
            f"select company_name, {measures} as now, {measures.replace(name, f'{name}_before')} as then,"
            f" {measures.replace(name, f'{name}_year')} as year from ({dataset.sql}) as d where {where} group by all"
        )
        for column, end in (("now", ""), ("then", "_before"), ("year", "_year")):
            told = {name: value for name, value in found.select("company_name", column).rows() if value}
            assert told == pytest.approx({name: value for name, value in expected[end].items() if value}), end
        heads = dict(
            mart(
                f"select beside, {head.metric(name).sql} from ({head.sql}) as d where {where} group by beside"
            ).rows()
        )
        sums = [sum(expected[end].values()) for end in ("", "_before", "_year")]
        assert [heads.get(word) or 0 for word in WORDS] == pytest.approx(sums)


@BOTH
def test_whole_months_stay_whole_and_days_that_a_month_lacks_stand_beside_nothing(
    mart: Mart, core_rows: Core
) -> None:
    """The last three days of January stand on the 28th of February; the last of March have none before them."""
    rows = core_rows(REVENUE)
    dataset = find_report("CommodityProfit").tab("days").plain.datasets[0]

    def before(first: str, until: str) -> float | None:
        return mart(
            f"select {dataset.metric('revenue_before').sql} from ({dataset.sql}) as d"
            f" where role_id = 1 and day >= '{first}' and day < '{until}'"
        ).item()

    january = sum_days(rows, dt.date(2026, 1, 1), dt.date(2026, 2, 1))
    assert before("2026-02-01", "2026-03-01") == pytest.approx(sum(january.values())) != 0
    end = sum_days(rows, dt.date(2026, 1, 28), dt.date(2026, 2, 1))
    assert (before("2026-02-28", "2026-03-01") or 0) == pytest.approx(sum(end.values()))
    assert before("2026-03-29", "2026-04-01") is None


@BOTH
@pytest.mark.parametrize(("tabs", "names"), HEADS.items(), ids=["-".join(tabs) for tabs in HEADS])
def test_heads_of_whole_months_tell_what_the_month_tells(
    mart: Mart, tabs: tuple[str, str, str], names: tuple[str, ...]
) -> None:
    """Means too: how long orders and what was written off had waited."""
    code, *keys = tabs
    heads = [find_report(code).tab(key).plain.datasets[-1] for key in keys]
    by_month, by_day = (
        mart(
            f"select {month} as month, beside_order,"
            f" {', '.join(f'{head.metric(name).sql} as {name}' for name in names)}"
            f" from ({head.sql}) as d where role_id = 1 and {month} < '2026-11' group by all"
        )
        for head, month in zip(heads, ("month_label", "strftime(day, '%Y-%m')"), strict=True)
    )
    assert len(by_month) > 3
    assert_frames_agree(
        by_day.join(by_month.select("month", "beside_order"), on=["month", "beside_order"]),
        by_month,
        ["month", "beside_order"],
    )


def test_no_query_keeps_a_whole_mart_that_two_of_its_branches_read(mart: Mart) -> None:
    """The lines of a month and a year before are found by their days; DuckDB by itself would keep those of all days."""
    dataset = find_report("CommodityProfit").tab("days").plain.datasets[0]
    asked = (
        f"explain select goods_id, sum(revenue) from ({dataset.sql}) where day = '2026-11-20' group by all"
    )
    plans = {}
    for off in ("", LOCKED_CONFIG["disabled_optimizers"]):
        mart(f"set disabled_optimizers = '{off}'")
        plans[off] = "CTE" in str(mart(asked).rows())
    mart("reset disabled_optimizers")
    assert plans == {"": True, "common_subplan": False}, "where both are false, the setting may go"


@BOTH
@pytest.mark.parametrize(("code", "by_months", "by_days"), MONTHLY, ids=["-".join(one) for one in MONTHLY])
def test_the_days_of_a_month_tell_what_the_month_tells(
    mart: Mart, code: str, by_months: str, by_days: str
) -> None:
    """Rebates and costs too, which stand with the days of the sales that earned them, and means of what had waited."""
    boards = (find_report(code).tab(key).board(COST) for key in (by_months, by_days))
    months, days = (next(data for data in board.datasets if data.comparison) for board in boards)
    told = {metric.name for metric in days.metrics}
    names = [
        metric.name
        for metric in months.metrics
        if metric.name in told and " over (" not in metric.sql and "elapsed" not in metric.sql
    ]
    by_month, by_day = (
        mart(
            f"select {month} as month, {', '.join(f'{data.metric(name).sql} as figure_{at}' for at, name in enumerate(names))}"
            f" from ({data.sql}) as d where role_id = 1 and {month} < '2026-11' group by all"
        )
        for data, month in ((months, "month_label"), (days, "strftime(day, '%Y-%m')"))
    )
    assert len(names) > 6
    # A month may have plans alone, which tell that nothing was bought.
    by_month = by_month.filter(pl.col("figure_0") != 0)
    shown = by_day.join(by_month.select("month"), on="month")
    assert_frames_agree(shown.fill_null(0), by_month.fill_null(0), ["month"])
