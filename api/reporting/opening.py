"""报表打开时的筛选：地址带来的值，和角色能看到的最新一期——看板一打开就有期间，不必等筛选自己去问。"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from sqlalchemy import Connection

from api.kit.errors import Refusal
from api.reporting.snapshot import published, published_mark
from reports.catalogue.boards import Board
from reports.catalogue.datasets import Dataset

KEPT = 10_000


def opening_values(board: Board, role_id: int, values: Mapping[str, str]) -> dict[str, list[str]]:
    """What a board's filters open on, by their keys. `values` are given ones by the filters' parameter names."""
    mark = published_mark()
    return {key: [value] for key, value in _values(board, role_id, values, mark) if value}


def newest(source: Connection, dataset: Dataset, column: str, role_id: int) -> str | None:
    """The last value of a column among the rows that a role sees; None where it sees none."""
    sql = f'select max("{column}") from ({dataset.sql}) as d where role_id = $1'
    found: str | None = source.exec_driver_sql(sql, (role_id,)).scalar()
    return found


def _values(
    board: Board, role_id: int, values: Mapping[str, str], mark: str
) -> Iterator[tuple[str, str | None]]:
    for item in board.filters:
        if item.parameter and values.get(item.parameter):
            yield item.key, values[item.parameter]
        elif item.latest:
            yield item.key, _newest(mark, board.dataset(item.dataset), item.column, role_id)


@lru_cache(KEPT)
def _newest(mark: str, dataset: Dataset, column: str, role_id: int) -> str | None:
    """Of the snapshot of this mark."""
    try:
        with published() as source:
            return newest(source, dataset, column, role_id)
    except Refusal:
        # Nothing is published yet; the frame says so itself.
        return None
