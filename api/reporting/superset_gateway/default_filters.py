"""Default filters of an embedded report (报表打开时的筛选): values from the address, and the newest period
that a role sees, so that a dashboard opens with a period without asking for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache

from pydantic import BaseModel, Field, create_model
from sqlalchemy import Connection

from api.kit.errors import Refusal
from api.reporting.snapshot.snapshot_connection import open_snapshot, read_snapshot_mark
from reports.catalogue import REPORTS
from reports.semantics.dashboards import Board
from reports.semantics.datasets import Dataset
from reports.superset.drilldown_links import LONGEST

CACHE_SIZE = 10_000


class _FrameQuery(BaseModel):
    """The report that is opened."""

    code: str = Field(max_length=100)


def _label_filter_names() -> dict[str, str]:
    """Return the labels of filters by their names in addresses."""
    boards = (tab.plain for report in REPORTS for tab in report.tabs)
    names = {item.address_name: item.label for board in boards for item in board.filters}
    return {name: names[name] for name in sorted(names) if name}


FrameQuery = create_model(
    "FrameQuery",
    __base__=_FrameQuery,
    **{
        name: (str, Field("", max_length=LONGEST, description=told))
        for name, told in _label_filter_names().items()
    },  # type: ignore[call-overload]
)
"""A report, and what its filters open on, of several values a list; those that it lacks are left out."""


def default_filter_values(board: Board, role_id: int, values: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the values that a dashboard's filters open with, by their keys; `values` are those of the
    address."""
    mark = read_snapshot_mark()
    return {key: found for key, found in _iterate_values(board, role_id, values, mark) if found}


def read_newest_value(source: Connection, dataset: Dataset, column: str, role_id: int) -> str | None:
    """Read the last value of a column among the rows that a role sees; None where it sees none."""
    sql = f'select max("{column}") from ({dataset.sql}) as d where role_id = $1'
    found: str | None = source.exec_driver_sql(sql, (role_id,)).scalar()
    return found


def _iterate_values(
    board: Board, role_id: int, values: Mapping[str, str], mark: str
) -> Iterator[tuple[str, list[str]]]:
    for item in board.filters:
        if given := values.get(item.address_name):
            yield item.key, parse_filter_values(given)
        elif item.latest and (
            last := _find_newest_value(mark, board.dataset(item.dataset), item.column, role_id)
        ):
            yield item.key, [last]


def parse_filter_values(given: str) -> list[str]:
    """Parse the values of a filter in an address: several are a JSON list."""
    try:
        values = json.loads(given) if given.startswith("[") else None
    except ValueError:
        values = None
    return values if isinstance(values, list) and all(isinstance(one, str) for one in values) else [given]


@lru_cache(CACHE_SIZE)
def _find_newest_value(mark: str, dataset: Dataset, column: str, role_id: int) -> str | None:
    """Return the newest value in the snapshot of this mark."""
    try:
        with open_snapshot() as source:
            return read_newest_value(source, dataset, column, role_id)
    except Refusal:
        # Nothing is published yet; the frame says so itself.
        return None
