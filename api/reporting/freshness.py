"""数据更新时间：当前发布快照的时间。"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import duckdb

from api.kit.settings import settings

OPEN_CONFIG = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "lock_configuration": "true",
}


def refreshed_at() -> datetime | None:
    """When the newest snapshot was published; None before the first."""
    snapshot = (settings().warehouse_dir / "current").resolve() / "wh.duckdb"
    return _stamp(snapshot) if snapshot.is_file() else None


@lru_cache(maxsize=4)
def _stamp(snapshot: Path) -> datetime | None:
    # Snapshots are immutable and never share a path, so that what was read once stays true.
    with duckdb.connect(str(snapshot), read_only=True, config=dict(OPEN_CONFIG)) as conn:
        row = conn.execute("select epoch_us(max(refreshed_at)) from refreshed_at").fetchone()
    return None if row is None or row[0] is None else datetime.fromtimestamp(row[0] / 1_000_000, UTC)
