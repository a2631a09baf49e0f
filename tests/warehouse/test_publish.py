"""Published snapshots: those being read don't change, and files that nobody reads are used again."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from tests.warehouse.conftest import AS_OF
from warehouse import publish
from warehouse.extraction_state import Watermark
from warehouse.files import Files
from warehouse.refresh import Refresher

CHANGE = "create or replace table changed as select {} as number, range as row from range(300000)"
NUMBER = "select distinct number from changed"
HOLDER = """
import duckdb, sys
conn = duckdb.connect(sys.argv[1], read_only=True)
print(flush=True)
for line in sys.stdin:
    print(conn.execute(line).fetchone()[0], flush=True)
"""


def published_again(files: Files) -> int:
    draft = publish.copy_marts(files)
    return publish.publish_snapshot(
        files, draft, position=Watermark("1/1/1", "9:9:"), as_of=AS_OF, project="1"
    )


def publish_changed(files: Files, number: int) -> int:
    """Change the marts and publish them."""
    with duckdb.connect(str(files.marts)) as conn:
        conn.execute(CHANGE.format(number))
    return published_again(files)


def read_inode(files: Files, number: int) -> int:
    return (files.snapshots / str(number) / publish.SNAPSHOT_FILE).stat().st_ino


@pytest.fixture
def files(tmp_path: Path) -> Files:
    made = Files(tmp_path / "warehouse")
    made.create_directories()
    return made


class TestFiles:
    def test_old_ones_go(self, files: Files) -> None:
        for number in range(1, 6):
            assert publish_changed(files, number) == number
        assert sorted(path.name for path in files.snapshots.iterdir()) == ["3", "4", "5"]
        assert files.current.readlink().name == "5"

    @pytest.mark.skipif(sys.platform != "linux", reason="only there it is told whether a file is read")
    def test_the_oldest_becomes_the_next_and_all_of_it_is_the_next(self, files: Files) -> None:
        for number in range(1, 4):
            publish_changed(files, number)
        oldest = read_inode(files, 1)
        publish_changed(files, 4)
        assert read_inode(files, 4) == oldest
        with duckdb.connect(str(files.current / publish.SNAPSHOT_FILE), read_only=True) as conn:
            assert conn.execute(NUMBER).fetchall() == [(4,)]
            assert conn.execute("select snapshot from refreshed_at").fetchall() == [(4,)]
            assert conn.execute("select sum(row) from changed").fetchone() == (299999 * 150000,)

    @pytest.mark.parametrize(
        "size", [0, publish.CHUNK_SIZE - 1, publish.CHUNK_SIZE, 3 * publish.CHUNK_SIZE + 5]
    )
    @pytest.mark.parametrize("before", [b"", b"x" * publish.CHUNK_SIZE, b"y" * (4 * publish.CHUNK_SIZE)])
    def test_a_copy_is_whole(self, tmp_path: Path, size: int, before: bytes) -> None:
        source, target = tmp_path / "source", tmp_path / "target"
        source.write_bytes(os.urandom(size))
        target.write_bytes(before)
        publish._write_differences(source, target)
        assert target.read_bytes() == source.read_bytes()


class TestReaders:
    def test_what_this_process_reads_stays_as_it_was(self, files: Files) -> None:
        publish_changed(files, 1)
        with duckdb.connect(str(files.current.resolve() / publish.SNAPSHOT_FILE), read_only=True) as conn:
            read = read_inode(files, 1)
            for number in range(2, 7):
                publish_changed(files, number)
            assert conn.execute(NUMBER).fetchall() == [(1,)]
        assert read not in [read_inode(files, number) for number in (4, 5, 6)]

    def test_what_another_process_reads_stays_as_it_was(self, files: Files) -> None:
        publish_changed(files, 1)
        arguments = [sys.executable, "-c", HOLDER, str(files.current.resolve() / publish.SNAPSHOT_FILE)]
        pipe = subprocess.PIPE
        with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True) as holder:
            assert holder.stdin and holder.stdout
            holder.stdout.readline()
            for number in range(2, 7):
                publish_changed(files, number)
            print(NUMBER, file=holder.stdin, flush=True)
            assert holder.stdout.readline() == "1\n"
            holder.stdin.close()

    def test_readers_never_fail_while_snapshots_change(
        self, moved_in: Callable[[Path], Refresher], tmp_path: Path
    ) -> None:
        refresher = moved_in(tmp_path / "warehouse")
        stop, errors, seen = threading.Event(), [], set()

        def read() -> None:
            while not stop.is_set():
                try:
                    place = os.path.realpath(refresher.files.current)
                    with duckdb.connect(f"{place}/wh.duckdb", read_only=True) as conn:
                        seen.update(conn.execute("select snapshot from refreshed_at").fetchall())
                        conn.execute("select sum(closing_value) from mart_turnover_period").fetchall()
                except Exception as error:
                    errors.append(error)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for _ in range(10):
            published_again(refresher.files)
            time.sleep(0.05)
        stop.set()
        for reader in readers:
            reader.join()
        assert errors == []
        assert len(seen) > 3
