"""Index of routes (接口目录): finds a call by its path in one step, not by trying thousands of routes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send


class RouteIndex(BaseRoute):
    """A route in front of the others that looks their paths up; unknown paths fall through to them."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self.routes: defaultdict[str, list[APIRoute]] = defaultdict(list)
        for route in routes:
            if isinstance(route, APIRoute) and "{" not in route.path:
                self.routes[route.path].append(route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        best: tuple[Match, Scope] = Match.NONE, {}
        for route in self.routes.get(scope["path"], ()):
            found = route.matches(scope)
            if found[0] is Match.FULL:
                return found
            best = found
        return best

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["route"].handle(scope, receive, send)
