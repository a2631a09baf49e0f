"""Call registry (接口清单): every call of the API, and the path of each call that the specification names.

`named_calls.csv` is the plan: section, method, a path or (where the specification gives none) the
last words of one, the names of the query and of the answer's fields.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLAN = Path(__file__).with_name("named_calls.csv")


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call of the specification under its name there; `path` is None while no route answers it."""

    section: str
    method: str
    call: str
    query: tuple[str, ...]
    fields: tuple[str, ...]
    path: str | None


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A call of the API with the right that it requires."""

    method: str
    path: str
    right: str


def list_answered_calls(document: Mapping[str, Any]) -> list[AnsweredCall]:
    """Return every operation of an OpenAPI document, by path."""
    return [
        AnsweredCall(method.upper(), path, operation.get("x-right", ""))
        for path, item in sorted(document["paths"].items())
        for method, operation in item.items()
    ]


def list_named_calls(document: Mapping[str, Any]) -> list[NamedCall]:
    """Return every call of the plan, in its order."""
    found = list_answered_calls(document)
    with PLAN.open(encoding="utf-8", newline="") as file:
        return [
            NamedCall(
                row["section"],
                row["method"],
                row["call"],
                tuple(row["query"].split()),
                tuple(row["fields"].split()),
                _find_path(row["method"], row["call"], found),
            )
            for row in csv.DictReader(file)
        ]


def _find_path(method: str, wanted: str, found: list[AnsweredCall]) -> str | None:
    """Return the first path that is `wanted` (with a leading slash) or ends with it."""
    for call in found:
        whole = call.path == wanted if wanted.startswith("/") else call.path.endswith(f"/{wanted}")
        if call.method == method and whole:
            return call.path
    return None
