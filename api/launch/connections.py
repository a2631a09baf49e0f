"""Connections (连接): how many a client may keep open, and how long a request or an answer may take.

The head and the body of a request come in time, an answer is read in time, and no address has more
connections than its share. There is no timer per request: once a second a worker checks all its
connections.
"""

from __future__ import annotations

import asyncio
import resource
from typing import Any, ClassVar

import orjson
import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from api.kit.settings import read_settings

HEAD_BYTES = 64 * 1024
HEAD_SECONDS = 15
BODY_SECONDS = 20
BODY_RATE = 2048
"""Bytes a second: a body has its seconds, and one more for each so many bytes that have come."""
BODY_BYTES = 128 * 1024 * 1024
"""More than any call takes: of one that was refused the rest is thrown away, up to there."""
WRITE_SECONDS = 30
WRITE_BYTES = 16 * 1024
"""Of an answer that waits, so much has to be read in that time."""
MOST = 1000
"""Of a worker."""
MOST_OF_ONE = 200
"""Of an address: an office behind one has many browsers, each with six. One more takes the place of its oldest that
waits for what its client has not sent; where all are being answered, it is refused."""
FILES = 4 * MOST
"""Open files of a worker: connections, and what they are answered from."""
LATE = "请求没有在规定时间内发完，请检查网络后重试"
LONG = "请求的地址或标头过长"
MANY = "打开的连接过多，请稍后重试"


class Connection(HttpToolsProtocol):
    """A client's connection; `close_if_late` ends it when the client is late."""

    opened: ClassVar[dict[str, dict[Connection, None]]] = {}
    """What each address has open in this process, the oldest first."""

    _head_since: float | None = None
    _head_bytes = 0
    _receiving = False
    _body_since = 0.0
    _body_bytes = 0
    _moved_at = 0.0
    _waiting = 0
    _drained = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head_since = self._moved_at = self.loop.time()
        mine = self.opened.setdefault(self._address(), {})
        mine[self] = None
        full = len(self.connections) > MOST
        if (full or len(mine) > MOST_OF_ONE) and not self._make_room(
            max(self.opened.values(), key=len) if full else mine
        ):
            self._refuse(429, MANY)

    def _make_room(self, connections: dict[Connection, None]) -> bool:
        """End the oldest of a client's connections that waits for the client; return False where none does."""
        others = [one for one in connections if one is not self and not one.transport.is_closing()]
        idle = next((one for one in others if one.waits_for_head()), None)
        oldest = idle or next((one for one in others if one.waits_for_body()), None)
        if oldest is None:
            return False
        oldest.transport.abort()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        mine = self.opened[self._address()]
        del mine[self]
        if not mine:
            del self.opened[self._address()]
        super().connection_lost(exc)

    def waits_for_head(self) -> bool:
        """Return whether no request has begun yet, or no further one."""
        return self._head_since is not None or (self.cycle.response_complete and not self._receiving)

    def waits_for_body(self) -> bool:
        """Return whether the request has not come whole, answered or not."""
        return self._receiving

    def data_received(self, data: bytes) -> None:
        if self._receiving:
            self._body_bytes += len(data)
        elif self._head_since is not None:
            self._head_bytes += len(data)
        elif self.cycle.response_complete:
            self._head_since, self._head_bytes = self.loop.time(), len(data)
        super().data_received(data)
        if self._head_since is not None and self._head_bytes > HEAD_BYTES:
            self._refuse(431, LONG)

    def on_headers_complete(self) -> None:
        self._head_since, self._receiving = None, True
        self._body_since, self._body_bytes = self.loop.time(), 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._receiving = False
        if self.cycle.response_complete:
            # What came after the answer was thrown away; the next request may come.
            self._head_since, self._head_bytes = self.loop.time(), 0
        super().on_message_complete()

    def resume_writing(self) -> None:
        self._drained = True
        super().resume_writing()

    def close_if_late(self, now: float) -> None:
        """End the connection of a client that is late with sending, or with reading."""
        if self._is_unread(now):
            self.transport.abort()
        elif self._is_head_late(now) and not self._head_bytes:
            self.transport.close()
        elif self._is_head_late(now) or self._is_body_late(now):
            self._refuse(408, LATE)

    def _is_unread(self, now: float) -> bool:
        waiting = self.transport.get_write_buffer_size()
        if not waiting or self._drained or waiting <= self._waiting - WRITE_BYTES:
            self._moved_at, self._waiting, self._drained = now, waiting, False
        self._waiting = max(self._waiting, waiting)
        return now - self._moved_at > WRITE_SECONDS

    def _is_head_late(self, now: float) -> bool:
        return self._head_since is not None and now - self._head_since > HEAD_SECONDS

    def _is_body_late(self, now: float) -> bool:
        if not self._receiving:
            return False
        if self.flow.read_paused:
            # It is we who let him wait.
            self._body_since, self._body_bytes = now, 0
        late = now - self._body_since > BODY_SECONDS + self._body_bytes / BODY_RATE
        return late or self._body_bytes > BODY_BYTES

    def _refuse(self, status: int, message: str) -> None:
        """Close the connection, with a message where no answer has begun."""
        if self.transport.is_closing():
            return
        if self.cycle is None or not (self.cycle.response_started or self.cycle.response_complete):
            body = orjson.dumps({"code": status, "msg": message, "data": None})
            head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(
                body
            )
            self.transport.write(STATUS_LINE[status] + head + body)
        self.transport.close()

    def _address(self) -> str:
        return self.client[0] if self.client else ""


class Worker(uvicorn.Server):
    """A serving process that checks its connections."""

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Connection):
                    connection.close_if_late(now)
        return await super().on_tick(counter)


def raise_file_limit() -> None:
    """Raise the limit of open files of this process and its children to what their connections need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def build_server_config(app: Any) -> uvicorn.Config:
    """Build the server's configuration of a worker. Forwarded addresses are trusted of the configured proxies
    alone."""
    proxies = read_settings().proxies
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=8,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
    )
