"""The database: one that doesn't answer is not waited for."""

from __future__ import annotations

import socket
import time

import pytest
from sqlalchemy.exc import OperationalError

from api.kit import database


def test_a_server_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "CONNECT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        with pytest.raises(OperationalError):
            database.connect(f"postgresql://erp@127.0.0.1:{silent.getsockname()[1]}/erp").connect()
    assert time.monotonic() - began < 20
