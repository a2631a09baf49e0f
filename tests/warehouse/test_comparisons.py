"""What stands beside the figures of a month, a period before and a year ago, against polars over Postgres' tables."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import polars as pl
import pytest

from reports.catalogue import find_report
from reports.catalogue.as_of import DAY_ENDS, DEBT_BUCKETS
from reports.catalogue.datasets import Dataset
from tests.warehouse.conftest import AS_OF, BOTH, Core, Mart, agree
from tests.warehouse.settlement import UNAPPLIED

TODAY = dt.date.fromisoformat(AS_OF)
THIS_MONTH = TODAY.replace(day=1)
ENDS = pl.DataFrame(
    {"month": pl.date_range(dt.date(2024, 11, 1), THIS_MONTH, "1mo", eager=True)}
).with_columns(pl.min_horizontal(pl.col("month").dt.month_end(), pl.lit(TODAY)).alias("as_of"))
MONTH = pl.col("business_date").dt.truncate("1mo").alias("month")
KEYS = ["month", "company_name"]
SIDES = pytest.mark.parametrize(("side", "party"), [("receivable", "customer"), ("payable", "supplier")])


def over(top: pl.Expr, base: pl.Expr) -> pl.Expr:
    """A quotient, empty where its base is none."""
    return pl.when(base > 0).then(top / base)


def beside(monthly: pl.DataFrame) -> pl.DataFrame:
    """A frame of months with each figure also of the month before and of a year ago, where there was one."""
    names = [name for name in monthly.columns if name not in KEYS]
    months = monthly.select("month").unique()
    found = monthly
    for suffix, step in (("_before", "1mo"), ("_year", "12mo")):
        earlier = monthly.rename({name: f"{name}{suffix}" for name in names}).with_columns(
            pl.col("month").dt.offset_by(step)
        )
        kept = earlier.join(months, on="month", how="semi")
        found = found.join(kept, on=KEYS, how="full", coalesce=True)
    return found


def asked(mart: Mart, dataset: Dataset, *metrics: str) -> pl.DataFrame:
    """The metrics of a dataset by month and company, of all rows."""
    figures = ", ".join(f'{dataset.metric(name).sql} as "{name}"' for name in metrics)
    return mart(
        f"select month, company_name, {figures} from ({dataset.sql}) as d where role_id = 1 group by all"
    )


def compare(mart: Mart, dataset: Dataset, monthly: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Asserts that all figures stand beside each other as they do in polars; gives what was found."""
    shown = [f"{name}{suffix}" for name in names for suffix in ("", "_before", "_year")]
    found = asked(mart, dataset, *shown).sort(KEYS)
    expected = beside(monthly).select(*KEYS, *shown).sort(KEYS)
    agree(found, expected, KEYS)
    assert found.null_count().rows() == expected.null_count().rows()
    for name in shown:
        assert found[name].is_not_null().any(), name
    return found


@pytest.fixture(scope="module")
def companies(core_rows: Core) -> pl.DataFrame:
    return core_rows("select company_id, company_name from company")


@pytest.fixture(scope="module")
def entries(core_rows: Core, companies: pl.DataFrame) -> pl.DataFrame:
    """The settlement ledger with the items that its entries change."""
    return core_rows(
        "select l.entry_id, l.settlement_id, l.company_id, l.party_type, l.amount, l.bill_type, l.bill_id,"
        f" l.business_date, {UNAPPLIED} as unapplied, i.amount as item_amount, i.due_date, i.business_date as item_date, i.bill_type as item_type,"
        " i.bill_id as item_id from settlement_ledger l join settlement_item i using (settlement_id)"
    ).join(companies, on="company_id")


@pytest.fixture(scope="module")
def open_items(entries: pl.DataFrame) -> pl.DataFrame:
    """What was open of each item at the end of each month."""
    return (
        entries.join(ENDS, how="cross")
        .filter(pl.col("business_date") <= pl.col("as_of"))
        .with_columns(
            (pl.col("due_date") < pl.col("as_of")).alias("late"),
        )
        .group_by("party_type", *KEYS, "settlement_id", "unapplied", "late")
        .agg(pl.col("amount").sum().round(2))
        .filter(pl.col("amount") != 0)
    )


