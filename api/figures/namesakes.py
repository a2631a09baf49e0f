"""Namesakes (同名数字): figures of the same name in other reports, and why they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from api.figures.report_figures import list_figures
from api.kit.scope import Principal
from reports.catalogue import REPORTS, Report
from reports.semantics.dashboards import Tab
from reports.semantics.name_differences import find_reason


@lru_cache(maxsize=2)
def _index_tabs(sees_cost: bool) -> Mapping[str, tuple[tuple[Report, Tab], ...]]:
    """Index the tabs by the names of their figures, as a role sees them."""
    found: dict[str, dict[tuple[str, str], tuple[Report, Tab]]] = defaultdict(dict)
    for report in REPORTS:
        for tab in report.tabs:
            for figure in list_figures(tab.board(tab.variant(sees_cost))):
                found[figure.metric.label][report.code, tab.key] = report, tab
    return {name: tuple(places.values()) for name, places in found.items()}


def find_namesakes(me: Principal, code: str, tab: str, name: str) -> Iterator[dict[str, Any]]:
    """Yield the tabs of other reports, open to the reader, that have a figure of the same name."""
    places = _index_tabs(me.sees_cost).get(name, ())
    if (code, tab) not in {(report.code, own.key) for report, own in places}:
        return
    for report, own in places:
        if report.code != code and me.has_right(report.right):
            reason = find_reason(name, f"{code}/{tab}", f"{report.code}/{own.key}")
            yield {"title": report.title(own), "reason": reason}
