"""Roles × screens, from the register: what a role holds opens, the rest is refused; what it may not see is hidden.

The roles are the demo's. Fields are hidden all at once: lists, details, exports and printed bills leave them out.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute
from sqlalchemy import insert, select

from api.demo import users
from api.identity import rights, sessions
from api.identity.tables import Role, UserAccount
from api.kit.context import Context
from api.kit.declaration import menu as menus
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.resource import Resource
from api.kit.http.routing import ANY_USER, PUBLIC
from api.kit.scope import alternatives_of
from api.kit.storage.projection import MASK
from api.main import app
from api.printing import bill_calls
from api.reporting.lists.list_report import ListReport
from api.shell.workspace.screen_registry import list_screens
from tests.identity.test_data_scope import export_rows
from tests.identity.test_route_rights import REFUSED
from tests.support.bill_client import BillClient
from tests.support.client import Caller
from tests.support.fixtures import Site

ROLES = [login.role for login in users.LOGINS]
NEEDED = {"list": "list", "see": "list", "add": "add", "edit": "edit"}


def list_described_screens() -> Iterator[tuple[str, type[Resource], str]]:
    """Yield the built screens that a declaration describes: route, class, kind."""
    for screen in list_screens():
        found = registry.find_by_route(screen.route)
        if screen.state == "built" and found is not None:
            yield screen.route, found[0], found[1]


def create_member(
    site: Site, name: str, codes: list[str], denied: list[tuple[str, str]] | None = None
) -> tuple[int, Caller]:
    """Create a role in company A and a user of it; return their role and caller."""
    with site.engine.begin() as conn:
        statement = insert(Role).values(role_name=name, scope_kind=2, own_kind=1, sees_cost=True)
        role: int = conn.execute(statement.returning(Role.role_id)).scalar_one()
        rights.replace_role_grants(conn, role, codes, [site.world.company_a], denied=denied or [])
        values = {"user_name": name, "realname": name, "company_id": site.world.company_a, "role_id": role}
        user = conn.execute(insert(UserAccount).values(**values).returning(UserAccount.user_id)).scalar_one()
        return role, Caller(site.http, sessions.open_api_token(conn, user, 1))


def test_no_route_is_without_a_right() -> None:
    """Every route that answers says what it takes to call it; only calls do that."""
    bare = [
        route.path
        for route in app.routes
        if isinstance(route, APIRoute) and not isinstance((route.openapi_extra or {}).get("x-right"), str)
    ]
    known = {PUBLIC, ANY_USER, *menus.list_rights()}
    unknown = [
        route.path
        for route in app.routes
        if isinstance(route, APIRoute)
        and not known.issuperset(alternatives_of((route.openapi_extra or {}).get("x-right", "")))
    ]
    assert (bare, unknown) == ([], [])


@pytest.mark.usefixtures("figures")
class TestRoles:
    @pytest.mark.parametrize("name", ROLES)
    def test_a_role_opens_what_it_holds_and_no_more(self, site: Site, name: str) -> None:
        held = set(users._role_rights(name))
        role, caller = create_member(site, name, sorted(held))
        broken = []
        for route, cls, kind in list_described_screens():
            may = cls.right(NEEDED[kind]) in held
            described = caller.get("v2/Open/Screen/getScreen", route=route)
            if (described.code == 200) != may or (not may and described.code != 403):
                broken.append((route, "screen", described.code, described.msg))
            if kind != "list":
                continue
            listed = caller.get(f"{cls.declaration.api}/getList", per_page=1)
            if (listed.ok if may else (listed.status, listed.code, listed.msg) == REFUSED) is False:
                broken.append((route, "list", listed.code, listed.msg))
            if described.ok:
                offered = {action["name"] for action in described.data["actions"]}
                allowed = {action for action in cls.declaration.actions if cls.right(action) in held}
                if not offered <= allowed:
                    broken.append((route, "actions", offered - allowed, ""))
        assert broken == []
        tree = caller.get("v2/Open/RoleAuth/getLeftMenuList").data
        menu = {leaf["route"] for module in tree for group in module["sub"] for leaf in group["sub"]}
        assert menu == {entry.route for entry in menus.list_entries() if entry.right in held}
        with site.engine.begin() as conn:
            rights.replace_role_grants(conn, role, [], [site.world.company_a])
        still = [
            route
            for route, _, _ in list_described_screens()
            if caller.get("v2/Open/Screen/getScreen", route=route).code != 403
        ]
        assert still == [], "revoked, it opens nothing more"


@pytest.fixture(scope="module")
def blind(site: Site, figures: None) -> Caller:
    """Somebody with every right, to whom every field is hidden that can be."""
    denied = [
        (kind.name(), item.name)
        for cls in registry.list_resources()
        for kind in (cls, *(block.cls for block in cls.blocks()))
        for item in kind.fields()
    ]
    desk = BillClient(site)
    line = {"goods_id": site.world.oil, "quantity": "7", "price": "123.45", "tax_rate": "13"}
    desk.add_audited("other_inbound", line)
    desk.add_audited("sales_outbound", {**line, "quantity": "3"}, remark="只给经理看")
    _, caller = create_member(site, "blind", list(menus.list_rights()), denied)
    site.world.tokens["blind"] = caller.token or ""
    return caller


class TestHiddenEverywhere:
    def test_lists_and_details_show_nothing(self, site: Site, blind: Caller) -> None:
        shown_by, seen = set[str](), 0
        for cls in registry.list_resources():
            names = {item.name for item in cls.fields()}
            names |= {item.label_field for item in cls.fields() if item.ref and item.label_field}
            api, key = cls.declaration.api, cls.key().key
            listed = blind.get(f"{api}/getList", per_page=3)
            assert listed.ok, (cls.name(), listed)
            rows = listed.data["data"]
            rows += [blind.get(f"{api}/getInfo", id=rows[0][key]).data] if rows else []
            seen += len(rows)
            for row in rows:
                told = {name for name in names & row.keys() - {key} if row[name] != MASK}
                shown_by |= {f"{cls.name()}.{name}" for name in told}
            totals = blind.get(f"{api}/getTotals")
            if totals.data["totals"]:
                shown_by.add(f"{cls.name()} totals")
            if blind.get(f"{api}/getChart").ok:
                shown_by.add(f"{cls.name()} chart")
        assert seen > 60
        assert shown_by == set()

    def test_exports_have_no_column_of_it(self, site: Site, blind: Caller) -> None:
        for cls in registry.list_resources():
            if issubclass(cls, Bill) and "export" in cls.declaration.actions:
                assert set(export_rows(site, "blind", cls)[:1]) <= {(), (None,)}, cls.name()

    def test_printed_bills_show_nothing_of_it(self, site: Site, blind: Caller) -> None:
        """What is set into type is what a printed page says."""
        cls = registry.get_resource("sales_outbound")
        assert issubclass(cls, Bill)
        key = site.as_("admin").get(f"{cls.declaration.api}/getList").data["data"][0]["bill_id"]
        secrets = ("A客户", "只给经理看", "370.35")

        def printed(user: str) -> list[str]:
            with site.engine.connect() as conn:
                query = select(UserAccount.user_id).where(UserAccount.user_name == user)
                me = sessions.read_principal(conn, conn.execute(query).scalar_one())
                told = str(list(bill_calls.collect_sheets(Context(conn, me), cls, [key], None)))
            return [secret for secret in secrets if secret in told]

        assert printed("admin") == list(secrets)
        assert printed("blind") == []


def test_published_reports_are_among_the_hidden() -> None:
    """Reports over published figures are declared as well, so that the loops above meet them."""
    assert any(issubclass(cls, ListReport) for cls in registry.list_resources())