@BOTH
@SIDES
def test_open_items_stand_beside_earlier_month_ends(
    mart: Mart, open_items: pl.DataFrame, side: str, party: str
) -> None:
    code, tab = {"customer": ("accountsReceivable", "all"), "supplier": ("ScheduleAccountsPayable", "aging")}[
        party
    ]
    dataset = find_report(code).tab(tab).plain.dataset(f"{side}_aging_month")
    own = ~pl.col("unapplied")
    monthly = (
        open_items.filter(pl.col("party_type") == party)
        .group_by(KEYS)
        .agg(
            pl.col("amount").sum().alias("balance"),
            pl.col("amount").filter(own, pl.col("late")).sum().alias("overdue"),
            over(
                pl.col("amount").filter(own, pl.col("late")).sum(), pl.col("amount").filter(own).sum()
            ).alias("overdue_share"),
        )
    )
    compare(mart, dataset, monthly, "balance", "overdue_share")
    agree(
        asked(mart, dataset, "overdue", "overdue_before", "overdue_year").fill_null(0),
        beside(monthly).select(*KEYS, "overdue", "overdue_before", "overdue_year").fill_null(0),
        KEYS,
    )
    changes = asked(mart, dataset, "balance", "balance_before", "balance_change").drop_nulls()
    assert len(changes) > 0
    assert changes.select(
        (pl.col("balance") / pl.col("balance_before") - 1 - pl.col("balance_change")).abs().max()
    ).item() == pytest.approx(0, abs=1e-9)


@BOTH
@SIDES
@pytest.mark.parametrize("day", ["2026-11-20", "2026-11-03", "2026-10-31", "2026-02-28", "2025-12-15"])
def test_open_items_as_of_any_day_beside_a_month_and_a_year_before(
    mart: Mart, entries: pl.DataFrame, side: str, party: str, day: str
) -> None:
    report, key = {
        "customer": ("accountsReceivable", "day"),
        "supplier": ("ScheduleAccountsPayable", "aging_day"),
    }[party]
    _, then = find_report(report).tab(key).plain.datasets[:2]
    shown = dt.date.fromisoformat(day)
    moments = {"": shown}
    for suffix, step in (("_before", "1mo"), ("_year", "12mo")):
        back = pl.Series([shown, shown + dt.timedelta(days=1)]).dt.offset_by(f"-{step}")
        moments[suffix] = max(back[0], back[1] - dt.timedelta(days=1))
    measures = ("balance", "overdue")
    for suffix, moment in moments.items():
        items = (
            entries.filter(pl.col("party_type") == party, pl.col("business_date") <= moment)
            .group_by("company_name", "settlement_id", "unapplied", "due_date")
            .agg(pl.col("amount").sum().round(2))
        )
        late = ~pl.col("unapplied") & (pl.col("due_date") < moment)
        expected = items.group_by("company_name").agg(
            pl.col("amount").sum().alias("balance"), pl.col("amount").filter(late).sum().alias("overdue")
        )
        figures = ", ".join(
            f"coalesce({then.metric(f'{name}{suffix}').sql}, 0) as {name}" for name in measures
        )
        found = mart(
            f"select company_name, {figures} from ({then.sql}) as d where role_id = 1 and day_label = '{day}'"
            f" and day in (date '{day}') group by all"
        )
        some = pl.any_horizontal(pl.col(name).abs() > 0.001 for name in measures)
        if suffix == "_year" and expected.filter(some).is_empty():
            assert found.filter(some).is_empty()
        else:
            agree(found.filter(some), expected.filter(some), ["company_name"])


@BOTH
@SIDES
def test_an_item_lies_in_the_same_bucket_on_a_month_s_last_day_and_at_its_end(
    mart: Mart, side: str, party: str
) -> None:
    told = "select settlement_id, days_past_due, bucket_order, bucket from"
    at_end = mart(f"{told} mart_{side}_aging where month_label = '2026-10' order by 1").rows()
    that_day = mart(f"{told} {DAY_ENDS.source(side)} as m where day_label = '2026-10-31' order by 1").rows()
    assert that_day == at_end
    assert len({bucket for *_, bucket in that_day}) > 2
    assert mart("select bucket from dim_past_due_bucket order by bucket_order").rows() == [
        (label,) for label in DEBT_BUCKETS
    ]


