"""Roles as their editor reads and saves them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.kit.client import Caller

SAVE = "v2/system/Role/save"
NAMES = ("role_id", "version", "role_name", "scope_kind", "own_kind", "sees_cost", "enabled", "remark")


def editor(caller: Caller, role: int) -> dict[str, Any]:
    answer = caller.get("v2/system/Role/getEditor", role_id=role)
    assert answer.ok, answer
    found: dict[str, Any] = answer.data
    return found


def body_of(found: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What the editor saves of what it read."""
    return {**{name: found["role"][name] for name in NAMES}, **found["holdings"], **changes}


def hold(admin: Caller, role: int, **changes: Any) -> None:
    """Have a role hold something else."""
    answer = admin.post(SAVE, body_of(editor(admin, role), **changes))
    assert answer.ok, answer


@contextmanager
def holding(admin: Caller, role: int, **changes: Any) -> Iterator[None]:
    """For a while a role holds something else."""
    held = editor(admin, role)["holdings"]
    hold(admin, role, **changes)
    try:
        yield
    finally:
        hold(admin, role, **held)
