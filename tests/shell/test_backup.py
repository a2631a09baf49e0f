"""备份与恢复: a backup of real books, damage, a restore into a fresh database, and everything as it was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from api.kit.database import connect
from api.kit.errors import Refusal
from api.launch.postgres import EmbeddedPostgres
from api.launch.restore import restore
from api.shell import backup as declared
from api.shell import backup_job
from api.shell.backup import DONE, FAILED, SOUND
from tests.kit.desk import Desk
from tests.kit.fixtures import Site, administer
from tests.kit.state import broken, fingerprint

API = "v2/system/Backup"
TOTALS = """
select 'stock', count(*)::numeric, coalesce(sum(quantity), 0), coalesce(sum(amount), 0) from stock_ledger
union all select 'cost', count(*), coalesce(sum(quantity), 0), coalesce(sum(amount), 0) from cost_balance
union all select 'settled', count(*), coalesce(sum(open_amount), 0), coalesce(sum(amount), 0) from settlement_item
order by 1
"""
LEFT_OUT = {"backup", "business_log", "upload_log"}
"""A backup is listed, and told in the log, after it was taken."""


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The run's databases share one data directory, and may name their backups alike."""
    monkeypatch.setattr(declared, "file_of", lambda name: tmp_path / name)
    monkeypatch.setattr(backup_job, "file_of", lambda name: tmp_path / name)
    monkeypatch.setattr("api.shell.backup_calls.file_of", lambda name: tmp_path / name)


@pytest.fixture
def fresh(postgres: EmbeddedPostgres) -> Iterator[str]:
    """The address of an empty database."""
    administer(postgres, "create database erp_restored")
    yield postgres.url("erp_restored")
    administer(postgres, "drop database erp_restored with (force)")


def made(site: Site) -> dict[str, Any]:
    answer = site.as_("admin").post(f"{API}/backup")
    assert answer.ok, answer
    backup_job.backup(answer.data["id"])
    return listed(site, answer.data["id"])


def listed(site: Site, key: int) -> dict[str, Any]:
    row = site.as_("admin").get(f"{API}/getInfo", id=key)
    assert row.ok
    found: dict[str, Any] = row.data
    return found


def totals(url: str) -> list[tuple[Any, ...]]:
    with connect(url).connect() as conn:
        return [tuple(row) for row in conn.execute(text(TOTALS))]


def trade(desk: Desk) -> None:
    """A day's business."""
    world = desk.world
    desk.stock_in(world.tube, 10)
    line = {"goods_id": world.tube, "quantity": "4", "price": "226", "tax_rate": "13"}
    desk.audited("sales_outbound", line)
    line = {"goods_id": world.oil, "quantity": "5", "price": "11.3", "tax_rate": "13"}
    desk.audited("purchase_inbound", line)


class TestDrill:
    def test_backup_damage_restore_and_all_is_as_it_was(self, site: Site, desk: Desk, fresh: str) -> None:
        trade(desk)
        with site.engine.connect() as conn:
            before, books = fingerprint(conn), totals(site.url)
        row = made(site)
        assert (row["state"], row["verdict"], row["message"]) == (DONE, SOUND, None)
        assert row["table_count"] > 60
        path = backup_job.file_of(row["file_name"])

        with site.engine.begin() as conn:
            conn.execute(text("alter table stock_ledger disable trigger user"))
            conn.execute(text("delete from stock_ledger"))
            conn.execute(text("update cost_balance set amount = amount + 1"))
        with site.engine.connect() as conn:
            assert broken(conn)

        restore(fresh, path)
        with connect(fresh).connect() as conn:
            after = fingerprint(conn)
            assert {name for name in before if before[name] != after[name]} <= LEFT_OUT
            assert broken(conn) == {}
        assert totals(fresh) == books
        assert books[2][2] > Decimal(0)

    def test_the_marts_of_a_restored_database_are_computed(
        self, site: Site, desk: Desk, fresh: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        from warehouse import worker

        with site.engine.begin() as conn:
            conn.execute(text("alter table stock_ledger enable trigger user"))
        path = backup_job.file_of(made(site)["file_name"])
        restore(fresh, path)
        monkeypatch.setenv("ERP_DATABASE_URL", fresh)
        monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path / "data"))
        assert worker.refresh_once()
        assert (tmp_path / "data" / "warehouse" / "current").exists()

    def test_stamps_of_another_cluster_become_this_ones(self, site: Site, desk: Desk, fresh: str) -> None:
        with site.engine.begin() as conn:
            conn.execute(text("alter table unit disable trigger user"))
            conn.execute(text("update unit set row_xid = '900000000000'::xid8"))
            conn.execute(text("alter table unit enable trigger user"))
        restore(fresh, backup_job.file_of(made(site)["file_name"]))
        with connect(fresh).begin() as conn:
            newest = conn.execute(text("select max(row_xid::text::bigint) from unit")).scalar_one()
            assert newest < 900000000000
            conn.execute(text("insert into unit (unit_name) values ('新单位甲')"))
            assert (
                conn.execute(text("select count(*) from tombstone where table_name = 'unit'")).scalar() == 0
            )

    def test_the_queue_of_jobs_is_not_done_again(self, site: Site, fresh: str) -> None:
        restore(fresh, backup_job.file_of(made(site)["file_name"]))
        with connect(fresh).connect() as conn:
            assert conn.execute(text("select count(*) from procrastinate_jobs")).scalar() == 0


