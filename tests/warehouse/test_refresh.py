"""Refreshing: patches give what a rebuild gives, a failure keeps the last good snapshot, dbt's tests hold."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.warehouse.changes import (
    Sql,
    add_backdated_receipts,
    add_bill,
    add_future_bills,
    add_own_pool,
    add_to_own_pool,
    change_claims,
    change_orders,
    change_purchases,
    change_results,
    correct_bills,
    empty_warehouse,
    oversell_goods,
    refill_warehouse,
    rename_masters,
    sell_from_common_pool,
    sell_from_other_warehouse,
    sell_last_pieces,
    void_bills,
)
from tests.warehouse.conftest import AS_OF, digest_tables
from tests.warehouse.group import BILL
from warehouse import extract, reconcile, status, transform
from warehouse.compile_cache import PROJECT, project_digest
from warehouse.engine import TransformError
from warehouse.refresh import BusyError, Refresher
from warehouse.transform import Project

Published = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def refresher(moved_in: Callable[[Path], Refresher], tmp_path: Path) -> Refresher:
    """A published warehouse."""
    return moved_in(tmp_path / "warehouse")


class TestSnapshot:
    def test_only_marts_and_their_figures_are_published(self, published: Published) -> None:
        shown = published(
            "select table_schema, table_name, table_type from information_schema.tables"
            " where table_name <> 'refreshed_at'"
        )
        masters = {path.stem.removeprefix("master_") for path in PROJECT.rglob("master_*.sql")}
        kinds = {
            ("master" if name in masters else name.split("_")[0], place, kind) for place, name, kind in shown
        }
        assert kinds == {
            ("master", "main", "BASE TABLE"),
            ("dim", "main", "BASE TABLE"),
            ("role", "main", "BASE TABLE"),
            ("mart", "main", "VIEW"),
            ("fct", "facts", "BASE TABLE"),
        }

    def test_marts_read_nothing_but_the_snapshot(self, published: Published) -> None:
        """Views name the catalog that a file called wh.duckdb has wherever it is opened."""
        marts = [name for (name,) in published("select view_name from duckdb_views() where not internal")]
        assert set(marts) == {path.stem for path in (PROJECT / "models").rglob("mart_*.sql")}
        for name in marts:
            assert published(f"select count(*) > 0 from {name}") == [(True,)], name

    def test_it_is_stamped(self, refresher: Refresher, sql: Sql, published: Published) -> None:
        add_bill(sql)
        outcome = refresher.refresh(as_of=AS_OF)
        ((refreshed_at, number, last_xid, identity, seen, as_of, project),) = published(
            "select * from refreshed_at"
        )
        assert isinstance(refreshed_at, datetime)
        assert (number, last_xid) == (outcome.snapshot, outcome.position.next_xid)
        assert (identity, seen) == (outcome.position.identity, outcome.position.snapshot)
        assert as_of.isoformat() == AS_OF
        assert project == project_digest()


class TestFailure:
    def test_a_failed_model_keeps_the_last_snapshot_and_is_done_later(
        self, refresher: Refresher, sql: Sql, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = refresher.files.current.readlink()
        add_bill(sql)
        with monkeypatch.context() as patch:
            patch.setattr(Project, "build", _raise_error)
            with pytest.raises(TransformError):
                refresher.refresh(as_of=AS_OF)
        shown = status.read_status(refresher.files.status)
        assert (shown["state"], shown["error"], shown["failures"]) == ("failed", "dbt 失败 模型：坏了", 1)
        assert refresher.files.current.readlink() == first
        assert refresher.refresh(as_of=AS_OF).mode == "patch"
        shown = status.read_status(refresher.files.status)
        assert (shown["state"], shown["error"], shown["failures"]) == ("idle", None, 0)
        assert_rebuilt_alike(refresher, AS_OF)

    def test_a_rebuild_that_ended_halfway_begins_anew(
        self, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        refresher.refresh(as_of=AS_OF)
        sound = digest_tables(refresher.files)
        refresher.files.marts.unlink()
        execute = transform._execute_statement
        with monkeypatch.context() as patch:
            patch.setattr(
                transform,
                "_execute_statement",
                lambda *it: _raise_error() if "fct_best" in it[1] else execute(*it),
            )
            with pytest.raises(TransformError):
                refresher.refresh(as_of=AS_OF)
        assert refresher.refresh(as_of=AS_OF).mode == "rebuild"
        assert digest_tables(refresher.files) == sound

    def test_a_copy_that_differs_is_not_published(
        self, refresher: Refresher, sql: Sql, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = refresher.files.current.readlink()
        wrong = reconcile.CopyDifference("stock_ledger", (Decimal(1),), (Decimal(2),))
        monkeypatch.setattr(extract.reconcile, "compare_source", lambda *_: wrong)
        add_bill(sql)
        with pytest.raises(reconcile.CopyDifferenceError):
            refresher.refresh(as_of=AS_OF)
        assert "对账不平" in status.read_status(refresher.files.status)["error"]
        assert refresher.files.current.readlink() == first

    @pytest.mark.parametrize(
        ("name", "at"), [("work.duckdb", 0), ("marts/wh.duckdb", 12_500)], ids=["a header", "a block"]
    )
    def test_a_damaged_file_is_made_anew(self, refresher: Refresher, sql: Sql, name: str, at: int) -> None:
        with (refresher.files.root / name).open("r+b") as file:
            file.seek(at)
            file.write(b"\0" * 4096)
        sql.execute(BILL, {"day": AS_OF, "warehouse_id": 2, "goods_id": 8, "quantity": 1})
        outcome = refresher.refresh(as_of=AS_OF)
        assert (outcome.mode, outcome.snapshot) == ("rebuild", 2)
        assert outcome.mended == (f"数据文件损坏，已重新生成：{Path(name).name}",)

    def test_a_file_that_another_program_holds_is_not_taken_for_damaged(self, refresher: Refresher) -> None:
        held = (
            f"import duckdb; conn = duckdb.connect({str(refresher.files.work)!r}); print(flush=True); input()"
        )
        pipe = subprocess.PIPE
        with subprocess.Popen([sys.executable, "-c", held], stdin=pipe, stdout=pipe, text=True) as other:
            assert other.stdin and other.stdout
            other.stdout.readline()
            with pytest.raises(duckdb.IOException, match="lock"):
                refresher.refresh(as_of=AS_OF)
            other.stdin.close()
        assert refresher.refresh(as_of=AS_OF).mended == ()

    def test_only_one_refresher_at_a_time(self, refresher: Refresher) -> None:
        with (
            refresher.exclusive(),
            pytest.raises(BusyError),
            Refresher(refresher.files, "").exclusive(),
        ):
            pass

    def test_a_torn_status_file_is_read_as_empty(self, refresher: Refresher) -> None:
        refresher.files.status.write_text('{"state": "run', "utf-8")
        assert status.read_status(refresher.files.status) == status.EMPTY
        status.update_status(refresher.files.status, state="idle")
        assert json.loads(refresher.files.status.read_text("utf-8"))["state"] == "idle"


@pytest.fixture(scope="module")
def resident(moved_in: Callable[[Path], Refresher], tmp_path_factory: pytest.TempPathFactory) -> Refresher:
    """A warehouse that lives through several tests, as the worker's does."""
    return moved_in(tmp_path_factory.mktemp("resident") / "warehouse")


