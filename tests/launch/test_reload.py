"""Code that changes starts its process anew, and stopping leaves nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from api.kit.settings import read_settings
from api.launch.health import Service
from api.launch.launcher import CHILD_COMMANDS, Launcher
from api.launch.process import spawn_child, stop_child, wait_until
from api.launch.reload import (
    FOLDERS,
    build_web_process,
    keep_healthy,
    watch_command,
    watched_folders,
    web_address,
)
from tests.support.ports import free_port

PROGRAM = """
import pathlib, time
with pathlib.Path({starts!r}).open("a") as file:
    file.write("start\\n")
{work}
"""


class WatchedProgram:
    """A program in a folder that is watched, which notes each of its starts."""

    def __init__(self, place: Path) -> None:
        self.code, self.starts = place / "code" / "program.py", place / "starts"
        self.code.parent.mkdir()
        self.write("time.sleep(600)")
        self.process = spawn_child(
            watch_command([sys.executable, str(self.code)], [self.code.parent]), cwd=place, stdout=None
        )

    def write(self, work: str) -> None:
        self.code.write_text(PROGRAM.format(starts=str(self.starts), work=work))

    def has_started(self, times: int) -> bool:
        return self.starts.exists() and len(self.starts.read_text().splitlines()) == times


@pytest.fixture
def running(tmp_path: Path) -> Iterator[WatchedProgram]:
    made = WatchedProgram(tmp_path)
    yield made
    stop_child(made.process)


class TestReload:
    def test_a_change_starts_it_anew(self, running: WatchedProgram) -> None:
        assert wait_until(lambda: running.has_started(1), 60)
        running.write("time.sleep(601)")
        assert wait_until(lambda: running.has_started(2), 60)

    def test_a_mistake_waits_for_its_correction(self, running: WatchedProgram) -> None:
        assert wait_until(lambda: running.has_started(1), 60)
        running.write("raise SystemExit('a mistake')")
        assert wait_until(lambda: running.has_started(2), 60)
        assert running.process.poll() is None
        running.write("time.sleep(600)")
        assert wait_until(lambda: running.has_started(3), 60)

    def test_every_watched_folder_is_there(self) -> None:
        assert all(folder.is_dir() for part in FOLDERS for folder in watched_folders(part))


def test_who_starts_anew_is_not_ended_for_its_silence() -> None:
    answers = iter([False, True, False])
    probe = keep_healthy(lambda: next(answers))
    assert [probe(), probe(), probe(), probe()] == [False, True, True, True]


def test_in_development_every_core_process_is_watched(tmp_path: Path) -> None:
    config = replace(read_settings(), data_dir=tmp_path)
    for part in Service:
        plain, watched = (
            Launcher(config, reload=reload)._build_core_process(part, "") for reload in (False, True)
        )
        assert plain.command[-1] == CHILD_COMMANDS[part]
        assert watched.command == watch_command(plain.command, watched_folders(part))


def test_the_web_is_served_from_its_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VITE_PORT", str(free_port()))
    child = build_web_process()
    process = spawn_child(child.command, cwd=child.cwd, stdout=None)
    try:
        assert wait_until(child.probe, 240)
        page = httpx.get(f"{web_address()}/index.html", timeout=120).text
    finally:
        stop_child(process)
    assert "/src/main.tsx" in page and "/@vite/client" in page
    assert not child.probe()
