"""Installation (安装): both Python environments and the web, on a machine with only Python, Node and make.

Standard library only, run by the machine's own Python: `python3 -m api.launch.install [up|dev]
[--browser] [--parity]`. `dev` starts with code that reloads, and installs the hook that checks commit
messages. `--parity` adds what building the reports' models on Spark takes. Every step leaves a stamp of
what it was made from, so that a second run only compares stamps.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from api.launch.browser import ensure_browser
from api.launch.java import ensure_java
from api.launch.process import read_tail
from api.launch.progress import Progress

PROJECT = Path(__file__).resolve().parents[2]
TOOLS = PROJECT / ".tools"
WEB = PROJECT / "web"
PYTHON_FLOOR = (3, 11)
NODE_FLOOR = (20, 19)
PYTHON = (("安装核心的 Python 环境", PROJECT), ("安装报表平台的 Python 环境", PROJECT / "reports"))
START = {"up": ("up",), "dev": ("up", "--reload")}
"""How the product is started."""
HOOK = Path(".ci/commit-msg")
PARITY = (("安装 Spark 的 Python 环境", PROJECT / "tests" / "parity"),)
WEB_EXCLUDED = {"node_modules", "dist", "test-results", "gen", "openapi.json"}


class InstallError(RuntimeError):
    """Something the project needs can't be installed; the message is Chinese and says what to do."""


@dataclass(frozen=True)
class Step:
    """One thing to install: `made` is the folder it fills, `sources` the files it is made from."""

    label: str
    made: Path
    sources: tuple[Path, ...]
    command: tuple[str, ...]
    cwd: Path

    @property
    def stamp(self) -> Path:
        return self.made / ".erp-stamp"

    def digest(self) -> str:
        digest = hashlib.sha256(sys.version.encode())
        for path in self.sources:
            digest.update(str(path.relative_to(PROJECT)).encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()

    def is_current(self, digest: str) -> bool:
        return self.stamp.exists() and self.stamp.read_text() == digest


def main() -> None:
    progress = Progress()
    wanted = sys.argv[1:]
    try:
        _require_tools()
        TOOLS.mkdir(exist_ok=True)
        with (TOOLS / "install.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _install_environments(progress, PARITY if "--parity" in wanted else ())
        if "--browser" in wanted:
            ensure_browser(progress)
        if "--parity" in wanted:
            ensure_java(progress)
    except (InstallError, OSError) as error:
        raise SystemExit(f"✗ {error}") from error
    if "dev" in wanted:
        install_hook(PROJECT)
    if options := [START[word] for word in wanted if word in START]:
        erp = str(PROJECT / ".venv" / "bin" / "erp")
        os.execve(erp, [erp, *options[0]], {**os.environ, **progress.environment})


def install_hook(project: Path) -> None:
    """Link git's commit-msg hook to the project's and say so; one that is there already stays, and is named."""
    if not (project / ".git").exists():
        return
    place = _read_output("git", "-C", str(project), "rev-parse", "--git-path", "hooks")
    ours, hook = project / HOOK, project / place / "commit-msg"
    if hook.exists():
        if hook.resolve() != ours.resolve():
            print(f"保留已有的提交说明钩子 {hook}；本项目的是 {HOOK}")
        return
    hook.parent.mkdir(parents=True, exist_ok=True)
    hook.unlink(missing_ok=True)  # a link to a checkout that is gone
    hook.symlink_to(ours)
    print(f"已安装提交说明的钩子：{hook} → {HOOK}（不要它就删除这个链接）")


def _install_environments(progress: Progress, further: Iterable[tuple[str, Path]]) -> None:
    """Run the Python and the web steps side by side, each lane in order; `further` are Python environments beyond the
    product's."""
    uv = _find_uv(progress)
    python_lane = [_python_step(uv, label, folder) for label, folder in (*PYTHON, *further)]
    web_lane: list[Callable[[], Step]] = [_web_packages, _web_build]

    def run_lane(lane: Iterable[Callable[[], Step]]) -> None:
        for make_step in lane:
            _run_step(make_step(), progress)

    with ThreadPoolExecutor(2) as pool:
        lanes = [pool.submit(run_lane, python_lane), pool.submit(run_lane, web_lane)]
    for lane in lanes:
        lane.result()


def _run_step(step: Step, progress: Progress) -> None:
    digest = step.digest()
    if step.is_current(digest):
        return
    with progress.step(step.label):
        log = TOOLS / "logs" / f"{step.made.parent.name}-{step.made.name}.log"
        log.parent.mkdir(exist_ok=True)
        with log.open("wb") as output:
            done = subprocess.run(
                step.command,
                cwd=step.cwd,
                env=_child_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        if done.returncode:
            raise InstallError(f"{step.label}没有成功，日志 {log} 的末尾：\n{read_tail(log)}")
        step.stamp.write_text(digest)


def _python_step(uv: str, label: str, folder: Path) -> Callable[[], Step]:
    return lambda: Step(
        label,
        made=folder / ".venv",
        sources=(folder / "pyproject.toml", folder / "uv.lock"),
        command=(uv, "sync", "--frozen", "--project", str(folder)),
        cwd=PROJECT,
    )


def _web_packages() -> Step:
    return Step(
        "安装网页的依赖",
        made=WEB / "node_modules",
        sources=(WEB / "package.json", WEB / "package-lock.json"),
        command=("npm", "ci", "--no-audit", "--no-fund"),
        cwd=WEB,
    )


def _web_build() -> Step:
    return Step(
        "构建网页",
        made=WEB / "dist",
        sources=tuple(_web_sources()),
        command=("npm", "run", "build"),
        cwd=WEB,
    )


def _web_sources() -> list[Path]:
    found: list[Path] = []
    for folder, folders, files in os.walk(WEB):
        folders[:] = sorted(name for name in folders if name not in WEB_EXCLUDED)
        found += [Path(folder, name) for name in sorted(files) if name not in WEB_EXCLUDED]
    return found


def _child_environment() -> dict[str, str]:
    """Return our environment less an activated virtual environment, which uv would take for the one to fill."""
    return {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}


def _require_tools() -> None:
    if sys.version_info < PYTHON_FLOOR:
        raise InstallError(f"需要 Python 3.11 或更新，现在是 {sys.version.split()[0]}")
    version = _read_output("node", "--version").lstrip("v")
    if not version or tuple(int(part) for part in version.split(".")[:2]) < NODE_FLOOR:
        raise InstallError(f"需要 Node 20.19 或更新，现在是 {version or '没有安装'}")
    if not _read_output("npm", "--version"):
        raise InstallError("没有找到 npm，请把它和 Node 一起安装")


def _find_uv(progress: Progress) -> str:
    """Return the machine's uv, or install one of our own in `.tools`."""
    if _read_output("uv", "--version"):
        return "uv"
    own = TOOLS / "uv" / "bin" / "uv"
    if not _read_output(str(own), "--version"):
        with progress.step("安装 uv"):
            made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(TOOLS / "uv")])
            if made.returncode:
                raise InstallError("无法建立 Python 虚拟环境，请安装系统的 python3-venv 后再试")
            pip = subprocess.run([str(own.with_name("pip")), "install", "--quiet", "uv"])
            if pip.returncode:
                raise InstallError("无法从软件源安装 uv，请检查网络后再试")
    return str(own)


def _read_output(program: str, *arguments: str) -> str:
    """Return the output of a program; empty when it is not there or fails."""
    if not shutil.which(program):
        return ""
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    main()
