"""The specification, statement by statement, and what proves each: tests, a row of what is done instead, or a reading.

`statements.csv` holds them; its evidence is one or several of these, with ` | ` between them:

- `tests/…/test_x.py::TestY::test_z`, a test of this project;
- `web/src/….test.ts::name`, a test of the browser's by its name;
- `docs/specification.md#54`, the row that says what is done instead and why, which a test named beside it quotes;
- `read path`, where it was read: nothing proves it yet but that file;
- `open`: not as written, and no reason stands anywhere.
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
NAMED = re.compile(r"""\b(?:it|test)(?:\.\w+)?\(\s*(['"`])(?P<name>.*?)\1""", re.S)
CASES = re.compile(r"""\)\(\s*(['"`])(?P<name>.*?)\1\s*,""", re.S)
"""The name of a test of many cases stands behind them."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the specification: its number, where it stands, what it says and what proves it."""

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
        """In one word, how it stands."""
        if OPEN in self.evidence:
            return "open"
        if self.row:
            return "instead"
        return "tested" if self.tests else "read"


@dataclass(frozen=True, slots=True)
class Deviation:
    """A row of what is done instead, and why; of one statement or of several, with 、 between their numbers."""

    number: str
    said: str
    done: str
    why: str

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(self.number.split("、"))


def statements() -> list[Statement]:
    """All of them, in their order."""
    with STATEMENTS.open(encoding="utf-8", newline="") as file:
        return [
            Statement(
                int(row["number"]), row["section"], row["statement"], tuple(row["evidence"].split(" | "))
            )
            for row in csv.DictReader(file)
        ]


def deviations() -> list[Deviation]:
    """The rows of the one table in `docs/specification.md`."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in (PROJECT / ROWS).read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    assert rows[0] == HEAD
    return [Deviation(*row) for row in rows[2:]]


def missing(evidence: str) -> str | None:
    """Why a piece of evidence is none; nothing where it is there."""
    if evidence == OPEN:
        return None
    if evidence.startswith(READ):
        return None if (PROJECT / evidence.removeprefix(READ)).is_file() else "没有这个文件"
    if evidence.startswith(f"{ROWS}#"):
        known = {number for row in deviations() for number in row.numbers}
        return None if evidence.removeprefix(f"{ROWS}#") in known else "没有这一行"
    path, _, name = evidence.partition("::")
    if not name or not (PROJECT / path).is_file():
        return "没有这个文件"
    return None if name in (_functions(path) if path.endswith(".py") else _names(path)) else "没有这个测试"


@cache
def _functions(path: str) -> frozenset[str]:
    """The tests of a Python file, `TestClass::test_name` where one stands in a class."""
    return frozenset(_tests(ast.parse((PROJECT / path).read_text("utf-8")).body, ""))


def _tests(body: list[ast.stmt], inside: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _tests(node.body, f"{inside}{node.name}::")
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield inside + node.name


@cache
def _names(path: str) -> frozenset[str]:
    """What the tests of a TypeScript file are called."""
    text = (PROJECT / path).read_text("utf-8")
    return frozenset(
        found["name"].replace("\\'", "'") for way in (NAMED, CASES) for found in way.finditer(text)
    )


def quoted(path: str) -> frozenset[str]:
    """The rows that a file of tests quotes."""
    text = (PROJECT / path.partition("::")[0]).read_text("utf-8")
    return frozenset(re.findall(rf"{re.escape(ROWS)}#(\d+)", text))
