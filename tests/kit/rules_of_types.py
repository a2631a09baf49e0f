"""Rules that hold for every declared type: one test a rule, which tells each type that breaks it.

`pytest --type=sales_outbound` asks a rule of one type; `pytest -x` ends a test at the first type that breaks its rule.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from api.kit.resource import Resource

ASKED: list[str] = []
"""The types that are asked for, by their names; all of them where it is empty."""
FIRST_ONLY: list[bool] = []
SECONDS = 1500
"""Of all types together; the whole suite shares the cores."""
TESTS = Path(__file__).resolve().parents[1]

Rule = Callable[..., None]


def holds_for(types: Iterable[type[Resource]]) -> Callable[[Rule], Rule]:
    """Makes a test of a rule, a function of a type, `cls`, and of fixtures: it asks the rule of each of the types.

    What one type changes by way of the fixture `conn` is rolled back before the next.
    """
    every = list(types)

    def decorate(rule: Rule) -> Rule:
        @wraps(rule)
        def test(*arguments: Any, **fixtures: Any) -> None:
            broken = []
            for cls in every:
                if ASKED and cls.name() not in ASKED:
                    continue
                if told := _told(lambda cls=cls: rule(*arguments, cls=cls, **fixtures)):  # type: ignore[misc]
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

    return decorate


def _told(ask: Callable[[], None]) -> str:
    """What broke, and where; nothing where all is well."""
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
