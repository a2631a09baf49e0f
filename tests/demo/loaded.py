"""The demo group, loaded once a run: masters of all eight companies, two years of a dealer and of a service station."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from api.kit import database
from tests.kit.databases import TEMPLATE, administer, cluster, let_go, served
from tests.kit.once import copy, made_once

TODAY = date(2026, 11, 20)
SIZE = "tiny"
DATABASE = "erp_demo"
TRADED = ("SH", "ZZ")
"""The companies with bills: the largest in one go, the other broken off in the middle and taken up again."""
BROKEN_AFTER = 8


@contextmanager
def served_by(url: str) -> Iterator[None]:
    """The application works on this database."""
    let_go()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", url)
        yield
        let_go()


@pytest.fixture(scope="session")
def demo_url() -> Iterator[str]:
    """The address of a database with the demo group in it. Tests may read it."""
    place = Path(tempfile.mkdtemp(prefix="erp-demo-"))
    copy(made_once("demo", _build) / "postgres", place)
    with served(place) as server:
        yield server.url(DATABASE)
    shutil.rmtree(place, ignore_errors=True)


def _build(place: Path) -> None:
    copy(cluster() / "postgres", place)
    with served(place) as server:
        administer(server, f"create database {DATABASE} template {TEMPLATE} strategy file_copy")
        with served_by(server.url(DATABASE)):
            _load()


def _load() -> None:
    # Every run of tests reads this file: what declares all bills is read by those that need it.
    from api.demo import loading
    from api.identity.setup import ensure_admin

    with database.engine().begin() as conn:
        ensure_admin(conn, "Admin#123456")
        loading.prepare(conn, SIZE, TODAY)
        named = conn.exec_driver_sql("select company_code, company_id from company where company_code <> ''")
        ids = dict(named.tuples().all())
    whole, broken = (ids[code] for code in TRADED)
    loading.load_company(whole)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        _break_off(patch, loading)
        loading.load_company(broken)
    loading.load_company(broken)
    loading.trade_between([whole, broken])
    for company in (whole, broken):
        loading.close_company(company)


def _break_off(patch: pytest.MonkeyPatch, loading: Any) -> None:
    post, count = loading.post_portion, 0

    def breaking(*given: Any) -> None:
        nonlocal count
        count += 1
        if count == BROKEN_AFTER:
            raise KeyboardInterrupt
        post(*given)

    patch.setattr(loading, "post_portion", breaking)
