"""Target lines (目标线): the companies' targets beside each month's figures, under the report's own filters.

A target is of a company as a whole: its row names no warehouse, department, salesman or customer, so that
it is there under any filter of companies and months, and gone under one of what it is not of.
"""

from __future__ import annotations

from reports.semantics.dashboards import Chart
from reports.semantics.datasets import MONEY, Column, Dataset, Metric
from reports.semantics.metrics import money_metric
from reports.semantics.report_builders import COMPANY, build_curve_chart

TARGET_SUFFIX = "_aimed"
TARGET = "target"


def target_dataset(
    key: str,
    label: str,
    rows: str,
    figure: Metric,
    measures: tuple[str, ...],
    target: str,
    axis: tuple[Column, Column],
    columns: tuple[Column, ...] = (),
    cost: bool = False,
) -> Dataset:
    """Return the rows of a mart united with the companies' targets, whose column is `target`.

    `axis` are the columns of a month's first day, or a day's, and of the month's label.
    """
    targets = (
        f"select month as {axis[0].name}, month_label, company_id, company_name, {target} as {TARGET}"
        f" from mart_business_target where {target} is not null"
    )
    own = (*measures, TARGET)
    return Dataset(
        key=f"{key}{TARGET_SUFFIX}",
        label=f"{label}与目标",
        source=f"(select * from {rows} as t union all by name {targets})",
        grain="company",
        cost=cost,
        time_column=axis[0].name,
        columns=(*axis, COMPANY, *columns),
        measures=own,
        additive_measures=own,
        metrics=(figure, money_metric(TARGET, f"{figure.label}目标")),
        explorable=False,
    )


def build_target_chart(data: Dataset, axis: str) -> Chart:
    """Return the chart of each month's figure and its target line."""
    figure, _ = data.metrics
    assert figure.format == MONEY
    return build_curve_chart("aimed", f"各月{figure.label}与目标", data, (figure.name,), TARGET, axis)
