"""数据快照连接：每次连接都解析 `current` 软链，只读、禁用外部访问并锁定配置。"""

from __future__ import annotations

from typing import Any

from sqlalchemy.engine.url import URL

from api.kit.settings import settings

# The stored address names no place: the place is resolved at each connection.
SNAPSHOT_URI = "duckdb:///current"
LOCKED_CONFIG = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "lock_configuration": "true",
}


SCHEMA = "main"


def fix_default_schema() -> None:
    """Tell Superset the schema of every snapshot: it opens the file twice a request to ask for it."""
    from superset.db_engine_specs.duckdb import DuckDBEngineSpec

    DuckDBEngineSpec.get_default_schema = classmethod(lambda cls, database, catalog: SCHEMA)


def connect_to_snapshot(
    uri: URL, params: dict[str, Any], username: str | None, security_manager: Any, source: Any
) -> tuple[URL, dict[str, Any]]:
    """Superset's DB_CONNECTION_MUTATOR: point the connection at the newest published snapshot.

    The real path, not the symlink, is opened: a file renamed over the same path leaves readers on stale pages.
    """
    snapshot = (settings().warehouse_dir / "current").resolve() / "wh.duckdb"
    locked = {"connect_args": {"read_only": True, "config": dict(LOCKED_CONFIG)}}
    return uri.set(database=str(snapshot)), {**params, **locked}
