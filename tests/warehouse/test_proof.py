"""Tests before publishing: what fails keeps the last good snapshot, says so, and mends itself when it can."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from tests.warehouse.conftest import AS_OF, digest_tables
from tests.warehouse.group import BILL
from warehouse import refresh_history, status
from warehouse.compile_cache import PROJECT
from warehouse.engine import TransformError
from warehouse.files import Files
from warehouse.refresh import DataTestsFailedError, Refresher
from warehouse.transform import PATCH_TESTS, Project

Sql = psycopg.Connection[Any]
Published = Callable[[str], list[tuple[Any, ...]]]

BREAK = "update settlement_item set open_amount = open_amount + 1 where settlement_id = 5"
MEND = "update settlement_item set open_amount = open_amount - 1 where settlement_id = 5"
BROKEN_TIE = "往来单据未结余额等于往来流水（settlement_items_equal_ledger，1 行）"


def sell_goods(sql: Sql) -> None:
    sql.execute(BILL, {"day": AS_OF, "warehouse_id": 2, "goods_id": 7, "quantity": 1})


def read_status(refresher: Refresher) -> dict[str, Any]:
    return status.read_status(refresher.files.status)


def read_snapshot(refresher: Refresher) -> str:
    return refresher.files.current.readlink().name


@pytest.fixture(scope="module")
def refresher(moved_in: Callable[[Path], Refresher], tmp_path_factory: pytest.TempPathFactory) -> Refresher:
    """A published warehouse, which each test leaves sound."""
    return moved_in(tmp_path_factory.mktemp("proved") / "warehouse")


class TestBrokenLedger:
    def test_the_last_good_snapshot_stays_until_the_data_are_mended(
        self, refresher: Refresher, sql: Sql, published: Published
    ) -> None:
        receivables = "select sum(balance) from mart_receivable_aging"
        good, before = read_snapshot(refresher), published(receivables)
        began = time.time()
        sql.execute(BREAK)
        with pytest.raises(DataTestsFailedError) as refused:
            refresher.refresh(deep=True, as_of=AS_OF)
        assert BROKEN_TIE in str(refused.value)
        assert refused.value.outcome.mode == "rebuild", "a patch could have been at fault"
        assert (read_snapshot(refresher), published(receivables)) == (good, before)
        told = read_status(refresher)
        assert (told["state"], told["failures"], told["snapshot"]) == ("failed", 1, int(good))
        assert {"name": "settlement_items_equal_ledger", "rows": 1} in [
            {key: test[key] for key in ("name", "rows")} for test in told["failed_tests"]
        ]
        assert BROKEN_TIE in told["error"]
        assert began - 1 < datetime.fromisoformat(told["waiting_since"]).timestamp() < time.time()

        sell_goods(sql)
        with pytest.raises(DataTestsFailedError) as again:
            refresher.refresh(as_of=AS_OF)
        assert again.value.outcome.mode == "patch", "the source is at fault: not rebuilt for every change"
        assert (read_snapshot(refresher), read_status(refresher)["failures"]) == (good, 2)
        assert list(refresher.files.snapshots.glob(".*")) == [], "a refused draft holds no disk"

        sql.execute(MEND)
        mended = time.time()
        outcome = refresher.refresh(as_of=AS_OF)
        assert outcome.snapshot == int(good) + 1
        assert (outcome.lag or 0) > mended - began - 1, "the change that waited longest counts"
        told = read_status(refresher)
        assert (told["state"], told["error"], told["failed_tests"]) == ("idle", None, [])
        assert (told["failing_since"], told["waiting_since"]) == (None, None)
        patched = digest_tables(refresher.files)
        refresher.refresh(full=True, as_of=AS_OF)
        assert digest_tables(refresher.files) == patched


class TestDrift:
    """What patches left differs from what a rebuild gives."""

    def test_a_proof_finds_it_and_builds_anew(self, refresher: Refresher) -> None:
        before, sound = int(read_snapshot(refresher)), digest_tables(refresher.files)
        with duckdb.connect(str(refresher.files.marts)) as conn:
            conn.execute("update facts.fct_stock_layer set quantity = quantity + 1 where warehouse_id = 1 and goods_id = 1")  # fmt: skip
        outcome = refresher.refresh(deep=True, as_of=AS_OF)
        assert (outcome.mode, outcome.snapshot) == ("rebuild", before + 1)
        assert digest_tables(refresher.files) == sound
        assert read_status(refresher)["failed_tests"] == []

    def test_a_proof_of_what_is_sound_publishes_nothing(self, refresher: Refresher) -> None:
        outcome = refresher.refresh(deep=True, as_of=AS_OF)
        assert (outcome.mode, outcome.snapshot) == (None, None)
        assert outcome.proof is not None and outcome.proof.ran == len(list((PROJECT / "tests").glob("*.sql")))

    def test_a_patch_is_tested_before_it_is_published(self, refresher: Refresher, sql: Sql) -> None:
        with duckdb.connect(str(refresher.files.marts)) as conn:
            conn.execute("insert into role_company_scope select * replace (999 as role_id) from role_company_scope limit 1")  # fmt: skip
            conn.execute("update facts.fct_sales_order_line set delivered_quantity = 0")
            conn.execute("update facts.fct_stock_balance_daily set ledger_value = ledger_value + 1")
        sell_goods(sql)
        before = refresh_history.read_history(refresher.files.cycles)["totals"]["mended"]
        outcome = refresher.refresh(as_of=AS_OF)
        assert outcome.mode == "rebuild"
        found = refresh_history.read_history(refresher.files.cycles)
        for amiss in (
            "报表数据范围不超出角色权限",
            "销售订单已执行数等于出库数",
            "变动商品的每日结存等于库存流水",
        ):
            assert amiss in str(found["cycles"][-1]["mended"])
        assert found["totals"]["mended"] == before + 1
        with duckdb.connect(str(refresher.files.current / "wh.duckdb"), read_only=True) as conn:
            assert conn.execute("select count(*) from role_company_scope where role_id = 999").fetchone() == (
                0,
            )

    def test_what_was_built_by_a_cycle_that_died_is_tested_in_full(
        self, refresher: Refresher, sql: Sql, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sell_goods(sql)
        with monkeypatch.context() as patch:
            patch.setattr(Project, "test", _raise_error)
            with pytest.raises(TransformError):
                refresher.refresh(as_of=AS_OF)
        outcome = refresher.refresh(as_of=AS_OF)
        light = Project(refresher.files).test(as_of=AS_OF, select=PATCH_TESTS)
        assert outcome.proof is not None and outcome.proof.ran > light.ran > 0


class TestWords:
    def test_every_identity_is_told_in_chinese(self, refresher: Refresher) -> None:
        compiled = refresher._project._list_tests(AS_OF, ("test_type:singular",))
        assert {test.name for test in compiled} == {path.stem for path in (PROJECT / "tests").glob("*.sql")}
        assert [test.name for test in compiled if test.label.isascii()] == []

    def test_an_address_is_kept_secret(self, tmp_path: Path) -> None:
        url = "postgresql://erp:hush@127.0.0.1:1/none"
        refresher = Refresher(Files(tmp_path / "warehouse"), url)
        with pytest.raises(duckdb.Error):
            refresher.refresh(as_of=AS_OF)
        assert "业务库" in read_status(refresher)["error"]
        assert "hush" not in refresher.files.status.read_text("utf-8") + refresher.files.cycles.read_text(
            "utf-8"
        )


class TestCycles:
    def build_run(self, **other: Any) -> dict[str, Any]:
        return {
            "started_at": status.format_now(), "mode": "patch", "snapshot": 7, "rows": 10, "seconds": 1.5,
            "test_seconds": 0.1, "lag": 2.0, "error": None, "mended": None, **other,
        }  # fmt: skip

    def test_it_is_bounded_and_its_totals_go_on(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(refresh_history, "MAX_RUNS", 3)
        place = tmp_path / "cycles.json"
        for number in range(5):
            refresh_history.record_run(place, **self.build_run(seconds=float(number)))
        found = refresh_history.read_history(place)
        assert [cycle["number"] for cycle in found["cycles"]] == [3, 4, 5]
        assert (found["totals"]["rows"], found["totals"]["seconds"]) == (50, 10.0)
        assert found["totals"]["within"] == [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]

    def test_a_failure_that_repeats_itself_is_one_record(self, tmp_path: Path) -> None:
        place = tmp_path / "cycles.json"
        failure = {"snapshot": None, "lag": None, "error": "坏了", "seconds": 90.0}
        for told in ({}, failure, failure, {**failure, "error": "又坏了"}, {}):
            refresh_history.record_run(place, **self.build_run(**told))
        found = refresh_history.read_history(place)
        assert [(cycle["error"], cycle["times"]) for cycle in found["cycles"]] == [
            (None, 1), ("坏了", 2), ("又坏了", 1), (None, 1),
        ]  # fmt: skip
        assert (found["totals"]["failures"], sum(found["totals"]["within"])) == (3, 2)

    def test_a_torn_file_begins_anew(self, tmp_path: Path) -> None:
        place = tmp_path / "cycles.json"
        place.write_text('{"totals": {', "utf-8")
        refresh_history.record_run(place, **self.build_run())
        assert len(refresh_history.read_history(place)["cycles"]) == 1

    def test_a_refresh_is_recorded_with_its_lag(self, refresher: Refresher, sql: Sql) -> None:
        sell_goods(sql)
        time.sleep(1.5)
        sell_goods(sql)
        outcome = refresher.refresh(as_of=AS_OF)
        first, *_, last = refresh_history.read_history(refresher.files.cycles)["cycles"]
        assert (first["mode"], first["lag"]) == ("rebuild", None), "of what was read in full nothing is known"
        assert (last["mode"], last["rows"], last["snapshot"]) == ("patch", outcome.rows, outcome.snapshot)
        assert last["lag"] == outcome.lag
        assert 1.5 < (outcome.lag or 0) < 1.5 + outcome.seconds + 1, "the oldest change counts"


def _raise_error(*_: Any, **__: Any) -> None:
    raise TransformError("校验无法运行")
