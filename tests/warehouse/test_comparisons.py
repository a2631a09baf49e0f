"""What stands beside the figures of a month, a period before and a year ago, against polars over Postgres' tables."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from reports.catalogue import find_report
from reports.catalogue.model import Dataset
from tests.warehouse.conftest import AS_OF, Core, Mart, agree

TODAY = dt.date.fromisoformat(AS_OF)
THIS_MONTH = TODAY.replace(day=1)
ENDS = pl.DataFrame(
    {"month": pl.date_range(dt.date(2025, 11, 1), THIS_MONTH, "1mo", eager=True)}
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
        " l.business_date, i.kind, i.due_date, i.business_date as item_date, i.bill_type as item_type,"
        " i.bill_id as item_id from settlement_ledger l join settlement_item i using (settlement_id)"
    ).join(companies, on="company_id")


@pytest.fixture(scope="module")
def open_items(entries: pl.DataFrame) -> pl.DataFrame:
    """What was open of each item at the end of each month."""
    return (
        entries.join(ENDS, how="cross")
        .filter(pl.col("business_date") <= pl.col("as_of"))
        .with_columns(
            ((pl.col("kind") == "advance") | pl.col("item_type").is_in(["KHFL", "CGFL"])).alias("advance"),
            (pl.col("due_date") < pl.col("as_of")).alias("late"),
        )
        .group_by("party_type", *KEYS, "settlement_id", "advance", "late")
        .agg(pl.col("amount").sum().round(2))
        .filter(pl.col("amount") != 0)
    )


@SIDES
def test_open_items_stand_beside_earlier_month_ends(
    mart: Mart, open_items: pl.DataFrame, side: str, party: str
) -> None:
    code, tab = {"customer": ("accountsReceivable", "all"), "supplier": ("ScheduleAccountsPayable", "aging")}[
        party
    ]
    dataset = find_report(code).tab(tab).plain.dataset(f"{side}_aging_month")
    own = ~pl.col("advance")
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


def test_what_is_to_be_paid_stands_beside_earlier_month_ends(mart: Mart, open_items: pl.DataFrame) -> None:
    own = ~pl.col("advance")
    monthly = (
        open_items.filter(pl.col("party_type") == "supplier")
        .group_by(KEYS)
        .agg(
            pl.col("amount").filter(own).sum().alias("open_amount"),
            pl.col("amount").sum().alias("needed"),
            pl.col("amount").filter(own, pl.col("late")).sum().alias("overdue"),
        )
    )
    dataset = find_report("facyorypayment").first_tab.plain.dataset("payable_due_month")
    compare(mart, dataset, monthly, "open_amount", "needed")
    overdue = [f"overdue{suffix}" for suffix in ("", "_before", "_year")]
    agree(
        asked(mart, dataset, *overdue).fill_null(0),
        beside(monthly).select(*KEYS, *overdue).fill_null(0),
        KEYS,
    )


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
    dataset = find_report("verificationDetails").tab(side).plain.dataset(f"{side}_write_off_month")
    compare(mart, dataset, monthly, "amount", "mean_held", "late_share")


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
    compare(mart, dataset, monthly, "amount", "quantity", "fill_rate", "lead")
