"""The calls that the specification names: they answer, take the named query, and give the named fields.

1-shell.md 7; 3-rules.md 7.1, 7.2 and 7.4; on real rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from api.kit.declaration import registry
from api.shell.workspace.call_registry import NamedCall, list_named_calls
from tests.support.api_document import load_document
from tests.support.fixtures import Site

PENDING = set(Path(__file__).with_name("pending_calls.txt").read_text("utf-8").splitlines())
"""Calls that don't answer yet; every other one does."""
EVERY = list_named_calls({"paths": {}})
PURCHASES = ("Payment", "Prepaid", "Plan", "InStorage", "Refund", "Rebate", "RebatePolicy", "PurchaseInvoice")
PLANNED = [call for call in EVERY if f"{call.method} {call.call}" not in PENDING]


def each_call(planned: list[NamedCall]) -> Any:
    ids = [f"{call.method} {call.call}" for call in planned]
    return pytest.mark.parametrize("call", planned, ids=ids, indirect=True)


@pytest.fixture
def call(request: pytest.FixtureRequest) -> NamedCall:
    """A planned call as it is registered."""
    return _list_registered()[EVERY.index(request.param)]


@cache
def _list_registered() -> list[NamedCall]:
    return list(list_named_calls(load_document()))


def find_operation(call: NamedCall) -> dict[str, Any]:
    assert call.path is not None, f"{call.section}: {call.method} {call.call} is not registered"
    found: dict[str, Any] = load_document()["paths"][call.path][call.method.lower()]
    return found


def resolve_schema(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return dict(load_document()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    return schema


def list_accepted_names(call: NamedCall) -> set[str]:
    """Return the names that a call accepts, in its query or body."""
    found = find_operation(call)
    names = {parameter["name"] for parameter in found.get("parameters", ())}
    for content in found.get("requestBody", {}).get("content", {}).values():
        names |= set(resolve_schema(content["schema"]).get("properties", ()))
    return names


def names_in(data: Any) -> Iterator[str]:
    """Yield every name in an answer, however deep."""
    if isinstance(data, dict):
        yield from data
        for value in data.values():
            yield from names_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from names_in(value)


def list_promised_names(schema: dict[str, Any], seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield every name in the schema of an answer, however deep."""
    reference = schema.get("$ref", "")
    if reference in seen:
        return
    found, seen = resolve_schema(schema), seen | ({reference} if reference else set())
    for name, value in found.get("properties", {}).items():
        yield name
        yield from list_promised_names(value, seen)
    for kind in ("anyOf", "allOf"):
        for value in found.get(kind, ()):
            yield from list_promised_names(value, seen)
    for kind in ("items", "additionalProperties"):
        if isinstance(found.get(kind), dict):
            yield from list_promised_names(found[kind], seen)


def test_what_is_pending_is_named_and_does_not_answer() -> None:
    """Who makes one answer takes it off the list."""
    missing = {
        f"{call.method} {call.call}" for call in list_named_calls(load_document()) if call.path is None
    }
    assert missing == {line for line in PENDING if line and not line.startswith("#")}


def test_what_is_pending_belongs_to_modules_that_are_not_built() -> None:
    """But for bills that are done when they are audited: there is nothing left to close."""
    built = {
        place
        for cls in registry.list_resources()
        for place in (cls.declaration.api, *cls.declaration.also_at)
    }
    names = {line.split()[1] for line in PENDING if line and not line.startswith("#")}
    owned = {name for name in names if name.rpartition("/")[0] in built}
    assert owned == {"purchase_center/Allocation/close"}


def test_a_pending_family_of_a_built_name_is_another_module() -> None:
    """A built family that answers at another place than the specification's is registered there as well."""
    built = {
        place.rpartition("/")[2] for cls in registry.list_resources() for place in (cls.declaration.api,)
    }
    names = {line.split()[1] for line in PENDING if line and not line.startswith("#")}
    alike = {name for name in names if name.split("/")[-2] in built}
    stations = {name for name in alike if name.startswith("service_station/purchase/")}
    assert alike - stations == {
        "purchase_center/Allocation/close",  # done when it is audited
        "aftersale/InStorage/getList",  # a claim's receipt, beside the warehouse's 三包入库
    }


@pytest.mark.parametrize("family", PURCHASES)
def test_every_family_of_purchases_is_planned_with_all_its_calls(family: str) -> None:
    planned = {call.call.removeprefix(f"v2/purchase/{family}/") for call in EVERY}
    assert {"add", "edit", "get", "auditorPass", "auditorNoPass", "invalid", "antiAuditor"} <= planned


@each_call(PLANNED)
def test_it_takes_the_named_query(call: NamedCall) -> None:
    assert set(call.query) - list_accepted_names(call) == set()


@each_call([call for call in PLANNED if call.fields])
def test_it_gives_the_named_fields(site: Site, call: NamedCall) -> None:
    schema = find_operation(call)["responses"]["200"]["content"]["application/json"]["schema"]
    given = set(list_promised_names(schema))
    if call.method == "GET":
        asked = {p["name"]: "1" for p in find_operation(call).get("parameters", ()) if p.get("required")}
        assert call.path
        answer = site.as_("admin").get(call.path.lstrip("/"), **asked)
        given |= set(names_in(answer.data))
    assert set(call.fields) - given == set()
