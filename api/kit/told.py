"""Told columns (栏目出处): which declared fields the columns of a hand-written answer tell, and what of it is masked.

What declared classes answer is masked where it is projected. An answer that is written by hand says of each of its
columns which fields it repeats, and every call masks its answer by that on the way out: who may not see a field on its
screen finds it in no other answer either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from api.kit import registry
from api.kit.projection import MASK
from api.kit.resource import Declared
from api.kit.scope import Principal


@dataclass(frozen=True, slots=True)
class Told:
    """The declared fields, `class.field`, that a column repeats or follows from; any that is hidden hides it."""

    fields: tuple[str, ...] = ()

    def seen_by(self, principal: Principal) -> bool:
        """Whether a principal may see all of them."""
        return all(principal.sees(*place) for place in places_of(self))


def of(*fields: str) -> Told:
    """What an answer's column tells, as a mark on its type: `stocks: Annotated[str, of("stock_summary.quantity")]`."""
    return Told(fields)


APART = of()
"""Marks a column that the call itself masks, since what it repeats is another field from row to row or call to call."""
PLAIN = of()
"""Marks a column that repeats no declared field."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of an answered model that are of declared fields, and those that hold further models."""

    told: Mapping[str, Told]
    below: Mapping[str, Columns]

    def hidden(self, principal: Principal) -> frozenset[str]:
        """The columns that a principal may not see."""
        return frozenset(name for name, mark in self.told.items() if not mark.seen_by(principal))


def mask(returns: Any, data: Any, principal: Principal | None) -> Any:
    """An answer of a type with 无权限 in every column that the principal may not see.

    What a declaration makes the type of (a partial) is masked where its rows are projected.
    """
    if principal is None or (principal.sees_cost and not principal.denied_fields):
        return data
    columns = columns_of_type(returns)
    return data if columns is None else _masked(columns, data, principal, {})


def _masked(columns: Columns, data: Any, principal: Principal, known: dict[int, frozenset[str]]) -> Any:
    if isinstance(data, list):
        return [_masked(columns, one, principal, known) for one in data]
    if isinstance(data, BaseModel):
        data = data.model_dump(by_alias=True)
    if not isinstance(data, dict):
        return data
    if id(columns) not in known:
        known[id(columns)] = columns.hidden(principal)
    hidden = known[id(columns)]
    row = {name: MASK if name in hidden else value for name, value in data.items()}
    for name, inner in columns.below.items():
        if name in row and name not in hidden:
            row[name] = _masked(inner, row[name], principal, known)
    return row


@cache
def columns_of_type(returns: Any) -> Columns | None:
    """What the models within a type tell; None where they tell nothing declared."""
    return _columns(returns, ())


def _columns(kind: Any, within: tuple[Any, ...]) -> Columns | None:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return None if kind in within else _of_model(kind, (*within, kind))
    found = (_columns(one, within) for one in get_args(kind))
    return next((one for one in found if one is not None), None)


def _of_model(model: type[BaseModel], within: tuple[Any, ...]) -> Columns | None:
    told = {name: mark for name, mark in marks_of(model) if mark.fields}
    found = {name: _columns(item.annotation, within) for name, item in model.model_fields.items()}
    below = {name: one for name, one in found.items() if one is not None}
    return Columns(told, below) if told or below else None


def marks_of(model: type[BaseModel]) -> Iterator[tuple[str, Told]]:
    """The columns of a model that say what they tell."""
    for name, item in model.model_fields.items():
        for mark in item.metadata:
            if isinstance(mark, Told):
                yield name, mark


@cache
def places_of(mark: Told) -> tuple[tuple[str, str, str | None], ...]:
    """The screen, the name and the permission of each field that a mark names."""
    parts = (field.split(".") for field in mark.fields)
    return tuple((owner, name, _classes()[owner].field(name).permission) for owner, name in parts)


@cache
def _classes() -> Mapping[str, type[Declared]]:
    found: dict[str, type[Declared]] = {}
    for cls in registry.declared():
        found |= {block.cls.name(): block.cls for block in cls.blocks()} | {cls.name(): cls}
    return found
