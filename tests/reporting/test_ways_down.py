"""Every way down from a framed report: the list that a row's link opens adds up to the row's figures, whatever the board
is filtered by."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

import pytest

from api.kit import registry
from reports.catalogue import REPORTS
from reports.catalogue.boards import Board, Chart
from reports.catalogue.ways import PAGES, WAYS, way_of
from tests.kit.desk import Desk
from tests.reporting.frames import Frames
from tests.reporting.namesakes import Namesakes, summed

HREF = re.compile(r'href="([^"?]+)\?([^"]*)"')


def followed(link: str) -> tuple[str, dict[str, str]]:
    """The page that a link opens, and what it is asked for."""
    found = HREF.search(link)
    assert found, link
    return found[1], dict(parse_qsl(html.unescape(found[2]), keep_blank_values=True))


def listed(desk: Desk, frames: Frames, page: str, asked: Mapping[str, str]) -> dict[str, Decimal]:
    """What the columns of the list add up to that a link opens."""
    report = next((one for one in REPORTS if one.route == page), None)
    if report:
        tab = report.first_tab
        opened = desk.caller.get("v2/report/Frame/getFrame", code=report.code, **asked).data["tabs"][0]
        columns = {item.key: item.column for item in tab.board("cost").filters}
        chosen = {columns[key]: values for key, values in opened["opens_with"].items()}
        rows = frames.rows(report.code, tab=tab.key, **chosen)
    else:
        [cls, *_] = registry.by_route(page)
        query = {name: value for name, value in asked.items() if not name.endswith("__label")}
        answer = desk.caller.get(f"{cls.declaration.api}/getList", per_page=500, **query)
        assert answer.ok, (page, answer)
        rows = answer.data["data"]
    return summed(rows)
