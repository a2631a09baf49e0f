"""Balances of partners over any days, from opening to closing, against polars over the ledger in Postgres."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from reports.catalogue import find_report
from reports.catalogue.account_balances import FLOWS
from reports.semantics.dashboards import Board
from reports.semantics.datasets import SUFFIXES, Dataset, bind_range
from reports.semantics.day_ranges import EARLIEST, FURTHEST
from reports.semantics.kpi_comparison import KPI_KEY
from tests.warehouse.conftest import AS_OF, BOTH, Core, Mart, assert_frames_agree

TODAY = dt.date.fromisoformat(AS_OF)
"""The twentieth of November."""
KNOWN = dt.date(2024, 11, 1)
"""From which day on it is known what partners' accounts opened on."""
RANGES = {
    "this month, to its end": (dt.date(2026, 11, 1), dt.date(2026, 11, 30)),
    "a week": (dt.date(2026, 11, 9), dt.date(2026, 11, 15)),
    "a day": (dt.date(2026, 10, 20), dt.date(2026, 10, 20)),
    "over the end of a month": (dt.date(2026, 10, 25), dt.date(2026, 11, 6)),
    "a whole short month": (dt.date(2026, 2, 1), dt.date(2026, 2, 28)),
    "days that February lacks": (dt.date(2026, 3, 29), dt.date(2026, 3, 31)),
    "a year to date": (dt.date(2026, 1, 1), dt.date(2026, 11, 20)),
    "of no known last year": (dt.date(2025, 3, 10), dt.date(2025, 4, 20)),
    "more than is known": (dt.date(2024, 1, 10), dt.date(2025, 1, 20)),
    "all": (EARLIEST, FURTHEST),
}
PLACES = {
    "customer": ("receivable", "ScheduleAccountsReceivable"),
    "supplier": ("payable", "ScheduleAccountsPayable"),
}
PARTIES = pytest.mark.parametrize("party", PLACES)
STEPS = dict(zip(("", *SUFFIXES), ("0d", "1mo", "12mo"), strict=True))


@pytest.fixture(scope="module")
def entries(core_rows: Core) -> pl.DataFrame:
    """The settlement ledger; what settles changes an advance, or an item that another bill opened."""
    return core_rows(
        "select l.party_type, c.company_name, l.party_id, l.business_date, l.amount,"
        " i.kind = 'advance' or (l.bill_type, l.bill_id) <> (i.bill_type, i.bill_id) as settles"
        " from settlement_ledger l join settlement_item i using (settlement_id)"
        " join company c on c.company_id = l.company_id"
    )


def find_board(party: str) -> Board:
    return find_report(PLACES[party][1]).tab("days").plain


def sum_accounts(
    entries: pl.DataFrame, party: str, since: dt.date, until: dt.date, step: str
) -> pl.DataFrame:
    """Return opening, increase, settlement and closing of each partner in each company, of entries shifted by
    `step`.

    Entries later than the day of the figures don't count.
    """
    day, amount = pl.col("business_date").dt.offset_by(step), pl.col("amount")
    within = day >= since
    return (
        entries.filter(pl.col("party_type") == party, day <= min(until, TODAY))
        .group_by("company_name", "party_id")
        .agg(
            amount.filter(~within).sum().alias("opening"),
            amount.filter(within, ~pl.col("settles")).sum().alias("increase"),
            (-amount.filter(within, pl.col("settles")).sum()).alias("settled"),
            amount.sum().alias("closing"),
            within.any().alias("moved"),
        )
        .filter(pl.col("moved") | (pl.col("opening").abs() > 0.001))
        .drop("moved")
    )


def rows_sql(dataset: Dataset, since: dt.date, until: dt.date) -> str:
    return f"({bind_range(dataset.sql, since, until)}) as d where role_id = 1"


def query_accounts(mart: Mart, party: str, since: dt.date, until: dt.date, suffix: str = "") -> pl.DataFrame:
    """Return the same from the report's rows that have figures in the period."""
    sums = {name: f'sum("{name}{suffix}")' for name in FLOWS}
    figures = {
        "opening": sums["opening"],
        "increase": "{delivery} - {return} + {other}".format_map(sums),
        "settled": "{settled} + {offset}".format_map(sums),
        "closing": sums["closing"],
    }
    shown = ", ".join(f"{sql} as {name}" for name, sql in figures.items())
    return mart(
        f"select company_name, {party}_id as party_id, {shown} from {rows_sql(find_board(party).datasets[0], since, until)}"
        f" group by all having count(closing{suffix}) > 0"
    )


