"""Superset's own login is closed, unless it is opened for maintenance; then tries are counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from reports.superset_patches.login_middleware import SECONDS, SETTING, TRIES, LoginMiddleware


def answer_behind(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [])
    return [b"superset"]


def read_status(door: LoginMiddleware, path: str, method: str = "POST") -> str:
    said: list[str] = []
    list(door({"PATH_INFO": path, "REQUEST_METHOD": method}, lambda line, headers: said.append(line[:3])))
    return said[0]


@pytest.mark.parametrize(
    "path", ["/login/", "/login", "//login/", "/Login/", "/api/v1/security/login", "/api/v1/security/refresh"]
)
def test_it_is_closed(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    door = LoginMiddleware(answer_behind)
    assert [read_status(door, path, method) for method in ("GET", "POST")] == ["404", "404"]


def test_all_else_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    door = LoginMiddleware(answer_behind)
    for path in (
        "/health",
        "/api/v1/chart/data",
        "/api/v1/security/csrf_token/",
        "/superset/welcome/",
        "/logins",
    ):
        assert read_status(door, path) == "200", path


def test_open_it_takes_few_tries_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "open")
    clock = [1000.0]
    monkeypatch.setattr("reports.superset_patches.login_middleware.time.monotonic", lambda: clock[0])
    door = LoginMiddleware(answer_behind)
    answers = [read_status(door, "/login/") for _ in range(TRIES)] + [
        read_status(door, "/api/v1/security/login")
    ]
    assert answers == ["200"] * TRIES + ["429"]
    assert read_status(door, "/login/", "GET") == "200"
    clock[0] += SECONDS
    assert read_status(door, "/login/") == "200"
