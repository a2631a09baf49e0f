"""Checks before a start (启动前的检查): one launcher a data directory, and free ports."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from api.kit.settings import Settings


class StartError(RuntimeError):
    """A resource of this start is missing or in use; the message is Chinese."""


@contextmanager
def lock_data_dir(data_dir: Path) -> Iterator[None]:
    """Lock the data directory until the end, or the death, of this process.

    Raises StartRefused.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    with (data_dir / "erp.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise StartError(
                f"数据目录 {data_dir} 已有一个 erp up 在运行（进程 {lock.read().strip()}），"
                "请先停下它，或用 ERP_DATA_DIR 换一个目录"
            ) from None
        lock.seek(0)
        lock.truncate()
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def require_installed(reports_python: Path) -> None:
    """Raise StartError when the environment of Superset is not there."""
    if not reports_python.exists():
        raise StartError("报表平台的 Python 环境还没有安装，请用 make up 启动")


def require_free_ports(config: Settings) -> None:
    """Raise StartError when a port is taken."""
    for variable, host, port in (
        ("ERP_PORT", config.host, config.port),
        ("ERP_REPORT_PORT", "127.0.0.1", config.report_port),
        ("ERP_EXPLORE_PORT", config.host, config.explore_port),
    ):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                raise StartError(
                    f"端口 {port} 不能用（{error.strerror}）：请结束占用它的程序，或用 {variable} 换一个端口"
                ) from error
