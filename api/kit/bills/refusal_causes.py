"""Causes of a refusal (拒绝原因): all of them at once, and what can be done about each.

An action stops at its first refusal. Then it is tried once more, in a transaction that is never kept, past
each control that refuses it; so whoever is refused learns at once all that stands in the way, up to what
leaves nothing to go on with, as a source that is not audited or has too little left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy.exc import DBAPIError

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from api.kit.errors import ConfirmationRequired, Refusal, Remedy

NOBODY = "没有人有此权限，请管理员在角色中授予"


class RightHolders(Protocol):
    """A function that returns the names of those who have a right in a company; identity supplies it."""

    def __call__(self, ctx: Context, right: str) -> Sequence[str]: ...


_holders: RightHolders | None = None


def set_holders(holders: RightHolders) -> None:
    """Register the function of identity that names who has a right."""
    global _holders
    _holders = holders


def find_all_causes(ctx: Context, first: Refusal, act: Callable[[], Any]) -> list[Refusal]:
    """Return all refusals that an action meets which was refused by the `first`, each once.

    Roll the attempt back. Questions are asked only once nothing refuses any more.
    """
    if isinstance(first, ConfirmationRequired):
        return [first]
    ctx.found_refusals = []
    try:
        act()
    except Refusal as last:
        ctx.found_refusals.append(last)
    except DBAPIError:
        # Somebody was in the way: what stopped the action itself is told.
        ctx.found_refusals.clear()
    finally:
        found, ctx.found_refusals = ctx.found_refusals, None
        ctx.questions.clear()
        ctx.notes.clear()
        ctx.conn.rollback()
    causes = {one.msg: one for one in found if not isinstance(one, ConfirmationRequired)}
    return list(causes.values()) or [first]


def join_causes(ctx: Context, causes: Sequence[Refusal]) -> Refusal:
    """Join all causes in one refusal, as the `reasons` of its data; the first one's data stay beside them.

    A single cause without remedies is returned as it is.
    """
    first = causes[0]
    if len(causes) == 1 and not first.remedies and not first.override_right:
        return first
    causes_data = first.data if isinstance(first.data, Mapping) else {}
    refusal = first if len(causes) == 1 else Refusal("；".join(one.msg for one in causes))
    refusal.data = {**causes_data, "reasons": [_describe_cause(ctx, one) for one in causes]}
    return refusal


def reasons_of(refusal: Refusal) -> Sequence[Mapping[str, Any]]:
    """Return the causes of a joined refusal."""
    return refusal.data.get("reasons", ()) if isinstance(refusal.data, Mapping) else ()


def _describe_cause(ctx: Context, refusal: Refusal) -> dict[str, Any]:
    kind = refusal.data.get("kind") if isinstance(refusal.data, Mapping) else None
    ways = [
        {"label": way.label, "route": way.route if ctx.principal.has_right(way.right) else ""}
        for way in refusal.remedies
        if not way.right or ctx.principal.has_right(way.right)
    ]
    # Where the asker may not look, somebody else can: one line a right, and nothing of what he would find there.
    closed = dict.fromkeys(
        way.right for way in refusal.remedies if way.right and not ctx.principal.has_right(way.right)
    )
    helpers = [(right, f"可以查看{_screen_label(right)}的人") for right in closed]
    if refusal.override_right:
        helpers.append((refusal.override_right, "可以放行的人"))
    for right, whose in helpers:
        names = _holders(ctx, right) if _holders is not None else ()
        ways.append({"label": f"{whose}：{'、'.join(names)}" if names else NOBODY, "route": ""})
    return {"msg": refusal.msg, "ways": ways, **({"kind": kind} if kind else {})}


def _screen_label(right: str) -> str:
    """Return the label of the screen that a right to a list opens."""
    return registry.get_resource(right.partition(":")[0]).declaration.label


def link_to_bill(cls: type[Resource], key: int, number: str, doing: str = "打开") -> Remedy:
    """Return the remedy that leads to a bill's page."""
    route = cls.declaration.routes.get("see") or cls.declaration.routes.get("edit") or ""
    return Remedy(
        f"{doing}{cls.declaration.label}{number}", f"{route}?id={key}" if route else "", cls.right("list")
    )


def link_to_list(name: str, label: str, **filters: Any) -> Remedy:
    """Return the remedy that leads to a list, filtered."""
    cls = registry.get_resource(name)
    query = "&".join(f"{field}={value}" for field, value in filters.items() if value)
    return Remedy(label, f"{cls.declaration.routes['list']}?{query}", cls.right("list"))