@BOTH
@SIDES
def test_open_items_by_age_at_month_ends(mart: Mart, entries: pl.DataFrame, side: str, party: str) -> None:
    code, tab = {"customer": ("accountsReceivable", "all"), "supplier": ("ScheduleAccountsPayable", "aging")}[
        party
    ]
    board = find_report(code).tab(tab).plain
    dataset = board.dataset(board.chart("months").dataset)
    late = (pl.col("as_of") - pl.col("due_date")).dt.total_days()
    expected = (
        entries.join(ENDS, how="cross")
        .filter(
            pl.col("party_type") == party,
            pl.col("business_date") <= pl.col("as_of"),
            ~pl.col("unapplied"),
        )
        .with_columns(
            late.cut(
                [0, 30, 60, 90, 180],
                labels=["未到期", "1–30天", "31–60天", "61–90天", "91–180天", "180天以上"],
            )
            .cast(pl.String)
            .alias("bucket")
        )
        .group_by("month", "bucket")
        .agg(pl.col("amount").sum().round(2).alias("open_amount"))
        .filter(pl.col("open_amount") != 0)
    )
    aged = [(dataset, "bucket")]
    if party == "supplier":
        aged.append((find_report("facyorypayment").first_tab.plain.dataset("payable_due"), "overdue"))
    for data, column in aged:
        found = mart(
            f"select month, {column} as bucket, {data.metric('open_amount').sql} as open_amount from ({data.sql}) as d"
            " where role_id = 1 group by all"
        ).filter(pl.col("open_amount").abs() > 0.001)
        agree(found, expected, ["month", "bucket"])
        assert found["month"].n_unique() > 12 and found["bucket"].n_unique() > 3


@BOTH
def test_what_is_to_be_paid_stands_beside_earlier_month_ends(mart: Mart, open_items: pl.DataFrame) -> None:
    own = ~pl.col("unapplied")
    monthly = (
        open_items.filter(pl.col("party_type") == "supplier")
        .group_by(KEYS)
        .agg(
            pl.col("amount").filter(own).sum().alias("open_amount"),
            pl.col("amount").filter(own, pl.col("late")).sum().alias("overdue"),
        )
    )
    dataset = find_report("facyorypayment").first_tab.plain.dataset("payable_due_month")
    compare(mart, dataset, monthly, "open_amount")
    overdue = [f"overdue{suffix}" for suffix in ("", "_before", "_year")]
    agree(
        asked(mart, dataset, *overdue).fill_null(0),
        beside(monthly).select(*KEYS, *overdue).fill_null(0),
        KEYS,
    )


@BOTH
@SIDES
def test_write_offs_stand_beside_those_of_earlier_months(
    mart: Mart, entries: pl.DataFrame, side: str, party: str
) -> None:
    late = (pl.col("business_date") - pl.col("due_date")).dt.total_days().clip(0)
    held = (pl.col("business_date") - pl.col("item_date")).dt.total_days()
    rows = entries.filter(
        pl.col("party_type") == party,
        (pl.col("bill_type") != pl.col("item_type")) | (pl.col("bill_id") != pl.col("item_id")),
    ).with_columns(MONTH, -pl.col("amount"))
    monthly = rows.group_by(KEYS).agg(
        pl.col("amount").sum(),
        over((pl.col("amount") * held).sum(), pl.col("amount").sum()).alias("mean_held"),
        over(pl.col("amount").filter(late > 0).sum(), pl.col("amount").sum()).alias("late_share"),
    )
    board = find_report("verificationDetails").tab(side).plain
    compare(mart, board.dataset(f"{side}_write_off_month"), monthly, "amount", "mean_held", "late_share")
    # A bill that was written off more than once in a month counts once in it.
    items = rows.unique(["month", "settlement_id"]).group_by(KEYS).agg(pl.col("item_amount").sum())
    each = board.dataset(f"{side}_write_off")
    twice = f"select month, company_name, {each.metric('item_amount').sql} as item_amount from (select * from"
    twice += f" ({each.sql}) cross join range(2)) as d where role_id = 1 group by all"
    agree(asked(mart, each, "item_amount"), items, KEYS)
    agree(mart(twice), items, KEYS)


