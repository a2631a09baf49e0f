"""The report platform's file before its start: sound, or set aside and built again; without Superset itself."""

from __future__ import annotations

import errno
import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from api.kit.errors import Refusal
from api.kit.settings import read_settings
from api.launch.restore import restore_reports
from api.shell.operations import backup_archive
from reports.superset import bootstrap, metadata

BOARD = "99e07785-7293-54a9-a00a-02aaefd42dea"
COLUMNS = {
    "embedded_dashboards": "uuid blob, dashboard_id int",
    "dashboards": "id integer primary key",
    "dashboard_slices": "dashboard_id int, slice_id int",
}


def build_file(path: Path, *, board: bool = True) -> None:
    """Build a file like Superset's, large enough to be torn in its middle."""
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("pragma journal_mode = wal")
        for name in sorted(metadata.TABLES):
            conn.execute(f'create table "{name}" ({COLUMNS.get(name, "name text")})')
        conn.execute("create index ix_slices on slices (name)")
        conn.executemany("insert into slices values (?)", [(f"图 {number:06}",) for number in range(5000)])
        if board:
            conn.execute(
                "insert into embedded_dashboards values (?, 1)", [bytes.fromhex(BOARD.replace("-", ""))]
            )
            conn.execute("insert into dashboards values (1)")
            conn.execute("insert into dashboard_slices values (1, 1)")
        conn.commit()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
    (tmp_path / "superset").mkdir()
    made = read_settings().superset_dir / metadata.NAME
    build_file(made)
    return made


