"""数据血缘里的报表：从目录写出 dbt 的 exposures，每张报表一个，依赖它各数据集所读的集市表。

python -m reports.exposures
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from reports.catalogue import REPORTS, Report
from reports.catalogue.datasets import Dataset

FILE = Path(__file__).resolve().parents[1] / "transforms" / "models" / "_exposures.yml"
HEAD = """\
# Written by `python -m reports.exposures` from the catalogue of reports; a test tells when it is out of date.
version: 2

exposures:
"""
MART = re.compile(r"\bmart_\w+")


def marts(report: Report) -> list[str]:
    """The marts that the report's datasets read, in all of its tabs and variants."""
    return sorted({name for dataset in _datasets(report) for name in MART.findall(dataset.source)})


def render() -> str:
    """The whole file."""
    return HEAD + "\n".join(_exposure(report) for report in REPORTS)


def _datasets(report: Report) -> Iterator[Dataset]:
    for tab in report.tabs:
        for board in (tab.plain, tab.cost):
            if board is not None:
                yield from board.datasets


def _exposure(report: Report) -> str:
    depends = "\n".join(f"      - ref('{mart}')" for mart in marts(report))
    return f"""\
  - name: {report.code}
    label: {_text(report.label)}
    type: dashboard
    maturity: high
    description: {_text(report.question)}
    url: {_text(report.route)}
    owner:
      name: {_text(report.group)}
    depends_on:
{depends}
"""


def _text(value: str) -> str:
    """A YAML string: every JSON string is one."""
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    FILE.write_text(render(), "utf-8")
