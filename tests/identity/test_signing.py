"""Signed requests: what a session sends must be signed, fresh and unaltered; API tokens need no signature."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import text

from api.identity import sessions
from tests.kit.client import Caller
from tests.kit.fixtures import Site

MINUTE = 60_000


@pytest.fixture
def caller(site: Site) -> Caller:
    with site.engine.begin() as conn:
        opened = sessions.open_session(conn, site.world.user_manager_a)
    return Caller(site.http, opened.token, opened.sign_key)


def now() -> int:
    return time.time_ns() // 1_000_000


class TestSign:
    def test_a_signed_get_and_post_pass(self, caller: Caller) -> None:
        assert caller.get("v2/system/Unit/getList", keyword="条 &=%中", per_page=10).ok
        assert caller.post("v2/system/Unit/add", {"unit_name": "套"}).ok

    def test_a_signed_form_passes(self, caller: Caller) -> None:
        assert caller.post("v2/system/Unit/add", form={"unit_name": "箱 & 盒"}).ok

    def test_without_one_it_is_refused(self, site: Site, caller: Caller) -> None:
        answer = Caller(site.http, caller.token).get("v2/system/Unit/getList")
        assert (answer.status, answer.code, answer.msg) == (402, 402, "请求缺少签名，请刷新页面后重试")

    @pytest.mark.parametrize("sign", ["0" * 64, "", "é"])
    def test_a_wrong_one_is_refused(self, caller: Caller, sign: str) -> None:
        assert caller.send("GET", "v2/system/Unit/getList", sign=sign).code == 402

    @pytest.mark.parametrize("minutes", [-6, 6])
    def test_an_old_or_future_one_is_refused(self, caller: Caller, minutes: int) -> None:
        answer = caller.send("GET", "v2/system/Unit/getList", signed_at=now() + minutes * MINUTE)
        assert (answer.code, answer.msg) == (402, "请求已过期，请校准本机时间后重试")

    @pytest.mark.parametrize("minutes", [-4, 4])
    def test_inside_the_window_it_passes(self, caller: Caller, minutes: int) -> None:
        assert caller.send("GET", "v2/system/Unit/getList", signed_at=now() + minutes * MINUTE).ok

    @pytest.mark.parametrize("stamp", ["²", "1" * 5000, "1e13", "-5", ""])
    def test_a_stamp_that_is_no_time_is_refused(self, site: Site, caller: Caller, stamp: str) -> None:
        answer = Caller(site.http, caller.token).get(
            "v2/system/Unit/getInfo", id=1, timeStamp=stamp, sign="x"
        )
        assert answer.code == 402

    def test_altered_content_is_refused(self, site: Site, caller: Caller) -> None:
        """The signature of one body, query, path or method does not fit another."""
        from urllib.parse import urlencode

        from api.kit.signing import signature

        stamp = now()
        query = urlencode({"timeStamp": stamp})
        path, body = "/v2/system/Unit/add", b'{"unit_name":"A"}'
        assert caller.sign_key
        sign = signature(caller.sign_key, "POST", path, query, body)
        plain = Caller(site.http, caller.token)
        sent = {"timeStamp": stamp, "sign": sign}
        assert plain.send("POST", path, b'{"unit_name":"B"}', query=sent).code == 402
        assert plain.send("POST", "/v2/system/Unit/edit", body, query=sent).code == 402
        assert plain.send("POST", path, body, query={**sent, "extra": "1"}).code == 402
        assert plain.send("POST", path, body, query=sent).ok

    def test_another_sessions_key_does_not_sign(self, site: Site, caller: Caller) -> None:
        with site.engine.begin() as conn:
            other = sessions.open_session(conn, site.world.user_manager_a)
        assert Caller(site.http, caller.token, other.sign_key).get("v2/system/Unit/getList").code == 402

    def test_a_replay_with_its_key_has_no_second_effect(self, site: Site, caller: Caller) -> None:
        body, key = {"unit_name": "只此一次"}, "replay-1"
        stamp = now()
        first, again = (
            caller.send("POST", "v2/system/Unit/add", body, key=key, signed_at=stamp) for _ in range(2)
        )
        assert first.ok
        assert (again.code, again.data) == (200, first.data)


class TestApiToken:
    def test_it_needs_no_signature(self, site: Site) -> None:
        assert site.as_("manager_a").get("v2/system/Unit/getList").ok

    def test_it_ends(self, site: Site) -> None:
        with site.engine.begin() as conn:
            token = sessions.open_api_token(conn, site.world.user_manager_a, 1)
            conn.execute(text("update user_session set expires_at = now() where sign_key is null"))
        assert Caller(site.http, token).get("v2/system/Unit/getList").code == 401
