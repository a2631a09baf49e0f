"""A time axis has all its steps: days, weeks and months without bills stand between those with some."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from reports.semantics.datasets import Dataset, Metric
from reports.semantics.day_ranges import parse_past_range
from reports.semantics.expressions import count_distinct, is_known, sum_of
from reports.semantics.metrics import money_metric, ratio_of
from reports.semantics.time_axis import fill_steps
from reports.superset_patches.chart_postprocessing import fill_time_gaps

MOMENT = datetime(2026, 10, 1, tzinfo=UTC)
WRITE_OFFS = Dataset(
    key="write_offs",
    label="核销",
    source="mart",
    grain="company",
    columns=(),
    measures=("amount", "days"),
    metrics=(
        money_metric("amount", "核销金额"),
        Metric("bills", "单据数", count_distinct("bill_no", is_known("amount"))),
        Metric("held", "账期", ratio_of(sum_of("days"), sum_of("amount"))),
        money_metric("days", "天数"),
    ),
    additive_measures=("amount",),
)


@pytest.mark.parametrize(
    ("labels", "steps"),
    [
        (["2024-02-28", "2024-03-01"], ["2024-02-28", "2024-02-29", "2024-03-01"]),
        (["2025-11", "2026-01"], ["2025-11", "2025-12", "2026-01"]),
        (["2020年第52周", "2021年第01周"], ["2020年第52周", "2020年第53周", "2021年第01周"]),
        (["2026年第01周", "2026年第03周", "未知"], [*(f"2026年第0{n}周" for n in (1, 2, 3)), "未知"]),
    ],
)
def test_what_is_missing_between_two_steps_is_there(labels, steps):
    assert fill_steps(labels) == steps


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        ("Last 4 days", ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]),
        ("Current month", ["2026-03-01", "2026-03-02", "2026-03-03"]),
        ("2026-03-01 : 2026-03-03", ["2026-03-01", "2026-03-02"]),
        ("2026-02-28 : ", ["2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03"]),
        ("No filter", ["2026-03-01"]),
    ],
)
def test_days_without_bills_at_the_ends_of_those_that_are_chosen_are_there_as_far_as_they_have_come(
    words, steps
):
    chosen = parse_past_range(words, date(2026, 3, 3))
    assert fill_steps(["2026-03-01"], chosen) == steps
    assert fill_steps(["2026-02", "2026-03"], chosen) == ["2026-02", "2026-03"]
    assert fill_steps([], chosen) == []


@pytest.mark.parametrize(
    "labels",
    [
        [],
        ["2026-01"],
        ["佳通", "马牌"],
        ["01", "03"],
        ["2026-03", "2026-01"],
        ["0206-01-01", "2026-01-01"],
        [MOMENT, MOMENT + timedelta(days=61)],
        [None],
    ],
)
def test_other_axes_stay_as_they_are(labels):
    """So do days in another order than their own, those that are centuries apart, and moments, which are no labels."""
    assert fill_steps(labels) == labels


def test_nothing_was_written_off_on_a_day_without_bills_and_how_long_it_took_is_unknown():
    rows = [
        {"day_label": f"2026-11-0{day}", "amount": 5.0, "bills": 1, "held": 30.0, "days": 9.0}
        for day in (1, 3)
    ]
    form = {"x_axis": "day_label", "metrics": ["amount"], "metrics_b": ["held"]}
    first, between, last = fill_time_gaps(rows, form, WRITE_OFFS)
    assert [first, last] == rows
    assert between == {"day_label": "2026-11-02", "amount": 0, "bills": 0, "held": None, "days": None}


def test_split_figures_have_no_gaps_either_and_rows_of_one_step_are_no_axis():
    form = {"x_axis": "month_label", "metrics": ["amount"], "groupby": ["bucket"]}
    rows = [{"month_label": month, "未到期": 1.0, "逾期": None} for month in ("2026-01", "2026-03")]
    assert fill_time_gaps(rows, form, WRITE_OFFS)[1] == {"month_label": "2026-02", "未到期": 0, "逾期": 0}
    assert fill_time_gaps([rows[0], rows[0], rows[1]], form, WRITE_OFFS) == [rows[0], rows[0], rows[1]]
    assert fill_time_gaps(rows, {}, WRITE_OFFS) == rows
    assert fill_time_gaps([], form, WRITE_OFFS) == []
