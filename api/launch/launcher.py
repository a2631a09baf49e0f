"""`erp up` (启动全部): starts everything from the database to the reports, supervises it until Ctrl-C, and
stops it in order."""

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
from api.launch.guard import lock_data_dir, require_free_ports, require_installed
from api.launch.health import Service, is_healthy
from api.launch.postgres import EmbeddedPostgres, PostgresError
from api.launch.process import spawn_child, stop_child
from api.launch.progress import Progress
from api.launch.reload import build_web_process, keep_healthy, watch_command, watched_folders, web_address
from api.launch.supervisor import (
    BACKOFF_SECONDS,
    ServiceError,
    ServiceProcess,
    SupervisedProcess,
    await_health,
)

FIRST_SNAPSHOT_SECONDS = 900
REPORTS_START_SECONDS = 300
"""So long the start waits for them; bills are written without."""
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CHILD_COMMANDS = {Service.API: "serve", Service.WORK: "work", Service.REFRESH: "refresh"}
REPORTS_PYTHON = PROJECT_DIR / "reports" / ".venv" / "bin" / "python"


class StopRequested(BaseException):
    """Ctrl-C or a termination signal."""


class Launcher:
    """Everything that one `erp up` starts, in the order of starting; `reload` is for development."""

    def __init__(self, config: Settings, *, reload: bool = False) -> None:
        self.config = config
        self.reload = reload
        self.progress = Progress()
        self.postgres: EmbeddedPostgres | None = None
        self.preparation: subprocess.Popen[bytes] | None = None
        self.children: list[SupervisedProcess] = []

    def run(self) -> None:
        """Start all and supervise until a signal. Raises StartError, PostgresError, ServiceError."""
        for number in STOP_SIGNALS:
            # A hang-up ignored is how nohup asks to stay; a shell without job control ignores Ctrl-C unasked.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _request_stop)
        # The children run in the project's folder, where a relative data directory would be another one.
        os.environ["ERP_DATA_DIR"] = str(self.config.data_dir)
        with lock_data_dir(self.config.data_dir):
            require_installed(REPORTS_PYTHON)
            require_free_ports(self.config)
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
        self._start_children(_build_superset_process(self.config))
        self._start_postgres()
        logins = self._prepare()
        self._start_children(
            self._build_core_process(Service.API, "接口"),
            self._build_core_process(Service.WORK, "任务进程"),
            self._build_core_process(Service.REFRESH, "数仓刷新进程", start_seconds=FIRST_SNAPSHOT_SECONDS),
            *([build_web_process()] if self.reload else ()),
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
        """Run `erp prepare`, which prints its steps on our terminal, and return the logins."""
        task = spawn_child(
            _erp_command("prepare"),
            cwd=PROJECT_DIR,
            stdout=subprocess.PIPE,
            stderr=None,
            environment=self.progress.environment,
        )
        self.preparation = task
        assert task.stdout is not None
        answer = task.stdout.read()
        if task.wait():
            raise ServiceError("准备数据库没有成功，原因见上")
        logins: dict[str, Any] = json.loads(answer)
        return logins

    def _start_children(self, *children: ServiceProcess) -> None:
        for child in children:
            self.children.append(SupervisedProcess(child, self.config.logs_dir, self.progress.say))
            self.children[-1].start()

    def _build_core_process(self, part: Service, label: str, start_seconds: float = 600) -> ServiceProcess:
        command = _erp_command(CHILD_COMMANDS[part])
        probe = partial(is_healthy, part, self.config)
        return ServiceProcess(
            part.value,
            label,
            watch_command(command, watched_folders(part)) if self.reload else command,
            PROJECT_DIR,
            probe=keep_healthy(probe) if self.reload else probe,
            start_seconds=start_seconds,
        )

    def _watch(self) -> None:
        while True:
            if self.postgres is not None and self.postgres.has_died():
                self._restart_postgres(self.postgres)
            for child in self.children:
                child.watch()
            time.sleep(0.2)

    def _restart_postgres(self, postgres: EmbeddedPostgres) -> None:
        """Restart the database, for as long as it takes: the disk that is full may be cleared meanwhile."""
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
        """Stop children first, the database last; a second signal skips the waiting for the children."""
        try:
            for child in self.children:
                child.ask_to_stop()
            if self.preparation is not None:
                stop_child(self.preparation, grace=3)
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
        print(f"\nREADY http://{_display_host(self.config.host)}:{self.config.port}\n")
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


def _build_superset_process(config: Settings) -> ServiceProcess:
    from reports.superset.health import is_showing_boards

    command = [str(REPORTS_PYTHON), "-m", "reports"]
    return ServiceProcess(
        "superset",
        "报表平台",
        command,
        PROJECT_DIR,
        probe=lambda: is_showing_boards(f"http://127.0.0.1:{config.report_port}"),
        start_seconds=REPORTS_START_SECONDS,
        required=False,
    )


def _erp_command(command: str) -> list[str]:
    return [str(Path(sys.executable).with_name("erp")), command]


def _display_host(host: str) -> str:
    return "127.0.0.1" if host == "0.0.0.0" else host


def _request_stop(number: int, frame: object) -> None:
    raise StopRequested
