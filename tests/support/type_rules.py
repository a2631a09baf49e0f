"""Rules that hold for every declared type: one test per rule, which reports each type that breaks it.

`pytest --type=sales_outbound` asks a rule of one type; `pytest -x` ends a test at the first type that
breaks its rule.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from api.kit.declaration.resource import Resource

SELECTED_TYPES: list[str] = []
"""Names of the selected types; all types where it is empty."""
FIRST_ONLY: list[bool] = []
SECONDS = 1500
"""Timeout of all types together; the whole suite shares the cores."""
TESTS = Path(__file__).resolve().parents[1]

Rule = Callable[..., None]


def for_each_type(types: Iterable[type[Resource]]) -> Callable[[Rule], Rule]:
    """Make a test of a rule, a function of a type, `cls`, and fixtures, that asks it of each type.

    What one type changes by way of the fixture `conn` is rolled back before the next.
    """
    every = list(types)

    def decorate_rule(rule: Rule) -> Rule:
        @wraps(rule)
        def test(*arguments: Any, **fixtures: Any) -> None:
            broken = []
            for cls in every:
                if SELECTED_TYPES and cls.name() not in SELECTED_TYPES:
                    continue
                if told := _describe_failure(lambda cls=cls: rule(*arguments, cls=cls, **fixtures)):  # type: ignore[misc]
                    broken.append(f"{cls.name()}: {told}")
                    if FIRST_ONLY:
                        break
                if "conn" in fixtures:
                    fixtures["conn"].rollback()
            if broken:
                pytest.fail(f"{len(broken)} of {len(every)} types\n" + "\n".join(broken), pytrace=False)

        signature = inspect.signature(rule)
        kept = [parameter for name, parameter in signature.parameters.items() if name != "cls"]
        test.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        made: Rule = pytest.mark.timeout(SECONDS)(test)
        return made

    return decorate_rule


def _describe_failure(ask: Callable[[], None]) -> str:
    """Describe what broke, and where; empty where all is well."""
    try:
        ask()
    except pytest.skip.Exception:
        return ""
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if Path(frame.filename).is_relative_to(TESTS)]
        place = "".join(f"\n    {frame.filename}:{frame.lineno} {frame.line}" for frame in own[2:])
        return f"{type(error).__name__} {error}{place}"
    return ""