class TestRestoreRefuses:
    def test_a_database_with_anything_in_it(self, site: Site) -> None:
        path = backup_job.file_of(made(site)["file_name"])
        before = totals(site.url)
        with pytest.raises(Refusal, match="不会覆盖"):
            restore(site.url, path)
        assert totals(site.url) == before

    def test_a_damaged_file(self, site: Site, fresh: str) -> None:
        row = made(site)
        path = backup_job.file_of(row["file_name"])
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(content)
        with pytest.raises(Refusal, match="校验码不符"):
            restore(fresh, path)
        backup_job.verify_backup(row["backup_id"])
        found = listed(site, row["backup_id"])
        assert (found["verdict"], found["message"]) == (2, "校验码不符，文件已损坏或被改动")

    def test_what_is_no_dump(self, fresh: str, tmp_path: Path) -> None:
        from api.shell.dump import DumpError

        path = tmp_path / "a.dump"
        path.write_bytes(b"no dump")
        with pytest.raises(DumpError, match="备份文件无法读取"):
            restore(fresh, path)

    def test_the_command_line_says_so_in_a_line(self, site: Site) -> None:
        path = backup_job.file_of(made(site)["file_name"])
        done = subprocess.run(
            [sys.executable, "-c", "from api.cli import main; main()", "restore", str(path)],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert "不会覆盖" in done.stderr


class TestCalls:
    def test_a_backup_is_downloaded_by_right(self, site: Site) -> None:
        row = made(site)
        admin = site.as_("admin")
        got = admin.raw("GET", f"{API}/getFile", query={"id": row["backup_id"]})
        assert got.content[:5] == b"PGDMP"
        assert site.as_("manager_a").get(f"{API}/getFile", id=row["backup_id"]).msg == (
            "只有能看全部公司和成本的角色可以备份数据"
        )
        assert site.as_("nobody").get(f"{API}/getFile", id=row["backup_id"]).code == 403
        log = admin.get(f"{API}/getLog", id=row["backup_id"]).data
        assert [one["action_name"] for one in log] == ["下载", "备份"]

    def test_one_at_a_time(self, site: Site) -> None:
        admin = site.as_("admin")
        key = admin.post(f"{API}/backup").data["id"]
        assert admin.post(f"{API}/backup").msg == "已有备份正在进行，请等待完成"
        assert admin.post(f"{API}/verify", {"ids": [key]}).msg == "备份尚未完成或已清理"
        backup_job.backup(key)
        assert listed(site, key)["state"] == DONE

    def test_a_killed_one_is_failed_and_leaves_no_half_file(self, site: Site) -> None:
        key = site.as_("admin").post(f"{API}/backup").data["id"]
        assert backup_job._begin(key)
        backup_job.backup_unattended(0)
        row = listed(site, key)
        assert (row["state"], row["message"]) == (FAILED, "备份中断，请重新备份")
        assert not backup_job.file_of(row["file_name"]).exists()

    def test_a_failure_is_told(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        key = site.as_("admin").post(f"{API}/backup").data["id"]
        monkeypatch.setenv("ERP_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
        backup_job.backup(key)
        row = listed(site, key)
        assert row["state"] == FAILED
        assert row["message"].startswith("无法备份：")

    def test_old_ones_go(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(backup_job, "KEPT", 1)
        first, second = made(site), made(site)
        assert listed(site, first["backup_id"])["state"] == 4
        assert not backup_job.file_of(first["file_name"]).exists()
        assert backup_job.file_of(second["file_name"]).exists()
