"""备份与恢复: a backup of real books, damage, a restore into a fresh database, and everything as it was."""

from __future__ import annotations

import io
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import text

from api.identity import rights, sessions
from api.kit.errors import Refusal, Unauthenticated
from api.kit.settings import read_settings
from api.kit.storage.database import TIME_ZONE, build_engine
from api.launch.postgres import EmbeddedPostgres
from api.launch.restore import restore_backup
from api.shell.operations import backup_archive, backup_job
from api.shell.operations.backup import DONE, EXPIRED, FAILED, SOUND
from api.shell.operations.database_dump import DumpError, split_password
from reports.superset import metadata
from tests.support.bill_client import BillClient
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.databases import run_statements
from tests.support.fixtures import Site
from tests.support.upload_files import VALID_FILES as SOUND_FILES

API = "v2/system/Backup"
WHOLE_GROUP = "只有能看全部公司、成本和字段的角色可以备份数据"
TOTALS = """
select 'stock', count(*)::numeric, coalesce(sum(quantity), 0), coalesce(sum(amount), 0) from stock_ledger
union all select 'cost', count(*), coalesce(sum(quantity), 0), coalesce(sum(amount), 0) from cost_balance
union all select 'settled', count(*), coalesce(sum(open_amount), 0), coalesce(sum(amount), 0) from settlement_item
order by 1
"""
LEFT_OUT = {"backup", "business_log", "upload_log", "user_session", "login_attempt"}
"""A backup is listed, and told in the log, after it was taken; a restore ends all sessions."""


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A data directory of the test's own; the run's databases share one, and may name their backups alike."""
    return use_data_dir(monkeypatch, tmp_path / "data")


def use_data_dir(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """Switch to another data directory and return it."""
    folder.mkdir()
    monkeypatch.setenv("ERP_DATA_DIR", str(folder))
    return folder


@pytest.fixture
def fresh(postgres: EmbeddedPostgres) -> Iterator[str]:
    """The address of an empty database."""
    run_statements(postgres, "create database erp_restored")
    yield postgres.url("erp_restored")
    run_statements(postgres, "drop database erp_restored with (force)")


def create_backup(site: Site) -> dict[str, Any]:
    answer = site.as_("admin").post(f"{API}/backup")
    assert answer.ok, answer
    backup_job.run_backup(answer.data["id"])
    return read_backup(site, answer.data["id"])


def read_backup(site: Site, key: int) -> dict[str, Any]:
    row = site.as_("admin").get(f"{API}/getInfo", id=key)
    assert row.ok
    found: dict[str, Any] = row.data
    return found


def upload_picture(site: Site) -> str:
    """Upload a picture and return its address."""
    response = site.http.post(
        "/v2/open/Upload/uploadImg",
        files=[("file", ("a.png", SOUND_FILES["a.png"]))],
        headers={"token": site.world.tokens["clerk_a"]},
    )
    address: str = orjson.loads(response.content)["data"]
    return address


def set_config(site: Site, **values: int) -> None:
    assert site.as_("admin").post("v2/system/Config/addConfig", values).ok


def is_empty(url: str) -> bool:
    with build_engine(url).connect() as conn:
        query = "select count(*) from information_schema.tables where table_schema = 'public'"
        return conn.exec_driver_sql(query).scalar() == 0


def read_totals(url: str) -> list[tuple[Any, ...]]:
    with build_engine(url).connect() as conn:
        return [tuple(row) for row in conn.execute(text(TOTALS))]


def trade_day(desk: BillClient) -> None:
    """Post a day's business."""
    world = desk.world
    desk.stock_in(world.tube, 10)
    line = {"goods_id": world.tube, "quantity": "4", "price": "226", "tax_rate": "13"}
    desk.add_audited("sales_outbound", line)
    line = {"goods_id": world.oil, "quantity": "5", "price": "11.3", "tax_rate": "13"}
    desk.add_audited("purchase_inbound", line)


