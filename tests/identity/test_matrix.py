"""Roles × screens, from the register: what a role holds opens, the rest is refused; what it may not see is hidden.

The roles are the demo's. Fields are hidden all at once: lists, details, exports and printed bills leave them out.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute
from sqlalchemy import insert, select

from api.demo import people
from api.identity import rights, sessions
from api.identity.tables import Role, UserAccount
from api.kit import menus, registry
from api.kit.calls import ANY_USER, ANYONE
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.projection import MASK
from api.kit.resource import Resource
from api.kit.scope import alternatives_of
from api.main import app
from api.printing import bill_calls
from api.reporting.published import Published
from api.shell.register import screens
from tests.identity.test_data_scope import exported
from tests.identity.test_route_rights import REFUSED
from tests.kit.client import Caller
from tests.kit.desk import Desk
from tests.kit.fixtures import Site

ROLES = [login.role for login in people.LOGINS]
NEEDED = {"list": "list", "see": "list", "add": "add", "edit": "edit"}


def shown() -> Iterator[tuple[str, type[Resource], str]]:
    """Built screens that a declaration describes: route, class, kind."""
    for screen in screens():
        found = registry.by_route(screen.route)
        if screen.state == "built" and found is not None:
            yield screen.route, found[0], found[1]


def member(
    site: Site, name: str, held: list[str], denied: list[tuple[str, str]] | None = None
) -> tuple[int, Caller]:
    """A fresh role in company A, and a user who has it."""
    with site.engine.begin() as conn:
        statement = insert(Role).values(role_name=name, scope_kind=2, own_kind=1, sees_cost=True)
        role: int = conn.execute(statement.returning(Role.role_id)).scalar_one()
        rights.settle(conn, role, held, [site.world.company_a], denied=denied or [])
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
    known = {ANYONE, ANY_USER, *menus.every_right()}
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
        held = set(people._rights(name))
        role, caller = member(site, name, sorted(held))
        broken = []
        for route, cls, kind in shown():
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
        assert menu == {entry.route for entry in menus.entries() if entry.right in held}
        with site.engine.begin() as conn:
            rights.settle(conn, role, [], [site.world.company_a])
        still = [
            route
            for route, _, _ in shown()
            if caller.get("v2/Open/Screen/getScreen", route=route).code != 403
        ]
        assert still == [], "revoked, it opens nothing more"


@pytest.fixture(scope="module")
def blind(site: Site, figures: None) -> Caller:
    """Somebody with every right, to whom every field is hidden that can be."""
    denied = [
        (kind.name(), item.name)
        for cls in registry.declared()
        for kind in (cls, *(block.cls for block in cls.blocks()))
        for item in kind.fields()
    ]
    desk = Desk(site)
    line = {"goods_id": site.world.oil, "quantity": "7", "price": "123.45", "tax_rate": "13"}
    desk.audited("other_inbound", line)
    desk.audited("sales_outbound", {**line, "quantity": "3"}, remark="只给经理看")
    _, caller = member(site, "blind", list(menus.every_right()), denied)
    site.world.tokens["blind"] = caller.token or ""
    return caller


class TestHiddenEverywhere:
    def test_lists_and_details_show_nothing(self, site: Site, blind: Caller) -> None:
        shown_by, seen = set[str](), 0
        for cls in registry.declared():
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
        for cls in registry.declared():
            if issubclass(cls, Bill) and "export" in cls.declaration.actions:
                assert set(exported(site, "blind", cls)[:1]) <= {(), (None,)}, cls.name()

    def test_printed_bills_show_nothing_of_it(self, site: Site, blind: Caller) -> None:
        """What is set into type is what a printed page says."""
        cls = registry.get("sales_outbound")
        assert issubclass(cls, Bill)
        key = site.as_("admin").get(f"{cls.declaration.api}/getList").data["data"][0]["bill_id"]
        secrets = ("A客户", "只给经理看", "370.35")

        def printed(user: str) -> list[str]:
            with site.engine.connect() as conn:
                query = select(UserAccount.user_id).where(UserAccount.user_name == user)
                me = sessions.principal_of(conn, conn.execute(query).scalar_one())
                told = str(list(bill_calls.collect(Context(conn, me), cls, [key], None)))
            return [secret for secret in secrets if secret in told]

        assert printed("admin") == list(secrets)
        assert printed("blind") == []


def test_published_reports_are_among_the_hidden() -> None:
    """Reports over published figures are declared as well, so that the loops above meet them."""
    assert any(issubclass(cls, Published) for cls in registry.declared())
