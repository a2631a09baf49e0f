"""A rule that is asked of every type tells each that breaks it, and what went wrong where."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from api.kit.resource import Resource
from tests.kit import rules_of_types
from tests.kit.declared import DECLARED
from tests.kit.rules_of_types import holds_for

THREE = DECLARED[:3]
FIRST, SECOND, THIRD = (cls.name() for cls in THREE)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """However this run itself was asked."""
    monkeypatch.setattr(rules_of_types, "ASKED", [])
    monkeypatch.setattr(rules_of_types, "FIRST_ONLY", [])
    yield


@holds_for(THREE)
def rule(mark: str, cls: type[Resource]) -> None:
    values = {"name": cls.name(), "mark": mark}
    assert cls is THREE[0], values


def broken(mark: str = "m") -> str:
    with pytest.raises(pytest.fail.Exception) as told:
        rule(mark=mark)  # type: ignore[call-arg]
    return str(told.value)


def test_every_type_that_breaks_it_is_told_with_its_values_and_place() -> None:
    told = broken("blue")
    assert told.startswith("2 of 3 types\n")
    assert f"{FIRST}: " not in told
    for name in (SECOND, THIRD):
        assert f"{name}: AssertionError" in told and f"'name': '{name}', 'mark': 'blue'" in told
    assert told.count("test_rules_of_types.py") == 2 and "assert cls is THREE[0], values" in told


def test_one_type_can_be_asked_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_of_types, "ASKED", [FIRST])
    rule(mark="m")  # type: ignore[call-arg]
    monkeypatch.setattr(rules_of_types, "ASKED", [THIRD])
    assert f"{SECOND}: " not in broken()


def test_the_first_ends_it_where_one_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_of_types, "FIRST_ONLY", [True])
    assert f"{THIRD}: " not in broken()


def test_what_fixtures_it_takes_is_still_known() -> None:
    assert list(inspect.signature(rule).parameters) == ["mark"]


def test_what_is_skipped_is_not_broken() -> None:
    @holds_for(THREE)
    def skipping(cls: type[Resource]) -> None:
        pytest.skip("nothing to ask")

    skipping()  # type: ignore[call-arg]
