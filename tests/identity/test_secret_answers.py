"""Stored answers of commands have no secret: a call that answers one is marked and not stored."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import BaseModel
from sqlalchemy import text

from api.identity import passwords, sessions
from api.kit.http.routing import GatedRoute
from tests.support.client import Caller
from tests.support.fixtures import Site

IMITATE = "v2/system/ImitateLogin/imitate"
SECRETS = ("token", "sign_key", "password", "secret", "ticket", "cookie", "credential")


def fields_of(kind: Any, seen: set[Any]) -> set[str]:
    """Return the names of all fields within an answer's type."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if kind in seen:
            return set()
        seen.add(kind)
        found = set(kind.model_fields)
        return found.union(*(fields_of(field.annotation, seen) for field in kind.model_fields.values()))
    return set().union(*(fields_of(one, seen) for one in get_args(kind)))


def test_every_command_that_answers_a_secret_is_told_once(site: Site) -> None:
    from api.main import app

    told, untold = [], []
    for route in app.router.routes:
        if not isinstance(route, GatedRoute):
            continue
        names = fields_of(route.response_model, set())
        endpoint: Any = route.endpoint
        if endpoint._once and any(mark in name for name in names for mark in SECRETS):
            (told if endpoint._told_once else untold).append(route.path)
    assert untold == []
    assert told == [f"/{IMITATE}"]


def test_a_simulated_logins_token_is_not_kept(site: Site) -> None:
    admin, body = site.as_("admin"), {"user_id": site.world.user_clerk_a}
    first = admin.post(IMITATE, body, key="imitate-1")
    assert first.ok, first
    with site.engine.connect() as conn:
        kept = conn.execute(
            text("select k::text from idempotency_key k where key = 'imitate-1'")
        ).scalar_one()
    for secret in (first.data["token"], first.data["sign_key"]):
        assert secret not in kept
    again = admin.post(IMITATE, body, key="imitate-1")
    assert (again.code, again.msg) == (400, "该操作已经完成，结果只给出一次，请重新操作")
    assert Caller(site.http, first.data["token"], first.data["sign_key"]).get("system/user/isTokenInvalid").ok


def test_nobody_can_try_out_which_password_a_command_set(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest of a command is keyed: it is not that of its words alone."""
    from hashlib import blake2b

    import orjson

    monkeypatch.setattr(passwords, "hash_password", lambda password: "unused")
    body = {"user_id": site.world.user_nobody, "password": "guess-me-77"}
    path = "/v2/system/User/setPassword"
    assert site.as_("admin").post(path, body, key="password-1").ok
    with site.engine.connect() as conn:
        kept = conn.execute(
            text("select request_hash from idempotency_key where key = 'password-1'")
        ).scalar_one()
    told = orjson.dumps(["POST", path]) + orjson.dumps(body)
    assert kept != blake2b(told, digest_size=16).hexdigest()


def test_all_sessions_and_tokens_end_at_once(site: Site) -> None:
    with site.engine.begin() as conn:
        opened = sessions.open_session(conn, site.world.user_clerk_a)
        token = sessions.open_api_token(conn, site.world.user_clerk_a, 30)
        conn.execute(
            text(
                "insert into login_attempt (user_name, client, succeeded, session_id) values ('clerk_a', 'x', true, :id)"
            ),
            {"id": opened.session_id},
        )
        held = conn.begin_nested()
        sessions.end_all_sessions(conn, sessions.RESTORED)
        assert conn.execute(text("select count(*) from user_session")).scalar_one() == 0
        ended = conn.execute(
            text("select ended_how, ended_at is not null from login_attempt where session_id = :id"),
            {"id": opened.session_id},
        ).one()
        assert tuple(ended) == (sessions.RESTORED, True)
        held.rollback()
    assert Caller(site.http, token).get("system/user/isTokenInvalid").ok
