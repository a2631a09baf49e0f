"""Connections (连接): what a client may keep open, and for how long, before the application hears of it and after.

The head and the body of a request come in time, an answer is read in time, and nobody holds more connections than his
share. Nothing is counted down for each request: once a second a worker looks at all that it has open.
"""

from __future__ import annotations

import asyncio
import resource
from typing import Any, ClassVar

import orjson
import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from api.kit.settings import settings

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
    """A client's connection; `judge` ends it when he is late."""

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
            self._end(429, MANY)

    def _make_room(self, held: dict[Connection, None]) -> bool:
        """End the oldest of a client's connections that waits for him; False where none does."""
        others = [one for one in held if one is not self and not one.transport.is_closing()]
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
        """Whether nothing is asked as yet, or nothing more."""
        return self._head_since is not None or (self.cycle.response_complete and not self._receiving)

    def waits_for_body(self) -> bool:
        """Whether what is asked has not all come, be it answered or not."""
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
            self._end(431, LONG)

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

    def judge(self, now: float) -> None:
        """End the connection of a client who is late with what he sends, or with reading what he is sent."""
        if self._is_unread(now):
            self.transport.abort()
        elif self._is_head_late(now) and not self._head_bytes:
            self.transport.close()
        elif self._is_head_late(now) or self._is_body_late(now):
            self._end(408, LATE)

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

    def _end(self, status: int, said: str) -> None:
        """Close the connection, with a word to who may still hear it."""
        if self.transport.is_closing():
            return
        if self.cycle is None or not (self.cycle.response_started or self.cycle.response_complete):
            body = orjson.dumps({"code": status, "msg": said, "data": None})
            head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(
                body
            )
            self.transport.write(STATUS_LINE[status] + head + body)
        self.transport.close()

    def _address(self) -> str:
        return self.client[0] if self.client else ""


class Worker(uvicorn.Server):
    """A serving process that looks after its connections."""

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, Connection):
                    connection.judge(now)
        return await super().on_tick(counter)


def allow_files() -> None:
    """Let this process and its children have as many files open as their connections need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def config(app: Any) -> uvicorn.Config:
    """How a worker serves an application. Where a request says that it comes from is believed of the proxies that are
    set alone."""
    proxies = settings().proxies
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
