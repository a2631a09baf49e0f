"""Login, logout and the life of a session."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, text

from api.identity import login, passwords
from api.kit.errors import Refusal
from api.kit.http.routing import DEVICE_COOKIE
from api.kit.settings import SettingError, read_settings
from tests.support.client import Answer, Caller
from tests.support.fixtures import Site
from tests.support.world import PASSWORD

WRONG = "用户名或密码错误"


@pytest.fixture(scope="module", autouse=True)
def passworded(site: Site) -> None:
    """Every user gets the world's password."""
    with site.engine.begin() as conn:
        conn.execute(
            text("update user_account set password_hash = :hash"), {"hash": passwords.hash_password(PASSWORD)}
        )


def log_in(site: Site, user: str, password: str = PASSWORD) -> Answer:
    return site.anonymous().post("v2/user/Login/login", {"user_name": user, "password": password})


def open_session(site: Site, user: str) -> Caller:
    answer = log_in(site, user)
    assert answer.ok, answer
    return Caller(site.http, answer.data["token"], answer.data["sign_key"])


def execute_sql(site: Site, statement: str, **values: object) -> None:
    with site.engine.begin() as conn:
        conn.execute(text(statement), values)


class TestLogin:
    def test_it_tells_who_one_is(self, site: Site) -> None:
        answer = log_in(site, "manager_a")
        assert answer.ok
        told = answer.data
        assert (told["user_id"], told["role_id"]) == (site.world.user_manager_a, site.world.role_manager_a)
        assert (told["company_name"], told["department_name"]) == ("A分公司", "A销售部")
        assert told["company_admin_id"] is None
        assert told["system"] == {"type": 0, "operatingVersion": 1, "extendToolbar": "默认"}
        assert len(told["token"]) >= 40
        assert told["token"] != told["sign_key"]

    def test_it_tells_in_which_environment_it_is(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        """1 scm, 2 gyl (spec/2-routes.md 4)."""
        assert log_in(site, "manager_a").data["environment"] == 1
        monkeypatch.setenv("ERP_ENVIRONMENT", "gyl")
        assert log_in(site, "manager_a").data["environment"] == 2
        monkeypatch.setenv("ERP_ENVIRONMENT", "other")
        with pytest.raises(SettingError, match="ERP_ENVIRONMENT 应为 scm、gyl 之一"):
            read_settings()

    def test_it_tells_the_groups_short_name_and_the_companys_district(self, site: Site) -> None:
        """What the shell keeps as titName and area_name."""
        nowhere = log_in(site, "manager_a").data
        execute_sql(site, "update group_info set short_name = '申诚'")
        place = "update company set area_id = (select min(area_id) from area) where company_id = :company"
        execute_sql(site, place, company=site.world.company_a)
        told = log_in(site, "manager_a").data
        execute_sql(site, "update group_info set short_name = null")
        execute_sql(
            site,
            "update company set area_id = null where company_id = :company",
            company=site.world.company_a,
        )
        assert (nowhere["titName"], nowhere["area_name"]) == (None, None)
        assert told["titName"] == "申诚" and told["area_name"]

    def test_it_tells_whose_data_is_seen_where_it_is_not_just_the_own_companys(self, site: Site) -> None:
        seen = {user: log_in(site, user).data["scope"] for user in ("admin", "manager_a", "own_a")}
        assert seen == {"admin": "全集团", "manager_a": "", "own_a": "本人单据"}

    def test_the_administrator_is_told_so(self, site: Site) -> None:
        assert log_in(site, "admin").data["company_admin_id"] == site.world.user_admin

    def test_only_the_tokens_hash_is_kept(self, site: Site, conn: Connection) -> None:
        token = log_in(site, "own_a").data["token"]
        rows = conn.exec_driver_sql("select s::text from user_session s").scalars()
        assert not any(token in row for row in rows)

    @pytest.mark.parametrize(
        ("user", "password"),
        [("manager_b", "wrong-password"), ("nobody-at-all", PASSWORD), ("manager_b", PASSWORD + " ")],
    )
    def test_a_wrong_name_and_a_wrong_password_answer_alike(
        self, site: Site, user: str, password: str
    ) -> None:
        answer = log_in(site, user, password)
        assert (answer.status, answer.code, answer.msg, answer.data) == (400, 400, WRONG, None)

    def test_an_unknown_name_costs_what_a_known_one_does(self) -> None:
        decoy, own = passwords.DECOY.split("$"), passwords.hash_password(PASSWORD).split("$")
        assert decoy[:4] == own[:4]
        assert [len(part) for part in decoy] == [len(part) for part in own]

    @pytest.mark.parametrize("body", [{}, {"user_name": "admin"}, {"user_name": "", "password": ""}, []])
    def test_an_incomplete_body_is_refused(self, site: Site, body: object) -> None:
        assert site.anonymous().post("v2/user/Login/login", body).code == 400

    def test_odd_signs_are_refused_not_accidents(self, site: Site) -> None:
        for body in (b'{"user_name":"\\ud800","password":"x"}', b'{"user_name":"a\\u0000","password":"x"}'):
            assert site.anonymous().post("v2/user/Login/login", body).code == 400

    def test_a_form_logs_in_too(self, site: Site) -> None:
        form = {"user_name": "clerk_a", "password": PASSWORD}
        assert site.anonymous().post("v2/user/Login/login", form=form).ok


class TestRateLimit:
    def test_five_failures_close_the_name_even_to_the_right_password(self, site: Site) -> None:
        for _ in range(5):
            assert log_in(site, "department_a", "wrong-password").msg == WRONG
        blocked = log_in(site, "department_a")
        assert (blocked.code, blocked.msg) == (400, "登录失败次数过多，请15分钟后再试")
        assert log_in(site, "clerk_a").ok, "others still get in"
        execute_sql(site, "update login_attempt set at = at - interval '16 minutes'")
        assert log_in(site, "department_a").ok

    def test_fifty_tries_at_once_are_five(self, site: Site, conn: Connection) -> None:
        """Tries on one name queue up in the database, whichever process takes them."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda _: log_in(site, "keeper_a", "wrong-password"), range(24)))
        assert [answer.msg for answer in answers].count(WRONG) == 5
        query = "select count(*) from login_attempt where user_name = 'keeper_a' and not succeeded"
        assert conn.exec_driver_sql(query).scalar() == 5
        conn.rollback()
        execute_sql(site, "delete from login_attempt")

    def test_a_success_forgives_earlier_failures(self, site: Site) -> None:
        for _ in range(2):
            for _ in range(4):
                assert log_in(site, "own2_a", "wrong-password").msg == WRONG
            assert log_in(site, "own2_a").ok


class TestElsewhere:
    """Guesses at one address close the name there; whose name it is goes on logging in where he does."""

    LOCKED = "登录失败次数过多，请15分钟后再试"

    @pytest.fixture(autouse=True)
    def forgotten(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        execute_sql(site, "delete from login_attempt")
        # Who counts is asked, not how dear a check is.
        monkeypatch.setattr(
            passwords, "verify_password", lambda given, kept: kept is not None and given == PASSWORD
        )

    def try_login(
        self, client: str, password: str = "wrong-password", user: str = "clerk_a", device: str = ""
    ) -> str:
        try:
            login.check_login(user, password, client, device=device)
        except Refusal as refusal:
            return refusal.msg
        return "in"

    def read_device(self, client: str, user: str = "clerk_a", device: str = "") -> str:
        """Log in and return the device token that the browser keeps."""
        return login.check_login(user, PASSWORD, client, device=device)[2]

    def test_a_guesser_locks_himself_out_alone(self, site: Site) -> None:
        assert [self.try_login("10.0.0.66") for _ in range(6)] == [WRONG] * 5 + [self.LOCKED]
        assert self.try_login("10.0.0.66", PASSWORD) == self.LOCKED
        assert self.try_login("10.0.0.7", PASSWORD) == "in"
        assert self.try_login("10.0.0.66", PASSWORD) == self.LOCKED, "a login elsewhere forgives nothing here"

    def test_guesses_from_many_addresses_close_strange_ones_alone(self, site: Site) -> None:
        assert self.try_login("10.0.0.7", PASSWORD) == "in"
        answers = [self.try_login(f"10.1.0.{number}") for number in range(30)]
        assert answers == [WRONG] * 20 + [self.LOCKED] * 10
        assert self.try_login("10.2.0.1", PASSWORD) == self.LOCKED
        assert self.try_login("10.0.0.7", PASSWORD) == "in"

    def test_many_names_from_one_address_close_it_but_to_who_is_known_there(self, site: Site) -> None:
        assert self.try_login("10.0.0.7", PASSWORD) == "in"
        for number in range(50):
            self.try_login("10.0.0.7", user=f"unknown-{number}")
        assert self.try_login("10.0.0.7", PASSWORD, "manager_a") == self.LOCKED
        assert self.try_login("10.0.0.7", PASSWORD) == "in"

    def test_behind_one_address_guesses_close_a_name_to_all_but_its_own_devices(self, site: Site) -> None:
        office = "10.0.0.7"
        mine, his = self.read_device(office), self.read_device(office, "manager_a")
        answers = [
            self.try_login(office, device=device)
            for device in ("", his, "", his, login.create_device_token(), "")
        ]
        assert answers == [WRONG] * 5 + [self.LOCKED]
        assert self.try_login(office, PASSWORD, device=his) == self.LOCKED, (
            "his own name's device opens no other"
        )
        assert self.try_login(office, PASSWORD) == self.LOCKED
        assert self.try_login(office, PASSWORD, device=mine) == "in"
        assert self.try_login(office, PASSWORD, device=his) == self.LOCKED, (
            "a login there forgives nothing here"
        )

    def test_a_device_has_no_more_tries_than_an_address(self, site: Site) -> None:
        mine, other = self.read_device("10.0.0.7"), self.read_device("10.0.0.7")
        places = [f"10.0.1.{number}" for number in range(6)]
        assert [self.try_login(place, device=mine) for place in places] == [WRONG] * 5 + [self.LOCKED]
        assert self.try_login("10.0.0.7", PASSWORD, device=mine) == self.LOCKED
        assert self.try_login("10.0.0.7", PASSWORD, device=other) == "in", "another device of his goes on"

    def test_many_names_from_one_address_close_it_but_to_known_devices(self, site: Site) -> None:
        mine = self.read_device("10.0.0.9")
        for number in range(50):
            self.try_login("10.0.0.7", user=f"unknown-{number}")
        assert self.try_login("10.0.0.7", PASSWORD) == self.LOCKED
        assert self.try_login("10.0.0.7", PASSWORD, device=mine) == "in"

    def lock_address(self, place: str) -> None:
        """Guess at an address until the name is locked there."""
        while self.try_login(place) == WRONG:
            pass
        assert self.try_login(place, PASSWORD) == self.LOCKED

    def test_a_device_that_somebody_put_there_is_not_taken_for_ones_own(self) -> None:
        """Its maker knows it: from another browser of his it would pass for the user's."""
        for planted in (login.create_device_token(), self.read_device("10.0.0.66", "manager_a")):
            mine = self.read_device("10.0.0.7", device=planted)
            assert mine != planted
            assert self.read_device("10.0.0.7", device=mine) == mine
            self.lock_address("10.0.0.66")
            assert self.try_login("10.0.0.66", PASSWORD, device=planted) == self.LOCKED
            assert self.try_login("10.0.0.66", PASSWORD, device=mine) == "in"

    def test_a_shared_browser_is_known_to_all_who_log_in_on_it(self) -> None:
        office, names = "10.0.0.7", ("clerk_a", "manager_a", "own_a")
        device = ""
        for name in names:
            device = self.read_device(office, name, device)
        assert [self.read_device(office, name, device) for name in names] == [device] * 3
        self.lock_address(office)
        assert self.try_login(office, PASSWORD, device=device) == "in"

    def test_another_name_on_it_gives_no_more_guesses(self) -> None:
        office = "10.0.0.7"
        device = self.read_device(office)
        assert [self.try_login(office, device=device) for _ in range(5)] == [WRONG] * 5
        after = self.read_device(office, "manager_a", device)
        assert self.try_login(office, PASSWORD, device=after) == self.LOCKED
        self.lock_address(office)
        assert self.try_login(office, PASSWORD, device=device) == self.LOCKED, (
            "what it kept is nobody's any more"
        )

    @pytest.mark.parametrize("column", ["password_set_at", "unlocked_at"])
    def test_a_device_from_before_a_new_password_or_an_unlocking_is_strange(
        self, site: Site, column: str
    ) -> None:
        office = "10.0.0.7"
        before = self.read_device(office)
        execute_sql(site, f"update user_account set {column} = now() where user_name = 'clerk_a'")
        self.lock_address(office)
        assert self.try_login(office, PASSWORD, device=before) == self.LOCKED
        execute_sql(site, "delete from login_attempt where not succeeded")
        after = self.read_device(office, device=before)
        self.lock_address(office)
        assert self.try_login(office, PASSWORD, device=after) == "in"

    def test_a_browser_keeps_what_no_script_reads(self, site: Site) -> None:
        body = {"user_name": "clerk_a", "password": PASSWORD}
        answer = site.anonymous().raw("POST", "v2/user/Login/login", body)
        [kept] = [one for one in answer.headers.get_list("set-cookie") if one.startswith(f"{DEVICE_COOKIE}=")]
        device = kept.partition("=")[2].partition(";")[0]
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(kept.split("; "))
        again = site.anonymous().raw(
            "POST", "v2/user/Login/login", body, extra={"cookie": f"{DEVICE_COOKIE}={device}"}
        )
        assert f"{DEVICE_COOKIE}={device};" in again.headers["set-cookie"]
        with site.engine.connect() as conn:
            logged = set(conn.exec_driver_sql("select coalesce(device, given) from login_attempt").scalars())
        assert len(logged) == 1, "both came from one device"
        assert device not in logged
        wrong = site.anonymous().raw("POST", "v2/user/Login/login", {**body, "password": "wrong-password"})
        assert "set-cookie" not in wrong.headers

    def test_the_list_of_users_shows_it_and_unlocking_ends_it(self, site: Site) -> None:
        def locked() -> bool:
            [row] = site.as_("admin").get("v2/system/User/getList", user_name="clerk_a").data["data"]
            return bool(row["locked"])

        for number in range(20):
            assert not locked(), number
            self.try_login(f"10.1.0.{number}")
        assert locked()
        user = site.world.ids["user_clerk_a"]
        assert site.as_("admin").post("v2/system/User/unlock", {"ids": [user]}).ok
        assert not locked()
        assert self.try_login("10.3.0.1", PASSWORD) == "in"


class TestSession:
    def test_logout_ends_it(self, site: Site) -> None:
        for path in ("v2/user/Login/logout", "repo_logout"):
            caller = open_session(site, "manager_a")
            assert caller.get("system/user/isTokenInvalid").data == {"is_invalid": 0}
            left = caller.post(path)
            assert (left.ok, left.msg) == (True, "已退出登录")
            after = caller.get("system/user/isTokenInvalid")
            assert (after.status, after.code, after.msg) == (401, 401, "登录已失效，请重新登录")

    def test_logout_leaves_other_sessions(self, site: Site) -> None:
        one, other = open_session(site, "manager_a"), open_session(site, "manager_a")
        assert one.post("v2/user/Login/logout").ok
        assert other.get("system/user/isTokenInvalid").ok

    def test_an_expired_one_is_refused(self, site: Site) -> None:
        caller = open_session(site, "manager_a")
        execute_sql(
            site,
            "update user_session set expires_at = now() - interval '1 second'"
            " where session_id = (select max(session_id) from user_session)",
        )
        assert caller.get("system/user/isTokenInvalid").code == 401

    def test_use_prolongs_it_but_not_past_its_end(self, site: Site, conn: Connection) -> None:
        caller = open_session(site, "manager_a")
        newest = "(select max(session_id) from user_session)"
        execute_sql(
            site,
            "update user_session set seen_at = now() - interval '1 hour', expires_at = now() + interval '1 hour',"
            f" ends_at = now() + interval '2 hours' where session_id = {newest}",
        )
        assert caller.get("system/user/isTokenInvalid").ok
        left = f"select expires_at = ends_at from user_session where session_id = {newest}"
        assert conn.exec_driver_sql(left).scalar() is True

    @pytest.mark.parametrize("token", ["", "x", "a" * 500, "'; drop table role; --"])
    def test_an_unknown_token_is_refused(self, site: Site, token: str) -> None:
        assert Caller(site.http, token).get("system/user/isTokenInvalid").code == 401

    def test_a_disabled_user_is_out_on_his_next_request(self, site: Site) -> None:
        caller = open_session(site, "manager_b")
        execute_sql(site, "update user_account set enabled = false where user_name = 'manager_b'")
        assert caller.get("system/user/isTokenInvalid").code == 401
        assert log_in(site, "manager_b").msg == "账号已停用，请联系管理员"
        execute_sql(site, "update user_account set enabled = true where user_name = 'manager_b'")
        assert caller.get("system/user/isTokenInvalid").ok

    def test_a_disabled_role_shuts_its_users_out(self, site: Site) -> None:
        caller = open_session(site, "manager_b")
        execute_sql(site, "update role set enabled = false where role_name = 'manager_b'")
        assert caller.get("system/user/isTokenInvalid").code == 401
        assert log_in(site, "manager_b").msg == "账号已停用，请联系管理员"
        execute_sql(site, "update role set enabled = true where role_name = 'manager_b'")


class TestPassword:
    NEW = "another-horse-2"

    def test_changing_ones_own_ends_ones_other_sessions(self, site: Site) -> None:
        here, elsewhere = open_session(site, "clerk_a"), open_session(site, "clerk_a")
        changed = here.post("v2/system/User/changePassword", {"old_password": PASSWORD, "password": self.NEW})
        assert changed.ok
        assert here.get("system/user/isTokenInvalid").ok
        assert elsewhere.get("system/user/isTokenInvalid").code == 401
        assert log_in(site, "clerk_a").msg == WRONG
        assert log_in(site, "clerk_a", self.NEW).ok

    def test_the_old_one_is_asked_for(self, site: Site) -> None:
        body = {"old_password": "wrong-password", "password": self.NEW}
        answer = open_session(site, "own_a").post("v2/system/User/changePassword", body)
        assert (answer.code, answer.msg) == (400, "原密码不正确")

    def test_it_is_not_guessed_at_an_open_session(self, site: Site) -> None:
        here, path = open_session(site, "own2_a"), "v2/system/User/changePassword"
        for number in range(5):
            body = {"old_password": f"wrong-{number}", "password": self.NEW}
            assert here.post(path, body).msg == "原密码不正确"
        answer = here.post(path, {"old_password": PASSWORD, "password": self.NEW})
        assert (answer.code, answer.msg) == (400, "登录失败次数过多，请15分钟后再试")

    def test_a_short_one_is_refused(self, site: Site) -> None:
        body = {"old_password": PASSWORD, "password": "a123456"}
        answer = open_session(site, "own_a").post("v2/system/User/changePassword", body)
        assert (answer.code, answer.msg) == (400, "密码长度应为8到128位")

    def test_a_reset_ends_every_session_of_the_user(self, site: Site) -> None:
        victim = open_session(site, "own_a")
        device = login.check_login("own_a", PASSWORD, "10.0.0.7")[2]
        body = {"user_id": site.world.user_own_a, "password": self.NEW}
        assert site.as_("admin").post("v2/system/User/setPassword", body).ok
        assert victim.get("system/user/isTokenInvalid").code == 401
        assert log_in(site, "own_a", self.NEW).ok
        kept = login.check_login("own_a", self.NEW, "10.0.0.7", device=device)[2]
        assert kept != device, "whoever knew the old password keeps no known device"

    def test_no_answer_carries_a_hash(self, site: Site) -> None:
        admin = site.as_("admin")
        for path in ("v2/system/User/getList", "v2/system/User/getDropdown"):
            assert "argon2" not in str(admin.get(path).data)
        key = site.world.user_own_a
        assert "argon2" not in str(admin.get("v2/system/User/getInfo", id=key).data)
        assert "argon2" not in str(admin.get("v2/system/User/getLog", id=key).data)
