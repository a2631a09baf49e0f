"""Signed requests: what a session sends must be signed, fresh and unaltered; API tokens need no signature."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import orjson
import pytest
from sqlalchemy import event, text

from api.identity import sessions
from api.identity.setup import issue_token
from api.kit.errors import Refusal
from api.kit.signing import compute_signature
from api.kit.storage import database
from tests.support.bill_client import BillClient
from tests.support.client import Caller
from tests.support.fixtures import Site

MINUTE = 60_000


@pytest.fixture
def caller(site: Site) -> Caller:
    with site.engine.begin() as conn:
        opened = sessions.open_session(conn, site.world.user_manager_a)
    return Caller(site.http, opened.token, opened.sign_key)


def current_millis() -> int:
    return time.time_ns() // 1_000_000


@contextmanager
def record_statements() -> Iterator[list[str]]:
    """Yield the list of SQL statements that requests execute meanwhile."""
    said: list[str] = []

    def note(conn: object, cursor: object, statement: str, *_: object) -> None:
        said.append(statement)

    engine = database.request_engine()
    event.listen(engine, "before_cursor_execute", note)
    yield said
    event.remove(engine, "before_cursor_execute", note)


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
        answer = caller.send("GET", "v2/system/Unit/getList", signed_at=current_millis() + minutes * MINUTE)
        assert (answer.code, answer.msg) == (402, "请求已过期，请校准本机时间后重试")

    @pytest.mark.parametrize("minutes", [-4, 4])
    def test_inside_the_window_it_passes(self, caller: Caller, minutes: int) -> None:
        assert caller.send("GET", "v2/system/Unit/getList", signed_at=current_millis() + minutes * MINUTE).ok

    @pytest.mark.parametrize("stamp", ["²", "1" * 5000, "1e13", "-5", ""])
    def test_a_stamp_that_is_no_time_is_refused(self, site: Site, caller: Caller, stamp: str) -> None:
        answer = Caller(site.http, caller.token).get(
            "v2/system/Unit/getInfo", id=1, timeStamp=stamp, sign="x"
        )
        assert answer.code == 402

    def test_altered_content_is_refused(self, site: Site, caller: Caller) -> None:
        """The signature of one body, query, path or method does not fit another."""
        from urllib.parse import urlencode

        from api.kit.signing import compute_signature

        stamp = current_millis()
        query = urlencode({"timeStamp": stamp})
        path, body = "/v2/system/Unit/add", b'{"unit_name":"A"}'
        assert caller.sign_key
        sign = compute_signature(caller.sign_key, "POST", path, query, body)
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
        stamp = current_millis()
        first, again = (
            caller.send("POST", "v2/system/Unit/add", body, key=key, signed_at=stamp) for _ in range(2)
        )
        assert first.ok
        assert (again.code, again.data) == (200, first.data)


class TestReplay:
    """Who catches a signed request and sends it again has no second effect, whatever key it bears now."""

    PATH = "/v2/system/Unit/add"

    def sign_request(self, caller: Caller, name: str) -> tuple[bytes, dict[str, object]]:
        """Return a body and the query that signs it."""
        body, stamp = f'{{"unit_name":"{name}"}}'.encode(), current_millis()
        assert caller.sign_key
        made = compute_signature(caller.sign_key, "POST", self.PATH, urlencode({"timeStamp": stamp}), body)
        return body, {"timeStamp": stamp, "sign": made}

    def count_units(self, caller: Caller, name: str) -> int:
        total: int = caller.get("v2/system/Unit/getList", unit_name=name).data["total"]
        return total

    @pytest.mark.parametrize(
        ("first", "again", "code"),
        [(None, None, 402), (None, "other", 400), ("mine", None, 402), ("mine", "other", 400)],
    )
    def test_under_another_key_or_none(
        self, site: Site, caller: Caller, first: str | None, again: str | None, code: int
    ) -> None:
        name = f"再{first}{again}"
        body, query = self.sign_request(caller, name)
        plain = Caller(site.http, caller.token)
        keys = [key and f"{key}-of-{first}-{again}" for key in (first, again)]
        assert plain.send("POST", self.PATH, body, query=query, key=keys[0]).ok
        # Else the name alone would refuse it.
        unit = caller.get("v2/system/Unit/getList", unit_name=name).data["data"][0]
        assert caller.post("v2/system/Unit/del", {"ids": [unit["unit_id"]]}).ok
        answer = plain.send("POST", self.PATH, body, query=query, key=keys[1])
        assert answer.code == code, answer
        assert self.count_units(caller, name) == 0

    @pytest.mark.parametrize("key", [None, "refused"])
    def test_of_what_was_refused(self, site: Site, caller: Caller, key: str | None) -> None:
        """Once what it was refused for is no more."""
        name = f"重名{key}"
        unit = caller.post("v2/system/Unit/add", {"unit_name": name}).data["id"]
        body, query = self.sign_request(caller, name)
        plain = Caller(site.http, caller.token)
        assert "已存在" in plain.send("POST", self.PATH, body, query=query, key=key).msg
        assert caller.post("v2/system/Unit/del", {"ids": [unit]}).ok
        answer = plain.send("POST", self.PATH, body, query=query, key=key)
        assert answer.code == (400 if key else 402), answer
        assert self.count_units(caller, name) == 0
        assert caller.post("v2/system/Unit/add", {"unit_name": name}, key=key).ok

    def test_a_batch(self, site: Site, desk: BillClient) -> None:
        with site.engine.begin() as conn:
            opened = sessions.open_session(conn, site.world.user_admin)
        caller, plain = Caller(site.http, opened.token, opened.sign_key), Caller(site.http, opened.token)
        bill = desk.draft("sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "200"})

        def status() -> int:
            found: int = desk.caller.get(desk.path("sales_order", "getInfo"), id=bill.id).data["status"]
            return found

        drafted = status()
        path = "/" + desk.path("sales_order", "auditorPass")
        body, stamp = orjson.dumps({"ids": [bill.id]}), current_millis()
        made = compute_signature(opened.sign_key, "POST", path, urlencode({"timeStamp": stamp}), body)
        query = {"timeStamp": stamp, "sign": made}
        assert plain.send("POST", path, body, query=query, key="audit-1").ok
        assert caller.post(desk.path("sales_order", "antiAuditor"), {"ids": [bill.id]}).ok
        assert plain.send("POST", path, body, query=query, key="audit-2").code == 400
        assert status() == drafted

    def test_a_batch_without_a_key_is_done_whole(self, site: Site, desk: BillClient) -> None:
        """And once: neither what was done nor what was refused is tried again."""
        with site.engine.begin() as conn:
            opened = sessions.open_session(conn, site.world.user_admin)
        plain, line = (
            Caller(site.http, opened.token),
            {"goods_id": site.world.oil, "quantity": "1", "price": "200"},
        )
        bills = [desk.draft("sales_order", line) for _ in range(3)]
        assert desk.apply_action("auditorPass", bills[2]).ok
        path = "/" + desk.path("sales_order", "auditorPass")
        body, stamp = orjson.dumps({"ids": [bill.id for bill in bills]}), current_millis()
        made = compute_signature(opened.sign_key, "POST", path, urlencode({"timeStamp": stamp}), body)
        query = {"timeStamp": stamp, "sign": made}
        answer = plain.send("POST", path, body, query=query)
        assert answer.data["success"] == [bill.id for bill in bills[:2]], answer
        assert [row["serial"] for row in answer.data["failures"]] == [bills[2].no]
        assert desk.apply_action("antiAuditor", *bills).ok
        assert plain.send("POST", path, body, query=query).code != 200
        read = [desk.caller.get(desk.path("sales_order", "getInfo"), id=bill.id).data for bill in bills]
        assert {row["status"] for row in read} == {1}

    def test_it_takes_no_more_statements_of_who_sends_a_key(self, site: Site, caller: Caller) -> None:
        with record_statements() as statements:
            assert caller.post("v2/system/Unit/add", {"unit_name": "数语句"}, key="count-1").ok
        assert sum("idempotency_key" in one for one in statements) == 2
        with record_statements() as statements:
            assert caller.post("v2/system/Unit/add", {"unit_name": "数语句2"}).ok
        assert sum("idempotency_key" in one for one in statements) == 1


class TestApiToken:
    def test_it_needs_no_signature(self, site: Site) -> None:
        assert site.as_("manager_a").get("v2/system/Unit/getList").ok

    def test_it_has_the_rights_of_its_scope_alone(self, site: Site) -> None:
        with site.engine.begin() as conn:
            token = sessions.open_api_token(
                conn, site.world.user_admin, 1, "官网", ["unit:list", "goods:*", "*:export"]
            )
        caller = Caller(site.http, token)
        assert caller.get("v2/system/Unit/getList").ok
        assert caller.get("v2/system/Goods/getList").ok
        assert caller.post("v2/system/Unit/export").ok
        assert caller.post("v2/system/Unit/add", {"unit_name": "越界"}).code == 403
        assert caller.get("v2/system/Supplier/getList").code == 403
        refused = caller.post("v2/open/UserPreference/save", {"kind": "seen", "name": "a", "value": 1})
        assert (refused.code, refused.msg) == (403, "接口令牌的范围不包含此操作")

    def test_its_scope_is_no_more_than_its_users_rights(self, site: Site) -> None:
        with site.engine.begin() as conn:
            token = sessions.open_api_token(conn, site.world.user_nobody, 1, "官网", ["unit:list"])
        assert Caller(site.http, token).get("v2/system/Unit/getList").code == 403

    def test_what_it_does_is_marked_in_the_business_log(self, site: Site, caller: Caller) -> None:
        with site.engine.begin() as conn:
            token = sessions.open_api_token(conn, site.world.user_admin, 1, "官网")
        made = Caller(site.http, token).post("v2/system/Unit/add", {"unit_name": "对接来的"})
        own = caller.post("v2/system/Unit/add", {"unit_name": "自己录的"})
        query = "select imitator_name from business_log where resource = 'unit' and record_id = :id"
        with site.engine.connect() as conn:
            found = [conn.execute(text(query), {"id": one.data["id"]}).scalar_one() for one in (made, own)]
        assert found == ["接口令牌：官网", None]
        own = site.as_("admin").get("v2/system/Unit/getLog", id=made.data["id"]).data
        assert [entry["imitator_name"] for entry in own] == found[:1], "the record's own log tells it as well"

    def test_its_use_scope_and_end_are_shown(self, site: Site) -> None:
        with site.engine.begin() as conn:
            token = sessions.open_api_token(conn, site.world.user_nobody, 3, "仓库", ["unit:list"])
            conn.execute(
                text("update user_session set seen_at = now() - interval '1 day' where token_name = '仓库'")
            )

        def shown() -> dict[str, str]:
            rows = site.as_("admin").get("v2/system/User/getSessions", user_id=site.world.user_nobody).data
            [row] = [one for one in rows if "仓库" in one["kind"]]
            return dict(row)

        before = shown()
        assert before["kind"] == "接口令牌：仓库（限 unit:list）"
        assert before["expires_at"]
        Caller(site.http, token).get("system/user/isTokenInvalid")
        assert shown()["seen_at"] > before["seen_at"]

    def test_handing_one_out_is_in_the_business_log(self, site: Site) -> None:
        token = issue_token("manager_a", 30, "官网", ["unit:list"])
        assert Caller(site.http, token).get("v2/system/Unit/getList").ok
        query = "select reason, after::text from business_log where resource = 'user_account' order by log_id desc limit 1"
        with site.engine.connect() as conn:
            told = conn.execute(text(query)).one()
        assert told.reason == "发放接口令牌“官网”，30天，范围：unit:list"
        assert token not in f"{told}"
        with pytest.raises(Refusal, match="没有权限 unit:fly"):
            issue_token("manager_a", 30, None, ["unit:fly"])

    def test_it_ends(self, site: Site) -> None:
        with site.engine.begin() as conn:
            token = sessions.open_api_token(conn, site.world.user_manager_a, 1)
            conn.execute(text("update user_session set expires_at = now() where sign_key is null"))
        assert Caller(site.http, token).get("v2/system/Unit/getList").code == 401
