"""Shared by all tests: a real PostgreSQL 18 per run (per worker under xdist), migrated once a run as a template.

`database_url` clones the template, so that a module starts on a fresh migrated database in about a tenth of a second.
"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from api.kit.settings import read_settings as product_settings
from api.launch.postgres import EmbeddedPostgres
from tests.support import memory_tmpdir, shared_artifacts, type_rules
from tests.support.databases import TEMPLATE, cloned_database, running_server, shared_cluster
from tests.support.ports import free_port
from tests.support.shared_artifacts import copy_artifact, shared_artifact

# The same examples in every run; `HYPOTHESIS_PROFILE=explore` looks for new ones, and what it finds becomes an example.
settings.register_profile("suite", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

# The application's models, made once and kept, would be walked through again and again: an eighth of the tests' time.
gc.set_threshold(100_000, 20, 50)

pytest_plugins = ("tests.support.superset", "tests.support.demo_database")

SHARING = {
    "a running product": ("tests/e2e/",),
    "a Superset": ("tests/reports/", "tests/reporting/test_month_of_a_"),
    "the small group, the demo group and their warehouses": ("tests/warehouse/", "tests/demo/"),
}
"""What is dear to set up, and the tests of one worker that share it."""
LONGEST = (
    *itertools.chain(*SHARING.values()),
    "tests/kit/test_fuzz.py",
    "tests/shell/test_call_register.py",
    "tests/kit/test_declared_",
    "tests/reporting/test_report_papers.py",
    "tests/kit/test_bill_",
    "tests/launch/test_up.py",
    "tests/reporting/test_report_exports.py",
    "tests/identity/",
    "tests/master/test_text_reader.py",
    "tests/faults/test_kill.py",
    "tests/kit/",
    "tests/money/test_recalculation.py",
    "tests/importing/test_hostile.py",
    "tests/shell/",
    "tests/reporting/",
    "tests/launch/",
    "tests/faults/",
)
"""Where the longest tests stand (docs/test-profile.md): begun first, so that no worker is left alone with them at the end."""


class SharingScheduling(LoadFileScheduling):
    """A file is one worker's, as with `--dist loadfile`; so are the files that share what is dear to set up."""

    def _split_scope(self, nodeid: str) -> str:
        shared = (name for name, places in SHARING.items() if nodeid.startswith(places))
        return next(shared, super()._split_scope(nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """Asked by xdist in every mode; only `loadfile` is refined."""
    if config.getoption("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return SharingScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(
        key=lambda item: next(
            (at for at, place in enumerate(LONGEST) if item.nodeid.startswith(place)), len(LONGEST)
        )
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--type",
        action="append",
        default=[],
        help="ask the rules that hold for every declared type of this one alone; may be given several times",
    )


def pytest_configure(config: pytest.Config) -> None:
    # The product may be running beside the tests, on its own ports: nothing that they start or ask for is there.
    os.environ["ERP_PORT"] = str(free_port(neighbours=2))
    type_rules.SELECTED_TYPES[:] = config.getoption("--type")
    type_rules.FIRST_ONLY[:] = [True] if config.getoption("maxfail") == 1 else []
    if not hasattr(config, "workerinput"):
        memory_tmpdir.use_memory_tmpdir()
        shared_artifacts.begin_run()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shared_artifacts.end_run()


def pytest_sessionfinish() -> None:
    """All is over: pytest need not look through the models for garbage, as it does five times at the end."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def data_dir() -> Iterator[Path]:
    """A data directory of the run's own, so that no test touches the checkout's `.data`."""
    # Not under pytest's own base, which only we may enter: as root the server runs under another account.
    place = Path(tempfile.mkdtemp(prefix="erp-test-"))
    copy_artifact(shared_artifact("secrets", _draw_secrets) / "secrets.json", place)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATA_DIR", str(place))
        environment.delenv("ERP_DATABASE_URL", raising=False)
        yield place
    shutil.rmtree(place, ignore_errors=True)


def _draw_secrets(place: Path) -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATA_DIR", str(place))
        assert product_settings().secrets


@pytest.fixture(scope="session")
def postgres(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    """A running PostgreSQL 18 without durability; `postgres.url(name)` addresses a database of it."""
    copy_artifact(shared_cluster() / "postgres", data_dir)
    with running_server(data_dir) as server:
        yield server


@pytest.fixture(scope="session")
def template_database(postgres: EmbeddedPostgres) -> str:
    """The name of the migrated database that the others are cloned from."""
    return TEMPLATE


@pytest.fixture(scope="module")
def database_url(postgres: EmbeddedPostgres, template_database: str) -> Iterator[str]:
    """The address of a fresh migrated database, which is also the module's ERP_DATABASE_URL."""
    with cloned_database(postgres, template_database) as url, pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", url)
        yield url
