"""Transaction stamps (事务戳): `row_xid` on every extracted table, tombstones for deletes, append-only ledgers.

A watermark on times or sequences loses rows that an older transaction commits late; a row stamped with the id of the
transaction that wrote it does not. Mutable tables are stamped by a trigger and leave a tombstone when deleted from;
append-only tables take the column's default and refuse update, delete and truncate.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, DateTime, Index, MetaData, Table, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import UserDefinedType

from api.kit.storage.database import Base

FUNCTIONS = Path(__file__).with_name("stamping.sql")
APPEND_ONLY = {"append_only": True}


class Xid8(UserDefinedType[int]):
    """PostgreSQL's 64-bit transaction id."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "xid8"


class Snapshot(UserDefinedType[str]):
    """Type of a transaction snapshot (pg_snapshot): rows of transactions outside of it are new since."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "pg_snapshot"


STAMP: dict[str, Any] = {"server_default": text("pg_current_xact_id()"), "index": True, "nullable": False}

tombstone = Table(
    "tombstone",
    Base.metadata,
    Column("table_name", Text, nullable=False),
    Column("row_key", BigInteger, nullable=False),
    Column("row_xid", Xid8, **STAMP),
    Column("at", DateTime(timezone=True), server_default=func.now(), nullable=False),
    Index("ix_tombstone_at", "at", postgresql_using="brin"),
)
"""`at` lets old ones be deleted: a warehouse that has not extracted for so long compares itself whole."""


class Stamped:
    """Mixin of extracted tables: the stamp, indexed. Put `APPEND_ONLY` into `info` where rows never change."""

    row_xid: Mapped[int] = mapped_column(Xid8, sort_order=1000, **STAMP)


def build_triggers_sql(table: Table) -> Iterator[str]:
    """Yield the `create or replace trigger` statements of a table.

    None unless it is stamped or append-only.
    """
    if table.info.get("append_only"):
        yield (
            f"create or replace trigger {table.name}_append_only before update or delete or truncate "
            f"on {table.name} for each statement execute function erp_append_only()"
        )
    elif "row_xid" in table.c and table is not tombstone:
        (key, *more) = table.primary_key.columns
        if more:
            raise ValueError(f"{table.name}: a stamped table needs a single key, for its tombstones")
        yield (
            f"create or replace trigger {table.name}_stamp before insert or update "
            f"on {table.name} for each row execute function erp_stamp()"
        )
        yield (
            f"create or replace trigger {table.name}_tombstone after delete "
            f"on {table.name} for each row execute function erp_tombstone('{key.name}')"
        )


def run_script(conn: Connection, script: Path) -> None:
    """Execute a file of SQL statements as it stands, without placeholders."""
    driver = conn.connection.driver_connection
    assert driver is not None
    driver.execute(script.read_text(encoding="utf-8"))


def install_stamps(conn: Connection, metadata: MetaData) -> None:
    """Create the stamping functions and every table's triggers on existing tables; safe to run again."""
    run_script(conn, FUNCTIONS)
    for table in metadata.tables.values():
        for statement in build_triggers_sql(table):
            conn.exec_driver_sql(statement)
