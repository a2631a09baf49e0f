"""数据血缘里的报表：dbt 的 exposures，每张报表一个，依赖它所读的表；嵌入报表的由目录得知。"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reports.catalogue import REPORTS, Report
from reports.catalogue.datasets import Dataset

FILE = Path(__file__).resolve().parents[1] / "transforms" / "models" / "_exposures.yml"
HEAD = """\
# Written by `python -m api.exposures` from what the reports declare; a test tells when it is out of date.
version: 2

exposures:
"""
MART = re.compile(r"\bmart_\w+")


@dataclass(frozen=True)
class Exposure:
    """A report in the lineage, and the models that it reads."""

    name: str
    label: str
    question: str
    route: str
    group: str
    models: list[str]


def framed() -> list[Exposure]:
    """The reports of the catalogue."""
    return [
        Exposure(report.code, report.label, report.question, report.route, report.group, marts(report))
        for report in REPORTS
    ]


def marts(report: Report) -> list[str]:
    """The marts that the report's datasets read, in all of its tabs and variants."""
    return sorted({name for dataset in _datasets(report) for name in MART.findall(dataset.source)})


def render(exposures: Iterable[Exposure]) -> str:
    """The whole file."""
    return HEAD + "\n".join(map(_written, exposures))


def _datasets(report: Report) -> Iterator[Dataset]:
    for tab in report.tabs:
        for board in (tab.plain, tab.cost):
            if board is not None:
                yield from board.datasets


def _written(item: Exposure) -> str:
    depends = "\n".join(f"      - ref('{model}')" for model in item.models)
    return f"""\
  - name: {item.name}
    label: {_text(item.label)}
    type: dashboard
    maturity: high
    description: {_text(item.question)}
    url: {_text(item.route)}
    owner:
      name: {_text(item.group)}
    depends_on:
{depends}
"""


def _text(value: str) -> str:
    """A YAML string: every JSON string is one."""
    return json.dumps(value, ensure_ascii=False)
