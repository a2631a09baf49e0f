"""Exposures (数据血缘里的报表): dbt's exposures, one a report, depending on the tables that it reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reports.catalogue import REPORTS, Report
from reports.semantics.datasets import Dataset

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


def list_report_exposures() -> list[Exposure]:
    """Return the exposures of the catalogue's reports."""
    return [
        Exposure(report.code, report.label, report.question, report.route, report.group, list_marts(report))
        for report in REPORTS
    ]


def list_marts(report: Report) -> list[str]:
    """Return the marts that the report's datasets read, in all of its tabs and variants."""
    return sorted({name for dataset in _list_datasets(report) for name in MART.findall(dataset.source)})


def render_exposures(exposures: Iterable[Exposure]) -> str:
    """Return the whole file."""
    return HEAD + "\n".join(map(_render_exposure, exposures))


def _list_datasets(report: Report) -> Iterator[Dataset]:
    for tab in report.tabs:
        for board in (tab.plain, tab.cost):
            if board is not None:
                yield from board.datasets


def _render_exposure(item: Exposure) -> str:
    depends = "\n".join(f"      - ref('{model}')" for model in item.models)
    return f"""\
  - name: {item.name}
    label: {_quote_yaml(item.label)}
    type: dashboard
    maturity: high
    description: {_quote_yaml(item.question)}
    url: {_quote_yaml(item.route)}
    owner:
      name: {_quote_yaml(item.group)}
    depends_on:
{depends}
"""


def _quote_yaml(value: str) -> str:
    """Return a YAML string: every JSON string is one."""
    return json.dumps(value, ensure_ascii=False)
