"""Namesakes (同名数字): the figures of other reports that bear a figure's name, and why they are not the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from api.figures.found import figures_of
from api.kit.scope import Principal
from reports.catalogue import REPORTS, Report
from reports.catalogue.boards import Tab
from reports.catalogue.differences import reason


@lru_cache(maxsize=2)
def _places(sees_cost: bool) -> Mapping[str, tuple[tuple[Report, Tab], ...]]:
    """By name the tabs that have a figure of it, as a role sees them."""
    found: dict[str, dict[tuple[str, str], tuple[Report, Tab]]] = defaultdict(dict)
    for report in REPORTS:
        for tab in report.tabs:
            for figure in figures_of(tab.board(tab.variant(sees_cost))):
                found[figure.metric.label][report.code, tab.key] = report, tab
    return {name: tuple(places.values()) for name, places in found.items()}


def namesakes(me: Principal, code: str, tab: str, name: str) -> Iterator[dict[str, Any]]:
    """What other reports that the reader may open call by the name of a figure of a framed report's tab."""
    places = _places(me.sees_cost).get(name, ())
    if (code, tab) not in {(report.code, own.key) for report, own in places}:
        return
    for report, own in places:
        if report.code != code and me.may(report.right):
            told = reason(name, f"{code}/{tab}", f"{report.code}/{own.key}")
            yield {"title": report.title(own), "reason": told}
