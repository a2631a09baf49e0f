"""The installer's steps: run once, again only when what they are made from changes, loud when they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.launch import browser, install, java
from api.launch.install import InstallError, Step
from api.launch.packages import PackageError
from api.launch.progress import Progress


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(install, "PROJECT", tmp_path)
    monkeypatch.setattr(install, "TOOLS", tmp_path / ".tools")
    (tmp_path / ".tools").mkdir()
    (tmp_path / "lock").write_text("1")
    return tmp_path


def build_step(project: Path, command: str) -> Step:
    return Step("一步", project / "made", (project / "lock",), ("sh", "-c", command), project)


def run_step(project: Path, command: str = "mkdir -p made; echo x >> made/runs") -> int:
    install._run_step(build_step(project, command), Progress())
    return len((project / "made" / "runs").read_text().splitlines())


def test_runs_once_for_the_same_sources(project: Path) -> None:
    assert run_step(project) == 1
    assert run_step(project) == 1


def test_runs_again_when_a_source_changes(project: Path) -> None:
    run_step(project)
    (project / "lock").write_text("2")
    assert run_step(project) == 2


def test_runs_again_when_the_result_is_gone(project: Path) -> None:
    run_step(project)
    (project / "made" / ".erp-stamp").unlink()
    assert run_step(project) == 2


def test_a_failure_shows_the_log_and_is_tried_again(project: Path) -> None:
    with pytest.raises(InstallError, match="一步没有成功.*\n没有网络"):
        install._run_step(build_step(project, "mkdir -p made; echo 没有网络; exit 1"), Progress())
    assert run_step(project) == 1


def test_an_old_node_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "_read_output", lambda program, *arguments: "v18.2.0")
    with pytest.raises(InstallError, match=r"20\.19.*18\.2\.0"):
        install._require_tools()


class TestBrowser:
    def test_without_a_package_manager_the_message_says_what_to_install(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(browser.shutil, "which", lambda program: None)
        monkeypatch.delenv("ERP_CHROMIUM", raising=False)
        with pytest.raises(PackageError, match="fonts-noto-cjk.*ERP_CHROMIUM"):
            browser.ensure_browser(Progress())

    def test_the_named_one_comes_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ERP_CHROMIUM", "/opt/browser")
        assert browser.find_browser() == "/opt/browser"


class TestJava:
    def test_an_old_one_does_not_do(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        program = tmp_path / "bin" / "java"
        program.parent.mkdir()
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        found = {}
        for version in ("1.8.0_452", "11.0.27", "17.0.15", "21.0.8"):
            program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
            program.chmod(0o755)
            found[version] = java.has_java()
        assert found == {"1.8.0_452": False, "11.0.27": False, "17.0.15": True, "21.0.8": True}

    def test_without_a_package_manager_the_message_says_what_to_install(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(java.shutil, "which", lambda program: None)
        with pytest.raises(PackageError, match=r"Java 17.*default-jre-headless.*JAVA_HOME"):
            java.ensure_java(Progress())
