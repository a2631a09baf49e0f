"""The registry: every declared resource and bill, by name; engines, menus, extraction and contract tests read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from api.kit.resource import Resource

_resources: dict[str, type[Resource]] = {}
_whole: list[bool] = []


def register(cls: type[Resource]) -> None:
    """Enter a mapped class under its table name; a name is declared once."""
    name = cls.__tablename__
    if name in _resources:
        raise ValueError(f"{name} is declared twice")
    _resources[name] = cls


def get(name: str) -> type[Resource]:
    """The class declared under `name`."""
    return _resources[name]


def find(name: str) -> type[Resource] | None:
    """The class declared under a name that need not be one."""
    return _resources.get(name)


def finish() -> None:
    """Say that all are declared."""
    _whole.append(True)


def require_whole() -> None:
    """Raise RuntimeError while some may not be declared yet: what no class names would seem to be nobody's."""
    if not _whole:
        raise RuntimeError("not everything is declared yet: import api.catalogue first")


def declared() -> Iterator[type[Resource]]:
    """Every declared class, in the order of its declaration."""
    yield from _resources.values()


def prefixes() -> dict[str, type[Resource]]:
    """Bill classes by their document number prefix."""
    return {cls.bill.prefix: cls for cls in declared() if cls.bill is not None}


def see_routes() -> dict[str, str]:
    """Where a bill of each prefix is seen."""
    found = {prefix: cls.declaration.routes for prefix, cls in prefixes().items()}
    shown = {prefix: routes.get("see") or routes.get("edit") for prefix, routes in found.items()}
    return {prefix: route for prefix, route in shown.items() if route}


def by_route(route: str) -> tuple[type[Resource], str, dict[str, str]] | None:
    """The class and screen kind (list, add, edit, see) that a route shows, with the routes of the screens around it."""
    for cls in declared():
        for place in cls.declaration.places:
            for kind, path in place.routes.items():
                if path == route:
                    return cls, kind, {**cls.declaration.routes, **place.routes}
    return None


def by_segment(code: str) -> type[Resource] | None:
    """The class one of whose routes has `code` for its third path segment and what follows it (spec/2-routes.md 6).

    Pages below a route are under its rights.
    """
    for cls in declared():
        for place in cls.declaration.places:
            if any(path.split("/")[2:] == code.split("/") for path in place.routes.values()):
                return cls
    return None
