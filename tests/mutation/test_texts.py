"""Each fault that is planted finds its text, so that a change of the code doesn't leave one behind unnoticed."""

from __future__ import annotations

from tests.mutation.__main__ import MUTANTS, PROJECT


def test_each_fault_has_its_place() -> None:
    assert {one.name: (one.file, one.count(PROJECT)) for one in MUTANTS if one.count(PROJECT) != 1} == {}


def test_each_fault_has_a_test_to_find_it() -> None:
    files = {test.split("::")[0] for one in MUTANTS for test in one.tests}
    assert [file for file in sorted(files) if not (PROJECT / file).exists()] == []
