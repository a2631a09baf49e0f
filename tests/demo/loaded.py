"""The demo group, loaded once a run: masters of all eight companies, two years of a dealer and of a service station."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

import pytest

from api.kit import database
from api.launch.postgres import EmbeddedPostgres
from tests.kit.databases import fresh, let_go

TODAY = date(2026, 11, 20)
SIZE = "tiny"
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
def demo_url(postgres: EmbeddedPostgres, template_database: str) -> Iterator[str]:
    """The address of a database with the demo group in it. Tests may read it."""
    with fresh(postgres, template_database) as url:
        with served_by(url):
            _load()
        yield url


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
