"""Every registered type, for tests that hold for each of them."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from api import catalogue
from api.kit import registry
from api.kit.resource import Resource
from tests.kit.client import Answer
from tests.kit.fixtures import Site
from tests.kit.payloads import payload_of

assert catalogue.__all__
DECLARED = list(registry.declared())
named = pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.name())
addable = pytest.mark.parametrize(
    "cls", [cls for cls in DECLARED if "add" in cls.declaration.actions], ids=lambda cls: cls.name()
)


def conforms(document: dict[str, Any], method: str, path: str, answer: Answer) -> list[str]:
    """Where an answer breaks its documented schema."""
    operation = document["paths"]["/" + path][method.lower()]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    validator = Draft202012Validator({**schema, "components": document["components"]})
    sent = {"code": answer.code, "msg": answer.msg, "data": answer.data}
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(sent)]


_present: dict[tuple[str, type[Resource]], int] = {}


def present(site: Site, cls: type[Resource]) -> int | None:
    """A record of the class that tests of this database only read, if any can be added."""
    if "add" not in cls.declaration.actions:
        return None
    if (site.url, cls) not in _present:
        _present[site.url, cls] = added(site, cls)
    return _present[site.url, cls]


def added(site: Site, cls: type[Resource]) -> int:
    answer = site.as_("admin").post(f"{cls.declaration.api}/add", payload_of(cls, site.world))
    assert answer.ok, answer
    key: int = answer.data["id"]
    return key