@BOTH
def test_orders_stand_beside_those_of_earlier_months(
    mart: Mart, core_rows: Core, companies: pl.DataFrame
) -> None:
    lines = core_rows(
        "select o.line_id, b.company_id, b.business_date, o.quantity, o.amount,"
        " coalesce(d.quantity, 0) as delivered, d.last_date"
        " from sales_order b join sales_order_line o using (bill_id) left join ("
        "   select l.order_line_id, sum(l.quantity) as quantity, max(h.business_date) as last_date"
        "   from sales_outbound h join sales_outbound_line l using (bill_id) where h.status in (2, 4, 5) group by 1"
        " ) d on d.order_line_id = o.line_id where b.status in (2, 4, 5)"
    ).join(companies, on="company_id")
    whole = pl.col("delivered") >= pl.col("quantity")
    monthly = (
        lines.with_columns(MONTH, pl.min_horizontal("quantity", "delivered").alias("filled"))
        .group_by(KEYS)
        .agg(
            pl.col("amount").sum(),
            pl.col("quantity").sum(),
            over(pl.col("filled").sum(), pl.col("quantity").sum()).alias("fill_rate"),
            (pl.col("last_date") - pl.col("business_date"))
            .dt.total_days()
            .filter(whole)
            .mean()
            .alias("lead"),
        )
    )
    dataset = find_report("SalesOrder").first_tab.plain.dataset("sales_order_month")
    compare(mart, dataset, monthly, "amount", "fill_rate", "lead")


@BOTH
def test_stock_stands_beside_earlier_month_ends_and_sales_beside_last_year_s(
    mart: Mart, core_rows: Core, companies: pl.DataFrame
) -> None:
    moves = core_rows("select company_id, quantity, amount, business_date from stock_ledger")
    sold = _sales(core_rows)
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
            over(pl.col("sales_30") - pl.col("sales_30_year"), pl.col("sales_30_year")).alias("sales_growth"),
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
        agree(found, expected, ["company_name"])
    company = find_report("CompanyInventoryreport").first_tab.cost.datasets[0]
    names = ["amount", "last_month", "last_year", "change", "year_change"]
    figures = ", ".join(f'{company.metric(name).sql} as "{name}"' for name in names)
    agree(
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
        over((pl.col("quantity") * pl.col("age_days")).sum(), pl.col("quantity").sum()).alias("mean_age"),
        over(pl.col("value").filter(pl.col("age_days") > 180).sum(), pl.col("value").sum()).alias("over_180"),
    )
    dataset = find_report("inventoryAgingReport").first_tab.cost.dataset("inventory_aging_month_cost")
    found = compare(mart, dataset, monthly, "amount", "mean_age", "over_180")
    assert found["month"].n_unique() > 12
    changes = asked(mart, dataset, "amount", "amount_year", "amount_growth").drop_nulls()
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
    compare(mart, dot, weeks, "amount")
    old = pl.col("value").filter(pl.col("age_days") > 90).sum()
    lying = layers.group_by(KEYS).agg(old.alias("sluggish"), over(old, pl.col("value").sum()).alias("share"))
    sluggish = find_report("sluggishstock").first_tab.cost.dataset("sluggish_month_cost")
    of_ninety = replace(sluggish, source=f"(select * from {sluggish.source} where threshold = '90天以上')")
    compare(mart, of_ninety, lying, "sluggish", "share")


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
        _sales(core_rows)
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
    agree(found, expected, keys)
    assert all(found[f"amount{suffix}"].sum() > 0 for suffix in ranges)
    stock = "sum(stock_quantity) as stock, sum(quantity) as sold"
    ranked, beside = (
        mart(f"select {stock} from {name} where period_label = '{period}'").row(0)
        for name in ("mart_best_seller", "mart_best_seller_compared")
    )
    assert ranked == pytest.approx(beside), "the head tells the stock of the goods that are ranked"


def _sum_between(first: dt.date, last: dt.date, name: str) -> pl.Expr:
    return pl.col(name).filter(pl.col("business_date").is_between(first, last)).sum()


def _sales(core_rows: Core) -> pl.DataFrame:
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
