"""Every registered type, for tests that hold for each of them."""

from __future__ import annotations

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from tests.support.fixtures import Site
from tests.support.payloads import payload_of
from tests.support.type_rules import for_each_type

assert catalogue.__all__
DECLARED = list(registry.list_resources())
ADDABLE = [cls for cls in DECLARED if "add" in cls.declaration.actions]
named, addable = for_each_type(DECLARED), for_each_type(ADDABLE)


_present: dict[tuple[str, type[Resource]], int] = {}


def find_or_add_record(site: Site, cls: type[Resource]) -> int | None:
    """Return a record of the class that tests of this database only read, if any can be added."""
    if "add" not in cls.declaration.actions:
        return None
    if (site.url, cls) not in _present:
        _present[site.url, cls] = add_record(site, cls)
    return _present[site.url, cls]


def add_record(site: Site, cls: type[Resource]) -> int:
    answer = site.as_("admin").post(f"{cls.declaration.api}/add", payload_of(cls, site.world))
    assert answer.ok, answer
    key: int = answer.data["id"]
    return key
