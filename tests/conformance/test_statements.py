"""Every statement of the specification is proved, or a row says what is done instead and why, which tests keep true."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.conformance.__main__ import main
from tests.conformance.statements import (
    Statement,
    describe_missing,
    list_quoted_rows,
    read_deviations,
    read_statements,
)

EVERY = read_statements()
REASONS = ("安全：", "习惯：", "规格自己的")
"""What may speak against it: safety, a habit of its users, or what it says itself elsewhere."""
READ_ALONE, STILL_OPEN = 15, 0
"""How many nothing but a reading vouches for, and how many are not as written without a reason: they only shrink."""


def test_each_stands_once() -> None:
    assert [one.number for one in EVERY] == list(range(1, 277))


@pytest.mark.parametrize("one", EVERY, ids=[str(one.number) for one in EVERY])
def test_its_evidence_is_there(one: Statement) -> None:
    assert {part: why for part in one.evidence if (why := describe_missing(part))} == {}
    assert one.evidence != ("",)


def test_what_is_only_read_or_still_open_only_shrinks() -> None:
    counted = Counter(one.verdict for one in EVERY)
    assert (counted["read"], counted["open"]) == (READ_ALONE, STILL_OPEN)


def test_each_row_is_of_a_statement_and_says_all() -> None:
    named = {str(one.number): one.row for one in EVERY if one.row}
    assert all(number == row for number, row in named.items())
    assert sorted(number for row in read_deviations() for number in row.numbers) == sorted(named)
    for row in read_deviations():
        assert all((row.required, row.done, row.why)), row.number
        assert row.why.startswith(REASONS) or "待建" in row.why, row.number


@pytest.mark.parametrize("one", [one for one in EVERY if one.row], ids=lambda one: str(one.number))
def test_a_row_is_quoted_by_a_test_that_is_named_beside_it(one: Statement) -> None:
    assert one.row in frozenset().union(*(list_quoted_rows(test) for test in one.tests))


def test_what_is_not_there_is_told() -> None:
    for part, why in (
        ("tests/conformance/test_statements.py::test_none", "没有这个测试"),
        ("tests/none.py::test_none", "没有这个文件"),
        ("web/src/lib/format.test.ts::none", "没有这个测试"),
        ("docs/specification.md#0", "没有这一行"),
        ("read api/none.py", "没有这个文件"),
        ("a sentence", "没有这个文件"),
    ):
        assert describe_missing(part) == why, part


def test_the_table_has_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    printed = capsys.readouterr().out.splitlines()
    assert len([line for line in printed if line.startswith("| ")]) == len(EVERY) + 2
    assert printed[-1].endswith("共 276")
