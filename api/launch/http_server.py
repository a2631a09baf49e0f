"""`erp serve` (接口进程): loads the application once and forks workers that share its ports; Explore has a
port of its own.

Loading the application costs seconds of processor time, so the workers are forked from one process that
has loaded it and has opened nothing yet: no connection, no event loop, no thread.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import time

from fastapi import FastAPI

from api.kit.gc_freeze import frozen_gc
from api.kit.settings import Settings
from api.launch.connections import Worker, build_server_config, raise_file_limit
from api.launch.process import die_with_parent

log = logging.getLogger(__name__)

WORKERS = 2
BACKLOG = 2048
REPLACE_SECONDS = 0.2
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class ApiServer:
    """The listening sockets and the workers behind them; a worker that dies is replaced."""

    def __init__(self, config: Settings) -> None:
        self._config = config
        self._workers: set[int] = set()
        self._stopping = False

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT; requests under way are finished."""
        with frozen_gc():
            from api.main import app

        listeners = [
            socket.create_server((self._config.host, port), backlog=BACKLOG, reuse_port=False)
            for port in (self._config.port, self._config.explore_port)
        ]
        for number in STOP_SIGNALS:
            signal.signal(number, self._stop)
        raise_file_limit()
        while not self._stopping:
            while len(self._workers) < WORKERS:
                self._fork(app, listeners)
            self._reap()
        while self._workers:
            self._reap()

    def _fork(self, app: FastAPI, listeners: list[socket.socket]) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid:
            self._workers.add(pid)
            if self._stopping:
                os.kill(pid, signal.SIGTERM)
            return
        die_with_parent(signal.SIGTERM, parent)
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        Worker(build_server_config(app)).run(sockets=listeners)
        os._exit(0)

    def _reap(self) -> None:
        pid, _ = os.wait()
        self._workers.discard(pid)
        if not self._stopping:
            log.warning("接口工作进程 %s 退出，换上新的", pid)
            time.sleep(REPLACE_SECONDS)

    def _stop(self, number: int, frame: object) -> None:
        self._stopping = True
        for pid in self._workers:
            os.kill(pid, signal.SIGTERM)
