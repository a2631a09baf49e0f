"""A client that calls the application in the calling thread.

Starlette's own hands a request to a thread of its own, which hands each call on to another, and each step
of the answer back: that takes longer than most calls themselves. It still takes what needs more than an
address, headers and a body, and requests of other threads, as they race.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Self
from urllib.parse import unquote

import anyio.to_thread
import httpx
from starlette.testclient import TestClient
from starlette.types import Message

PLAIN_ADDRESS = re.compile(r"/(?!/)(?!.*/\.)[\w/.?=&%+*~-]*", re.ASCII)
"""Addresses that no client would write in another way."""
_threaded: Callable[..., Awaitable[Any]] = anyio.to_thread.run_sync


class ThreadState(threading.local):
    """Thread-local flag: whether this thread is waiting for an answer of the application."""

    here = False


_calling = ThreadState()


async def _run_inline(work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Run in the same thread the work that would get its own, as nobody else is waiting."""
    return work(*arguments) if _calling.here else await _threaded(work, *arguments, **options)


anyio.to_thread.run_sync = _run_inline


class InProcessClient(TestClient):
    """A client of the application, for one thread at a time."""

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        return super().__enter__()

    def __exit__(self, *reason: Any) -> None:
        super().__exit__(*reason)
        self._loop.close()

    def request(self, method: Any, url: Any, **given: Any) -> httpx.Response:
        plain = (
            given.keys() <= {"content", "headers"}
            and method in ("GET", "POST")
            and PLAIN_ADDRESS.fullmatch(url)
        )
        mine = threading.current_thread() is threading.main_thread() and not asyncio._get_running_loop()
        if not (plain and mine):
            return super().request(method, url, **given)
        scope = self._build_scope(method, url, given.get("content") or b"", given.get("headers") or {})
        _calling.here = True
        try:
            return self._loop.run_until_complete(self._fetch_response(scope, given.get("content") or b""))
        finally:
            _calling.here = False

    def _build_scope(self, method: str, url: str, content: bytes, headers: dict[str, str]) -> dict[str, Any]:
        path, _, query = url.partition("?")
        sent = httpx.Headers({"host": self.base_url.netloc.decode(), **self.headers, **headers})
        if method == "POST":
            sent["content-length"] = str(len(content))
        return {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": self.base_url.scheme,
            "path": unquote(path),
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.lower(), value) for name, value in sent.raw],
            "client": ("testclient", 50000),
            "server": (self.base_url.host, self.base_url.port or 80),
            "state": self.app_state.copy(),
        }

    async def _fetch_response(self, scope: dict[str, Any], content: bytes) -> httpx.Response:
        sent: list[Message] = []
        parts = [content]
        over = asyncio.Event()

        async def receive() -> Message:
            if parts:
                return {"type": "http.request", "body": parts.pop()}
            await over.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                over.set()

        await self.app(scope, receive, send)
        start, *rest = sent
        body = b"".join(message.get("body", b"") for message in rest)
        return httpx.Response(start["status"], headers=start["headers"], content=body)
