"""Roles as their editor reads and saves them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.client import Caller

SAVE = "v2/system/Role/save"
NAMES = ("role_id", "version", "role_name", "scope_kind", "own_kind", "sees_cost", "enabled", "remark")


def read_editor(caller: Caller, role: int) -> dict[str, Any]:
    answer = caller.get("v2/system/Role/getEditor", role_id=role)
    assert answer.ok, answer
    found: dict[str, Any] = answer.data
    return found


def build_body(found: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Build what the editor saves of what it read."""
    return {**{name: found["role"][name] for name in NAMES}, **found["holdings"], **changes}


def change_role(admin: Caller, role: int, **changes: Any) -> None:
    """Change a role."""
    answer = admin.post(SAVE, build_body(read_editor(admin, role), **changes))
    assert answer.ok, answer


@contextmanager
def changed_role(admin: Caller, role: int, **changes: Any) -> Iterator[None]:
    """Change a role for the length of the block."""
    held = read_editor(admin, role)["holdings"]
    change_role(admin, role, **changes)
    try:
        yield
    finally:
        change_role(admin, role, **held)
