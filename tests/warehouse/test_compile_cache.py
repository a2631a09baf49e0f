"""Compile cache: later processes of one version need no dbt, and a changed project finds nothing of the
old one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest

from tests.warehouse.conftest import AS_OF, copy_parsed_project, digest_tables
from warehouse import compile_cache
from warehouse.compile_cache import CompileCache
from warehouse.files import Files
from warehouse.refresh import Refresher
from warehouse.transform import Mode, Model, Project

LATER = "2026-12-03"
# A process to which dbt does not exist: load a warehouse, and go on to another business date.
WITHOUT_DBT = """
import sys
from pathlib import Path
sys.modules["dbt"] = None
from warehouse import compile_cache
from warehouse.files import Files
from warehouse.refresh import Refresher

kept, directory, url, *days = sys.argv[1:]
compile_cache.CACHE_DIRECTORY = Path(kept)
refresher = Refresher(Files(Path(directory)), url)
for day in days:
    print(refresher.refresh(as_of=day).mode)
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place to keep things in."""
    monkeypatch.setattr(compile_cache, "CACHE_DIRECTORY", tmp_path / "shelf")
    return tmp_path / "shelf"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project that may be changed."""
    copy = tmp_path / "code" / "transforms"
    shutil.copytree(compile_cache.PROJECT, copy, ignore=shutil.ignore_patterns("target"))
    monkeypatch.setattr(compile_cache, "PROJECT", copy)
    return copy


def test_the_next_process_builds_on_any_date_without_dbt(
    core: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "shelf"
    copy_parsed_project(kept)
    monkeypatch.setattr(compile_cache, "CACHE_DIRECTORY", kept)
    first = Refresher(Files(tmp_path / "first"), core)
    for day in (AS_OF, LATER):
        first.refresh(as_of=day)
    arguments = [str(kept), str(tmp_path / "second"), core]
    other = "2026-11-23"
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_DBT, *arguments, other, LATER], capture_output=True, text=True
    )
    assert ran.stdout.split() == ["rebuild", "replace"], ran.stderr
    assert digest_tables(Files(tmp_path / "second")) == digest_tables(first.files)


class TestVersion:
    def change(self, project: Path) -> None:
        (project / "models" / "marts" / "finance" / "mart_income.sql").open("a").write("-- another\n")

    def rename(self, project: Path) -> None:
        (project / "macros" / "dot.sql").rename(project / "macros" / "week.sql")

    def remove(self, project: Path) -> None:
        (project / "tests" / "income_equals_ledgers.sql").unlink()

    @pytest.mark.parametrize("edit", [change, rename, remove])
    def test_a_changed_project_finds_nothing_of_the_old_one(
        self, kept: Path, project: Path, edit: Callable[..., None]
    ) -> None:
        old = CompileCache()
        old.write("patch.json", b"old")
        assert CompileCache().read("patch.json") == b"old"
        edit(self, project)
        assert CompileCache().read("patch.json") is None

    def test_what_was_made_while_it_changed_is_not_kept(self, kept: Path, project: Path) -> None:
        old = CompileCache()
        self.change(project)
        old.write("patch.json", b"of either")
        assert old.read("patch.json") is None

    def test_old_versions_go(self, kept: Path, project: Path) -> None:
        made = []
        for _ in range(compile_cache.MAX_VERSIONS + 2):
            self.change(project)
            made.append(CompileCache())
            made[-1].write("patch.json", b"")
            os.utime(kept / made[-1].version, (len(made), len(made)))
        found = [one.read("patch.json") for one in made]
        assert found == [None, None, *[b""] * compile_cache.MAX_VERSIONS]


def test_two_processes_at_once_read_whole_files_only(kept: Path) -> None:
    size = 3_000_000
    CompileCache().write("patch.json", b"0" * size)
    writers = [get_context("spawn").Process(target=_write_often, args=(kept, size, digit)) for digit in b"12"]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        found = CompileCache().read("patch.json") or b""
        seen.add(found[:1])
        assert found == found[:1] * size
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert seen >= {b"1", b"2"}
    (place,) = kept.iterdir()
    assert [path.name for path in place.iterdir()] == ["patch.json"]


def test_two_processes_at_once_have_dbt_make_it_once(kept: Path, tmp_path: Path) -> None:
    told, together = tmp_path / "told", get_context("spawn").Barrier(2)
    askers = [
        get_context("spawn").Process(target=_build_alone, args=(kept, told, together)) for _ in range(2)
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert [asker.exitcode for asker in askers] == [0, 0]
    assert told.read_text() == "tests\nrun\n"


def test_where_nothing_can_be_kept_all_goes_on(kept: Path) -> None:
    kept.write_text("a file, where the directory should be")
    CompileCache().write("patch.json", b"new")
    assert CompileCache().read("patch.json") is None


def _build_alone(place: Path, log: Path, together: Barrier) -> None:
    """Test and build a warehouse in a process of its own, with a dbt that takes long and logs its steps."""

    def record_step(what: str, answer: Any) -> Any:
        with log.open("a") as file:
            file.write(f"{what}\n")
        time.sleep(0.5)
        return answer

    class SlowProject(Project):
        _models = [Model("model.erp.a", "facts", (), view=False, changed="")]

        def _compile_tests(self, as_of: str, select: Sequence[str]) -> list[dict[str, str]]:
            return record_step("tests", [{"name": "a", "label": "a", "sql": "select 1"}])

        def _run_by_dbt(self, mode: Mode, models: Sequence[str], as_of: str) -> None:
            self._store(mode, record_step("run", dict.fromkeys(models, "select 1")))

        def _run(self, mode: Mode, models: Sequence[str], as_of: str) -> None:
            assert self._statements(mode).keys() == set(models)

    compile_cache.CACHE_DIRECTORY = place
    project = SlowProject(Files(place))
    together.wait()
    assert [test.sql for test in project._list_tests(AS_OF, ["a"])] == ["select 1"]
    project.build("rebuild", as_of=AS_OF)


def _write_often(place: Path, size: int, digit: int) -> None:
    compile_cache.CACHE_DIRECTORY = place
    for _ in range(30):
        CompileCache().write("patch.json", bytes([digit]) * size)
