"""What the documents for developers name is there: files, commands, targets."""

from __future__ import annotations

import re

import pytest

from tests.vocabulary.names import PROJECT

DOCUMENTS = sorted(
    [
        PROJECT / "README.md",
        PROJECT / "CONTRIBUTING.md",
        PROJECT / "docs" / "architecture.md",
        *(PROJECT / "docs" / "decisions").glob("*.md"),
    ]
)
PATH = re.compile(r"(?<![\w/.-])((?:api|warehouse|reports|transforms|tests|web|docs|\.ci)/[\w./*-]*\w)")
FILE = re.compile(r"`((?:[a-z]\w*\.(?:py|sql|typ|html)|\w+\.tsx?))`")
TARGET = re.compile(r"`make ([a-z-]+)")
COMMAND = re.compile(r"\berp ([a-z-]+)")
MADE = re.compile(r"^.*/(fct|mart)_$|^(web/dist|web/src/gen|transforms/target|tests/\w+/test_\.py)|…")
"""What is made by a command, and examples."""


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
class TestDocuments:
    def test_files_are_there(self, path) -> None:
        named = {found for found in PATH.findall(path.read_text("utf-8")) if not MADE.match(found)}
        assert [name for name in sorted(named) if not any(PROJECT.glob(name))] == []

    def test_files_without_a_folder_are_there(self, path) -> None:
        folders = ("api", "reports", "tests", "transforms/m*", "warehouse", "web/src")
        named = sorted(set(FILE.findall(path.read_text("utf-8"))))
        assert [name for name in named if not any(any(PROJECT.glob(f"{f}/**/{name}")) for f in folders)] == []

    def test_targets_are_there(self, path) -> None:
        targets = re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert set(TARGET.findall(path.read_text("utf-8"))) <= set(targets)

    def test_commands_are_there(self, path) -> None:
        source = (PROJECT / "api" / "cli.py").read_text("utf-8")
        commands = re.findall(r"^@app\.command\((?:\"([a-z-]+)\")?\)\ndef (\w+)", source, re.MULTILINE)
        assert set(COMMAND.findall(path.read_text("utf-8"))) <= {given or name for given, name in commands}


def test_decisions_are_short() -> None:
    decisions = (PROJECT / "docs" / "decisions").glob("[0-9]*.md")
    assert {path.name: n for path in decisions if (n := len(path.read_text("utf-8").splitlines())) > 40} == {}
