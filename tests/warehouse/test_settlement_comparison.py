"""Open items, due amounts and write-offs beside earlier months and days, against polars over Postgres'
tables."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from reports.catalogue import find_report
from reports.semantics.as_of import DAY_ENDS, DEBT_BUCKETS
from reports.semantics.datasets import bind_range
from tests.warehouse.conftest import AS_OF, BOTH, Core, Mart, assert_frames_agree
from tests.warehouse.period_comparison import (
    KEYS,
    MONTH,
    add_prior_periods,
    assert_prior_periods,
    divide_or_null,
    query_metrics,
)
from tests.warehouse.settlement import UNAPPLIED

TODAY = dt.date.fromisoformat(AS_OF)
THIS_MONTH = TODAY.replace(day=1)
ENDS = pl.DataFrame(
    {"month": pl.date_range(dt.date(2024, 11, 1), THIS_MONTH, "1mo", eager=True)}
).with_columns(pl.min_horizontal(pl.col("month").dt.month_end(), pl.lit(TODAY)).alias("as_of"))
SIDES = pytest.mark.parametrize(("side", "party"), [("receivable", "customer"), ("payable", "supplier")])


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
    """Return the open amount of each item at the end of each month."""
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
            divide_or_null(
                pl.col("amount").filter(own, pl.col("late")).sum(), pl.col("amount").filter(own).sum()
            ).alias("overdue_share"),
        )
    )
    assert_prior_periods(mart, dataset, monthly, "balance", "overdue_share")
    assert_frames_agree(
        query_metrics(mart, dataset, "overdue", "overdue_before", "overdue_year").fill_null(0),
        add_prior_periods(monthly).select(*KEYS, "overdue", "overdue_before", "overdue_year").fill_null(0),
        KEYS,
    )
    changes = query_metrics(mart, dataset, "balance", "balance_before", "balance_change").drop_nulls()
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
            f"select company_name, {figures} from ({bind_range(then.sql, shown, shown)}) as d"
            f" where role_id = 1 group by all"
        )
        some = pl.any_horizontal(pl.col(name).abs() > 0.001 for name in measures)
        if suffix == "_year" and expected.filter(some).is_empty():
            assert found.filter(some).is_empty()
        else:
            assert_frames_agree(found.filter(some), expected.filter(some), ["company_name"])


@BOTH
@SIDES
def test_an_item_lies_in_the_same_bucket_on_a_month_s_last_day_and_at_its_end(
    mart: Mart, side: str, party: str
) -> None:
    told = "select settlement_id, days_past_due, bucket_order, bucket from"
    at_end = mart(f"{told} mart_{side}_aging where month_label = '2026-10' order by 1").rows()
    day = dt.date(2026, 10, 31)
    that_day = mart(f"{told} {bind_range(DAY_ENDS.source(side), day, day)} as m order by 1").rows()
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
        assert_frames_agree(found, expected, ["month", "bucket"])
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
    assert_prior_periods(mart, dataset, monthly, "open_amount")
    overdue = [f"overdue{suffix}" for suffix in ("", "_before", "_year")]
    assert_frames_agree(
        query_metrics(mart, dataset, *overdue).fill_null(0),
        add_prior_periods(monthly).select(*KEYS, *overdue).fill_null(0),
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
        divide_or_null((pl.col("amount") * held).sum(), pl.col("amount").sum()).alias("mean_held"),
        divide_or_null(pl.col("amount").filter(late > 0).sum(), pl.col("amount").sum()).alias("late_share"),
    )
    board = find_report("verificationDetails").tab(side).plain
    assert_prior_periods(
        mart, board.dataset(f"{side}_write_off_month"), monthly, "amount", "mean_held", "late_share"
    )
    # A bill that was written off more than once in a month counts once in it.
    items = rows.unique(["month", "settlement_id"]).group_by(KEYS).agg(pl.col("item_amount").sum())
    each = board.dataset(f"{side}_write_off")
    twice = f"select month, company_name, {each.metric('item_amount').sql} as item_amount from (select * from"
    twice += f" ({each.sql}) cross join range(2)) as d where role_id = 1 group by all"
    assert_frames_agree(query_metrics(mart, each, "item_amount"), items, KEYS)
    assert_frames_agree(mart(twice), items, KEYS)


@BOTH
def test_purchases_and_payments_stand_beside_earlier_months(mart: Mart, entries: pl.DataFrame) -> None:
    traded = pl.col("bill_type").is_in(["CGRK", "CGTH"])
    monthly = (
        entries.filter(pl.col("party_type") == "supplier")
        .group_by(MONTH, "company_name")
        .agg(
            pl.col("amount").filter(traded).sum().alias("purchased"),
            (-pl.col("amount").filter(pl.col("bill_type") == "GYFK").sum()).alias("settled"),
        )
    )
    names = [f"{name}{end}" for name in ("purchased", "settled") for end in ("", "_before", "_year")]
    dataset = find_report("inAnalysisTablePayment").first_tab.plain.datasets[0]
    moved = pl.any_horizontal(pl.col(names) != 0)
    assert_frames_agree(
        query_metrics(mart, dataset, *names).fill_null(0).filter(moved),
        add_prior_periods(monthly.filter(pl.col("month") >= ENDS["month"][0]))
        .select(*KEYS, *names)
        .fill_null(0)
        .filter(moved),
        KEYS,
    )
