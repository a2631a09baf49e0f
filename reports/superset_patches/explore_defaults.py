"""Defaults of Explore (新图表的默认值): full numbers, dates as year-month-day, monthly datasets by month.

Superset begins with its adaptive formats, whose thousands are k and millions M, and with days for every
dataset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reports.semantics.datasets import Dataset
from reports.superset import explore_access
from reports.superset_patches.query_fast_path import catalogue_datasets

FULL_NUMBER = ",.2~f"
NUMBERS = (
    "number_format",
    "tooltipSizeFormat",
    "valueFormat",
    "xAxisFormat",
    "x_axis_format",
    "y_axis_format",
    "y_axis_format_secondary",
)
DATES = ("date_format", "table_timestamp_format", "time_format", "tooltipTimeFormat", "x_axis_time_format")
"""Form fields of the formats of figures and days."""
BY_MONTH = {"time_grain_sqla": "P1M", **dict.fromkeys(DATES, "%Y-%m")}
BY_DAY = dict.fromkeys(DATES, "%Y-%m-%d")


def install_explore_defaults() -> None:
    """Add default formats to the form data of an explorer's chart where it has none yet."""
    from superset.commands.explore.get import GetExploreCommand

    opened: Callable[..., Any] = GetExploreCommand.run

    def run(self: Any) -> Any:
        answer = opened(self)
        if answer and explore_access.get_current_explorer() is not None:
            dataset = catalogue_datasets().get(answer["dataset"].get("table_name", ""))
            answer["form_data"] = {**default_form_data(dataset), **answer["form_data"]}
        return answer

    GetExploreCommand.run = run


def default_form_data(dataset: Dataset | None) -> dict[str, str]:
    """Return the default form data of a dataset's chart."""
    by_month = dataset is not None and dataset.time_column == "month"
    return {**dict.fromkeys(NUMBERS, FULL_NUMBER), **(BY_MONTH if by_month else BY_DAY)}
