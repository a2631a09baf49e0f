"""Planned screens (规划界面): what a route will show one day, so that it isn't taken for a wrong address."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.shell.register import screens

api = router()


class PlannedScreen(BaseModel):
    route: str
    name: str


@cache
def _pending() -> dict[str, str]:
    return {screen.route: screen.name for screen in screens() if screen.state == "pending"}


@call(api, "GET", "v2/Open/Screen/getPlanned", right=ANY_USER, returns=PlannedScreen | None)
def get_planned(ctx: Context, route: Annotated[str, Query(max_length=200)]) -> Any:
    """尚未开放的界面: None for a route that the product doesn't have at all."""
    name = _pending().get(route)
    return {"route": route, "name": name} if name else None
