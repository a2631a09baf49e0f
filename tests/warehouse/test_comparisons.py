"""Orders, stock and best sellers beside the same of earlier months and days, against polars over Postgres' tables."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import polars as pl
import pytest

from reports.catalogue import find_report
from tests.warehouse.conftest import AS_OF, BOTH, Core, Mart, assert_frames_agree
from tests.warehouse.period_comparison import KEYS, MONTH, assert_prior_periods, divide_or_null, query_metrics

TODAY = dt.date.fromisoformat(AS_OF)
THIS_MONTH = TODAY.replace(day=1)


@BOTH
def test_orders_stand_beside_those_of_earlier_months(
    mart: Mart, core_rows: Core, companies: pl.DataFrame
) -> None:
    lines = core_rows(
        "select o.line_id, b.company_id, b.business_date, o.quantity, o.amount,"
        " coalesce(d.quantity, 0) as delivered, d.last_date"
        " from sales_order b join sales_order_line o using (bill_id) left join ("
        "   select e.order_line_id, sum(e.quantity) as quantity, max(e.business_date) as last_date from ("
        "     select l.order_line_id, l.quantity, h.business_date"
        "     from sales_outbound h join sales_outbound_line l using (bill_id) where h.status in (2, 4, 5)"
        "     union all select l.order_line_id, -l.quantity, null"
        "     from sales_return h join sales_return_line l using (bill_id) where h.status in (2, 4, 5)"
        "   ) e group by 1"
        " ) d on d.order_line_id = o.line_id where b.status in (2, 4, 5)"
    ).join(companies, on="company_id")
    whole = pl.col("delivered") >= pl.col("quantity")
    monthly = (
        lines.with_columns(MONTH, pl.min_horizontal("quantity", "delivered").alias("filled"))
        .group_by(KEYS)
        .agg(
            pl.col("amount").sum(),
            pl.col("quantity").sum(),
            divide_or_null(pl.col("filled").sum(), pl.col("quantity").sum()).alias("fill_rate"),
            (pl.col("last_date") - pl.col("business_date"))
            .dt.total_days()
            .filter(whole)
            .mean()
            .alias("lead"),
        )
    )
    dataset = find_report("SalesOrder").first_tab.plain.dataset("sales_order_month")
    assert_prior_periods(mart, dataset, monthly, "amount", "fill_rate", "lead")


@BOTH
def test_stock_stands_beside_earlier_month_ends_and_sales_beside_last_year_s(
    mart: Mart, core_rows: Core, companies: pl.DataFrame
) -> None:
    moves = core_rows("select company_id, quantity, amount, business_date from stock_ledger")
    sold = _query_sales(core_rows)
    last_year = TODAY.replace(year=TODAY.year - 1)

    def ends_before(day: dt.date, measure: str) -> pl.Expr:
        return pl.col(measure).filter(pl.col("business_date") < day).sum()

    a_year_ago = dt.date(TODAY.year - 1, TODAY.month + 1, 1)
    stock = moves.group_by("company_id").agg(
        pl.col("amount").sum(),
        ends_before(THIS_MONTH, "amount").alias("last_month"),
        ends_before(a_year_ago, "amount").alias("last_year"),
    )
    recent = sold.group_by("company_id").agg(
        _sum_between(TODAY - dt.timedelta(29), TODAY, "quantity").alias("sales_30"),
        _sum_between(last_year - dt.timedelta(29), last_year, "quantity").alias("sales_30_year"),
    )
    expected = (
        stock.join(recent, on="company_id")
        .with_columns(
            (pl.col("amount") / pl.col("last_month") - 1).alias("change"),
            (pl.col("amount") / pl.col("last_year") - 1).alias("year_change"),
            divide_or_null(pl.col("sales_30") - pl.col("sales_30_year"), pl.col("sales_30_year")).alias(
                "sales_growth"
            ),
        )
        .join(companies, on="company_id")
        .drop("company_id")
    )
    assert expected.select((pl.col("last_year") != 0).all(), (pl.col("sales_30_year") != 0).any()).row(0) == (
        True,
        True,
    )
    for code in ("goodsinventoryrpt", "commodityStocksQuery"):
        dataset = find_report(code).first_tab.cost.datasets[0]
        names = [name for name in expected.columns if name != "company_name"]
        figures = ", ".join(f'{dataset.metric(name).sql} as "{name}"' for name in names)
        found = mart(
            f"select company_name, {figures} from ({dataset.sql}) as d where role_id = 1 group by all"
        )
        assert_frames_agree(found, expected, ["company_name"])
    company = find_report("CompanyInventoryreport").first_tab.cost.datasets[0]
    names = ["amount", "last_month", "last_year", "change", "year_change"]
    figures = ", ".join(f'{company.metric(name).sql} as "{name}"' for name in names)
    assert_frames_agree(
        mart(f"select company_name, {figures} from ({company.sql}) as d where role_id = 1 group by all"),
        expected.select("company_name", *names),
        ["company_name"],
    )


@BOTH
def test_stock_stands_beside_earlier_month_ends_by_its_age(mart: Mart) -> None:
    """Layers themselves are proved elsewhere; here each end stands beside the ends before it."""
    layers = mart("select month, company_name, age_days, quantity, value from mart_inventory_aging")
    monthly = layers.group_by(KEYS).agg(
        pl.col("value").sum().alias("amount"),
        divide_or_null((pl.col("quantity") * pl.col("age_days")).sum(), pl.col("quantity").sum()).alias(
            "mean_age"
        ),
        divide_or_null(pl.col("value").filter(pl.col("age_days") > 180).sum(), pl.col("value").sum()).alias(
            "over_180"
        ),
    )
    dataset = find_report("inventoryAgingReport").first_tab.cost.dataset("inventory_aging_month_cost")
    found = assert_prior_periods(mart, dataset, monthly, "amount", "mean_age", "over_180")
    assert found["month"].n_unique() > 12
    changes = query_metrics(mart, dataset, "amount", "amount_year", "amount_growth").drop_nulls()
    assert len(changes) > 0
    assert changes.select(
        (pl.col("amount") / pl.col("amount_year") - 1 - pl.col("amount_growth")).abs().max()
    ).item() == pytest.approx(0, abs=1e-9)


@BOTH
def test_tyres_and_sluggish_stock_stand_beside_earlier_month_ends(mart: Mart) -> None:
    layers = mart(
        "select month, company_name, age_days, dot_weeks, quantity, value from mart_inventory_aging"
    )
    weeks = layers.group_by(KEYS).agg(pl.col("value").sum().alias("amount"))
    dot = find_report("inventoryDOTReport").first_tab.cost.dataset("inventory_dot_month_cost")
    assert_prior_periods(mart, dot, weeks, "amount")
    old = pl.col("value").filter(pl.col("age_days") > 90).sum()
    lying = layers.group_by(KEYS).agg(
        old.alias("sluggish"), divide_or_null(old, pl.col("value").sum()).alias("share")
    )
    sluggish = find_report("sluggishstock").first_tab.cost.dataset("sluggish_month_cost")
    of_ninety = replace(sluggish, source=f"(select * from {sluggish.source} where threshold = '90天以上')")
    assert_prior_periods(mart, of_ninety, lying, "sluggish", "share")


@BOTH
@pytest.mark.parametrize(
    ("period", "first", "before"),
    [
        ("近7天", dt.date(2026, 11, 14), (dt.date(2026, 11, 7), dt.date(2026, 11, 13))),
        ("近30天", dt.date(2026, 10, 22), (dt.date(2026, 9, 22), dt.date(2026, 10, 21))),
        ("近90天", dt.date(2026, 8, 23), (dt.date(2026, 5, 25), dt.date(2026, 8, 22))),
        ("本月", dt.date(2026, 11, 1), (dt.date(2026, 10, 1), dt.date(2026, 10, 20))),
        ("本年", dt.date(2026, 1, 1), (dt.date(2025, 1, 1), dt.date(2025, 11, 20))),
    ],
)
def test_best_sellers_stand_beside_the_days_before_and_a_year_ago(
    mart: Mart,
    core_rows: Core,
    companies: pl.DataFrame,
    period: str,
    first: dt.date,
    before: tuple[dt.date, dt.date],
) -> None:
    ranges = {
        "": (first, TODAY),
        "_before": before,
        "_year": (first.replace(year=first.year - 1), TODAY.replace(year=TODAY.year - 1)),
    }
    measures = ("quantity", "amount", "profit")
    keys = ["company_name", "goods_num"]
    expected = (
        _query_sales(core_rows)
        .join(companies, on="company_id")
        .with_columns((pl.col("amount") - pl.col("cost")).alias("profit"))
        .group_by(keys)
        .agg(
            *(
                _sum_between(*days, name).alias(f"{name}{suffix}")
                for suffix, days in ranges.items()
                for name in measures
            ),
            pl.any_horizontal(pl.col("business_date").is_between(*days) for days in ranges.values())
            .any()
            .alias("sold"),
        )
        .filter("sold")
        .drop("sold")
    )
    dataset = find_report("BestSeller").first_tab.cost.dataset("best_seller_compared_cost")
    names = [name for name in expected.columns if name not in keys]
    figures = ", ".join(f'coalesce({dataset.metric(name).sql}, 0) as "{name}"' for name in names)
    found = mart(
        f"select company_name, goods_num, {figures} from ({dataset.sql}) as d"
        f" where role_id = 1 and period_label = '{period}' group by all"
    )
    assert_frames_agree(found, expected, keys)
    assert all(found[f"amount{suffix}"].sum() > 0 for suffix in ranges)
    stock = "sum(stock_quantity) as stock, sum(quantity) as sold"
    ranked, beside = (
        mart(f"select {stock} from {name} where period_label = '{period}'").row(0)
        for name in ("mart_best_seller", "mart_best_seller_compared")
    )
    assert ranked == pytest.approx(beside), "the head tells the stock of the goods that are ranked"


def _sum_between(first: dt.date, last: dt.date, name: str) -> pl.Expr:
    return pl.col(name).filter(pl.col("business_date").is_between(first, last)).sum()


def _query_sales(core_rows: Core) -> pl.DataFrame:
    """Lines of audited sales bills with what the ledger issued for them; returns negative."""
    lines = core_rows(
        "select 'XSCK' as bill_type, l.line_id, b.company_id, b.business_date, g.goods_num, l.quantity,"
        " l.no_tax_amount as amount from sales_outbound b join sales_outbound_line l using (bill_id)"
        " join goods g using (goods_id) where b.status in (2, 4, 5)"
        " union all select 'XSTH', l.line_id, b.company_id, b.business_date, g.goods_num, -l.quantity,"
        " -l.no_tax_amount from sales_return b join sales_return_line l using (bill_id)"
        " join goods g using (goods_id) where b.status in (2, 4, 5)"
    )
    issued = core_rows("select bill_type, line_id, -sum(amount) as cost from stock_ledger group by 1, 2")
    return lines.join(issued, on=["bill_type", "line_id"], how="left").with_columns(
        pl.col("cost").fill_null(0)
    )
