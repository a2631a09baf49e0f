"""The specification, statement by statement, and the proof of each.

`statements.csv` holds them; its evidence is one or several of these, with ` | ` between them:

- `tests/…/test_x.py::TestY::test_z`, a test of this project;
- `web/src/….test.ts::name`, a test of the browser's by its name;
- `docs/specification.md#54`, the row that says what is done instead and why, which a test named beside it
    quotes;
- `read path`, where it was read: nothing proves it yet but that file;
- `open`: not as written, without a reason.
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).parents[2]
STATEMENTS = Path(__file__).with_name("statements.csv")
ROWS = "docs/specification.md"
READ, OPEN = "read ", "open"
HEAD = ["编号", "规格的说法", "这里的做法", "理由"]
TEST_NAME = re.compile(r"""\b(?:it|test)(?:\.\w+)?\(\s*(['"`])(?P<name>.*?)\1""", re.S)
CASE_NAME = re.compile(r"""\)\(\s*(['"`])(?P<name>.*?)\1\s*,""", re.S)
"""The name of a test of many cases stands behind them."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the specification: number, section, text and proof."""

    number: int
    section: str
    text: str
    evidence: tuple[str, ...]

    @property
    def row(self) -> str | None:
        """The number of the row that says what is done instead."""
        marks = (one.removeprefix(f"{ROWS}#") for one in self.evidence if one.startswith(f"{ROWS}#"))
        return next(marks, None)

    @property
    def tests(self) -> tuple[str, ...]:
        return tuple(one for one in self.evidence if "::" in one)

    @property
    def verdict(self) -> str:
        """Its status, in one word."""
        if OPEN in self.evidence:
            return "open"
        if self.row:
            return "instead"
        return "tested" if self.tests else "read"


@dataclass(frozen=True, slots=True)
class Deviation:
    """A deviation from the specification and its reason.

    Of one statement or of several, with 、 between their numbers.
    """

    number: str
    required: str
    done: str
    why: str

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(self.number.split("、"))


def read_statements() -> list[Statement]:
    """Read all of them, in their order."""
    with STATEMENTS.open(encoding="utf-8", newline="") as file:
        return [
            Statement(
                int(row["number"]), row["section"], row["statement"], tuple(row["evidence"].split(" | "))
            )
            for row in csv.DictReader(file)
        ]


def read_deviations() -> list[Deviation]:
    """Return the rows of the one table in `docs/specification.md`."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in (PROJECT / ROWS).read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    assert rows[0] == HEAD
    return [Deviation(*row) for row in rows[2:]]


def describe_missing(evidence: str) -> str | None:
    """Describe why a piece of evidence is none; None where it is there."""
    if evidence == OPEN:
        return None
    if evidence.startswith(READ):
        return None if (PROJECT / evidence.removeprefix(READ)).is_file() else "没有这个文件"
    if evidence.startswith(f"{ROWS}#"):
        known = {number for row in read_deviations() for number in row.numbers}
        return None if evidence.removeprefix(f"{ROWS}#") in known else "没有这一行"
    path, _, name = evidence.partition("::")
    if not name or not (PROJECT / path).is_file():
        return "没有这个文件"
    return (
        None
        if name in (_list_python_tests(path) if path.endswith(".py") else _list_web_tests(path))
        else "没有这个测试"
    )


@cache
def _list_python_tests(path: str) -> frozenset[str]:
    """Return the tests of a Python file, `TestClass::test_name` where one stands in a class."""
    return frozenset(_iterate_tests(ast.parse((PROJECT / path).read_text("utf-8")).body, ""))


def _iterate_tests(body: list[ast.stmt], inside: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _iterate_tests(node.body, f"{inside}{node.name}::")
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield inside + node.name


@cache
def _list_web_tests(path: str) -> frozenset[str]:
    """Return the names of the tests of a TypeScript file."""
    text = (PROJECT / path).read_text("utf-8")
    return frozenset(
        found["name"].replace("\\'", "'") for way in (TEST_NAME, CASE_NAME) for found in way.finditer(text)
    )


def list_quoted_rows(path: str) -> frozenset[str]:
    """Return the rows that a file of tests quotes."""
    text = (PROJECT / path.partition("::")[0]).read_text("utf-8")
    return frozenset(re.findall(rf"{re.escape(ROWS)}#(\d+)", text))
