"""Logs: each line has its time; a log that can't be written breaks nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import IO

from api.kit.settings import PROJECT_DIR

SAY = """
import logging
from api.kit.logs import log_to_stderr
log_to_stderr()
logging.getLogger("warehouse.refresh").warning("差 %s 行", 7)
print("goes on")
"""


def run_saying(stderr: int | IO[bytes]) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", SAY]
    return subprocess.run(command, cwd=PROJECT_DIR, stdout=subprocess.PIPE, stderr=stderr)


def test_a_line_has_its_time() -> None:
    told = run_saying(subprocess.PIPE).stderr.decode()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} WARNING warehouse.refresh: 差 7 行\n", told)


def test_where_the_disk_is_full_the_process_goes_on() -> None:
    with open("/dev/full", "wb") as full:
        assert run_saying(full).stdout == b"goes on\n"
