"""An import that is killed in the middle goes on where it stands."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from api.ledger import integrity_checks
from tests.importing.import_harness import ImportHarness, purchase_line, sale_line

BILLS, LINES = 40, 400


def build_lines() -> list[object]:
    found: list[object] = []
    for number in range(BILLS):
        day = f"2026-02-{number % 20 + 1:02d}"
        reference = f"KILL-{number}"
        found += [
            purchase_line(f"KILL{goods:04d}", 3, day=day, reference=reference) for goods in range(LINES)
        ]
    return found + [sale_line(f"KILL{goods:04d}", BILLS, day="2026-03-01") for goods in range(LINES)]


def test_a_killed_run_is_finished_by_the_next(bench: ImportHarness) -> None:
    path = bench.write_file(*build_lines())  # type: ignore[arg-type]
    bench.import_file(
        bench.write_file(
            *(purchase_line(f"KILL{goods:04d}", 1, day="2026-01-31") for goods in range(LINES)), name="a.csv"
        )
    )
    child = _start_import(path)
    try:
        while bench.count_bills() < 8:
            assert child.poll() is None, "the run ended before it could be killed"
            time.sleep(0.05)
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
    done = bench.count_bills() - 1
    assert done < BILLS
    report = bench.import_file(path)
    assert report.refused == []
    assert (report.known_bills, report.posted_bills) == (done, BILLS + 1 - done)
    assert bench.read_stock("KILL0007") == 1 + 3 * BILLS - BILLS
    with bench.engine.connect() as conn:
        assert [finding.check.name for finding in integrity_checks.run_checks(conn) if finding.count] == []


def _start_import(path: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.importing.run_import", str(path)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
