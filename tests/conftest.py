"""Shared by all tests: a real PostgreSQL 18 per run (per worker under xdist), migrated once as a template.

`database_url` clones the template, so that a module starts on a fresh migrated database in about a tenth of a second.
"""

from __future__ import annotations

import gc
import importlib.util
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

from api.launch.postgres import EmbeddedPostgres
from tests.kit.databases import administer, fresh

# The same examples in every run; `HYPOTHESIS_PROFILE=explore` looks for new ones, and what it finds becomes an example.
settings.register_profile("suite", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

# The application's models, made once and kept, would be walked through again and again: an eighth of the tests' time.
gc.set_threshold(100_000, 20, 50)

pytest_plugins = ("tests.kit.superset", "tests.demo.loaded")

TEMPLATE = "erp_template"
SHARING = {
    "a running product": ("tests/e2e/",),
    "a Superset": ("tests/reports/", "tests/reporting/test_month_of_a_"),
    "the small group, the demo group and their warehouses": ("tests/warehouse/", "tests/demo/"),
    "the document of all calls": (
        "tests/kit/test_declared_",
        "tests/kit/test_directory.py",
        "tests/kit/test_fuzz.py",
        "tests/identity/test_access.py",
        "tests/identity/test_granting.py",
        "tests/identity/test_route_rights.py",
        "tests/shell/test_call_register.py",
    ),
}
"""What is dear to set up, and the tests of one worker that share it."""
LONGEST = (
    *itertools.chain(*SHARING.values()),
    "tests/reporting/",
    "tests/identity/test_every_hidden_field.py",
    "tests/identity/test_matrix.py",
    "tests/shell/test_every_export.py",
    "tests/launch/",
    "tests/kit/",
    "tests/faults/",
)
"""Where the longest tests stand: begun first, so that no worker is left alone with them at the end."""
FOR_TESTS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
    "autovacuum_naptime": "5min",
    # Of a few rows a planner without statistics thinks too much: starting workers costs more than all that they read.
    "max_parallel_workers_per_gather": "0",
}


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


def pytest_sessionfinish() -> None:
    """All is over: pytest need not look through the models for garbage, as it does five times at the end."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def data_dir() -> Iterator[Path]:
    """A data directory of the run's own, so that no test touches the checkout's `.data`."""
    # Not under pytest's own base, which only we may enter: as root the server runs under another account.
    place = Path(tempfile.mkdtemp(prefix="erp-test-"))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATA_DIR", str(place))
        environment.delenv("ERP_DATABASE_URL", raising=False)
        yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    """A running PostgreSQL 18 without durability; `postgres.url(name)` addresses a database of it."""
    server = EmbeddedPostgres(data_dir / "postgres", data_dir / "logs" / "postgres.log", FOR_TESTS)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def template_database(postgres: EmbeddedPostgres) -> str:
    """The name of the migrated database that the others are cloned from."""
    administer(postgres, f"create database {TEMPLATE}")
    if importlib.util.find_spec("api.migrations"):
        from api.migrations import upgrade

        upgrade(postgres.url(TEMPLATE))
    administer(
        postgres,
        f"alter database {TEMPLATE} with allow_connections false",
        f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{TEMPLATE}'",
    )
    return TEMPLATE


@pytest.fixture(scope="module")
def database_url(postgres: EmbeddedPostgres, template_database: str) -> Iterator[str]:
    """The address of a fresh migrated database, which is also the module's ERP_DATABASE_URL."""
    with fresh(postgres, template_database) as url, pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", url)
        yield url
