"""Extraction: what one Postgres snapshot holds is what raw holds, whatever happened in between."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from api import catalogue
from tests.warehouse.group import BILL
from warehouse import extract, extraction_state, reconcile
from warehouse.engine import attach_postgres, open_work_database
from warehouse.sources import Source, list_sources

SALE = {"day": "2026-11-20", "warehouse_id": 1, "goods_id": 5, "quantity": 2}


class WorkCopy:
    """A work database that is loaded from the core."""

    def __init__(self, path: Path, url: str) -> None:
        self.path = path
        self.url = url

    def load(self, **options: bool) -> extract.LoadResult:
        with self.open() as conn:
            attach_postgres(conn, self.url)
            return extract.load_changes(conn, **options)

    @contextmanager
    def open(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with open_work_database(self.path) as conn:
            yield conn

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.open() as conn:
            return conn.execute(query).fetchall()


@pytest.fixture(scope="module")
def first(core: str, tmp_path_factory: pytest.TempPathFactory) -> WorkCopy:
    """Result of the first load."""
    made = WorkCopy(tmp_path_factory.mktemp("first") / "work.duckdb", core)
    made.load()
    return made


@pytest.fixture
def copy(first: WorkCopy, tmp_path: Path) -> WorkCopy:
    """The same, and what was written since."""
    made = WorkCopy(Path(shutil.copy(first.path, tmp_path)), first.url)
    made.load()
    return made


def count_rows(conn: psycopg.Connection[Any], table: str) -> int:
    row = conn.execute(f"select count(*) from {table}").fetchone()
    assert row is not None
    return row[0]


class TestSources:
    @pytest.mark.parametrize("source", list_sources(), ids=lambda source: source.name)
    def test_it_is_declared_and_stamped(self, source: Source) -> None:
        table = catalogue.ledger_tables.Base.metadata.tables[source.name]
        assert set(source.columns) <= set(table.columns.keys())
        assert [column.name for column in table.primary_key] == [source.key]
        assert "row_xid" in table.columns


class TestFirstLoad:
    def test_every_row_of_every_source_is_copied(self, copy: WorkCopy, sql: psycopg.Connection[Any]) -> None:
        for source in list_sources():
            assert copy.rows(f"select count(*) from raw.{source.name}") == [(count_rows(sql, source.name),)]

    def test_secrets_are_not_read(self, copy: WorkCopy) -> None:
        columns = copy.rows("select table_name, column_name from duckdb_columns() where schema_name = 'raw'")
        assert "user_account" not in {table for table, _ in columns}
        read = {column for _, column in columns}
        assert not {
            column for column in read if "password" in column or "mobile" in column or "token" in column
        }

    def test_nothing_new_reads_nothing(self, copy: WorkCopy) -> None:
        again = copy.load()
        assert (again.rows, again.touched, again.reloaded) == (0, [], [])


class TestChanges:
    def test_an_older_transaction_that_commits_late_is_not_lost(
        self, copy: WorkCopy, core: str, sql: psycopg.Connection[Any]
    ) -> None:
        with psycopg.connect(core) as early:
            early.execute("set session_replication_role = replica")
            (bill,) = early.execute(BILL, SALE).fetchone() or (0,)
            sql.execute(BILL, SALE)
            assert copy.load().touched
            assert copy.rows(f"select * from raw.sales_outbound where bill_id = {bill}") == []
            early.commit()
        late = copy.load()
        assert len(copy.rows(f"select * from raw.sales_outbound where bill_id = {bill}")) == 1
        assert (
            len(copy.rows(f"select * from raw.stock_ledger where bill_id = {bill} and bill_type = 'XSCK'"))
            == 1
        )
        assert late.rows == 3, "the other bill, already read, is not read again"

    def test_an_update_replaces_the_row(self, copy: WorkCopy, sql: psycopg.Connection[Any]) -> None:
        sql.execute("update sales_outbound set status = 3 where bill_id = 10")
        assert copy.load().rows == 1
        assert copy.rows("select status from raw.sales_outbound where bill_id = 10") == [(3,)]
        assert copy.rows("select count(*) from change.sales_outbound where bill_id = 10") == [(1,)]

    def test_a_moved_bill_names_both_days(self, copy: WorkCopy, sql: psycopg.Connection[Any]) -> None:
        (day,) = copy.rows("select business_date from raw.sales_outbound where bill_id = 11")[0]
        sql.execute("update sales_outbound set business_date = business_date - 40 where bill_id = 11")
        copy.load()
        days = {
            found
            for (found,) in copy.rows("select business_date from change.sales_outbound where bill_id = 11")
        }
        assert len(days) == 2 and day in days

    def test_a_delete_propagates(self, copy: WorkCopy, sql: psycopg.Connection[Any]) -> None:
        sql.execute("delete from sales_outbound where bill_id = 12")
        assert copy.load().touched == ["sales_outbound"]
        assert copy.rows("select * from raw.sales_outbound where bill_id = 12") == []

    def test_a_replay_changes_nothing(self, copy: WorkCopy, sql: psycopg.Connection[Any]) -> None:
        before = extraction_state.Watermark("", "")
        with copy.open() as conn:
            before = extraction_state.read_watermark(conn) or before
        sql.execute(BILL, SALE)
        copy.load()
        first = copy.rows("select * from raw.stock_ledger order by all")
        with copy.open() as conn:
            extraction_state.write_watermark(conn, before)
        assert copy.load().rows == 3
        assert copy.rows("select * from raw.stock_ledger order by all") == first

    def test_a_rolled_back_transaction_leaves_nothing(self, copy: WorkCopy, core: str) -> None:
        with psycopg.connect(core) as conn:
            conn.execute("set session_replication_role = replica")
            conn.execute(BILL, SALE)
            conn.rollback()
        assert copy.load().rows == 0

    def test_a_renamed_master_is_owed_a_relabelling_a_new_one_is_not(
        self, copy: WorkCopy, sql: psycopg.Connection[Any]
    ) -> None:
        with copy.open() as conn:
            conn.execute("delete from state.due")
        sql.execute("insert into brand (brand_id, brand_name) values (900, '新品牌')")
        copy.load()
        assert copy.rows("from state.due") == []
        sql.execute("update brand set brand_name = '改名' where brand_id = 3")
        copy.load()
        assert copy.rows("from state.due") == [("relabel",)]


class TestReload:
    def test_another_database_is_read_in_full(self, copy: WorkCopy) -> None:
        with copy.open() as conn:
            last = extraction_state.read_watermark(conn)
            assert last is not None
            extraction_state.write_watermark(conn, extraction_state.Watermark("another/1/1", last.snapshot))
        assert len(copy.load().reloaded) == len(list_sources())

    def test_transaction_ids_that_went_back_are_a_restored_database(self, copy: WorkCopy) -> None:
        with copy.open() as conn:
            last = extraction_state.read_watermark(conn)
            assert last is not None
            extraction_state.write_watermark(
                conn, extraction_state.Watermark(last.identity, "9000000000:9000000000:")
            )
        assert len(copy.load().reloaded) == len(list_sources())

    def test_a_column_of_another_type_reloads_its_table_only(
        self, copy: WorkCopy, sql: psycopg.Connection[Any]
    ) -> None:
        sql.execute("alter table brand alter column brand_name type varchar(180)")
        assert copy.load().reloaded == ["brand"]

    def test_a_rewritten_table_is_reloaded(self, copy: WorkCopy, sql: psycopg.Connection[Any]) -> None:
        sql.execute("create table kept as select * from role_warehouse")
        sql.execute("truncate role_warehouse")
        sql.execute("insert into role_warehouse select * from kept")
        assert copy.load().reloaded == ["role_warehouse"]

    def test_a_missing_column_is_said_in_words(self, copy: WorkCopy, sql: psycopg.Connection[Any]) -> None:
        sql.execute("alter table unit rename column unit_name to other_name")
        try:
            with pytest.raises(extract.ExtractionError, match="unit 缺少列：unit_name"):
                copy.load()
        finally:
            sql.execute("alter table unit rename column other_name to unit_name")


class TestReconciliation:
    def test_a_planted_difference_is_found_and_mended(self, copy: WorkCopy) -> None:
        with copy.open() as conn:
            conn.execute("update raw.stock_ledger set amount = amount + 0.01 where ledger_id = 7")
        healed = copy.load(deep=True)
        assert len(healed.mended) == 1 and "stock_ledger" in healed.mended[0]
        assert copy.load(deep=True).mended == []

    def test_a_row_lost_in_the_increment_is_found_at_once(
        self, copy: WorkCopy, sql: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read = extract._apply_increment

        def lossy(conn: duckdb.DuckDBPyConnection, source: Any, last: Any) -> int:
            rows = read(conn, source, last)
            conn.execute(f"delete from raw.{source.name} where row_xid >= {last.xmin}")
            return rows

        monkeypatch.setattr(extract, "_apply_increment", lossy)
        sql.execute(BILL, SALE)
        assert len(copy.load().mended) == 3

    def test_a_difference_that_remains_is_refused_and_nothing_kept(
        self, copy: WorkCopy, sql: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reload = extract._reload_table

        def lossy(conn: duckdb.DuckDBPyConnection, source: Any, fingerprint: str) -> int:
            rows = reload(conn, source, fingerprint)
            conn.execute(f"delete from raw.{source.name} where {source.key} = 7")
            return rows

        before = copy.rows("select count(*) from raw.stock_ledger")
        monkeypatch.setattr(extract, "_reload_table", lossy)
        with pytest.raises(reconcile.CopyDifferenceError, match="数仓对账不平"):
            copy.load(full=True)
        assert copy.rows("select count(*) from raw.stock_ledger") == before
