"""Every registered type, for tests that hold for each of them."""

from __future__ import annotations

from api import catalogue
from api.kit import registry
from api.kit.resource import Resource
from tests.kit.fixtures import Site
from tests.kit.payloads import payload_of
from tests.kit.rules_of_types import holds_for

assert catalogue.__all__
DECLARED = list(registry.declared())
ADDABLE = [cls for cls in DECLARED if "add" in cls.declaration.actions]
named, addable = holds_for(DECLARED), holds_for(ADDABLE)


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
