"""Database of the demo group, loaded once a run: masters of all eight companies, two years of a dealer and
of a station."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from api.kit.storage import database
from tests.support.databases import TEMPLATE, dispose_engines, run_statements, running_server, shared_cluster
from tests.support.shared_artifacts import copy_artifact, shared_artifact

TODAY = date(2026, 11, 20)
SIZE = "tiny"
DATABASE = "erp_demo"
TRADED = ("SH", "ZZ")
"""The companies with bills: the largest in one go, the other broken off in the middle and taken up again."""
BROKEN_AFTER = 8


@contextmanager
def use_database(url: str) -> Iterator[None]:
    """The application on another database."""
    dispose_engines()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", url)
        yield
        dispose_engines()


@pytest.fixture(scope="session")
def demo_url() -> Iterator[str]:
    """The address of a database with the demo group in it. Tests may read it."""
    place = Path(tempfile.mkdtemp(prefix="erp-demo-"))
    copy_artifact(shared_artifact("demo", _build_cluster) / "postgres", place)
    with running_server(place) as server:
        yield server.url(DATABASE)
    shutil.rmtree(place, ignore_errors=True)


def _build_cluster(place: Path) -> None:
    copy_artifact(shared_cluster() / "postgres", place)
    with running_server(place) as server:
        run_statements(server, f"create database {DATABASE} template {TEMPLATE} strategy file_copy")
        with use_database(server.url(DATABASE)):
            _load_group()


def _load_group() -> None:
    # Every run of tests reads this file: what declares all bills is read by those that need it.
    from api.demo import loader
    from api.identity.setup import ensure_admin

    with database.main_engine().begin() as conn:
        ensure_admin(conn, "Admin#123456")
        loader.insert_masters(conn, SIZE, TODAY)
        named = conn.exec_driver_sql("select company_code, company_id from company where company_code <> ''")
        ids = dict(named.tuples().all())
    whole, broken = (ids[code] for code in TRADED)
    loader.load_company(whole)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        _break_off(patch, loader)
        loader.load_company(broken)
    loader.load_company(broken)
    loader.trade_between([whole, broken])
    for company in (whole, broken):
        loader.close_company(company)


def _break_off(patch: pytest.MonkeyPatch, loading: Any) -> None:
    post, count = loading.post_portion, 0

    def breaking(*given: Any) -> None:
        nonlocal count
        count += 1
        if count == BROKEN_AFTER:
            raise KeyboardInterrupt
        post(*given)

    patch.setattr(loading, "post_portion", breaking)
