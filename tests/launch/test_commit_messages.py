"""Commit messages: what the hook takes and refuses, and how it comes to be there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from api.kit.settings import PROJECT_DIR
from api.launch.install import HOOK, install_hook

MAKEFILE = (PROJECT_DIR / "Makefile").read_text("utf-8")


def run_git(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    identity = ("-c", "user.name=Wang", "-c", "user.email=wang@example.invalid")
    return subprocess.run(["git", *identity, *arguments], cwd=place, capture_output=True, text=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    run_git(tmp_path, "init", "--quiet")
    (tmp_path / HOOK).parent.mkdir()
    (tmp_path / HOOK).write_bytes((PROJECT_DIR / HOOK).read_bytes())
    (tmp_path / HOOK).chmod(0o755)
    return tmp_path


def commit_file(place: Path, message: str) -> str:
    """Return git's message for a commit of this message; empty where it is taken."""
    done = run_git(place, "commit", "--allow-empty", "--quiet", "-m", message)
    return done.stderr if done.returncode else ""


class TestTheHook:
    @pytest.fixture(autouse=True)
    def installed(self, checkout: Path) -> None:
        install_hook(checkout)

    @pytest.mark.parametrize(
        "message",
        [
            "sales: Refuse an outbound of a closed company",
            "api/kit: Name hooks after what they do\n\nThree of them said the same.",
            "purchase returns: Split the freight to the cent",
            "Merge branch 'sales'",
            'Revert "sales: Refuse an outbound of a closed company"',
        ],
    )
    def test_takes(self, checkout: Path, message: str) -> None:
        assert commit_file(checkout, message) == ""

    @pytest.mark.parametrize(
        ("message", "reason"),
        [
            ("The days of business are told from one reading of each fact", "没有范围或动词"),
            ("sales: refuse an outbound of a closed company", "没有范围或动词"),
            ("sales: The outbound of a closed company is refused", "动词原形"),
            ("sales: Refuse an outbound of a company whose books of the month are closed by now", "72"),
            ("sales: Refuse an outbound\nof a closed company", "空一行"),
        ],
    )
    def test_refuses_and_says_why(self, checkout: Path, message: str, reason: str) -> None:
        assert reason in commit_file(checkout, message).split("\n")[0]


class TestInstallingIt:
    def test_is_said_once(self, checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
        install_hook(checkout)
        assert "已安装提交说明的钩子" in capsys.readouterr().out
        install_hook(checkout)
        assert capsys.readouterr().out == ""

    def test_another_one_stays(self, checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
        other = checkout / ".git" / "hooks" / "commit-msg"
        other.parent.mkdir(exist_ok=True)
        other.write_text("#!/bin/sh\n")
        install_hook(checkout)
        assert "保留已有的提交说明钩子" in capsys.readouterr().out
        assert other.read_text() == "#!/bin/sh\n"

    def test_one_of_a_checkout_that_is_gone_is_replaced(self, checkout: Path) -> None:
        hook = checkout / ".git" / "hooks" / "commit-msg"
        hook.parent.mkdir(exist_ok=True)
        hook.symlink_to(checkout / "gone")
        install_hook(checkout)
        assert hook.resolve() == (checkout / HOOK).resolve()

    def test_without_a_repository_there_is_none(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        install_hook(tmp_path)
        assert capsys.readouterr().out == "" and not list(tmp_path.iterdir())


def test_help_names_every_target() -> None:
    targets = set(re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE).group(1).split()) - {"help"}  # type: ignore[union-attr]
    helped = set(re.findall(r"[a-z]+(?:-[a-z]+)*", " ".join(re.findall(r'@echo "(.+)"', MAKEFILE))))
    assert targets == set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)) - {"help"}
    assert targets <= helped
