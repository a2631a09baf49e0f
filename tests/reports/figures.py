"""Figures of the small snapshot, asked for as the reports define them."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from reports.assets import boards
from reports.catalogue.boards import COST
from tests.kit.superset import EVERYTHING

BOARDS = list(boards())
PASSED = 20 / 30
"""Of the month that runs on the snapshot's day."""


def figure(
    snapshot: DuckDBPyConnection, code: str, metric: str, where: str = "true", variant: str = COST
) -> Any:
    """A metric of a report's first dataset, over its rows that fit."""
    placed = next(item for item in BOARDS if item.report.code == code and item.variant == variant)
    dataset = placed.board.datasets[0]
    sql = dataset.metric(metric).sql
    row = snapshot.sql(
        f"select {sql} from ({dataset.sql}) where role_id = {EVERYTHING} and {where}"
    ).fetchone()
    return row[0] if row else None