def assert_rebuilt_alike(refresher: Refresher, as_of: str) -> None:
    patched = digest_tables(refresher.files)
    assert refresher.refresh(full=True, as_of=as_of).mode == "rebuild"
    rebuilt = digest_tables(refresher.files)
    assert patched.keys() == rebuilt.keys()
    assert [name for name, found in rebuilt.items() if patched[name] != found] == []
    assert sum(count for count, _ in rebuilt.values()) > 0


class TestPatch:
    def test_patches_in_a_row_give_what_a_rebuild_gives(self, resident: Refresher, sql: Sql) -> None:
        for change in (
            add_bill,
            sell_last_pieces,
            add_backdated_receipts,
            void_bills,
            oversell_goods,
            empty_warehouse,
            sell_from_other_warehouse,
            refill_warehouse,
            add_own_pool,
            sell_from_common_pool,
            add_to_own_pool,
            correct_bills,
            add_future_bills,
            change_orders,
            change_purchases,
            change_results,
            change_claims,
        ):
            change(sql)
            assert resident.refresh(as_of=AS_OF).mode == "patch"
        for day in ("2026-11-20", "2026-11-02", "2025-12-31"):
            for warehouse_id in (1, 4):
                sql.execute(BILL, {"day": day, "warehouse_id": warehouse_id, "goods_id": 9, "quantity": 3})
            assert resident.refresh(as_of=AS_OF).mode == "patch"
        assert_rebuilt_alike(resident, AS_OF)

    def test_every_dbt_test_holds(self, resident: Refresher) -> None:
        assert Project(resident.files).test(as_of=AS_OF).failures == ()

    def test_nothing_new_publishes_nothing(self, resident: Refresher) -> None:
        before = resident.files.current.readlink()
        again = resident.refresh(as_of=AS_OF)
        assert (again.snapshot, again.mode, again.rows) == (None, None, 0)
        assert resident.files.current.readlink() == before

    def test_masters_and_a_new_business_date_replace_the_marts(self, resident: Refresher, sql: Sql) -> None:
        rename_masters(sql)
        assert resident.refresh(as_of=AS_OF).mode == "replace"
        assert_rebuilt_alike(resident, AS_OF)
        assert resident.refresh(as_of="2026-12-03").mode == "replace"
        with duckdb.connect(str(resident.files.current / "wh.duckdb"), read_only=True) as conn:
            days = conn.execute("select max(as_of)::text from mart_inventory_aging").fetchall()
        assert days == [("2026-12-03",)]
        assert_rebuilt_alike(resident, "2026-12-03")
        assert resident._choose_mode(set(), ("2026-12-03", project_digest()), AS_OF, []) == "rebuild", (
            "a day went back"
        )

    def test_once_rehearsed_patches_need_no_dbt(
        self, resident: Refresher, sql: Sql, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        outcome = resident.refresh(as_of="2026-12-03")
        before = digest_tables(resident.files)
        resident.warm_up(outcome)
        assert digest_tables(resident.files) == before
        monkeypatch.setattr("warehouse.compiler.Compiler.invoke", _raise_error)
        for change in (add_bill, add_backdated_receipts, oversell_goods):
            change(sql)
            assert resident.refresh(as_of="2026-12-03").mode == "patch"
        assert digest_tables(resident.files) != before


def _raise_error(*_: Any, **__: Any) -> None:
    raise TransformError("dbt 失败 模型：坏了")
