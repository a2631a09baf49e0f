"""Stamps on a mutable table: every write is seen by its transaction, every delete leaves a tombstone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import BigInteger, Column, Connection, MetaData, Table, Text, create_engine

from api.kit.storage import stamping
from api.kit.storage.stamping import STAMP, Xid8
from api.launch.postgres import EmbeddedPostgres

metadata = MetaData()
thing = Table(
    "thing",
    metadata,
    Column("thing_id", BigInteger, primary_key=True),
    Column("name", Text),
    Column("row_xid", Xid8, **STAMP),
)
pair = Table(
    "pair",
    MetaData(),
    Column("a", BigInteger, primary_key=True),
    Column("b", BigInteger, primary_key=True),
    Column("row_xid", Xid8, **STAMP),
)


@pytest.fixture
def conn(postgres: EmbeddedPostgres) -> Iterator[Connection]:
    engine = create_engine(postgres.url("postgres").replace("postgresql", "postgresql+psycopg", 1))
    with engine.connect() as conn:
        transaction = conn.begin()
        stamping.tombstone.create(conn)
        metadata.create_all(conn)
        stamping.install_stamps(conn, metadata)
        stamping.install_stamps(conn, metadata)
        yield conn
        transaction.rollback()
    engine.dispose()


def test_insert_and_update_are_stamped(conn: Connection) -> None:
    now = conn.exec_driver_sql("select pg_current_xact_id()::text").scalar()
    conn.exec_driver_sql("insert into thing (thing_id, name, row_xid) values (1, 'a', '3')")
    assert conn.exec_driver_sql("select row_xid::text from thing").scalar() == now
    conn.exec_driver_sql("update thing set name = 'b', row_xid = '3'")
    assert conn.exec_driver_sql("select row_xid::text from thing").scalar() == now


def test_a_delete_leaves_a_tombstone(conn: Connection) -> None:
    now = conn.exec_driver_sql("select pg_current_xact_id()::text").scalar()
    conn.exec_driver_sql("insert into thing (thing_id) values (1), (2), (3)")
    conn.exec_driver_sql("delete from thing where thing_id < 3")
    graves = conn.exec_driver_sql("select table_name, row_key, row_xid::text from tombstone order by row_key")
    assert [tuple(row) for row in graves] == [("thing", 1, now), ("thing", 2, now)]


def test_a_table_with_two_keys_can_not_be_stamped() -> None:
    with pytest.raises(ValueError, match="single key"):
        list(stamping.build_triggers_sql(pair))