@pytest.fixture
def installed(file: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files that a start builds anew; the file was installed as the catalogue wants it."""
    built: list[Path] = []

    def install(bundle: Any, current: Any) -> None:
        file.unlink(missing_ok=True)
        build_file(file)
        built.append(file)

    monkeypatch.setattr(bootstrap, "install", install)
    monkeypatch.setattr(bootstrap, "compile_assets", dict)
    monkeypatch.setattr(bootstrap, "installed_state", lambda bundle, current: {"assets": "1"})
    monkeypatch.setattr(bootstrap, "list_dashboards", lambda: [SimpleNamespace(embedded_uuid=BOARD)])
    (file.parent / metadata.STATE).write_text('{"assets": "1"}')
    return built


def tear_file(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def overwrite_file(file: Path) -> None:
    file.write_bytes(b"no file of sqlite" * 999)


def empty_file(file: Path) -> None:
    file.write_bytes(b"")


def blot_file(file: Path) -> None:
    """Write noise over pages in the middle: the file opens as before."""
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(size // 2 // 4096 * 4096)
        opened.write(b"\xff" * 8192)


def drop_table(file: Path) -> None:
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("drop table dashboard_slices")


def keep_backup(
    file: Path, name: str, chart: str | None, damage: Callable[[Path], None] = lambda _: None
) -> Path:
    """Make a backup of the system; without a chart it has no file of the platform's. Each is newer than the
    one before."""
    folder = read_settings().backups_dir
    folder.mkdir(exist_ok=True)
    made, dumped = folder / f"{name}.db", folder / backup_archive.DUMP
    dumped.write_bytes(b"rows")
    if chart:
        metadata.copy_metadata(file, made)
        with closing(sqlite3.connect(made)) as conn:
            conn.execute("insert into slices values (?)", [chart])
            conn.commit()
        damage(made)
    packed = folder / f"{name}.tar"
    backup_archive.pack_backup(packed, dumped, read_settings().data_dir, made if chart else None)
    made.unlink(missing_ok=True)
    moment = len(list(folder.glob("*.tar")))
    os.utime(packed, (moment, moment))
    return packed


def list_charts(file: Path) -> set[str]:
    with closing(sqlite3.connect(file)) as conn:
        return {name for (name,) in conn.execute("select name from slices")}


DAMAGES = [tear_file, overwrite_file, empty_file, blot_file, drop_table]


class TestProblem:
    def test_a_sound_file_has_none(self, file: Path) -> None:
        assert metadata.describe_problem(file) == ""

    @pytest.mark.parametrize("damage", DAMAGES)
    def test_a_damaged_one_has(self, file: Path, damage: Callable[[Path], None]) -> None:
        damage(file)
        assert metadata.describe_problem(file)

    def test_one_that_another_holds_is_not_called_broken(self, file: Path) -> None:
        with closing(sqlite3.connect(file)) as other:
            other.execute("pragma journal_mode = delete")
            other.execute("begin exclusive")
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                metadata.describe_problem(file)


class TestBoot:
    def test_a_sound_file_is_left_alone(self, file: Path, installed: list[Path]) -> None:
        bootstrap.main()
        assert installed == []

    @pytest.mark.parametrize("damage", DAMAGES)
    def test_a_broken_one_is_set_aside_and_built_again(
        self,
        file: Path,
        installed: list[Path],
        capsys: pytest.CaptureFixture[str],
        damage: Callable[[Path], None],
    ) -> None:
        damage(file)
        before = file.read_bytes()
        bootstrap.main()
        assert installed == [file]
        assert metadata.describe_problem(file) == ""
        [aside] = file.parent.glob("metadata-*.broken")
        assert aside.read_bytes() == before
        assert aside.name in capsys.readouterr().out

    @pytest.mark.parametrize("damage", [*DAMAGES, Path.unlink])
    def test_what_users_made_comes_back_from_the_newest_sound_backup(
        self,
        file: Path,
        installed: list[Path],
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
        damage: Callable[[Path], None],
    ) -> None:
        keep_backup(file, "older", "老图")
        keep_backup(file, "sound", "新图")
        keep_backup(file, "torn", "坏图", tear_file)
        keep_backup(file, "without", None)
        monkeypatch.setattr(bootstrap, "install", lambda bundle, current: installed.append(file))
        damage(file)
        bootstrap.main()
        assert installed == [file]
        assert "新图" in list_charts(file)
        assert "已从备份 sound.tar 取回" in capsys.readouterr().out
        assert not list(file.parent.glob("*.fetched"))

    def test_a_backup_that_cannot_be_read_is_passed_over(
        self, file: Path, installed: list[Path], capsys: pytest.CaptureFixture[str]
    ) -> None:
        keep_backup(file, "sound", "新图")
        (read_settings().backups_dir / "unreadable.tar").mkdir()
        (read_settings().backups_dir / "pruned.tar").symlink_to("nowhere")
        tear_file(file)
        bootstrap.main()
        assert "已从备份 sound.tar 取回" in capsys.readouterr().out

    def test_a_full_disk_is_not_taken_for_a_bad_backup(
        self, file: Path, installed: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fill(*_: Any) -> None:
            raise OSError(errno.ENOSPC, "disk full")

        keep_backup(file, "sound", "新图")
        tear_file(file)
        monkeypatch.setattr(metadata.shutil, "copyfileobj", fill)
        with pytest.raises(OSError, match="disk full"):
            bootstrap.main()
        assert installed == []

    def test_without_a_backup_the_log_says_what_is_lost(
        self, file: Path, installed: list[Path], capsys: pytest.CaptureFixture[str]
    ) -> None:
        tear_file(file)
        bootstrap.main()
        assert "自制的图表和看板没有取回" in capsys.readouterr().out

    def test_a_missing_one_is_built_though_it_was_installed(self, file: Path, installed: list[Path]) -> None:
        file.unlink()
        bootstrap.main()
        assert installed == [file]

    def test_one_without_a_board_is_installed_into_again(self, file: Path, installed: list[Path]) -> None:
        with closing(sqlite3.connect(file)) as conn:
            conn.execute("delete from dashboard_slices")
            conn.commit()
        bootstrap.main()
        assert installed == [file]
        assert list(file.parent.glob("metadata-*.broken")) == [], "nothing is wrong with the file itself"


class TestRestored:
    def test_a_command_brings_it_back_and_keeps_what_was_there(self, file: Path) -> None:
        keep_backup(file, "older", "老图")
        keep_backup(file, "newer", "新图")
        state = file.with_name(metadata.STATE)
        state.write_text('{"assets": "1"}')
        found, aside = restore_reports(None)
        assert (found.name, "新图" in list_charts(file), state.read_text()) == ("newer.tar", True, "{}")
        assert aside is not None
        assert "新图" not in list_charts(aside)
        restore_reports(read_settings().backups_dir / "older.tar")
        assert list_charts(file) & {"新图", "老图"} == {"老图"}

    def test_nothing_is_touched_without_a_sound_one(self, file: Path) -> None:
        keep_backup(file, "torn", "坏图", tear_file)
        for path, told in ((None, "备份里没有完好的"), (Path("/nowhere.tar"), "找不到备份文件")):
            with pytest.raises(Refusal, match=told):
                restore_reports(path)
        assert metadata.describe_problem(file) == ""
        assert [one.name for one in file.parent.iterdir()] == [file.name]

    def test_what_was_there_is_never_removed(self, file: Path) -> None:
        keep_backup(file, "newer", "新图")
        with closing(sqlite3.connect(file)) as conn:
            conn.execute("insert into slices values ('用户的图')")
            conn.commit()
        asides = [restore_reports(None)[1] for _ in range(metadata.MOST_BROKEN + 2)]
        assert all(aside is not None and aside.suffix == ".replaced" and aside.exists() for aside in asides)
        assert asides[0] is not None
        assert "用户的图" in list_charts(asides[0])
        assert not list(file.parent.glob("*.broken"))

    @pytest.mark.parametrize("there", [True, False])
    def test_no_log_of_another_file_is_written_over_it(self, file: Path, there: bool) -> None:
        keep_backup(file, "newer", "新图")
        log = file.with_name(f"{file.name}-wal")
        with closing(sqlite3.connect(file)) as conn:
            conn.execute("insert into slices values ('日志里的图')")
            conn.commit()
            left = log.read_bytes()
        if not there:
            file.unlink()
        log.write_bytes(left)
        restore_reports(None)
        assert list_charts(file) & {"新图", "日志里的图"} == {"新图"}
        assert metadata.describe_problem(file) == ""
        [aside] = file.parent.glob("metadata-*.replaced-wal")
        assert aside.read_bytes() == left

    def test_one_that_is_not_as_it_was_written_is_passed_over(self, file: Path) -> None:
        keep_backup(file, "older", "老图")
        note = keep_backup(file, "changed", "新图").with_suffix(".sha256")
        note.write_text(f"{'0' * 64}  changed.tar\n")
        found, _ = restore_reports(None)
        assert (found.name, list_charts(file) & {"新图", "老图"}) == ("older.tar", {"老图"})

    def test_not_while_the_platform_runs(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        keep_backup(file, "newer", "新图")
        with socket.create_server(("127.0.0.1", 0)) as door:
            monkeypatch.setenv("ERP_PORT", "1")
            monkeypatch.setenv("ERP_REPORT_PORT", str(door.getsockname()[1]))
            with pytest.raises(Refusal, match="报表平台正在运行"):
                restore_reports(None)


class TestSetAside:
    def test_the_newest_are_kept(self, file: Path) -> None:
        for number in range(metadata.MOST_BROKEN + 2):
            file.write_bytes(b"%d" % number)
            file.with_name(f"{file.name}-wal").write_bytes(b"log")
            metadata.set_aside(file)
        kept = sorted(file.parent.glob("metadata-*.broken"))
        assert [one.read_bytes() for one in kept] == [b"2", b"3", b"4"]
        assert len(list(file.parent.glob("metadata-*.broken-wal"))) == metadata.MOST_BROKEN
