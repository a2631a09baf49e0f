"""A pytest plugin that charges wall time and processor seconds to files and to what is set up.

Each worker charges to one account at a time: imports, a kind of set-up, the tests of a file, or the end. Processor seconds
are those of the worker and of all its descendants (servers, browsers, Superset), so that what a server does in the
background is charged to whoever is at work meanwhile. Loaded by `python -m tests.profile`, which tells by the environment where to.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

PLACE = "ERP_TESTS_PROFILE"
TESTS, IMPORTS, END = "tests", "imports and collection", "end"
SET_UPS = {
    "Postgres": ("postgres", "template_database", "database_url", "data_dir"),
    "small group": ("world", "site"),
    "demo group": ("demo_url", "demo_figures", "loaded", "resumed"),
    "warehouse": (
        "figures",
        "group",
        "own_group",
        "own_warehouse",
        "refresh",
        "moved_in",
        "purchased",
        "outcome",
    ),
    "Superset": ("superset", "report_environment", "rendered"),
    "running product": ("system", "installation", "server", "compose", "services"),
    "browser": ("chromium",),
}
"""What is set up, by the fixtures that do it; all others are the tests' own data."""
OTHER = "data of the tests"
_KINDS = {fixture: kind for kind, fixtures in SET_UPS.items() for fixture in fixtures}

Account = tuple[str, str]
"""File, and what was done for it."""


WORKER = os.environ.get("PYTEST_XDIST_WORKER")


def read_processor_seconds() -> float:
    """Return the processor seconds of this process, and of all that a worker runs or has waited for."""
    if WORKER is None:
        return time.process_time()  # what the controller runs are workers, which tell themselves
    own = psutil.Process()
    total = 0.0
    for process in (own, *own.children(recursive=True)):
        with suppress(psutil.Error):
            total += sum(process.cpu_times()[:4])
    return total


class Meter:
    """Charges what has passed since it was last asked to the account that is open."""

    def __init__(self) -> None:
        self.charged: dict[Account, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.open: Account = ("", IMPORTS)
        self._wall, self._processor = psutil.Process().create_time(), 0.0

    def switch_to(self, account: Account) -> Account:
        """Close the open account, open another, and return the closed one."""
        wall, processor = time.time(), read_processor_seconds()
        entry = self.charged[self.open]
        entry[0] += wall - self._wall
        entry[1] += max(processor - self._processor, 0.0)
        self._wall, self._processor = wall, processor
        before, self.open = self.open, account
        return before


_meter = Meter()


def pytest_collection_finish() -> None:
    _meter.switch_to(("", END))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    account = (item.nodeid.split("::")[0], TESTS)
    if _meter.open != account:
        _meter.switch_to(account)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
    if fixturedef.scope in ("function", "class"):
        return (yield)
    before = _meter.switch_to((_meter.open[0], _KINDS.get(fixturedef.argname, OTHER)))
    try:
        return (yield)
    finally:
        _meter.switch_to(before)


def pytest_sessionfinish() -> None:
    _meter.switch_to(("", END))


def pytest_unconfigure() -> None:
    _meter.switch_to(("", END))
    rows = [[*account, *entry] for account, entry in _meter.charged.items()]
    Path(os.environ[PLACE], f"{WORKER or 'controller'}.json").write_text(json.dumps(rows))
