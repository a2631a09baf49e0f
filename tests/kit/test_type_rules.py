"""A rule that is asked of every type tells each that breaks it, and what went wrong where."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from api.kit.declaration.resource import Resource
from tests.support import type_rules
from tests.support.declared_types import DECLARED
from tests.support.type_rules import for_each_type

THREE = DECLARED[:3]
FIRST, SECOND, THIRD = (cls.name() for cls in THREE)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """However this run itself was asked."""
    monkeypatch.setattr(type_rules, "SELECTED_TYPES", [])
    monkeypatch.setattr(type_rules, "FIRST_ONLY", [])
    yield


@for_each_type(THREE)
def pass_rule(mark: str, cls: type[Resource]) -> None:
    values = {"name": cls.name(), "mark": mark}
    assert cls is THREE[0], values


def run_broken(mark: str = "m") -> str:
    with pytest.raises(pytest.fail.Exception) as told:
        pass_rule(mark=mark)  # type: ignore[call-arg]
    return str(told.value)


def test_every_type_that_breaks_it_is_told_with_its_values_and_place() -> None:
    told = run_broken("blue")
    assert told.startswith("2 of 3 types\n")
    assert f"{FIRST}: " not in told
    for name in (SECOND, THIRD):
        assert f"{name}: AssertionError" in told and f"'name': '{name}', 'mark': 'blue'" in told
    assert told.count("test_type_rules.py") == 2 and "assert cls is THREE[0], values" in told


def test_one_type_can_be_asked_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_rules, "SELECTED_TYPES", [FIRST])
    pass_rule(mark="m")  # type: ignore[call-arg]
    monkeypatch.setattr(type_rules, "SELECTED_TYPES", [THIRD])
    assert f"{SECOND}: " not in run_broken()


def test_the_first_ends_it_where_one_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_rules, "FIRST_ONLY", [True])
    assert f"{THIRD}: " not in run_broken()


def test_what_fixtures_it_takes_is_still_known() -> None:
    assert list(inspect.signature(pass_rule).parameters) == ["mark"]


def test_what_is_skipped_is_not_broken() -> None:
    @for_each_type(THREE)
    def skipping(cls: type[Resource]) -> None:
        pytest.skip("nothing to ask")

    skipping()  # type: ignore[call-arg]
