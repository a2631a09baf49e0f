"""新图表的起点：数字写全、日期按年月日写，按月的数据集按月分组；分析者改过的照旧。

Superset begins with its adaptive formats, whose thousands are k and millions M, and with days for every dataset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reports import explorers
from reports.answering import catalogue_datasets
from reports.catalogue.datasets import Dataset

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
"""What the kinds of charts call the formats of their figures and days."""
BY_MONTH = {"time_grain_sqla": "P1M", **dict.fromkeys(DATES, "%Y-%m")}
BY_DAY = dict.fromkeys(DATES, "%Y-%m-%d")


def begin_in_chinese() -> None:
    """Open an explorer's chart with these formats where it has none yet."""
    from superset.commands.explore.get import GetExploreCommand

    opened: Callable[..., Any] = GetExploreCommand.run

    def run(self: Any) -> Any:
        answer = opened(self)
        if answer and explorers.present() is not None:
            dataset = catalogue_datasets().get(answer["dataset"].get("table_name", ""))
            answer["form_data"] = {**beginning(dataset), **answer["form_data"]}
        return answer

    GetExploreCommand.run = run


def beginning(dataset: Dataset | None) -> dict[str, str]:
    """What a chart of a dataset begins with."""
    by_month = dataset is not None and dataset.time_column == "month"
    return {**dict.fromkeys(NUMBERS, FULL_NUMBER), **(BY_MONTH if by_month else BY_DAY)}
