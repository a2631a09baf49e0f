"""健康检查：每个常驻进程怎样才算正常。"""

from __future__ import annotations

import http.client
import socket
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from api.kit.settings import Settings

REFRESH_SILENCE = timedelta(minutes=5)
HEARTBEAT_SECONDS = 60


class Part(StrEnum):
    """The resident processes that run in the core's environment."""

    API = "api"
    WORK = "work"
    REFRESH = "refresh"


def is_healthy(part: Part, config: Settings) -> bool:
    """Whether the process of `part` does its work now."""
    if part is Part.API:
        return answers(config.port, "/healthz")
    if part is Part.REFRESH:
        return is_refreshing(config)
    return takes_jobs(config)


def is_open(port: int) -> bool:
    """Whether anything listens at 127.0.0.1:`port`."""
    with socket.socket() as door:
        door.settimeout(2)
        return door.connect_ex(("127.0.0.1", port)) == 0


def answers(port: int, path: str) -> bool:
    """Whether 127.0.0.1:`port` answers 200 at `path`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def is_refreshing(config: Settings) -> bool:
    """Whether a snapshot is published and the refresh worker has looked for news lately."""
    from warehouse import status
    from warehouse.files import Files

    files = Files(config.warehouse_dir)
    checked_at = status.read(files.status)["checked_at"]
    if not files.current.exists() or checked_at is None:
        return False
    return datetime.now(UTC) - datetime.fromisoformat(checked_at) < REFRESH_SILENCE


def takes_jobs(config: Settings) -> bool:
    """Whether a job worker has given a sign of life lately."""
    import psycopg

    try:
        with psycopg.connect(config.database_url, connect_timeout=4) as connection:
            row = connection.execute(
                "select max(last_heartbeat) > now() - make_interval(secs => %s) from procrastinate_workers",
                [HEARTBEAT_SECONDS],
            ).fetchone()
    except psycopg.Error:
        return False
    return bool(row and row[0])
