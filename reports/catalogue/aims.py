"""目标线：各月的数字旁边公司的经营目标，在报表自己的筛选下。

A target is of a company as a whole: its row names no warehouse, department, salesman or customer, so that it is there
under any filter of companies and months, and gone under one of what it is not of.
"""

from __future__ import annotations

from reports.catalogue.boards import Chart
from reports.catalogue.datasets import MONEY, Column, Dataset, Metric
from reports.catalogue.metrics import money
from reports.catalogue.parts import COMPANY, curves

AIMED = "_aimed"
TARGET = "target"


def aimed_dataset(
    key: str,
    label: str,
    rows: str,
    figure: Metric,
    measures: tuple[str, ...],
    aim: str,
    axis: tuple[Column, Column],
    columns: tuple[Column, ...] = (),
    cost: bool = False,
) -> Dataset:
    """The rows of a mart with the targets of companies among them, of which `aim` names the column.

    `axis` are the columns of a month's first day, or a day's, and of the month's label.
    """
    targets = (
        f"select month as {axis[0].name}, month_label, company_id, company_name, {aim} as {TARGET}"
        f" from mart_business_target where {aim} is not null"
    )
    own = (*measures, TARGET)
    return Dataset(
        key=f"{key}{AIMED}",
        label=f"{label}与目标",
        source=f"(select * from {rows} as t union all by name {targets})",
        grain="company",
        cost=cost,
        time_column=axis[0].name,
        columns=(*axis, COMPANY, *columns),
        measures=own,
        flows=own,
        metrics=(figure, money(TARGET, f"{figure.label}目标")),
        explorable=False,
    )


def aimed_chart(data: Dataset, axis: str) -> Chart:
    """What each month came to, under the line of its target."""
    figure, _ = data.metrics
    assert figure.format == MONEY
    return curves("aimed", f"各月{figure.label}与目标", data, (figure.name,), TARGET, axis)
