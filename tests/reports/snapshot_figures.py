"""Figures of the small snapshot, asked for as the reports define them."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from reports.semantics.dashboards import COST
from reports.superset.assets import list_dashboards
from tests.support.superset import EVERYTHING

BOARDS = list(list_dashboards())
ELAPSED_SHARE = 20 / 30
"""Elapsed share of the month that runs on the snapshot's day."""


def read_figure(
    snapshot: DuckDBPyConnection, code: str, metric: str, where: str = "true", variant: str = COST
) -> Any:
    """Return a metric of a report's first dataset, over the rows that meet a condition."""
    placed = next(item for item in BOARDS if item.report.code == code and item.variant == variant)
    dataset = placed.board.datasets[0]
    sql = dataset.metric(metric).sql
    row = snapshot.sql(
        f"select {sql} from ({dataset.sql}) where role_id = {EVERYTHING} and {where}"
    ).fetchone()
    return row[0] if row else None
