"""Accidents are answered in words, and by whether anything may have been done."""

from __future__ import annotations

from errno import ENOSPC

import psycopg
import pytest
from fastapi import FastAPI
from psycopg.errors import DiskFull, LockNotAvailable
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from api.kit.http.error_handlers import install_error_handlers

AWAY = "数据库繁忙或暂时不可用，请稍后重试"


@pytest.mark.parametrize(
    ("accident", "code", "msg"),
    [
        (OperationalError("commit", {}, psycopg.OperationalError("server closed")), 500, AWAY),
        (OperationalError("insert", {}, LockNotAvailable()), 400, AWAY),
        (OperationalError("insert", {}, DiskFull()), 400, "服务器磁盘已满，请联系管理员"),
        (OSError(ENOSPC, "No space left on device"), 500, "服务器磁盘已满，请联系管理员"),
        (KeyError("x"), 500, "系统出错，请联系管理员"),
    ],
    ids=["the database went away", "it is busy", "its disk is full", "our disk is full", "a mistake of ours"],
)
def test_what_may_have_been_done_is_not_told_as_a_refusal(accident: Exception, code: int, msg: str) -> None:
    """A browser forgets the key of what was refused, and would do it twice."""
    app = FastAPI()
    install_error_handlers(app)

    @app.get("/")
    def fail() -> None:
        raise accident

    answer = TestClient(app, raise_server_exceptions=False).get("/")
    assert (answer.status_code, answer.json()["code"], answer.json()["msg"]) == (code, code, msg)