class TestDrill:
    def test_backup_damage_restore_and_all_is_as_it_was(
        self,
        site: Site,
        desk: BillClient,
        fresh: str,
        own_folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        trade_day(desk)
        picture = upload_picture(site)
        old_log = own_folder / "archive" / "business_log_1.jsonl.gz"
        old_log.parent.mkdir()
        old_log.write_bytes(b"old")
        (own_folder / "uploads" / "linked").symlink_to(old_log)
        with site.engine.connect() as conn:
            before, books = fingerprint_tables(conn), read_totals(site.url)
        row = create_backup(site)
        assert (row["state"], row["verdict"], row["message"]) == (DONE, SOUND, None)
        assert row["table_count"] > 60
        path = backup_job.backup_path(row["file_name"])

        with site.engine.begin() as conn:
            conn.execute(text("alter table stock_ledger disable trigger user"))
            conn.execute(text("delete from stock_ledger"))
            conn.execute(text("update cost_balance set amount = amount + 1"))
        with site.engine.connect() as conn:
            assert find_broken_checks(conn)

        new = use_data_dir(monkeypatch, tmp_path / "new")
        restore_backup(fresh, path)
        assert sorted(one.name for one in new.iterdir()) == ["archive", "uploads"]
        assert (new / "archive" / old_log.name).read_bytes() == b"old"
        assert (new / "uploads" / "linked").read_bytes() == b"old", "what a link leads to comes along"
        assert site.as_("clerk_a").raw("GET", picture).content == SOUND_FILES["a.png"]
        with build_engine(fresh).connect() as conn:
            after = fingerprint_tables(conn)
            assert {name for name in before if before[name] != after[name]} <= LEFT_OUT
            assert find_broken_checks(conn) == {}
        assert read_totals(fresh) == books
        assert books[2][2] > Decimal(0)

    def test_the_marts_of_a_restored_database_are_computed(
        self, site: Site, desk: BillClient, fresh: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        from warehouse import worker

        with site.engine.begin() as conn:
            conn.execute(text("alter table stock_ledger enable trigger user"))
        path = backup_job.backup_path(create_backup(site)["file_name"])
        restore_backup(fresh, path)
        monkeypatch.setenv("ERP_DATABASE_URL", fresh)
        assert worker.refresh_once()
        assert (tmp_path / "data" / "warehouse" / "current").exists()

    def test_stamps_of_another_cluster_become_this_ones(
        self, site: Site, desk: BillClient, fresh: str
    ) -> None:
        with site.engine.begin() as conn:
            conn.execute(text("alter table unit disable trigger user"))
            conn.execute(text("update unit set row_xid = '900000000000'::xid8"))
            conn.execute(text("alter table unit enable trigger user"))
        restore_backup(fresh, backup_job.backup_path(create_backup(site)["file_name"]))
        with build_engine(fresh).begin() as conn:
            newest = conn.execute(text("select max(row_xid::text::bigint) from unit")).scalar_one()
            assert newest < 900000000000
            conn.execute(text("insert into unit (unit_name) values ('新单位甲')"))
            assert (
                conn.execute(text("select count(*) from tombstone where table_name = 'unit'")).scalar() == 0
            )

    def test_nobody_is_logged_in_afterwards(self, site: Site, fresh: str) -> None:
        with site.engine.begin() as conn:
            token = sessions.open_api_token(conn, site.world.user_admin, 30)
        restore_backup(fresh, backup_job.backup_path(create_backup(site)["file_name"]))
        with build_engine(fresh).connect() as conn:
            assert conn.execute(text("select count(*) from user_session")).scalar_one() == 0
            with pytest.raises(Unauthenticated):
                sessions.authenticate_token(conn, token)

    def test_a_message_that_waited_is_not_sent_again(self, site: Site, fresh: str) -> None:
        with site.engine.begin() as conn:
            conn.execute(text("insert into sms_channel (channel_name, kind) values ('文件', 1)"))
            conn.execute(text("insert into sms_template (template_name, content) values ('通知', '您好')"))
            waiting = text(
                "insert into sms_bill (mobile, sms_template_id, sms_channel_id, content, company_id, user_id, next_at)"
                " select '13800000000', t.sms_template_id, c.sms_channel_id, '您好', :company, :user, now()"
                " from sms_template t, sms_channel c where t.template_name = '通知'"
            )
            conn.execute(waiting, {"company": site.world.company_a, "user": site.world.user_admin})
        restore_backup(fresh, backup_job.backup_path(create_backup(site)["file_name"]))
        with build_engine(fresh).connect() as conn:
            row = conn.execute(text("select state, next_at, failure from sms_bill")).one()
        assert (row.state, row.next_at, row.failure) == (3, None, "备份时还未发送，恢复后不再发送")

    def test_the_queue_of_jobs_is_not_done_again(self, site: Site, fresh: str) -> None:
        restore_backup(fresh, backup_job.backup_path(create_backup(site)["file_name"]))
        with build_engine(fresh).connect() as conn:
            assert conn.execute(text("select count(*) from procrastinate_jobs")).scalar() == 0


class TestReports:
    """Charts and boards that users made of reports stand in the report platform's own file."""

    @pytest.fixture
    def platform(self, own_folder: Path) -> Iterator[sqlite3.Connection]:
        (own_folder / "superset").mkdir()
        with closing(sqlite3.connect(own_folder / backup_archive.REPORTS)) as conn:
            conn.execute("pragma journal_mode = wal")
            for name in metadata.TABLES:
                conn.execute(f'create table "{name}" (name text)')
            conn.execute("insert into slices values ('华东毛利')")
            conn.commit()
            yield conn

    def test_they_come_back_as_they_were_at_one_moment(
        self,
        site: Site,
        fresh: str,
        platform: sqlite3.Connection,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        platform.execute("insert into slices values ('还没有保存')")
        row = create_backup(site)
        assert (row["state"], row["message"]) == (DONE, None)
        platform.commit()
        path = backup_job.backup_path(row["file_name"])
        new = use_data_dir(monkeypatch, tmp_path / "new")
        (new / "superset").mkdir()
        (new / "superset" / metadata.STATE).write_text("{}")
        restore_backup(fresh, path)
        assert [one.name for one in (new / "superset").iterdir()] == [metadata.NAME], "all is installed anew"
        with closing(sqlite3.connect(new / backup_archive.REPORTS)) as conn:
            assert conn.execute("select name from slices").fetchall() == [("华东毛利",)]

    def test_a_broken_file_is_told_and_the_books_are_saved(
        self, site: Site, platform: sqlite3.Connection, own_folder: Path
    ) -> None:
        platform.close()
        (own_folder / backup_archive.REPORTS).write_bytes(b"torn" * 5000)
        row = create_backup(site)
        assert (row["state"], row["message"]) == (DONE, backup_job.REPORTS_LEFT_OUT)
        with tarfile.open(backup_job.backup_path(row["file_name"])) as tar:
            assert backup_archive.REPORTS not in tar.getnames()

    def test_those_that_are_there_are_not_written_over(
        self, site: Site, fresh: str, platform: sqlite3.Connection
    ) -> None:
        path = backup_job.backup_path(create_backup(site)["file_name"])
        with pytest.raises(Refusal, match="superset 已经有文件，不会覆盖"):
            restore_backup(fresh, path)
        assert is_empty(fresh)


class TestRestoreRefuses:
    def test_a_database_with_anything_in_it(self, site: Site) -> None:
        path = backup_job.backup_path(create_backup(site)["file_name"])
        before = read_totals(site.url)
        with pytest.raises(Refusal, match="不会覆盖"):
            restore_backup(site.url, path)
        assert read_totals(site.url) == before

    def test_a_damaged_file(self, site: Site, fresh: str) -> None:
        row = create_backup(site)
        path = backup_job.backup_path(row["file_name"])
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(content)
        with pytest.raises(Refusal, match="校验码不符"):
            restore_backup(fresh, path)
        backup_job.verify_backup(row["backup_id"])
        found = read_backup(site, row["backup_id"])
        assert (found["verdict"], found["message"]) == (2, "校验码不符，文件已损坏或被改动")

    def test_a_data_directory_with_files_in_it(self, site: Site, fresh: str) -> None:
        upload_picture(site)
        path = backup_job.backup_path(create_backup(site)["file_name"])
        with pytest.raises(Refusal, match="uploads 已经有文件，不会覆盖"):
            restore_backup(fresh, path)
        assert is_empty(fresh)

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("uploads/../../out", "备份文件无法读取"),
            ("../out", "不认识的内容"),
            ("secrets.json", "不认识的内容"),
            ("uploads/link", "不认识的内容"),
        ],
    )
    def test_files_that_belong_elsewhere(self, fresh: str, tmp_path: Path, name: str, told: str) -> None:
        path = tmp_path / "a.tar"
        member = tarfile.TarInfo(name)
        if name.endswith("link"):
            member.type, member.linkname = tarfile.SYMTYPE, "/etc"
        with tarfile.open(path, "w") as tar:
            tar.addfile(member, io.BytesIO())
        with pytest.raises(Refusal, match=told):
            restore_backup(fresh, path)
        assert not list(tmp_path.rglob("out"))
        assert is_empty(fresh)

    def test_what_is_no_backup(self, fresh: str, tmp_path: Path) -> None:
        path = tmp_path / "a.tar"
        path.write_bytes(b"no backup")
        with pytest.raises(Refusal, match="不是本系统的备份"):
            restore_backup(fresh, path)
        dumped = tmp_path / backup_archive.DUMP
        dumped.write_bytes(b"no dump")
        backup_archive.pack_backup(path, dumped, read_settings().data_dir)
        with pytest.raises(DumpError, match="备份文件无法读取"):
            restore_backup(fresh, path)
        assert is_empty(fresh)

    def test_the_command_line_says_so_in_a_line(self, site: Site) -> None:
        path = backup_job.backup_path(create_backup(site)["file_name"])
        done = subprocess.run(
            [sys.executable, "-c", "from api.cli import main; main()", "restore", str(path)],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert "不会覆盖" in done.stderr


class TestCalls:
    def test_a_backup_is_downloaded_by_right(self, site: Site) -> None:
        row = create_backup(site)
        admin = site.as_("admin")
        got = admin.raw("GET", f"{API}/getFile", query={"id": row["backup_id"]})
        with tarfile.open(fileobj=io.BytesIO(got.content)) as tar:
            assert tar.getnames()[0] == backup_archive.DUMP
        assert site.as_("manager_a").get(f"{API}/getFile", id=row["backup_id"]).msg == WHOLE_GROUP
        assert site.as_("nobody").get(f"{API}/getFile", id=row["backup_id"]).code == 403
        log = admin.get(f"{API}/getLog", id=row["backup_id"]).data
        assert [one["action_name"] for one in log] == ["下载", "备份"]

    def test_one_at_a_time(self, site: Site) -> None:
        admin = site.as_("admin")
        key = admin.post(f"{API}/backup").data["id"]
        assert admin.post(f"{API}/backup").msg == "已有备份正在进行，请等待完成"
        assert admin.post(f"{API}/verify", {"ids": [key]}).msg == "备份尚未完成或已清理"
        backup_job.run_backup(key)
        assert read_backup(site, key)["state"] == DONE

    def test_a_killed_one_is_failed_and_leaves_no_half_file(self, site: Site) -> None:
        key = site.as_("admin").post(f"{API}/backup").data["id"]
        assert backup_job._claim_backup(key)
        left = backup_job.backup_path(read_backup(site, key)["file_name"]).with_suffix(".part")
        left.mkdir(parents=True)
        (left / backup_archive.DUMP).write_bytes(b"half")
        backup_job.recover_backups(0)
        row = read_backup(site, key)
        assert (row["state"], row["message"]) == (FAILED, "备份中断，请重新备份")
        assert not list(left.parent.iterdir())

    def test_a_failure_is_told(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        key = site.as_("admin").post(f"{API}/backup").data["id"]
        monkeypatch.setenv("ERP_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
        backup_job.run_backup(key)
        row = read_backup(site, key)
        assert row["state"] == FAILED
        assert row["message"].startswith("无法备份：")

    def test_fields_that_one_does_not_see_are_in_it(self, site: Site) -> None:
        with site.engine.begin() as conn:
            role = conn.execute(
                text("select role_id from user_account where user_name = 'admin'")
            ).scalar_one()
            rights.replace_role_grants(conn, role, ["*"], denied=[("customer", "credit_limit")])
        assert site.as_("admin").post(f"{API}/backup").msg == WHOLE_GROUP
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, role, ["*"])

    def test_old_ones_go(self, site: Site) -> None:
        set_config(site, backups_kept=1)
        first, second = create_backup(site), create_backup(site)
        assert read_backup(site, first["backup_id"])["state"] == EXPIRED
        assert not backup_job.backup_path(first["file_name"]).exists()
        assert backup_job.backup_path(second["file_name"]).exists()


def test_a_password_is_on_no_command_line() -> None:
    place, secret = split_password("postgresql://erp:p%40ss@db.example:5433/erp?sslmode=require")
    assert "p@ss" not in place
    assert secret == {"PGPASSWORD": "p@ss"}
    assert {"user=erp", "host=db.example", "port=5433", "dbname=erp", "sslmode=require"} == set(place.split())
    assert split_password("postgresql:///erp")[1] == {}


class TestDaily:
    """每日自动备份: at the hour that is set, once a day, made up for when the machine was off."""

    @pytest.fixture(autouse=True)
    def no_backups(self, site: Site) -> None:
        with site.engine.begin() as conn:
            conn.execute(text("delete from backup"))

    def run_hourly(self, site: Site) -> list[dict[str, Any]]:
        """Run the hourly job and return the backups that it queued."""
        backup_job.queue_daily_backup(0)
        rows: list[dict[str, Any]] = site.as_("admin").get(f"{API}/getList").data["data"]
        return rows

    def test_once_a_day_from_the_hour_on(self, site: Site) -> None:
        set_config(site, backup_hour=datetime.now(TIME_ZONE).hour)
        [row] = self.run_hourly(site)
        assert (row["origin"], row["asked_by_name"]) == ("每日自动", None)
        backup_job.run_backup(row["backup_id"])
        assert [(one["backup_id"], one["state"]) for one in self.run_hourly(site)] == [
            (row["backup_id"], DONE)
        ]

    def test_the_next_day_there_is_another(self, site: Site) -> None:
        hour = (datetime.now(TIME_ZONE) - timedelta(hours=3)).hour
        set_config(site, backup_hour=hour)
        [row] = self.run_hourly(site)
        backup_job.run_backup(row["backup_id"])
        self.age_backups(site, "2 hours")
        assert len(self.run_hourly(site)) == 1, "after the hour"
        self.age_backups(site, "3 hours")
        assert len(self.run_hourly(site)) == 2, "before it"

    def test_one_by_hand_or_a_failed_one_is_not_the_days(self, site: Site) -> None:
        set_config(site, backup_hour=0)
        create_backup(site)
        failed = next(row for row in self.run_hourly(site) if row["origin"] == "每日自动")
        backup_job._set_state(failed["backup_id"], FAILED)
        assert [row["origin"] for row in self.run_hourly(site)].count("每日自动") == 2

    def test_beside_one_that_is_under_way_it_waits(self, site: Site) -> None:
        set_config(site, backup_hour=0)
        key = site.as_("admin").post(f"{API}/backup").data["id"]
        assert [row["backup_id"] for row in self.run_hourly(site)] == [key]

    def test_without_an_hour_there_is_none(self, site: Site) -> None:
        set_config(site, backup_hour=-1)
        assert self.run_hourly(site) == []

    def age_backups(self, site: Site, by: str) -> None:
        with site.engine.begin() as conn:
            conn.execute(text(f"update backup set asked_at = asked_at - interval '{by}'"))
