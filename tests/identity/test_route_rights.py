"""Every route × who calls: nobody, a role without the right, a role with it. Generated from the routes themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import text

from api.kit.declaration import menu, registry
from api.kit.http.request_body import UNAUTHENTICATED
from api.kit.http.routing import ANY_USER, PUBLIC
from api.kit.scope import alternatives_of
from api.main import app
from tests.support import api_document
from tests.support.client import Answer, Caller
from tests.support.endless_upload import BEGUN, MULTIPART, PIECE, send_without_end
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role, read_editor

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
def list_calls() -> list[Call]:
    document = api_document.load_document()
    return [
        Call(
            method.upper(),
            path,
            operation["x-right"],
            _build_query(document, operation),
            _build_body(document, operation),
        )
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


def _build_query(document: dict[str, Any], operation: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    asked = [p for p in operation.get("parameters", ()) if p["in"] == "query" and p.get("required")]
    sampled = ((p["name"], _build_sample(document, p["schema"])) for p in asked)
    return tuple((name, "1" if value in ("text", 999_999_999) else str(value)) for name, value in sampled)


def _build_body(document: dict[str, Any], operation: dict[str, Any]) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        return _build_upload(_build_sample(document, content["multipart/form-data"]["schema"]))
    return (
        _build_sample(document, content["application/json"]["schema"])
        if "application/json" in content
        else {}
    )


def _build_upload(values: dict[str, Any]) -> bytes:
    """Return a multipart body; bytes become files, the rest fields."""
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'
        + ('; filename="a.xlsx"' if isinstance(value, bytes) else "")
        + f"\r\n\r\n{value.decode() if isinstance(value, bytes) else value}\r\n"
        for name, sent in values.items()
        for value in (sent if isinstance(sent, list) else [sent])
    ]
    return ("".join(parts) + f"--{BOUNDARY}--\r\n").encode()


def _build_sample(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _build_sample(document, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    if schema.get("type") == "object" or "properties" in schema:
        return {
            name: _build_sample(document, schema["properties"][name]) for name in schema.get("required", ())
        }
    if schema.get("type") == "array":
        return [_build_sample(document, schema["items"])] if schema.get("minItems") else []
    if schema.get("format") == "binary" or "contentMediaType" in schema:
        return b"file"
    if "anyOf" in schema or "enum" in schema:
        return _build_sample(document, schema["anyOf"][0]) if "anyOf" in schema else schema["enum"][0]
    if schema.get("type") == "integer":
        return max(schema.get("minimum", 0), min(999_999_999, schema.get("maximum", 999_999_999)))
    return True if schema.get("type") == "boolean" else "text"


@cache
def list_guarded_calls() -> list[Call]:
    return [call for call in list_calls() if call.right not in (PUBLIC, ANY_USER)]


Broken = list[tuple[str, object]]


def send_call(caller: Caller, call: Call) -> Answer:
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
        for call in list_calls():
            answer = send_call(caller, call)
            told = (answer.status, answer.code)
            if (call.path in OPEN) != (call.right == PUBLIC) or (told == (401, 401)) == (call.path in OPEN):
                broken.append((f"{call.method} {call.path}", answer))
        assert broken == []

    def test_nobody_unknown_is_taken_much_of(self, site: Site) -> None:
        """Whatever he sends: that he may not is told before more of it is taken than of anybody."""
        broken = []
        for call in list_calls():
            if call.method == "POST":
                for kind in ("application/json", MULTIPART):
                    told = send_without_end(app, call.path, {"content-type": kind}, begun=BEGUN)
                    refused = 400 if call.right == PUBLIC else 401
                    if told.code != refused or told.taken > UNAUTHENTICATED + 2 * PIECE:
                        broken.append((call.path, kind, told))
        assert broken == []

    def test_a_role_without_rights_gets_nowhere(self, site: Site) -> None:
        caller, broken = site.as_("nobody"), Broken()
        for call in list_guarded_calls():
            answer = send_call(caller, call)
            if (answer.status, answer.code, answer.msg) != REFUSED:
                broken.append((f"{call.method} {call.path}", answer))
        assert broken == []

    def test_who_holds_every_right_gets_past_the_gate(self, site: Site) -> None:
        """What a manager with every right is told is about his input, not about himself."""
        caller, broken = site.as_("manager_a"), Broken()
        for call in list_guarded_calls():
            answer = send_call(caller, call)
            if answer.code in (401, 402, 403, 500):
                broken.append((f"{call.method} {call.path}", answer))
        assert broken == []

    def test_every_right_that_is_asked_can_be_granted(self) -> None:
        asked = {right for call in list_guarded_calls() for right in alternatives_of(call.right)}
        assert asked - menu.list_rights().keys() == set()


class TestNextRequest:
    def test_a_right_taken_away_bites_at_once(self, site: Site) -> None:
        role, right = site.world.role_clerk_a, "unit:list"
        clerk = site.as_("clerk_a")
        assert clerk.get("v2/system/Unit/getList").ok
        admin = site.as_("admin")
        less = [code for code in read_editor(admin, role)["holdings"]["rights"] if code != right]
        with changed_role(admin, role, rights=less):
            assert clerk.get("v2/system/Unit/getList").code == 403
            told = clerk.get("open/RequestOpen/getRequestOpenList", code="unit").data
            assert "list" not in told["role_list"]
        assert clerk.get("v2/system/Unit/getList").ok

    def test_a_company_taken_away_bites_at_once(self, site: Site) -> None:
        world, manager = site.world, site.as_("manager_b")
        assert manager.get("v2/custom/Customer/getInfo", id=world.customer_b).ok
        with changed_role(site.as_("admin"), world.role_manager_b, companies=[world.company_a]):
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

        declared = {
            cls.declaration.routes["list"] for cls in registry.list_resources() if cls.declaration.menu
        }
        assert declared <= routes("admin")
        assert routes("admin") == {entry.route for entry in menu.list_entries()}
        assert routes("nobody") == set()

    def test_a_screen_tells_its_actions(self, site: Site) -> None:
        told = site.as_("manager_a").get("open/RequestOpen/getRequestOpenList", code="salesout").data
        assert (told["is_role"], "auditorPass" in told["role_list"]) == ("Y", True)
        none = site.as_("nobody").get("open/RequestOpen/getRequestOpenList", code="salesout").data
        assert (none["is_role"], none["role_list"]) == ("N", [])

    def test_a_screen_without_right_is_not_described(self, site: Site) -> None:
        for cls in registry.list_resources():
            for route in cls.declaration.routes.values():
                assert site.as_("nobody").get("v2/Open/Screen/getScreen", route=route).code == 403

    def test_a_screen_offers_only_the_roles_actions(self, site: Site) -> None:
        rights = ["sales_outbound:list", "sales_outbound:auditorPass"]
        with changed_role(site.as_("admin"), site.world.role_keeper_a, rights=rights):
            screen = site.as_("keeper_a").get("v2/Open/Screen/getScreen", route="/sales/salesout").data
        assert [action["name"] for action in screen["actions"]] == ["auditorPass"]
        assert screen["follow_ups"] == []

    def test_every_group_of_the_menu_has_its_place(self) -> None:
        placed = {(name, group) for name, module in menu.MODULES.items() for group in module.groups}
        assert {(entry.place.module, entry.place.group) for entry in menu.list_entries()} == placed
