"""数据快照连接：每次取数都解析 `current` 软链，只读、禁用外部访问、内存有上限并锁定配置；同一快照的连接复用。"""

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

from api.kit import pinyin_order
from api.kit.settings import settings

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
PUT_ASIDE = "readers"
LEFT_SECONDS = 7 * 24 * 3600
IDLE_CONNECTIONS = 8
MOST_CONNECTIONS = 32

if find_spec("pandas") is None:
    # DuckDB would look for it again at each parameter of a statement, in every folder of modules.
    sys.modules["pandas"] = None  # type: ignore[assignment]

SCHEMA = "main"


def fix_default_schema() -> None:
    """Tell Superset the schema of every snapshot: it opens the file twice a request to ask for it."""
    from superset.db_engine_specs.duckdb import DuckDBEngineSpec

    DuckDBEngineSpec.get_default_schema = classmethod(lambda cls, database, catalog: SCHEMA)


def current_snapshot() -> Path:
    """The real path of the newest published file.

    Not the symlink: a file renamed over the same path leaves readers on stale pages.
    """
    return (settings().warehouse_dir / "current").resolve() / "wh.duckdb"


def snapshot_mark(path: Path) -> str:
    """What tells a published file from every other, also from one of the same number in a warehouse built anew."""
    try:
        written = path.stat().st_mtime_ns
    except FileNotFoundError:
        written = 0
    return f"{path.parent.name}-{written}"


def connect_to_snapshot(
    uri: URL, params: dict[str, Any], username: str | None, security_manager: Any, source: Any
) -> tuple[URL, dict[str, Any]]:
    """Superset's DB_CONNECTION_MUTATOR: point the connection at the newest published snapshot."""
    return _connection(current_snapshot(), uri, params)


def _connection(path: Path, uri: URL, params: dict[str, Any]) -> tuple[URL, dict[str, Any]]:
    config = {**LOCKED_CONFIG, "temp_directory": str(_put_aside())}
    return uri.set(database=str(path)), {
        **params,
        "connect_args": {"read_only": True, "config": config},
    }


def _put_aside() -> Path:
    """Where this process puts what memory can't hold. A snapshot that it reads may be gone before it is done.

    By itself DuckDB would use one place for all processes, in which they overwrite each other's files.
    """
    places = settings().warehouse_dir / PUT_ASIDE
    places.mkdir(parents=True, exist_ok=True)
    return places / f"{gethostname()}-{os.getpid()}"


def _sweep() -> None:
    """Remove what killed processes put aside."""
    for place in (settings().warehouse_dir / PUT_ASIDE).glob("*"):
        if _is_left(place):
            shutil.rmtree(place, ignore_errors=True)


def _is_left(place: Path) -> bool:
    """Whether the process that put something there was killed; of another machine's it is taken to be after a week."""
    host, _, pid = place.name.rpartition("-")
    try:
        if host != gethostname():
            return time.time() - place.stat().st_mtime > LEFT_SECONDS
        os.kill(int(pid), 0)
    except (ProcessLookupError, FileNotFoundError):
        return True
    except PermissionError:
        pass
    return False


@dataclass(frozen=True)
class Snapshot:
    """A published file: what tells it from all others, and the engine that reads it."""

    mark: str
    engine: Engine


class Snapshots:
    """The newest snapshot with its engine, kept as long as it is the newest.

    Opening a file costs more than most queries over it, and connections to one file share what was read of it. A
    connection in use when a newer snapshot appears ends its query on the older one, whose file stays readable.
    `outdated` is called then, with the newer one's mark: answers kept of the older one are of no use.
    """

    def __init__(self, outdated: Callable[[str], object] = lambda mark: None) -> None:
        self._outdated = outdated
        self._lock = threading.Lock()
        self._newest: Snapshot | None = None

    def newest(self) -> Snapshot:
        with self._lock:
            path = current_snapshot()
            mark = snapshot_mark(path)
            if self._newest is None or mark != self._newest.mark:
                older, self._newest = self._newest, Snapshot(mark, self._open(path))
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
        _sweep()
        url, options = _connection(path, make_url(SNAPSHOT_URI), pool)
        engine = create_engine(url, **options)
        # The dialect is that of Postgres, and doubles them in values; DuckDB takes them as they are.
        engine.dialect._backslash_escapes = False  # type: ignore[attr-defined]
        pinyin_order.teach(engine)
        return engine
