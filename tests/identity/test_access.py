"""Roles in one call, bundles of rights, accounts with their locks and sessions, and simulated logins."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from api.identity import passwords, rights, sessions
from api.kit.declaration import menu
from api.shell.operations import session_job
from tests.identity.test_granting import BEYOND, ROLE_BEYOND, create_user, fresh
from tests.identity.test_route_rights import list_guarded_calls, send_call
from tests.support.bill_client import BillClient
from tests.support.client import Answer, Caller
from tests.support.fixtures import Site
from tests.support.role_editor import SAVE, build_body, read_editor
from tests.support.world import PASSWORD

__all__ = ["fresh"]
NEW = "neu-pass-77"
BRANDS = "v2/system/GoodsBrand/getList"


def save_role(site: Site, user: str, body: dict[str, Any]) -> Answer:
    return site.as_(user).post(SAVE, body)


def save_bundle(site: Site, name: str, *codes: str, user: str = "admin", key: int | None = None) -> Answer:
    body = {"right_bundle_id": key, "bundle_name": name, "rights": list(codes)}
    return site.as_(user).post("v2/system/RightBundle/save", body)


def log_in(site: Site, user: str, password: str) -> Answer:
    body = {"user_name": user, "password": password}
    return site.anonymous().post("v2/user/Login/login", body)


class TestRoleInOneCall:
    def test_role_and_holdings_are_saved_together(self, site: Site, fresh: int) -> None:
        _, caller = create_user(site, fresh, "together")
        assert caller.get("v2/system/Unit/getList").code == 403
        found = read_editor(site.as_("admin"), fresh)
        hidden = [{"screen": "unit", "field": "unit_name"}]
        body = build_body(found, role_name="同时保存", rights=["unit:list"], denied=hidden, sees_cost=True)
        assert save_role(site, "admin", body).ok
        again = read_editor(site.as_("admin"), fresh)
        assert (again["role"]["role_name"], again["role"]["sees_cost"]) == ("同时保存", True)
        assert (again["holdings"]["rights"], again["holdings"]["denied"]) == (["unit:list"], hidden)
        assert [one["name"] for one in again["users"]] == ["together"]
        [row] = caller.get("v2/system/Unit/getList").data["data"][:1]
        assert row["unit_name"] == "无权限"

    def test_who_saves_second_is_told(self, site: Site, fresh: int) -> None:
        found = read_editor(site.as_("admin"), fresh)
        assert save_role(site, "admin", build_body(found, remark="一")).ok
        late = save_role(site, "admin", build_body(found, remark="二"))
        assert (late.code, late.msg) == (400, "角色已被他人修改，请刷新后重试")
        assert site.as_("admin").post("v2/system/Role/edit", {"id": fresh, "remark": "三"}).ok
        assert read_editor(site.as_("admin"), fresh)["role"]["version"] > found["role"]["version"] + 1

    def test_a_copy_is_a_new_role_that_holds_the_same(self, site: Site) -> None:
        found = read_editor(site.as_("admin"), site.world.role_clerk_a)
        answer = save_role(site, "admin", build_body(found, role_id=None, version=None, role_name="复制"))
        assert answer.ok, answer
        copy = read_editor(site.as_("admin"), answer.data["id"])
        assert sorted(copy["holdings"]["rights"]) == sorted(found["holdings"]["rights"])
        assert copy["users"] == []

    def test_beyond_ones_own_nothing_is_saved(self, site: Site, fresh: int) -> None:
        found = read_editor(site.as_("manager_a"), fresh)
        assert found["may_all_companies"] is False
        assert {one["id"] for one in found["companies"]} == {site.world.company_a}
        for change in ({"scope_kind": 1}, {"companies": [site.world.company_b]}):
            assert save_role(site, "manager_a", build_body(found, remark="不许", **change)).code == 403
        assert read_editor(site.as_("admin"), fresh)["role"]["remark"] is None
        unknown = save_role(site, "admin", build_body(found, denied=[{"screen": "unit", "field": "nichts"}]))
        assert (unknown.code, unknown.msg) == (400, "字段“unit.nichts”不存在")

    def test_the_tree_names_every_right_once(self, site: Site) -> None:
        def leaves(nodes: list[dict[str, Any]]) -> list[str]:
            return [key for node in nodes for key in (leaves(node["children"]) or [node["key"]])]

        tree = read_editor(site.as_("admin"), 0)["tree"]
        assert sorted(leaves(tree)) == sorted(menu.list_rights())
        with_tree = site.as_("admin").get("v2/system/RoleAuth/getRightTree").data
        assert leaves(with_tree) == leaves(tree)


class TestFieldSettings:
    def test_hidden_fields_are_listed_and_set(self, site: Site, fresh: int) -> None:
        admin = site.as_("admin")
        body = {"role_id": fresh, "denied": [{"screen": "sales_outbound_line", "field": "price"}]}
        assert admin.post("v2/system/RoleFieldAuth/settingAuth", body).ok
        screens = admin.get("v2/system/RoleFieldAuth/getList", role_id=fresh).data
        denied = [
            (one["screen"], item["field"]) for one in screens for item in one["fields"] if item["denied"]
        ]
        assert denied == [("sales_outbound_line", "price")]
        held = read_editor(site.as_("admin"), fresh)["holdings"]
        assert held["companies"] == [site.world.company_a], "the rest stays"


class TestBundles:
    def test_roles_follow_a_bundle(self, site: Site, fresh: int) -> None:
        key = save_bundle(site, "看单位", "unit:list").data["id"]
        _, caller = create_user(site, fresh, "follower")
        found = read_editor(site.as_("admin"), fresh)
        assert save_role(site, "admin", build_body(found, rights=["brand:list"], bundles=[key])).ok
        assert caller.get("v2/system/Unit/getList").ok
        assert read_editor(site.as_("admin"), fresh)["holdings"]["rights"] == ["brand:list"]
        assert save_bundle(site, "看单位", "brand:list", key=key).ok
        assert caller.get("v2/system/Unit/getList").code == 403
        assert caller.get(BRANDS).ok, "its own right stays"
        assert save_bundle(site, "看单位", "unit:list", key=key).ok
        holders = site.as_("admin").get("v2/system/RoleAuth/getHolders", code="unit:list").data
        assert [one["via"] for one in holders if one["role_id"] == fresh] == ["看单位"]
        refused = site.as_("admin").post("v2/system/RightBundle/del", {"ids": [key]})
        assert (refused.code, refused.msg) == (400, "已被引用，不能删除")

    def test_a_bundle_carries_nobody_above_himself(self, site: Site, fresh: int) -> None:
        code = "customer:del"
        with site.engine.begin() as conn:
            every = [one for one in menu.list_rights() if one != code]
            rights.replace_role_grants(conn, fresh, every, [site.world.company_a])
        _, weaker = create_user(site, fresh, f"weaker{fresh}")
        strong = save_bundle(site, f"强{fresh}", code).data["id"]
        body = {"right_bundle_id": None, "bundle_name": "弱", "rights": [code]}
        assert weaker.post("v2/system/RightBundle/save", body).msg == BEYOND
        for path, change in (
            ("save", {"right_bundle_id": strong, "bundle_name": "弱", "rights": []}),
            ("edit", {"id": strong, "remark": "x"}),
        ):
            assert weaker.post(f"v2/system/RightBundle/{path}", change).code == 403
        values = {"role_name": f"想要{fresh}", "scope_kind": 2, "own_kind": 3}
        held = {"rights": [], "companies": [site.world.company_a], "bundles": [strong]}
        assert weaker.post("v2/system/Role/save", {**values, **held}).msg == BEYOND
        # His own role takes a bundle: he does not widen it.
        mine = save_bundle(site, f"我的{fresh}", "unit:list").data["id"]
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, fresh, every, [site.world.company_a], bundles=[mine])
        change = {"right_bundle_id": mine, "bundle_name": f"我的{fresh}", "rights": ["unit:list", "unit:add"]}
        assert weaker.post("v2/system/RightBundle/save", change).msg == "不能修改自己的角色"


class TestAccounts:
    @pytest.fixture
    def user(self, site: Site, fresh: int) -> str:
        name = f"konto{fresh}"
        body = {"user_name": name, "realname": name, "company_id": site.world.company_a, "role_id": fresh}
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, fresh, ["unit:list"], [site.world.company_a])
        answer = site.as_("admin").post("v2/system/User/save", {**body, "password": "first-pass-1"})
        assert answer.ok, answer
        return name

    def read_user_id(self, site: Site, user: str) -> int:
        with site.engine.connect() as conn:
            query = text("select user_id from user_account where user_name = :name")
            return int(conn.execute(query, {"name": user}).scalar_one())

    def test_a_first_password_gives_no_right_until_it_is_changed(self, site: Site, user: str) -> None:
        told = log_in(site, user, "first-pass-1").data
        assert told["must_change_password"] is True
        caller = Caller(site.http, told["token"], told["sign_key"])
        assert caller.get("v2/system/Unit/getList").code == 403
        assert caller.get("v2/Open/RoleAuth/getLeftMenuList").data == []
        body = {"old_password": "first-pass-1", "password": NEW}
        assert caller.post("v2/system/User/changePassword", body).ok
        assert caller.get("v2/system/Unit/getList").ok
        assert log_in(site, user, NEW).data["must_change_password"] is False

    @pytest.mark.parametrize(
        ("password", "told"),
        [
            ("kurz-1", "密码长度应为8到128位"),
            ("nurbuchstaben", "密码应包含字母、数字、符号中的至少两种"),
            ("1234567890", "密码应包含字母、数字、符号中的至少两种"),
            ("first-pass-1", "新密码不能与原密码相同"),
            ("{user}-2468", "密码不能包含登录名"),
        ],
    )
    def test_a_weak_password_is_refused(self, site: Site, user: str, password: str, told: str) -> None:
        body = {"user_id": self.read_user_id(site, user), "password": password.format(user=user)}
        answer = site.as_("admin").post("v2/system/User/setPassword", body)
        assert (answer.code, answer.msg) == (400, told)

    def test_disabling_ends_the_sessions_for_good(self, site: Site, user: str) -> None:
        told = log_in(site, user, "first-pass-1").data
        caller, key = Caller(site.http, told["token"], told["sign_key"]), self.read_user_id(site, user)
        for enabled in (False, True):
            body = {"ids": [key], "enabled": enabled}
            assert site.as_("admin").post("v2/system/User/setEnabled", body).ok
            assert caller.get("system/user/isTokenInvalid").code == 401
            for asked in (False, True):
                query = {"user_name": user, "enabled": str(asked).lower()}
                found = site.as_("admin").get("v2/system/User/getList", **query).data["total"]
                assert found == (asked == enabled)
        log = site.as_("admin").get("v2/system/LoginLog/getList", user_name=user).data["data"]
        assert [(row["result"], row["state"]) for row in log] == [(1, sessions.DISABLED)]
        own = site.as_("admin").post("v2/system/User/edit", {"id": site.world.user_admin, "enabled": False})
        assert own.msg == "不能停用自己的账号"

    def test_an_ended_session_is_refused_and_said_so(self, site: Site, user: str) -> None:
        told, key = log_in(site, user, "first-pass-1").data, self.read_user_id(site, user)
        caller = Caller(site.http, told["token"], told["sign_key"])
        admin = site.as_("admin")
        [session] = admin.get("v2/system/User/getSessions", user_id=key).data
        assert (session["kind"], session["client"], session["is_own"]) == ("登录", "testclient", False)
        body = {"session_id": session["session_id"]}
        assert site.as_("manager_b").post("v2/system/User/endSession", body).code == 400
        assert admin.post("v2/system/User/endSession", body).ok
        assert caller.get("system/user/isTokenInvalid").code == 401
        [row] = admin.get("v2/system/LoginLog/getList", user_name=user).data["data"]
        assert row["state"] == sessions.ENDED
        assert row["agent"]

    def test_a_locked_name_is_shown_and_unlocked(self, site: Site, user: str) -> None:
        for _ in range(5):
            assert log_in(site, user, "falsch-000").code == 400
        assert log_in(site, user, "first-pass-1").code == 400
        [row] = site.as_("admin").get("v2/system/User/getList", user_name=user).data["data"]
        assert row["locked"] is True
        body = {"ids": [self.read_user_id(site, user)]}
        assert site.as_("manager_b").post("v2/system/User/unlock", body).code == 400
        assert site.as_("admin").post("v2/system/User/unlock", body).ok
        [row] = site.as_("admin").get("v2/system/User/getList", user_name=user).data["data"]
        assert row["locked"] is False
        assert log_in(site, user, "first-pass-1").ok


class TestExpiredSessions:
    """What is past its time is deleted within the hour; the login log goes on telling of it."""

    def test_they_go_and_the_log_stays(self, site: Site, fresh: int) -> None:
        boss = TestSimulatedLogin().create_boss(site, fresh, list(menu.list_rights()))
        simulated = {"user_id": site.world.ids["user_clerk_a"]}
        assert boss.post("v2/system/ImitateLogin/imitate", simulated).ok
        with site.engine.begin() as conn:
            going = text(
                "update user_session s set expires_at = now() - interval '2 days' from user_account u"
                " where u.user_id = s.user_id and u.user_name = :name and s.sign_key is not null returning session_id"
            )
            gone = conn.execute(going, {"name": f"chef{fresh}"}).scalar_one()
        logs = site.as_("admin")

        def list_log_states() -> list[tuple[int, int, str | None]]:
            rows = [
                *logs.get("v2/system/LoginLog/getList", user_name=f"chef{fresh}").data["data"],
                *logs.get("v2/system/LoginLog/getList", imitator_name=f"chef{fresh}").data["data"],
            ]
            return [(row["kind"], row["state"], row["ended_at"]) for row in rows]

        before = list_log_states()
        assert before[0][1] == sessions.EXPIRED
        session_job.drop_expired_sessions(0)
        after = list_log_states()
        assert after[0] == before[0]
        assert after[1] == (2, sessions.EXPIRED, before[0][2]), "it ended with its own"
        with site.engine.connect() as conn:
            left = conn.execute(text("select session_id, origin_id from user_session")).all()
        assert gone not in {key for row in left for key in row}
        assert site.as_("admin").get("system/user/isTokenInvalid").ok, "the others stay"


class TestSimulatedLogin:
    @pytest.fixture
    def boss(self, site: Site, fresh: int) -> Caller:
        """Somebody with every right in company A, logged in with a password."""
        return self.create_boss(site, fresh, list(menu.list_rights()))

    def create_boss(self, site: Site, role: int, codes: list[str]) -> Caller:
        with site.engine.begin() as conn:
            conn.execute(
                text("update role set own_kind = 1, sees_cost = true where role_id = :r"), {"r": role}
            )
            rights.replace_role_grants(conn, role, codes, [site.world.company_a])
        key, _ = create_user(site, role, f"chef{role}")
        with site.engine.begin() as conn:
            conn.execute(
                text("update user_account set password_hash = :hash where user_id = :user"),
                {"hash": passwords.hash_password(PASSWORD), "user": key},
            )
        told = log_in(site, f"chef{role}", PASSWORD).data
        return Caller(site.http, told["token"], told["sign_key"])

    def impersonate(self, site: Site, boss: Caller, user: str) -> Caller:
        answer = boss.post("v2/system/ImitateLogin/imitate", {"user_id": site.world.ids[f"user_{user}"]})
        assert answer.ok, answer
        assert answer.data["imitator"].startswith("chef")
        return Caller(site.http, answer.data["token"], answer.data["sign_key"])

    def test_one_works_as_the_user_and_both_are_named(self, site: Site, boss: Caller, fresh: int) -> None:
        caller = self.impersonate(site, boss, "clerk_a")
        desk = BillClient(site, "clerk_a")
        desk.caller = caller
        bill = desk.draft(
            "other_inbound", {"goods_id": site.world.oil, "quantity": "1", "price": "1", "tax_rate": "13"}
        )
        info = BillClient(site).read_bill(bill)
        assert info["maker_id"] == site.world.user_clerk_a
        [entry] = site.as_("admin").get("v2/system/BusinessLog/getPage", bill_no=bill.no).data["data"]
        assert (entry["user_name"], entry["imitator_name"]) == ("clerk_a", f"chef{fresh}")
        [login] = (
            site.as_("admin").get("v2/system/LoginLog/getList", imitator_name=f"chef{fresh}").data["data"]
        )
        assert (login["user_name"], login["kind"]) == ("clerk_a", 2)
        assert caller.get("v2/open/ReportStatistic/add", code="BestSeller").ok
        [visit] = site.as_("admin").get("v2/report/ReportVisit/getList", code="BestSeller").data["data"]
        assert (visit["user_name"], visit["imitator_name"]) == ("clerk_a", f"chef{fresh}")
        assert caller.post("v2/user/Login/endImitate").ok
        assert caller.get("system/user/isTokenInvalid").code == 401
        assert boss.get("system/user/isTokenInvalid").ok, "his own session goes on"
        assert boss.post("v2/user/Login/endImitate").code == 400

    def test_nobody_above_oneself_is_imitated(self, site: Site, boss: Caller) -> None:
        imitate = "v2/system/ImitateLogin/imitate"
        stranger = boss.post(imitate, {"user_id": site.world.user_manager_b})
        assert (stranger.code, stranger.msg) == (400, "用户不存在或无权访问")
        clerk = site.as_("clerk_a").post(imitate, {"user_id": site.world.user_manager_a})
        assert (clerk.code, clerk.msg) == (403, ROLE_BEYOND)
        own = site.as_("own_a").post(imitate, {"user_id": site.world.user_nobody})
        assert own.code == 403
        assert site.as_("nobody").post(imitate, {"user_id": site.world.user_clerk_a}).code == 403

    def test_it_does_not_forgive_failed_passwords(self, site: Site, boss: Caller) -> None:
        for _ in range(5):
            assert log_in(site, "clerk_a", "falsch-000").code == 400
        self.impersonate(site, boss, "clerk_a")
        [row] = site.as_("admin").get("v2/system/User/getList", user_name="clerk_a").data["data"]
        assert row["locked"] is True
        assert log_in(site, "clerk_a", PASSWORD).msg == "登录失败次数过多，请15分钟后再试"
        assert site.as_("admin").post("v2/system/User/unlock", {"ids": [site.world.user_clerk_a]}).ok

    def test_it_is_not_nested_and_changes_no_account(self, site: Site, boss: Caller, fresh: int) -> None:
        caller, world = self.impersonate(site, boss, "manager_a"), site.world
        tries = {
            "v2/system/ImitateLogin/imitate": {"user_id": world.user_clerk_a},
            "v2/system/User/setPassword": {"user_id": world.user_clerk_a, "password": NEW},
            "v2/system/User/edit": {"id": world.user_clerk_a, "realname": "x"},
            "v2/system/User/changePassword": {"old_password": "x", "password": NEW},
            "v2/system/Role/add": {"role_name": "x", "scope_kind": 2, "own_kind": 1},
            SAVE: build_body(read_editor(site.as_("admin"), world.role_clerk_a), rights=[]),
            "v2/system/RightBundle/save": {"bundle_name": "x", "rights": []},
            "v2/system/Unit/export": {},
        }
        assert {path: caller.post(path, body).code for path, body in tries.items()} == dict.fromkeys(
            tries, 403
        )
        assert caller.get("v2/system/Unit/getList").ok

    def test_what_the_imitator_loses_bites_in_it(self, site: Site, boss: Caller, fresh: int) -> None:
        caller = self.impersonate(site, boss, "clerk_a")
        assert caller.get("v2/system/Unit/getList").ok
        with site.engine.begin() as conn:
            left = [code for code in menu.list_rights() if code != "unit:list"]
            rights.replace_role_grants(
                conn, fresh, left, [site.world.company_a], denied=[("brand", "brand_name")]
            )
        assert caller.get("v2/system/Unit/getList").code == 403
        [row] = caller.get(BRANDS).data["data"][:1]
        assert row["brand_name"] == "无权限"
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, fresh, left, [site.world.company_b])
        assert caller.get("v2/custom/Customer/getList").data["total"] == 0
        with site.engine.begin() as conn:
            rights.replace_role_grants(
                conn,
                fresh,
                [one for one in left if one != sessions.IMPERSONATE_RIGHT],
                [site.world.company_a],
            )
        ended = caller.get("system/user/isTokenInvalid")
        assert (ended.code, ended.msg) == (401, "模拟登录已结束")

    def test_it_ends_with_the_imitators_own_session(self, site: Site, boss: Caller) -> None:
        caller = self.impersonate(site, boss, "clerk_a")
        assert boss.post("v2/user/Login/logout").ok
        assert caller.get("system/user/isTokenInvalid").code == 401

    def test_the_login_log_tells_that_it_ended_with_it(self, site: Site, boss: Caller, fresh: int) -> None:
        self.impersonate(site, boss, "clerk_a")
        assert boss.post("v2/user/Login/logout").ok
        admin = site.as_("admin")
        [row] = admin.get("v2/system/LoginLog/getList", imitator_name=f"chef{fresh}").data["data"]
        assert row["state"] == sessions.LOGGED_OUT
        assert row["ended_at"]

    def test_it_lasts_an_hour_at_most(self, site: Site, boss: Caller) -> None:
        self.impersonate(site, boss, "clerk_a")
        with site.engine.connect() as conn:
            query = "select max(ends_at - made_at) <= interval '1 hour' from user_session where imitator_id is not null"
            assert conn.exec_driver_sql(query).scalar() is True

    def test_nothing_is_done_for_him_with_more_than_he_sees(
        self, site: Site, boss: Caller, fresh: int
    ) -> None:
        """Prints and initialisations are worked off with the user's own rights."""
        caller, desk = self.impersonate(site, boss, "manager_a"), BillClient(site)
        line = {"goods_id": site.world.oil, "quantity": "1", "price": "1", "tax_rate": "13"}
        bill, path = desk.draft("other_inbound", line), desk.path("other_inbound", "printTask")
        assert caller.post(path, {"ids": [bill.id]}).ok
        with site.engine.begin() as conn:
            every, own = list(menu.list_rights()), [site.world.company_a]
            rights.replace_role_grants(conn, fresh, every, own, denied=[("other_inbound_line", "price")])
        printed = caller.post(path, {"ids": [bill.id]})
        told = "您的数据范围小于被模拟的用户，模拟登录时不能"
        assert (printed.code, printed.msg) == (403, f"{told}批量打印或导出")
        for call in list_guarded_calls():
            if call.path.startswith("/open/Initialization/initialization"):
                answer = send_call(caller, call)
                assert (answer.code, answer.msg) == (403, f"{told}上传初始化文件")

    def test_frames_close_when_the_imitator_sees_less(self, site: Site, boss: Caller, fresh: int) -> None:
        """A frame shows what the user's role sees, so nobody who sees less may open it."""
        caller, frame = self.impersonate(site, boss, "manager_a"), "v2/report/Frame/getFrame"
        assert caller.get(frame, code="BestSeller").ok
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, fresh, list(menu.list_rights()), [site.world.company_b])
        told = "您的数据范围小于被模拟的用户，模拟登录时不能查看报表"
        for answer in (
            caller.get(frame, code="BestSeller"),
            caller.post("v2/report/Frame/getGuestToken", {"code": "BestSeller", "tab": "main"}),
        ):
            assert (answer.code, answer.msg) == (403, told)
