"""Artifacts kept from run to run are of exactly this code: whatever file of it changes, all is made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import shared_artifacts


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of one file, in the place of this one."""
    monkeypatch.setattr(shared_artifacts, "PROJECT", tmp_path)
    (tmp_path / "api/migrations").mkdir(parents=True)
    (tmp_path / "api/cli.py").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    "name",
    ["api/cli.py", "api/migrations/divisions.tsv", "transforms/trade.md", "reports/pages/a.html", "uv.lock"],
)
def test_a_file_of_any_kind_makes_another_version(tree: Path, name: str) -> None:
    before = shared_artifacts.code_version.__wrapped__()
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text("changed")
    assert shared_artifacts.code_version.__wrapped__() != before


@pytest.mark.parametrize(
    "name",
    ["transforms/target/manifest.json", "api/__pycache__/cli.pyc", "web/app.ts", "tests/kit/test_all.py"],
)
def test_what_is_generated_or_no_part_of_it_makes_none(tree: Path, name: str) -> None:
    before = shared_artifacts.code_version.__wrapped__()
    (tree / name).parent.mkdir(parents=True)
    (tree / name).write_text("changed")
    assert shared_artifacts.code_version.__wrapped__() == before
