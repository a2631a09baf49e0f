"""Health checks (健康检查): of each resident process."""

from __future__ import annotations

import http.client
import socket
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from api.kit.settings import Settings

REFRESH_SILENCE = timedelta(minutes=5)
HEARTBEAT_SECONDS = 60


class Service(StrEnum):
    """The resident processes that run in the core's environment."""

    API = "api"
    WORK = "work"
    REFRESH = "refresh"


def is_healthy(part: Service, config: Settings) -> bool:
    """Return whether the process of `part` works now."""
    if part is Service.API:
        return is_answering(config.port, "/healthz")
    if part is Service.REFRESH:
        return is_refreshing(config)
    return is_taking_jobs(config)


def is_port_open(port: int) -> bool:
    """Return whether anything listens at 127.0.0.1:`port`."""
    with socket.socket() as door:
        door.settimeout(2)
        return door.connect_ex(("127.0.0.1", port)) == 0


def is_answering(port: int, path: str) -> bool:
    """Return whether 127.0.0.1:`port` answers 200 at `path`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def is_refreshing(config: Settings) -> bool:
    """Return whether a snapshot is published and the refresh worker has polled within the limit."""
    from warehouse import status
    from warehouse.files import Files

    files = Files(config.warehouse_dir)
    checked_at = status.read_status(files.status)["checked_at"]
    if not files.current.exists() or checked_at is None:
        return False
    return datetime.now(UTC) - datetime.fromisoformat(checked_at) < REFRESH_SILENCE


def is_taking_jobs(config: Settings) -> bool:
    """Return whether a job worker has sent a heartbeat within the limit."""
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
