"""Granting: nobody gives, takes or resets what holds, sees or reaches more than he does himself."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import insert, select

from api.identity import rights, sessions
from api.identity.tables import Role, UserAccount
from api.kit.declaration import menu
from tests.identity.test_route_rights import REFUSED, list_guarded_calls, send_call
from tests.support.client import Answer, Caller
from tests.support.fixtures import Site
from tests.support.role_editor import SAVE, build_body, changed_role, read_editor
from tests.support.world import PASSWORD

BEYOND = "不能授予超出自己权限的权限"
ROLE_BEYOND = "该角色的权限超出自己的权限，不能操作"
SHAPE = "不能授予超出自己权限的数据范围"


@pytest.fixture
def fresh(site: Site) -> int:
    """A new role that nobody has and that holds nothing."""
    with site.engine.begin() as conn:
        name = f"新角色{conn.execute(select(Role.role_id).order_by(Role.role_id.desc())).scalar()}"
        statement = insert(Role).values(role_name=name, scope_kind=2, own_kind=3)
        role: int = conn.execute(statement.returning(Role.role_id)).scalar_one()
        rights.replace_role_grants(conn, role, [], [site.world.company_a], [site.world.warehouse_a])
        return role


def save_grants(site: Site, user: str, role: int, **holdings: Any) -> Answer:
    nothing: dict[str, Any] = {"rights": [], "companies": [], "warehouses": [], "denied": []}
    body = build_body(read_editor(site.as_("admin"), role), **(nothing | holdings))
    return site.as_(user).post(SAVE, body)


def create_user(site: Site, role: int, name: str) -> tuple[int, Caller]:
    """Create a user of a role and return his key and caller."""
    with site.engine.begin() as conn:
        values = {"user_name": name, "realname": name, "company_id": site.world.company_a, "role_id": role}
        user: int = conn.execute(
            insert(UserAccount).values(**values).returning(UserAccount.user_id)
        ).scalar_one()
        return user, Caller(site.http, sessions.open_api_token(conn, user, 1))


class TestSaveRights:
    def test_inside_ones_own_it_is_granted(self, site: Site, fresh: int) -> None:
        answer = save_grants(site, "manager_a", fresh, rights=["unit:list"], companies=[site.world.company_a])
        assert answer.ok, answer
        held = read_editor(site.as_("manager_a"), fresh)["holdings"]
        assert (held["rights"], held["companies"]) == (["unit:list"], [site.world.company_a])

    @pytest.mark.parametrize("code", ["*", "*any", "", "no:such"])
    def test_all_rights_and_unknown_ones_are_refused(self, site: Site, fresh: int, code: str) -> None:
        assert save_grants(site, "manager_a", fresh, rights=[code]).code in (400, 403)

    def test_a_right_one_lacks_is_refused(self, site: Site, fresh: int) -> None:
        role = site.world.role_clerk_a
        admin = site.as_("admin")
        less = [code for code in read_editor(admin, role)["holdings"]["rights"] if code != "customer:del"]
        with changed_role(admin, role, rights=less):
            answer = save_grants(site, "clerk_a", fresh, rights=["customer:del"])
            assert (answer.code, answer.msg) == (403, BEYOND)
            assert save_grants(site, "clerk_a", fresh, rights=["customer:list"]).ok

    def test_another_company_is_refused(self, site: Site, fresh: int) -> None:
        answer = save_grants(site, "manager_a", fresh, companies=[site.world.company_a, site.world.company_b])
        assert (answer.code, answer.msg) == (403, BEYOND)

    def test_another_warehouse_or_no_limit_is_refused(self, site: Site, fresh: int) -> None:
        world = site.world
        for warehouses in ([world.warehouse2_a], []):
            answer = save_grants(site, "keeper_a", fresh, companies=[world.company_a], warehouses=warehouses)
            assert (answer.code, answer.msg) == (403, BEYOND)
        mine = [world.warehouse_a]
        assert save_grants(site, "keeper_a", fresh, companies=[world.company_a], warehouses=mine).ok

    def test_a_field_hidden_from_oneself_stays_hidden(self, site: Site, fresh: int) -> None:
        role, hidden = site.world.role_own_a, [{"screen": "customer", "field": "credit_limit"}]
        with site.engine.begin() as conn:
            held = [str(code) for code in rights.read_role_grants(conn, role)["rights"]]
            own = [site.world.company_a]
            rights.replace_role_grants(conn, role, held, own, denied=[("customer", "credit_limit")])
        answer = save_grants(site, "own_a", fresh, companies=own)
        assert (answer.code, answer.msg) == (403, ROLE_BEYOND)
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, fresh, [], own, denied=[("customer", "credit_limit")])
        assert save_grants(site, "own_a", fresh, companies=own, denied=hidden).ok
        answer = save_grants(site, "own_a", fresh, companies=own)
        assert (answer.code, answer.msg) == (403, BEYOND)
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, role, held, own)

    def test_ones_own_role_is_refused(self, site: Site) -> None:
        answer = save_grants(site, "manager_a", site.world.role_manager_a, rights=["unit:list"])
        assert (answer.code, answer.msg) == (403, "不能修改自己的角色")

    def test_a_stronger_role_is_not_weakened(self, site: Site) -> None:
        with site.engine.begin() as conn:
            admin = conn.execute(select(Role.role_id).where(Role.scope_kind == 1)).scalar_one()
        for role in (admin, site.world.role_manager_b):
            assert save_grants(site, "manager_a", role).code == 403
            hidden = {"role_id": role, "denied": []}
            answer = site.as_("manager_a").post("v2/system/RoleFieldAuth/settingAuth", hidden)
            assert (answer.code, answer.msg) == (403, ROLE_BEYOND)

    def test_all_rights_in_one_company_reach_no_other(self, site: Site, fresh: int) -> None:
        """`*` is every action, not every company."""
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, fresh, ["*"], [site.world.company_a])
        _, caller = create_user(site, fresh, "star")
        nobody = read_editor(site.as_("admin"), site.world.role_nobody)
        assert caller.post(SAVE, build_body(nobody, rights=[], companies=[site.world.company_b])).code == 403
        user = {"user_name": "star2", "realname": "x", "company_id": site.world.company_a}
        for role in (1, site.world.role_manager_b):
            answer = caller.post("v2/system/User/add", {**user, "role_id": role})
            assert (answer.code, answer.msg) == (403, ROLE_BEYOND)


class TestRoleShape:
    @pytest.mark.parametrize(
        ("user", "change"),
        [
            ("manager_a", {"scope_kind": 1}),
            ("clerk_a", {"sees_cost": True}),
            ("own_a", {"own_kind": 1}),
            ("own_a", {"own_kind": 2}),
            ("department_a", {"own_kind": 1}),
        ],
    )
    def test_a_wider_one_is_refused(self, site: Site, fresh: int, user: str, change: dict[str, Any]) -> None:
        body = {"role_name": "更大", "scope_kind": 2, "own_kind": 3, "sees_cost": False, **change}
        added = site.as_(user).post("v2/system/Role/add", body)
        assert (added.code, added.msg) == (403, SHAPE)
        edited = site.as_(user).post("v2/system/Role/edit", {"id": fresh, **change})
        assert edited.code == 403

    def test_ones_own_role_is_not_reshaped(self, site: Site) -> None:
        body = {"id": site.world.role_manager_a, "remark": "x"}
        assert site.as_("manager_a").post("v2/system/Role/edit", body).code == 403

    def test_a_stronger_role_is_neither_edited_nor_deleted(self, site: Site) -> None:
        """Not even one that nobody uses."""
        with site.engine.begin() as conn:
            statement = insert(Role).values(role_name="总经理", scope_kind=1, own_kind=1, sees_cost=True)
            strong = conn.execute(statement.returning(Role.role_id)).scalar_one()
        manager = site.as_("manager_a")
        for path, body in (
            ("v2/system/Role/edit", {"id": strong, "enabled": False}),
            ("v2/system/Role/del", {"ids": [strong]}),
        ):
            assert manager.post(path, body).code in (400, 403)
        assert site.as_("admin").get("v2/system/Role/getInfo", id=strong).data["enabled"] is True

    def test_the_version_is_not_written_from_outside(self, site: Site, fresh: int) -> None:
        # Written by hand, the role had no initials: its first change gives it those.
        assert site.as_("admin").post("v2/system/Role/edit", {"id": fresh}).ok
        before = site.as_("admin").get("v2/system/Role/getInfo", id=fresh).data["version"]
        assert site.as_("admin").post("v2/system/Role/edit", {"id": fresh, "version": 99}).ok
        assert site.as_("admin").get("v2/system/Role/getInfo", id=fresh).data["version"] == before


class TestUsers:
    def build_body(self, site: Site, **more: Any) -> dict[str, Any]:
        return {"user_name": "neu", "realname": "新人", "company_id": site.world.company_a, **more}

    @pytest.mark.parametrize("role", ["role_manager_b", "role_manager_a"])
    def test_a_stronger_role_is_not_given(self, site: Site, role: str) -> None:
        answer = site.as_("clerk_a").post(
            "v2/system/User/add", self.build_body(site, role_id=site.world.ids[role])
        )
        assert (answer.code, answer.msg) == (403, ROLE_BEYOND)

    def test_a_role_without_warehouse_limit_is_not_given_by_a_keeper(self, site: Site) -> None:
        body = self.build_body(site, role_id=site.world.role_clerk_a)
        assert site.as_("keeper_a").post("v2/system/User/add", body).code == 403

    def test_nobody_promotes_himself(self, site: Site) -> None:
        body = {"id": site.world.user_clerk_a, "role_id": site.world.role_manager_a}
        answer = site.as_("clerk_a").post("v2/system/User/edit", body)
        assert (answer.code, answer.msg) == (403, ROLE_BEYOND)

    def test_a_stronger_user_is_not_touched(self, site: Site) -> None:
        user, clerk = site.world.user_manager_a, site.as_("clerk_a")
        edited = clerk.post("v2/system/User/edit", {"id": user, "enabled": False})
        reset = clerk.post("v2/system/User/setPassword", {"user_id": user, "password": PASSWORD})
        deleted = clerk.post("v2/system/User/del", {"ids": [user]})
        told = [(answer.code, answer.msg) for answer in (edited, reset, deleted)]
        assert told == [(403, ROLE_BEYOND)] * 3
        assert site.as_("admin").get("v2/system/User/getInfo", id=user).data["enabled"] is True

    def test_another_companys_user_is_not_there(self, site: Site) -> None:
        body = {"user_id": site.world.user_manager_b, "password": PASSWORD}
        answer = site.as_("manager_a").post("v2/system/User/setPassword", body)
        assert (answer.code, answer.msg) == (400, "用户不存在或无权访问")

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("User/save", {"user_id": "stranger", "user_name": "geholt", "realname": "x"}),
            ("User/edit", {"id": "stranger", "realname": "x"}),
            ("User/del", {"ids": ["stranger"]}),
            ("User/setPassword", {"user_id": "stranger", "password": PASSWORD}),
            ("User/setEnabled", {"ids": ["stranger"], "enabled": False}),
            ("User/unlock", {"ids": ["stranger"]}),
            ("ImitateLogin/imitate", {"user_id": "stranger"}),
        ],
    )
    def test_no_call_reaches_another_companys_user(self, site: Site, path: str, body: dict[str, Any]) -> None:
        stranger = site.world.user_manager_b
        meant: dict[Any, Any] = {"stranger": stranger}
        sent = {
            name: [stranger] if isinstance(value, list) else meant.get(value, value)
            for name, value in body.items()
        }
        if path == "User/save":
            sent |= {"company_id": site.world.company_a, "role_id": site.world.role_clerk_a}
        with site.engine.connect() as conn:
            query = select(UserAccount.__table__).where(UserAccount.user_id == stranger)
            before = conn.execute(query).one()
            answer = site.as_("manager_a").post(f"v2/system/{path}", sent)
            assert (answer.code, answer.msg) == (400, "用户不存在或无权访问")
            conn.rollback()
            assert conn.execute(query).one() == before

    def test_another_companys_user_is_not_looked_at(self, site: Site) -> None:
        manager, stranger = site.as_("manager_a"), site.world.user_manager_b
        for answer in (
            manager.get("v2/system/User/getInfo", id=stranger),
            manager.get("v2/system/User/getSessions", user_id=stranger),
        ):
            assert (answer.code, answer.msg) == (400, "用户不存在或无权访问")
        for path in ("User", "ImitateLogin"):
            rows = manager.get(f"v2/system/{path}/getList", per_page=200).data["data"]
            assert {row["company_id"] for row in rows} == {site.world.company_a}

    @pytest.mark.parametrize("path", ["add", "save"])
    def test_no_user_is_put_into_another_company(self, site: Site, path: str) -> None:
        body = self.build_body(site, role_id=site.world.role_clerk_a) | {"company_id": site.world.company_b}
        answer = site.as_("manager_a").post(f"v2/system/User/{path}", {**body, "password": "first-pass-1"})
        assert (answer.code, answer.msg) == (400, "“公司”不存在或无权使用，请重新选择")

    def test_an_equal_user_may_be_reset(self, site: Site) -> None:
        body = {"user_id": site.world.user_clerk_a, "password": PASSWORD}
        assert site.as_("manager_a").post("v2/system/User/setPassword", body).ok


class TestLookingIsNotChanging:
    """Whoever may only look at accounts, roles and bundles changes none of them."""

    SCREENS = ("User/", "Role/", "RoleAuth/", "RoleFieldAuth/", "RightBundle/", "ImitateLogin/")

    def test_each_changing_call_asks_for_its_own_right(self, site: Site, fresh: int) -> None:
        looking = [f"{name}:list" for name in ("user_account", "role", "right_bundle", "imitate_login")]
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, fresh, looking, [site.world.company_a])
        _, caller = create_user(site, fresh, f"zuschauer{fresh}")
        changing = [
            call
            for call in list_guarded_calls()
            if call.path.startswith(tuple(f"/v2/system/{screen}" for screen in self.SCREENS))
            and call.right not in looking
        ]
        assert len(changing) > 15
        answers = {call.path: send_call(caller, call) for call in changing}
        assert {
            path for path, told in answers.items() if (told.status, told.code, told.msg) != REFUSED
        } == set()

    @pytest.mark.parametrize(
        ("path", "right", "body"),
        [
            ("User", "user_account:edit", {"user_name": "neu2", "realname": "x", "password": "first-pass-1"}),
            ("Role", "role:edit", {"role_name": "neu", "scope_kind": 2, "own_kind": 3, "rights": []}),
            ("RightBundle", "right_bundle:edit", {"bundle_name": "neu", "rights": []}),
        ],
    )
    def test_a_new_one_asks_for_the_right_to_add(
        self, site: Site, fresh: int, path: str, right: str, body: dict[str, Any]
    ) -> None:
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, fresh, [right], [site.world.company_a])
        _, caller = create_user(site, fresh, f"aendert{fresh}")
        company = site.world.company_a
        own = {"User": {"company_id": company, "role_id": fresh}, "Role": {"companies": [company]}}
        answer = caller.post(f"v2/system/{path}/save", {**body, **own.get(path, {})})
        assert (answer.code, answer.msg) == (403, REFUSED[2])


def test_every_right_has_a_label() -> None:
    assert all(label for label in menu.list_rights().values())
