"""Field sources (栏目出处): the declared fields that columns of hand-written responses repeat.

Responses of declared classes are masked where they are projected. A hand-written one marks each of its
columns with the fields it repeats, and every call masks its answer by that on the way out: a field hidden
on its screen is hidden in every other answer as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from api.kit.declaration import registry
from api.kit.declaration.resource import Declared
from api.kit.scope import Principal
from api.kit.storage.projection import MASK


@dataclass(frozen=True, slots=True)
class FieldSources:
    """The declared fields, `class.field`, that a column repeats or follows from; any that is hidden hides it."""

    fields: tuple[str, ...] = ()

    def is_visible_to(self, principal: Principal) -> bool:
        """Return whether a principal may see all of them."""
        return all(principal.can_see(*place) for place in resolve_fields(self))


def from_fields(*fields: str) -> FieldSources:
    """Mark a response column: `stocks: Annotated[str, from_fields("stock_summary.quantity")]`."""
    return FieldSources(fields)


APART = from_fields()
"""Marks a column that the call itself masks, since what it repeats is another field from row to row or call to call."""
PLAIN = from_fields()
"""Marks a column that repeats no declared field."""


@dataclass(frozen=True, slots=True)
class AnswerColumns:
    """The marked columns of a response model, and those that hold further models."""

    sources: Mapping[str, FieldSources]
    nested: Mapping[str, AnswerColumns]

    def hidden_names(self, principal: Principal) -> frozenset[str]:
        """Return the columns that a principal may not see."""
        return frozenset(name for name, mark in self.sources.items() if not mark.is_visible_to(principal))


def mask_answer(returns: Any, data: Any, principal: Principal | None) -> Any:
    """Mask an answer of a type with 无权限 in every column that the principal may not see.

    A type that a declaration makes (a partial) is masked where its rows are projected.
    """
    if principal is None or (principal.sees_cost and not principal.denied_fields):
        return data
    columns = find_answer_columns(returns)
    return data if columns is None else _mask_value(columns, data, principal, {})


def _mask_value(
    columns: AnswerColumns, data: Any, principal: Principal, known: dict[int, frozenset[str]]
) -> Any:
    if isinstance(data, list):
        return [_mask_value(columns, one, principal, known) for one in data]
    if isinstance(data, BaseModel):
        data = data.model_dump(by_alias=True)
    if not isinstance(data, dict):
        return data
    if id(columns) not in known:
        known[id(columns)] = columns.hidden_names(principal)
    hidden = known[id(columns)]
    row = {name: MASK if name in hidden else value for name, value in data.items()}
    for name, inner in columns.nested.items():
        if name in row and name not in hidden:
            row[name] = _mask_value(inner, row[name], principal, known)
    return row


@cache
def find_answer_columns(returns: Any) -> AnswerColumns | None:
    """Find the marked columns of the models within a type; None where there are none."""
    return _find_columns(returns, ())


def _find_columns(kind: Any, within: tuple[Any, ...]) -> AnswerColumns | None:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return None if kind in within else _read_model(kind, (*within, kind))
    found = (_find_columns(one, within) for one in get_args(kind))
    return next((one for one in found if one is not None), None)


def _read_model(model: type[BaseModel], within: tuple[Any, ...]) -> AnswerColumns | None:
    marks = {name: mark for name, mark in list_marks(model) if mark.fields}
    found = {name: _find_columns(item.annotation, within) for name, item in model.model_fields.items()}
    below = {name: one for name, one in found.items() if one is not None}
    return AnswerColumns(marks, below) if marks or below else None


def list_marks(model: type[BaseModel]) -> Iterator[tuple[str, FieldSources]]:
    """Yield the marked columns of a model."""
    for name, item in model.model_fields.items():
        for mark in item.metadata:
            if isinstance(mark, FieldSources):
                yield name, mark


@cache
def resolve_fields(mark: FieldSources) -> tuple[tuple[str, str, str | None], ...]:
    """Return the screen, the name and the permission of each field of a mark."""
    parts = (field.split(".") for field in mark.fields)
    return tuple((owner, name, _map_classes()[owner].field(name).permission) for owner, name in parts)


@cache
def _map_classes() -> Mapping[str, type[Declared]]:
    found: dict[str, type[Declared]] = {}
    for cls in registry.list_resources():
        found |= {block.cls.name(): block.cls for block in cls.blocks()} | {cls.name(): cls}
    return found