@BOTH
@PARTIES
@pytest.mark.parametrize("days", RANGES.values(), ids=RANGES)
def test_any_days_go_from_opening_to_closing_beside_those_of_a_month_and_a_year_before(
    mart: Mart, entries: pl.DataFrame, party: str, days: tuple[dt.date, dt.date]
) -> None:
    since, until = days
    first = max(since, KNOWN)
    head = find_board(party).dataset(find_board(party).chart(KPI_KEY).dataset)
    heads = dict(
        mart(
            f"select beside_order, struct_pack({', '.join(f'{name} := sum({name})' for name in ('opening', 'closing'))})"
            f" from {rows_sql(head, since, until)} group by all"
        ).rows()
    )
    for order, (suffix, step) in enumerate(STEPS.items()):
        found = query_accounts(mart, party, since, until, suffix)
        earlier = pl.Series([first]).dt.offset_by(f"-{step}")[0]
        expected = sum_accounts(entries, party, first, until, step)
        if earlier < KNOWN or expected.is_empty():
            assert found.is_empty() and order not in heads, suffix
            continue
        assert_frames_agree(found, expected, ["company_name", "party_id"])
        moved = found["opening"] + found["increase"] - found["settled"] - found["closing"]
        assert moved.abs().max() < 0.001
        for name in ("opening", "closing"):
            assert float(heads[order][name]) == pytest.approx(expected[name].sum(), abs=0.005)


@BOTH
@PARTIES
def test_days_of_whole_months_tell_what_the_months_tell(mart: Mart, party: str) -> None:
    """Of each month and partner, and of those before."""
    months = find_report(PLACES[party][1]).first_tab.plain.datasets[0]
    names = [f"{name}{suffix}" for name in FLOWS for suffix in STEPS]
    figures = ", ".join(f'coalesce(sum("{name}"), 0) as "{name}"' for name in names)
    keys = ["company_name", f"{party}_id"]
    some = pl.any_horizontal(pl.col(name).abs() > 0.001 for name in names)
    for since, until in (
        (dt.date(2026, 11, 1), TODAY),
        (dt.date(2026, 10, 1), dt.date(2026, 10, 31)),
        (dt.date(2025, 12, 1), dt.date(2025, 12, 31)),
    ):
        by_days = mart(
            f"select {', '.join(keys)}, {figures} from {rows_sql(find_board(party).datasets[0], since, until)} group by all"
        ).filter(some)
        by_month = mart(
            f"select {', '.join(keys)}, {figures} from ({months.sql}) as d"
            f" where role_id = 1 and month = date '{since}' group by all"
        ).filter(some)
        if until == TODAY:
            # The running month stands beside whole ones.
            own = [name for name in names if not name.endswith(SUFFIXES)]
            by_days, by_month = (
                rows.select(*keys, *own).filter(pl.any_horizontal(pl.col(name).abs() > 0.001 for name in own))
                for rows in (by_days, by_month)
            )
        assert_frames_agree(by_days, by_month, keys)


@BOTH
@PARTIES
def test_what_is_owed_at_the_end_of_each_day_is_told_day_by_day(
    mart: Mart, entries: pl.DataFrame, party: str
) -> None:
    chart = find_board(party).chart("months")
    series = find_board(party).dataset(chart.dataset)
    since, until = dt.date(2026, 10, 12), dt.date(2026, 11, 11)
    standing = series.metric(*chart.second).sql
    found = mart(
        f"select day_label, {standing} as owed from {rows_sql(series, since, until)} group by day_label"
    )
    own = entries.filter(pl.col("party_type") == party)
    assert found["day_label"].min() == str(since) and len(found) > 10
    for day, owed in found.rows():
        until_then = own.filter(pl.col("business_date") <= dt.date.fromisoformat(day))
        assert owed == pytest.approx(until_then["amount"].sum(), abs=0.005), day


@BOTH
@PARTIES
def test_entries_are_told_with_what_they_do(mart: Mart, entries: pl.DataFrame, party: str) -> None:
    keys = ["company_name", "party_id", "day"]
    found = mart(
        f"select company_name, {party}_id as party_id, day, sum(delivery_amount - return_amount + other_amount) as increase,"
        f" sum(settled_amount + offset_amount) as settled, sum(change_amount) as change, count(*) as entries"
        f" from mart_{PLACES[party][0]}_day group by all"
    )
    expected = (
        entries.filter(pl.col("party_type") == party, pl.col("business_date") <= TODAY)
        .rename({"business_date": "day"})
        .group_by(keys)
        .agg(
            pl.col("amount").filter(~pl.col("settles")).sum().alias("increase"),
            (-pl.col("amount").filter(pl.col("settles")).sum()).alias("settled"),
            pl.col("amount").sum().alias("change"),
            pl.len().alias("entries"),
        )
    )
    assert_frames_agree(found, expected, keys)
