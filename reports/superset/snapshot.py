"""Snapshot connections (数据快照).

Read-only, locked and bounded connections to the file behind `current`, pooled for each snapshot.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from socket import gethostname
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.engine import Engine
from sqlalchemy.engine.url import URL, make_url
from sqlalchemy.pool import QueuePool

from api.kit.settings import read_settings
from api.kit.storage import pinyin_order

# The stored address names no place: the place is resolved at each connection.
SNAPSHOT_URI = "duckdb:///current"
LOCKED_CONFIG = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    # Of each process that reads: the API's, Superset's and the job worker share a machine with the database.
    "memory_limit": "2GB",
    "max_temp_directory_size": "8GB",
    # It would keep all rows of a mart that two branches of a query read, where each finds its few by their days.
    "disabled_optimizers": "common_subplan",
    "lock_configuration": "true",
}
TEMP_FOLDER = "readers"
ABANDONED_SECONDS = 7 * 24 * 3600
IDLE_CONNECTIONS = 8
MOST_CONNECTIONS = 32

if find_spec("pandas") is None:
    # DuckDB would look for it again at each parameter of a statement, in every folder of modules.
    sys.modules["pandas"] = None  # type: ignore[assignment]

SCHEMA = "main"


def install_default_schema() -> None:
    """Fix the default schema of every snapshot.

    Superset would open the file twice a request to ask for it.
    """
    from superset.db_engine_specs.duckdb import DuckDBEngineSpec

    DuckDBEngineSpec.get_default_schema = classmethod(lambda cls, database, catalog: SCHEMA)


def current_snapshot() -> Path:
    """Return the real path of the newest published file.

    Not the symlink: a file renamed over the same path leaves readers on stale pages.
    """
    return (read_settings().warehouse_dir / "current").resolve() / "wh.duckdb"


def snapshot_mark(path: Path) -> str:
    """Return the mark of a published file, unique even if a rebuilt warehouse uses its number again."""
    try:
        written = path.stat().st_mtime_ns
    except FileNotFoundError:
        written = 0
    return f"{path.parent.name}-{written}"


def connect_to_snapshot(
    uri: URL, params: dict[str, Any], username: str | None, security_manager: Any, source: Any
) -> tuple[URL, dict[str, Any]]:
    """Point a connection at the newest published snapshot (Superset's DB_CONNECTION_MUTATOR)."""
    return _build_connection(current_snapshot(), uri, params)


def _build_connection(path: Path, uri: URL, params: dict[str, Any]) -> tuple[URL, dict[str, Any]]:
    config = {**LOCKED_CONFIG, "temp_directory": str(_temp_directory())}
    return uri.set(database=str(path)), {
        **params,
        "connect_args": {"read_only": True, "config": config},
    }


def _temp_directory() -> Path:
    """Return this process's directory for spilled data.

    A snapshot that it reads may be gone before it is done.

    By itself DuckDB would use one directory for all processes, in which they overwrite each other's files.
    """
    places = read_settings().warehouse_dir / TEMP_FOLDER
    places.mkdir(parents=True, exist_ok=True)
    return places / f"{gethostname()}-{os.getpid()}"


def _remove_abandoned_files() -> None:
    """Remove the spilled data of killed processes."""
    for place in (read_settings().warehouse_dir / TEMP_FOLDER).glob("*"):
        if _is_abandoned(place):
            shutil.rmtree(place, ignore_errors=True)


def _is_abandoned(place: Path) -> bool:
    """Return whether a directory's process was killed; another machine's counts as killed after a week."""
    host, _, pid = place.name.rpartition("-")
    try:
        if host != gethostname():
            return time.time() - place.stat().st_mtime > ABANDONED_SECONDS
        os.kill(int(pid), 0)
    except (ProcessLookupError, FileNotFoundError):
        return True
    except PermissionError:
        pass
    return False


@dataclass(frozen=True)
class PublishedSnapshot:
    """A published file: what tells it from all others, and the engine that reads it."""

    mark: str
    engine: Engine


class SnapshotCache:
    """A cache of the newest snapshot with its engine.

    Opening a file costs more than most queries over it, and connections to one file share what was read of
    it. A connection in use when a newer snapshot appears ends its query on the older one, whose file stays
    readable. `outdated` is called then, with the newer one's mark: answers cached of the older one are of
    no use.
    """

    def __init__(self, outdated: Callable[[str], object] = lambda mark: None) -> None:
        self._outdated = outdated
        self._lock = threading.Lock()
        self._newest: PublishedSnapshot | None = None

    def newest(self) -> PublishedSnapshot:
        with self._lock:
            path = current_snapshot()
            mark = snapshot_mark(path)
            if self._newest is None or mark != self._newest.mark:
                older, self._newest = self._newest, PublishedSnapshot(mark, self._open(path))
                if older is not None:
                    older.engine.dispose()
                    self._outdated(mark)
            return self._newest

    def _open(self, path: Path) -> Engine:
        pool = {
            "poolclass": QueuePool,
            "pool_size": IDLE_CONNECTIONS,
            "max_overflow": MOST_CONNECTIONS - IDLE_CONNECTIONS,
        }
        _remove_abandoned_files()
        url, options = _build_connection(path, make_url(SNAPSHOT_URI), pool)
        engine = create_engine(url, **options)
        # The dialect is that of Postgres, and doubles them in values; DuckDB takes them as they are.
        engine.dialect._backslash_escapes = False  # type: ignore[attr-defined]
        pinyin_order.register_macro(engine)
        return engine
