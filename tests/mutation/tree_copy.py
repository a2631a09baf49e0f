"""A scratch copy of a tree, in which one fault at a time is planted and the tests are run."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutant import Mutant

INSTALLED = (".venv", "reports/.venv", "web/node_modules", "web/dist")
"""Installed or built directories: linked, not copied."""
MADE = Path(__file__).with_name("make_artifacts.py")
SECONDS = 1200
"""Timeout of one fault; what takes longer hangs, which a run of tests finds as well."""
FIGURES = "figures"
"""The artifact that the warehouse's code has a part in as well."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The tests' outcome (killed, survived or broken: they couldn't be run), and the first that failed."""

    how: str
    detail: str


class TreeCopy:
    """A copy of a tree under a directory in memory.

    Its tests' artifacts are reused where a fault has no part in them.
    """

    def __init__(self, tree: Path, place: Path) -> None:
        self.root, self._kept = place / "tree", place / "kept"
        self._ran, self._figures = set[tuple[str, int]](), frozenset[str]()
        self._copy(tree)

    def _copy(self, tree: Path) -> None:
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in filter(None, subprocess.check_output(listed, cwd=tree, text=True).split("\0")):
            if (tree / name).is_file() and not any(name.startswith(one) for one in INSTALLED):
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(tree / name, self.root / name)
        for name in INSTALLED:
            if (tree / name).exists():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                (self.root / name).symlink_to((tree / name).resolve())

    @property
    def _keeps(self) -> Path:
        return self.root / ".tools" / "tests"

    def make_artifacts(self) -> None:
        """Make the tests' artifacts and learn the code that makes them.

        Nothing where a tree's tests keep none.
        """
        if "KEPT" not in (self.root / "tests/support/shared_artifacts.py").read_text("utf-8"):
            return
        told = self.root.parent / "ran.json"
        self._run([str(MADE), str(told)], check=True)
        made_of = json.loads(told.read_text())
        self._ran = {(file, line) for file, line in made_of["ran"]}
        self._figures = frozenset(made_of["figures"])
        [made] = self._keeps.iterdir()
        made.rename(self._kept)

    @contextmanager
    def with_fault(self, mutant: Mutant) -> Iterator[None]:
        """Plant a fault in the copy for the length of the block."""
        file = self.root / mutant.file
        whole, known = file.read_text("utf-8"), file.stat()
        handed = self._list_reusable(mutant, whole)
        file.write_text(whole.replace(mutant.old, mutant.new), "utf-8")
        try:
            self._link_artifacts(handed)
            yield
        finally:
            file.write_text(whole, "utf-8")
            os.utime(file, ns=(known.st_atime_ns, known.st_mtime_ns))
            shutil.rmtree(self._keeps, ignore_errors=True)

    def _list_reusable(self, mutant: Mutant, whole: str) -> list[str]:
        """Return the artifacts that a fault has no part in: its function did not run for them."""
        every = sorted(one.name for one in self._kept.glob("*") if one.is_dir())
        plain = [name for name in every if name != FIGURES]
        if mutant.file.startswith("transforms/"):
            return plain
        if not mutant.file.endswith(".py"):
            return []
        first = whole[: whole.index(mutant.old)].count("\n") + 1
        begun = _find_function_line(whole, first, first + mutant.old.rstrip("\n").count("\n"))
        if begun is None or (mutant.file, begun) in self._ran:
            return []
        return plain if mutant.file in self._figures else every

    def _link_artifacts(self, names: list[str]) -> None:
        if not names:
            return
        told = "from tests.support import shared_artifacts; print(shared_artifacts.code_version())"
        place = self._keeps / self._run(["-c", told], check=True).stdout.strip()
        place.mkdir(parents=True)
        for name in names:
            (place / name).symlink_to(self._kept / name)

    def run_tests(self, tests: tuple[str, ...], *, first: bool = True) -> Verdict:
        """Run tests of the copy as it is; with `first` the first failure is enough."""
        missing = [test for test in tests if not (self.root / test.split("::")[0]).exists()]
        if missing:
            return Verdict("broken", f"no test {missing[0]}")
        words = [
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--tb=line",
            *(["-x"] if first else []),
            *tests,
        ]
        try:
            done = self._run(words)
        except subprocess.TimeoutExpired:
            return Verdict("killed", f"hangs for {SECONDS} s")
        lines = [
            line for line in done.stdout.splitlines() if line.startswith(("FAILED tests", "ERROR tests"))
        ]
        told = lines[0][:150] if lines else done.stdout.strip()[-150:]
        if done.returncode == 0:
            return Verdict("survived", done.stdout.strip().rsplit("\n", 1)[-1])
        return Verdict("killed" if done.returncode == 1 else "broken", told)

    def _run(self, words: list[str], *, check: bool = False) -> subprocess.CompletedProcess[str]:
        command = [str(self.root / ".venv/bin/python"), *words]
        return subprocess.run(
            command,
            cwd=self.root,
            env=build_environment(self.root),
            check=check,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )


def build_environment(tree: Path) -> dict[str, str]:
    """Return the environment in which a tree's own code runs, whatever is installed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("ERP_")}
    return own | {"PYTHONPATH": str(tree)}


def _find_function_line(source: str, first: int, last: int) -> int | None:
    """Return the line where the innermost function begins that has all of some lines in its body.

    None outside of any.
    """
    found: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    for node in ast.walk(ast.parse(source)):
        own = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if own and node.body[0].lineno <= first and last <= (node.end_lineno or 0):
            found = node
    return min([found.lineno, *(one.lineno for one in found.decorator_list)]) if found else None
