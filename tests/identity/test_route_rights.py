"""Every route × who calls: nobody, a role without the right, a role with it. Generated from the routes themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import text

from api.kit import menus, registry
from api.kit.bodies import UNPROVEN
from api.kit.calls import ANY_USER, ANYONE
from api.kit.scope import alternatives_of
from api.main import app
from tests.kit import documented
from tests.kit.client import Answer, Caller
from tests.kit.endless import BEGUN, MULTIPART, PIECE, send_without_end
from tests.kit.fixtures import Site
from tests.kit.roles import editor, holding

OPEN = {"/v2/user/Login/login", "/healthz", "/v2/open/PayCenter/getPayInfo"}
"""All that answers without a login."""
BOUNDARY = "parts"
REFUSED = (403, 403, "您没有此操作的权限")


@dataclass(frozen=True)
class Call:
    """A documented operation, and a query and body that its schema takes."""

    method: str
    path: str
    right: str
    query: tuple[tuple[str, str], ...]
    body: Any


@cache
def calls() -> list[Call]:
    document = documented.document()
    return [
        Call(
            method.upper(),
            path,
            operation["x-right"],
            _query(document, operation),
            _body(document, operation),
        )
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


def _query(document: dict[str, Any], operation: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    asked = [p for p in operation.get("parameters", ()) if p["in"] == "query" and p.get("required")]
    sampled = ((p["name"], _sample(document, p["schema"])) for p in asked)
    return tuple((name, "1" if value in ("text", 999_999_999) else str(value)) for name, value in sampled)


def _body(document: dict[str, Any], operation: dict[str, Any]) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        return _upload(_sample(document, content["multipart/form-data"]["schema"]))
    return _sample(document, content["application/json"]["schema"]) if "application/json" in content else {}


def _upload(values: dict[str, Any]) -> bytes:
    """A multipart body; bytes go as files, the rest as fields."""
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'
        + ('; filename="a.xlsx"' if isinstance(value, bytes) else "")
        + f"\r\n\r\n{value.decode() if isinstance(value, bytes) else value}\r\n"
        for name, sent in values.items()
        for value in (sent if isinstance(sent, list) else [sent])
    ]
    return ("".join(parts) + f"--{BOUNDARY}--\r\n").encode()


def _sample(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _sample(document, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    if schema.get("type") == "object" or "properties" in schema:
        return {name: _sample(document, schema["properties"][name]) for name in schema.get("required", ())}
    if schema.get("type") == "array":
        return [_sample(document, schema["items"])] if schema.get("minItems") else []
    if schema.get("format") == "binary" or "contentMediaType" in schema:
        return b"file"
    if "anyOf" in schema or "enum" in schema:
        return _sample(document, schema["anyOf"][0]) if "anyOf" in schema else schema["enum"][0]
    if schema.get("type") == "integer":
        return max(schema.get("minimum", 0), min(999_999_999, schema.get("maximum", 999_999_999)))
    return True if schema.get("type") == "boolean" else "text"


@cache
def guarded() -> list[Call]:
    return [call for call in calls() if call.right not in (ANYONE, ANY_USER)]


Broken = list[tuple[str, object]]


def send(caller: Caller, call: Call) -> Answer:
    upload = isinstance(call.body, bytes)
    extra = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"} if upload else None
    response = caller.raw(call.method, call.path, call.body, query=dict(call.query), extra=extra)
    kind = response.headers.get("content-type", "")
    found = response.json() if "json" in kind else {"code": 200, "msg": "", "data": None}
    return Answer(response.status_code, found["code"], found["msg"], found["data"])


class TestEveryCall:
    """One pass over all routes for each kind of caller; what breaks the rule is listed."""

    def test_nobody_gets_in_without_a_login(self, site: Site) -> None:
        caller, broken = site.anonymous(), Broken()
        for call in calls():
            answer = send(caller, call)
            told = (answer.status, answer.code)
            if (call.path in OPEN) != (call.right == ANYONE) or (told == (401, 401)) == (call.path in OPEN):
                broken.append((f"{call.method} {call.path}", answer))
        assert broken == []

    def test_nobody_unknown_is_taken_much_of(self, site: Site) -> None:
        """Whatever he sends: that he may not is told before more of it is taken than of anybody."""
        broken = []
        for call in calls():
            if call.method == "POST":
                for kind in ("application/json", MULTIPART):
                    told = send_without_end(app, call.path, {"content-type": kind}, begun=BEGUN)
                    refused = 400 if call.right == ANYONE else 401
                    if told.code != refused or told.taken > UNPROVEN + 2 * PIECE:
                        broken.append((call.path, kind, told))
        assert broken == []

    def test_a_role_without_rights_gets_nowhere(self, site: Site) -> None:
        caller, broken = site.as_("nobody"), Broken()
        for call in guarded():
            answer = send(caller, call)
            if (answer.status, answer.code, answer.msg) != REFUSED:
                broken.append((f"{call.method} {call.path}", answer))
        assert broken == []

    def test_who_holds_every_right_gets_past_the_gate(self, site: Site) -> None:
        """What a manager with every right is told is about his input, not about himself."""
        caller, broken = site.as_("manager_a"), Broken()
        for call in guarded():
            answer = send(caller, call)
            if answer.code in (401, 402, 403, 500):
                broken.append((f"{call.method} {call.path}", answer))
        assert broken == []

    def test_every_right_that_is_asked_can_be_granted(self) -> None:
        asked = {right for call in guarded() for right in alternatives_of(call.right)}
        assert asked - menus.every_right().keys() == set()


class TestNextRequest:
    def test_a_right_taken_away_bites_at_once(self, site: Site) -> None:
        role, right = site.world.role_clerk_a, "unit:list"
        clerk = site.as_("clerk_a")
        assert clerk.get("v2/system/Unit/getList").ok
        admin = site.as_("admin")
        less = [code for code in editor(admin, role)["holdings"]["rights"] if code != right]
        with holding(admin, role, rights=less):
            assert clerk.get("v2/system/Unit/getList").code == 403
            told = clerk.get("open/RequestOpen/getRequestOpenList", code="unit").data
            assert "list" not in told["role_list"]
        assert clerk.get("v2/system/Unit/getList").ok

    def test_a_company_taken_away_bites_at_once(self, site: Site) -> None:
        world, manager = site.world, site.as_("manager_b")
        assert manager.get("v2/custom/Customer/getInfo", id=world.customer_b).ok
        with holding(site.as_("admin"), world.role_manager_b, companies=[world.company_a]):
            assert manager.get("v2/custom/Customer/getInfo", id=world.customer_b).code == 400
            assert manager.get("v2/custom/Customer/getInfo", id=world.customer_a).ok

    def test_another_role_bites_at_once(self, site: Site) -> None:
        own = site.as_("own_a")
        assert own.get("v2/system/Unit/getList").ok
        with site.engine.begin() as conn:
            conn.execute(
                text("update user_account set role_id = :role where user_id = :user"),
                {"role": site.world.role_nobody, "user": site.world.user_own_a},
            )
        assert own.get("v2/system/Unit/getList").code == 403


class TestShell:
    """What the shell is told of a role's rights."""

    def test_the_menu_shows_what_one_may_see(self, site: Site) -> None:
        def routes(user: str) -> set[str]:
            tree = site.as_(user).get("v2/Open/RoleAuth/getLeftMenuList").data
            return {leaf["route"] for module in tree for group in module["sub"] for leaf in group["sub"]}

        declared = {cls.declaration.routes["list"] for cls in registry.declared() if cls.declaration.menu}
        assert declared <= routes("admin")
        assert routes("admin") == {entry.route for entry in menus.entries()}
        assert routes("nobody") == set()

    def test_a_screen_tells_its_actions(self, site: Site) -> None:
        told = site.as_("manager_a").get("open/RequestOpen/getRequestOpenList", code="salesout").data
        assert (told["is_role"], "auditorPass" in told["role_list"]) == ("Y", True)
        none = site.as_("nobody").get("open/RequestOpen/getRequestOpenList", code="salesout").data
        assert (none["is_role"], none["role_list"]) == ("N", [])

    def test_a_screen_without_right_is_not_described(self, site: Site) -> None:
        for cls in registry.declared():
            for route in cls.declaration.routes.values():
                assert site.as_("nobody").get("v2/Open/Screen/getScreen", route=route).code == 403

    def test_a_screen_offers_only_the_roles_actions(self, site: Site) -> None:
        rights = ["sales_outbound:list", "sales_outbound:auditorPass"]
        with holding(site.as_("admin"), site.world.role_keeper_a, rights=rights):
            screen = site.as_("keeper_a").get("v2/Open/Screen/getScreen", route="/sales/salesout").data
        assert [action["name"] for action in screen["actions"]] == ["auditorPass"]
        assert screen["follow_ups"] == []

    def test_every_group_of_the_menu_has_its_place(self) -> None:
        placed = {(name, group) for name, module in menus.MODULES.items() for group in module.groups}
        assert {(entry.place.module, entry.place.group) for entry in menus.entries()} == placed
