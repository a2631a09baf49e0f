"""Screen plan (规划界面): names of screens that are planned and not built, by route."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from api.kit.context import Context
from api.kit.http.routing import ANY_USER, build_router, call
from api.shell.workspace.screen_registry import list_screens

api = build_router()


class PlannedScreen(BaseModel):
    route: str
    name: str


@cache
def _pending_screens() -> dict[str, str]:
    return {screen.route: screen.name for screen in list_screens() if screen.state == "pending"}


@call(api, "GET", "v2/Open/Screen/getPlanned", right=ANY_USER, returns=PlannedScreen | None)
def get_planned(ctx: Context, route: Annotated[str, Query(max_length=200)]) -> Any:
    """尚未开放的界面: None for a route that the product doesn't have at all."""
    name = _pending_screens().get(route)
    return {"route": route, "name": name} if name else None
