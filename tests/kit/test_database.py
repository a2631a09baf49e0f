"""The database: what doesn't answer is not waited for."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest
from sqlalchemy.exc import OperationalError

from api.kit.http.error_handlers import TOO_LONG
from api.kit.storage import database
from tests.support.fixtures import Site


def test_a_server_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "CONNECT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        with pytest.raises(OperationalError):
            database.build_engine(f"postgresql://erp@127.0.0.1:{silent.getsockname()[1]}/erp").connect()
    assert time.monotonic() - began < 20


@pytest.fixture
def impatient(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """The application, whose requests wait for a statement for no longer than a second."""
    monkeypatch.setattr(database, "STATEMENT_SECONDS", 1)
    database.request_engine.cache_clear()
    yield site
    database.request_engine().dispose()
    database.request_engine.cache_clear()


class TestLimits:
    def test_a_request_holds_on_to_no_statement_for_ever(
        self, impatient: Site, caplog: pytest.LogCaptureFixture
    ) -> None:
        units, path = impatient.as_("admin"), "v2/system/Unit/getList"
        with impatient.engine.begin() as other:
            other.exec_driver_sql("lock table unit")
            answer = units.get(path)
        assert (answer.code, answer.msg) == (400, TOO_LONG)
        assert path in caplog.text
        assert "statement timeout" in caplog.text
        assert units.get(path).ok

    def test_jobs_take_as_long_as_they_need(self, site: Site) -> None:
        def read_limit(limit: str) -> list[str]:
            found = []
            for engine in (database.request_engine(), database.side_engine(), database.main_engine()):
                with engine.connect() as conn:
                    found.append(conn.exec_driver_sql(f"show {limit}").scalar_one())
            return found

        assert read_limit("statement_timeout") == ["90s", "90s", "0"]
        assert read_limit("idle_in_transaction_session_timeout") == ["5min", "5min", "0"]
