"""`erp up`：从数据库到报表一次启动，看护到 Ctrl-C，再按次序停下一切。"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from api.kit.settings import PROJECT_DIR, Settings
from api.launch.guard import check_installed, check_ports, hold_data_dir
from api.launch.health import Part, is_healthy
from api.launch.postgres import EmbeddedPostgres, PostgresError
from api.launch.process import spawn, stop
from api.launch.progress import Progress
from api.launch.reload import folders_of, once_healthy, watch_command, web_address, web_child
from api.launch.supervisor import BACKOFF_SECONDS, Child, ChildError, Watched, await_health

FIRST_SNAPSHOT_SECONDS = 900
REPORTS_START_SECONDS = 300
"""So long the start waits for them; bills are written without."""
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CHILD_COMMANDS = {Part.API: "serve", Part.WORK: "work", Part.REFRESH: "refresh"}
REPORTS_PYTHON = PROJECT_DIR / "reports" / ".venv" / "bin" / "python"


class StopRequested(BaseException):
    """Ctrl-C or a termination signal."""


class Launcher:
    """Everything one `erp up` starts, in the order of starting; with `reload` as it is developed."""

    def __init__(self, config: Settings, *, reload: bool = False) -> None:
        self.config = config
        self.reload = reload
        self.progress = Progress()
        self.postgres: EmbeddedPostgres | None = None
        self.preparing: subprocess.Popen[bytes] | None = None
        self.children: list[Watched] = []

    def run(self) -> None:
        """Start all and watch until a signal. Raises StartRefused, PostgresError, ChildError."""
        for number in STOP_SIGNALS:
            # A hang-up ignored is how nohup asks to stay; a shell without job control ignores Ctrl-C unasked.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _request_stop)
        # The children run in the project's folder, where a relative data directory would be another one.
        os.environ["ERP_DATA_DIR"] = str(self.config.data_dir)
        with hold_data_dir(self.config.data_dir):
            check_installed(REPORTS_PYTHON)
            check_ports(self.config)
            try:
                self._start()
                self._watch()
            except StopRequested:
                self.progress.say("正在停止……（再按一次 Ctrl-C 立即结束）")
            finally:
                self._stop()
        self.progress.say("已全部停止")

    def _start(self) -> None:
        assert self.config.secrets
        self._start_children(_superset(self.config))
        self._start_postgres()
        logins = self._prepare()
        self._start_children(
            self._core_child(Part.API, "接口"),
            self._core_child(Part.WORK, "任务进程"),
            self._core_child(Part.REFRESH, "数仓刷新进程", start_seconds=FIRST_SNAPSHOT_SECONDS),
            *([web_child()] if self.reload else ()),
        )
        began = time.monotonic()
        await_health(self.children, lambda child: self.progress.done(f"{child.label}就绪", began))
        self._announce(logins)

    def _start_postgres(self) -> None:
        if self.config.database_url:
            return
        with self.progress.step("启动 PostgreSQL 18"):
            self.postgres = EmbeddedPostgres(self.config.postgres_dir, self.config.logs_dir / "postgres.log")
            self.postgres.start()
        self.config = replace(self.config, database_url=self.postgres.url())
        os.environ["ERP_DATABASE_URL"] = self.config.database_url

    def _prepare(self) -> dict[str, Any]:
        """Run `erp prepare`, which tells its steps on our terminal and answers the logins."""
        task = spawn(
            _erp("prepare"),
            cwd=PROJECT_DIR,
            stdout=subprocess.PIPE,
            stderr=None,
            environment=self.progress.environment,
        )
        self.preparing = task
        assert task.stdout is not None
        answer = task.stdout.read()
        if task.wait():
            raise ChildError("准备数据库没有成功，原因见上")
        logins: dict[str, Any] = json.loads(answer)
        return logins

    def _start_children(self, *children: Child) -> None:
        for child in children:
            self.children.append(Watched(child, self.config.logs_dir, self.progress.say))
            self.children[-1].start()

    def _core_child(self, part: Part, label: str, start_seconds: float = 600) -> Child:
        command = _erp(CHILD_COMMANDS[part])
        probe = partial(is_healthy, part, self.config)
        return Child(
            part.value,
            label,
            watch_command(command, folders_of(part)) if self.reload else command,
            PROJECT_DIR,
            probe=once_healthy(probe) if self.reload else probe,
            start_seconds=start_seconds,
        )

    def _watch(self) -> None:
        while True:
            if self.postgres is not None and self.postgres.died():
                self._revive(self.postgres)
            for child in self.children:
                child.watch()
            time.sleep(0.2)

    def _revive(self, postgres: EmbeddedPostgres) -> None:
        """Start the database again, for as long as it takes: the disk that is full may be cleared meanwhile."""
        self.progress.say("✗ PostgreSQL 退出，正在重新启动")
        for wait in chain(BACKOFF_SECONDS, repeat(BACKOFF_SECONDS[-1])):
            try:
                postgres.start()
                break
            except PostgresError as error:
                self.progress.say(f"✗ {error}\n{wait} 秒后再试")
                time.sleep(wait)
        self.progress.say("✓ PostgreSQL 已恢复")

    def _stop(self) -> None:
        """Children first, the database last; a second signal skips the waiting for the children."""
        try:
            for child in self.children:
                child.ask_to_stop()
            if self.preparing is not None:
                stop(self.preparing, grace=3)
            for child in self.children:
                child.stop()
        except StopRequested:
            for child in self.children:
                child.kill()
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        if self.postgres is not None:
            self.postgres.stop()

    def _announce(self, logins: dict[str, Any]) -> None:
        admin = logins["admin"]
        print(f"\nREADY http://{_shown_host(self.config.host)}:{self.config.port}\n")
        rows = [("管理员", admin["user_name"], admin["password"])]
        rows += [(login["role"], login["user_name"], login["password"]) for login in logins["demo"]]
        for role, user_name, password in rows:
            print(f"  {role}\t{user_name}\t{password}")
        if self.reload:
            print(f"\n网页（源码，热重载） {web_address()}")
        print(
            f"\n报表管理端 http://127.0.0.1:{self.config.report_port}　日志 {self.config.logs_dir}　停止 Ctrl-C\n"
        )
        sys.stdout.flush()


def _superset(config: Settings) -> Child:
    from reports.health import shows_boards

    command = [str(REPORTS_PYTHON), "-m", "reports"]
    return Child(
        "superset",
        "报表平台",
        command,
        PROJECT_DIR,
        probe=lambda: shows_boards(f"http://127.0.0.1:{config.report_port}"),
        start_seconds=REPORTS_START_SECONDS,
        needed=False,
    )


def _erp(command: str) -> list[str]:
    return [str(Path(sys.executable).with_name("erp")), command]


def _shown_host(host: str) -> str:
    return "127.0.0.1" if host == "0.0.0.0" else host


def _request_stop(number: int, frame: object) -> None:
    raise StopRequested
