"""What dbt made is kept by version: the next process needs no dbt, a changed project finds nothing of the old one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.warehouse.conftest import AS_OF, tables
from warehouse import shelf
from warehouse.files import Files
from warehouse.refresh import Refresher
from warehouse.shelf import Shelf

LATER = "2026-12-03"
# A process to which dbt does not exist: load a warehouse, and go on to another business date.
WITHOUT_DBT = """
import sys
from pathlib import Path
sys.modules["dbt"] = None
from warehouse import shelf
from warehouse.files import Files
from warehouse.refresh import Refresher

kept, directory, url, *days = sys.argv[1:]
shelf.PLACE = Path(kept)
refresher = Refresher(Files(Path(directory)), url)
for day in days:
    print(refresher.refresh(as_of=day).mode)
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place to keep things in."""
    monkeypatch.setattr(shelf, "PLACE", tmp_path / "shelf")
    return tmp_path / "shelf"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project that may be changed."""
    copy = tmp_path / "code" / "transforms"
    shutil.copytree(shelf.PROJECT, copy, ignore=shutil.ignore_patterns("target"))
    monkeypatch.setattr(shelf, "PROJECT", copy)
    return copy


def test_the_next_process_builds_on_any_date_without_dbt(core: str, kept: Path, tmp_path: Path) -> None:
    first = Refresher(Files(tmp_path / "first"), core)
    for day in (AS_OF, LATER):
        first.refresh(as_of=day)
    arguments = [str(kept), str(tmp_path / "second"), core]
    other = "2026-11-23"
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_DBT, *arguments, other, LATER], capture_output=True, text=True
    )
    assert ran.stdout.split() == ["rebuild", "replace"], ran.stderr
    assert tables(Files(tmp_path / "second")) == tables(first.files)


class TestVersion:
    def change(self, project: Path) -> None:
        (project / "models" / "marts" / "mart_income.sql").open("a").write("-- another\n")

    def rename(self, project: Path) -> None:
        (project / "macros" / "dot.sql").rename(project / "macros" / "week.sql")

    def remove(self, project: Path) -> None:
        (project / "tests" / "income_equals_ledgers.sql").unlink()

    @pytest.mark.parametrize("edit", [change, rename, remove])
    def test_a_changed_project_finds_nothing_of_the_old_one(
        self, kept: Path, project: Path, edit: Callable[..., None]
    ) -> None:
        old = Shelf()
        old.write("patch.json", b"old")
        assert Shelf().read("patch.json") == b"old"
        edit(self, project)
        assert Shelf().read("patch.json") is None

    def test_what_was_made_while_it_changed_is_not_kept(self, kept: Path, project: Path) -> None:
        old = Shelf()
        self.change(project)
        old.write("patch.json", b"of either")
        assert old.read("patch.json") is None

    def test_old_versions_go(self, kept: Path, project: Path) -> None:
        made = []
        for _ in range(shelf.KEPT + 2):
            self.change(project)
            made.append(Shelf())
            made[-1].write("patch.json", b"")
            os.utime(kept / made[-1].version, (len(made), len(made)))
        found = [one.read("patch.json") for one in made]
        assert found == [None, None, *[b""] * shelf.KEPT]


def test_two_processes_at_once_read_whole_files_only(kept: Path) -> None:
    size = 3_000_000
    Shelf().write("patch.json", b"0" * size)
    writers = [get_context("spawn").Process(target=_write, args=(kept, size, digit)) for digit in b"12"]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        found = Shelf().read("patch.json") or b""
        seen.add(found[:1])
        assert found == found[:1] * size
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert seen >= {b"1", b"2"}
    (place,) = kept.iterdir()
    assert [path.name for path in place.iterdir()] == ["patch.json"]


def test_where_nothing_can_be_kept_all_goes_on(kept: Path) -> None:
    kept.write_text("a file, where the directory should be")
    Shelf().write("patch.json", b"new")
    assert Shelf().read("patch.json") is None


def _write(place: Path, size: int, digit: int) -> None:
    shelf.PLACE = place
    for _ in range(30):
        Shelf().write("patch.json", bytes([digit]) * size)
