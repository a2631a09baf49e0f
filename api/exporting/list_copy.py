"""Copies of lists (列表副本): rows of the core in a temporary DuckDB database, read there like published ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import duckdb_engine
import orjson
from sqlalchemy import Connection, Select, create_engine
from sqlalchemy.pool import NullPool

from api.exporting.query import CHUNK, quote_identifier
from api.kit.storage.pinyin_order import register_macro
from reports.superset.snapshot import LOCKED_CONFIG

COPY = "copied_rows"
_DIALECT = duckdb_engine.Dialect()
_INSERT = f"insert into {COPY} select unnest(line) from (select unnest(from_json($1, $2)) as line)"


@contextmanager
def open_copy(core: Connection, rows: Select[Any]) -> Iterator[Connection]:
    """A connection to a copy of a query's rows, all of one moment; a chunk is in memory at a time."""
    with TemporaryDirectory(prefix="copied") as folder:
        config = {**LOCKED_CONFIG, "temp_directory": folder}
        engine = create_engine("duckdb:///:memory:", poolclass=NullPool, connect_args={"config": config})
        register_macro(engine)
        with engine.connect() as copy:
            _fill_copy(copy, core, rows)
            yield copy


def _fill_copy(copy: Connection, core: Connection, rows: Select[Any]) -> None:
    types = {item.name: item.type.compile(_DIALECT) for item in rows.selected_columns}
    columns = ", ".join(f"{quote_identifier(name)} {kind}" for name, kind in types.items())
    copy.exec_driver_sql(f"create table {COPY} ({columns})")
    found = core.execute(rows, execution_options={"stream_results": True, "max_row_buffer": CHUNK})
    form = orjson.dumps([types]).decode()
    for part in found.mappings().partitions(CHUNK):
        copy.exec_driver_sql(_INSERT, (_encode_rows(part), form))


def _encode_rows(part: Sequence[Any]) -> str:
    """Return rows as JSON; exact numbers of the core are written as texts."""
    return orjson.dumps([dict(line) for line in part], default=str).decode()
