"""Registry of every declared resource and bill, by name.

Engines, menus, extraction and contract tests read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from api.kit.declaration.resource import Resource

_resources: dict[str, type[Resource]] = {}
_whole: list[bool] = []


def register_resource(cls: type[Resource]) -> None:
    """Register a mapped class under its table name; a name is declared once."""
    name = cls.__tablename__
    if name in _resources:
        raise ValueError(f"{name} is declared twice")
    _resources[name] = cls


def get_resource(name: str) -> type[Resource]:
    """Return the class declared under `name`."""
    return _resources[name]


def find_resource(name: str) -> type[Resource] | None:
    """Return the class declared under a name, or None."""
    return _resources.get(name)


def mark_complete() -> None:
    """Mark the registry as complete."""
    _whole.append(True)


def require_complete() -> None:
    """Raise RuntimeError while some classes may not be declared yet: references would be missed."""
    if not _whole:
        raise RuntimeError("not everything is declared yet: import api.catalogue first")


def list_resources() -> Iterator[type[Resource]]:
    """Yield every declared class, in order of declaration."""
    yield from _resources.values()


def map_prefixes() -> dict[str, type[Resource]]:
    """Return bill classes by their document number prefix."""
    return {cls.bill.prefix: cls for cls in list_resources() if cls.bill is not None}


def map_see_routes() -> dict[str, str]:
    """Return the route that shows a bill, by prefix."""
    found = {prefix: cls.declaration.routes for prefix, cls in map_prefixes().items()}
    shown = {prefix: routes.get("see") or routes.get("edit") for prefix, routes in found.items()}
    return {prefix: route for prefix, route in shown.items() if route}


def find_by_route(route: str) -> tuple[type[Resource], str, dict[str, str]] | None:
    """Return the class and screen kind (list, add, edit, see) of a route, with the routes around it."""
    for cls in list_resources():
        for place in cls.declaration.places:
            for kind, path in place.routes.items():
                if path == route:
                    return cls, kind, {**cls.declaration.routes, **place.routes}
    return None


def find_by_segment(code: str) -> type[Resource] | None:
    """Return the class one of whose routes has `code` as third and later path segments.

    Pages below a route are under its rights (spec/2-routes.md 6).
    """
    for cls in list_resources():
        for place in cls.declaration.places:
            if any(path.split("/")[2:] == code.split("/") for path in place.routes.values()):
                return cls
    return None
