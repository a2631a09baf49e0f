"""报表打开时的筛选：地址带来的值，和角色能看到的最新一期——看板一打开就有期间，不必等筛选自己去问。"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache

from pydantic import BaseModel, Field, create_model
from sqlalchemy import Connection

from api.kit.errors import Refusal
from api.reporting.snapshot import published, published_mark
from reports.catalogue import REPORTS
from reports.catalogue.boards import Board
from reports.catalogue.datasets import Dataset
from reports.ways_down import LONGEST

KEPT = 10_000


class _FrameQuery(BaseModel):
    """Which report is asked for."""

    code: str = Field(max_length=100)


def _asked() -> dict[str, str]:
    """The names under which addresses carry the values of filters, and what these are called."""
    boards = (tab.plain for report in REPORTS for tab in report.tabs)
    names = {item.asked_by: item.label for board in boards for item in board.filters}
    return {name: names[name] for name in sorted(names) if name}


FrameQuery = create_model(
    "FrameQuery",
    __base__=_FrameQuery,
    **{name: (str, Field("", max_length=LONGEST, description=told)) for name, told in _asked().items()},  # type: ignore[call-overload]
)
"""A report, and what its filters open on, of several values a list; those that it lacks are left out."""


def opening_values(board: Board, role_id: int, values: Mapping[str, str]) -> dict[str, list[str]]:
    """What a board's filters open on, by their keys. `values` are given ones by the filters' names in addresses."""
    mark = published_mark()
    return {key: found for key, found in _values(board, role_id, values, mark) if found}


def newest(source: Connection, dataset: Dataset, column: str, role_id: int) -> str | None:
    """The last value of a column among the rows that a role sees; None where it sees none."""
    sql = f'select max("{column}") from ({dataset.sql}) as d where role_id = $1'
    found: str | None = source.exec_driver_sql(sql, (role_id,)).scalar()
    return found


def _values(
    board: Board, role_id: int, values: Mapping[str, str], mark: str
) -> Iterator[tuple[str, list[str]]]:
    for item in board.filters:
        if given := values.get(item.asked_by):
            yield item.key, chosen(given)
        elif item.latest and (last := _newest(mark, board.dataset(item.dataset), item.column, role_id)):
            yield item.key, [last]


def chosen(given: str) -> list[str]:
    """The values that an address carries in one text: several are a list."""
    try:
        values = json.loads(given) if given.startswith("[") else None
    except ValueError:
        values = None
    return values if isinstance(values, list) and all(isinstance(one, str) for one in values) else [given]


@lru_cache(KEPT)
def _newest(mark: str, dataset: Dataset, column: str, role_id: int) -> str | None:
    """Of the snapshot of this mark."""
    try:
        with published() as source:
            return newest(source, dataset, column, role_id)
    except Refusal:
        # Nothing is published yet; the frame says so itself.
        return None
