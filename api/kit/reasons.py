"""Reasons (拒绝原因): every cause for which an action on a bill is refused, and what can be done about each.

An action stops at its first refusal. Then it is tried once more, in a transaction that is never kept, past each control
that refuses it; so whoever is refused learns at once all that stands in the way, up to what leaves nothing to go on
with, as a source that is not audited or has too little left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy.exc import DBAPIError

from api.kit import registry
from api.kit.context import Context
from api.kit.errors import Refusal, StockWarningAsk, Way
from api.kit.resource import Resource

NOBODY = "没有人有此权限，请管理员在角色中授予"


class Holders(Protocol):
    """Who holds a right in a company, by their names; identity supplies it."""

    def __call__(self, ctx: Context, right: str) -> Sequence[str]: ...


_holders: Holders | None = None


def set_holders(holders: Holders) -> None:
    """Identity says who holds a right."""
    global _holders
    _holders = holders


def find_causes(ctx: Context, first: Refusal, act: Callable[[], Any]) -> list[Refusal]:
    """All refusals that an action meets which was refused by the `first`, each once; nothing is kept of the attempt.

    What only asks whether to go on is asked once nothing refuses any more.
    """
    if isinstance(first, StockWarningAsk):
        return [first]
    ctx.refused = []
    try:
        act()
    except Refusal as last:
        ctx.refused.append(last)
    except DBAPIError:
        # Somebody was in the way: what stopped the action itself is told.
        ctx.refused.clear()
    finally:
        found, ctx.refused = ctx.refused, None
        ctx.questions.clear()
        ctx.notes.clear()
        ctx.conn.rollback()
    causes = {one.msg: one for one in found if not isinstance(one, StockWarningAsk)}
    return list(causes.values()) or [first]


def join(ctx: Context, causes: Sequence[Refusal]) -> Refusal:
    """One refusal for all causes, which are its data's `reasons`; what the first tells of itself stands beside them.

    A single cause of which nothing more can be said is the answer as it is.
    """
    first = causes[0]
    if len(causes) == 1 and not first.ways and not first.lifted_by:
        return first
    told = first.data if isinstance(first.data, Mapping) else {}
    refusal = first if len(causes) == 1 else Refusal("；".join(one.msg for one in causes))
    refusal.data = {**told, "reasons": [_told(ctx, one) for one in causes]}
    return refusal


def reasons_of(refusal: Refusal) -> Sequence[Mapping[str, Any]]:
    """The causes of a joined refusal."""
    return refusal.data.get("reasons", ()) if isinstance(refusal.data, Mapping) else ()


def _told(ctx: Context, refusal: Refusal) -> dict[str, Any]:
    kind = refusal.data.get("kind") if isinstance(refusal.data, Mapping) else None
    ways = [
        {"label": way.label, "route": way.route if ctx.principal.may(way.right) else ""}
        for way in refusal.ways
        if not way.right or ctx.principal.may(way.right)
    ]
    # Where the asker may not look, somebody else can: one line a right, and nothing of what he would find there.
    closed = dict.fromkeys(
        way.right for way in refusal.ways if way.right and not ctx.principal.may(way.right)
    )
    helpers = [(right, f"可以查看{_screen_of(right)}的人") for right in closed]
    if refusal.lifted_by:
        helpers.append((refusal.lifted_by, "可以放行的人"))
    for right, whose in helpers:
        names = _holders(ctx, right) if _holders is not None else ()
        ways.append({"label": f"{whose}：{'、'.join(names)}" if names else NOBODY, "route": ""})
    return {"msg": refusal.msg, "ways": ways, **({"kind": kind} if kind else {})}


def _screen_of(right: str) -> str:
    """What the right to a list lets see, in words."""
    return registry.get(right.partition(":")[0]).declaration.label


def see_bill(cls: type[Resource], key: int, number: str, doing: str = "打开") -> Way:
    """The way to a bill's page."""
    route = cls.declaration.routes.get("see") or cls.declaration.routes.get("edit") or ""
    return Way(
        f"{doing}{cls.declaration.label}{number}", f"{route}?id={key}" if route else "", cls.right("list")
    )


def see_list(name: str, label: str, **filters: Any) -> Way:
    """The way to a list, filtered."""
    cls = registry.get(name)
    asked = "&".join(f"{field}={value}" for field, value in filters.items() if value)
    return Way(label, f"{cls.declaration.routes['list']}?{asked}", cls.right("list"))
