"""Request bodies (请求内容): limits on bytes taken before authentication, in all, and of all clients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from api.kit.errors import Refusal

KILOBYTE, MEGABYTE = 1024, 1024 * 1024
UNAUTHENTICATED = 64 * KILOBYTE
"""Bytes of a body that are taken of anybody; who sends more is authenticated first."""
LOGIN = 16 * KILOBYTE
"""Bytes of a body of a call that needs no login."""
TEXT = 8 * MEGABYTE
"""Bytes of JSON or a form, which is held in memory; a bill of 5,000 lines takes three megabytes."""
FILES = 52 * MEGABYTE
"""Bytes of an upload, which goes to the disk: a sheet of 50 MB and its other fields."""
MULTIPART_LIMITS = {"max_files": 10, "max_fields": 50, "max_part_size": 128 * KILOBYTE}
"""Limits of an upload's parts; its fields are held in memory."""
BUSY = "正在处理的内容较多，请稍后再提交"


class TooLarge(Refusal):
    """A refusal of a body larger than its call takes."""

    def __init__(self, most: int) -> None:
        size = f"{most // MEGABYTE} MB" if most >= MEGABYTE else f"{most // KILOBYTE} KB"
        super().__init__(f"提交的内容超过 {size}，请拆分后提交")


class ByteBudget:
    """A budget of body bytes that this process holds, `together` and of `each` client.

    Refuses what exceeds it.
    """

    def __init__(self, together: int, each: int) -> None:
        self.together, self.each = together, each
        self.reserved: Counter[str] = Counter()

    def reserve(self, client: str, count: int) -> None:
        if self.reserved.total() + count > self.together or self.reserved[client] + count > self.each:
            raise Refusal(BUSY)
        self.reserved[client] += count

    def release(self, client: str, count: int) -> None:
        self.reserved[client] -= count
        if not self.reserved[client]:
            del self.reserved[client]


MEMORY = ByteBudget(together=32 * MEGABYTE, each=16 * MEGABYTE)
"""Parsed JSON takes ten times as much memory as its text."""
DISK = ByteBudget(together=1024 * MEGABYTE, each=160 * MEGABYTE)


class BodyReader:
    """A reader of a request's body that takes up to `most` bytes within the budget.

    Beyond `UNAUTHENTICATED` bytes it takes more only after `authenticate`, which refuses who may not send
    it. The request that the block yields is to be read in place of the original; the budget is released at
    its end.
    """

    def __init__(
        self, request: Request, most: int, room: ByteBudget, prove: Callable[[], None] | None = None
    ) -> None:
        self._request, self._most, self._room, self._prove = request, most, room, prove
        self._came = self._reserved = 0

    async def __aenter__(self) -> Request:
        declared = self._request.headers.get("content-length", "")
        length = int(declared) if declared.isdecimal() else 0
        if length > UNAUTHENTICATED:
            await self.authenticate()
        if length > self._most:
            raise TooLarge(self._most)
        # Not kept here, where it would keep all that was sent until garbage is looked for.
        return Request(self._request.scope, self._receive)

    async def __aexit__(self, *raised: object) -> None:
        if self._reserved:
            self._room.release(self._client_key(), self._reserved)

    async def authenticate(self) -> None:
        """Refuse who may not send this; runs once."""
        prove, self._prove = self._prove, None
        if prove is not None:
            await run_in_threadpool(prove)

    async def _receive(self) -> Any:
        message = await self._request.receive()
        self._came += len(message.get("body", b""))
        if self._came > UNAUTHENTICATED:
            await self.authenticate()
        if self._came > self._most:
            raise TooLarge(self._most)
        if self._came > UNAUTHENTICATED:
            self._room.reserve(self._client_key(), self._came - self._reserved)
            self._reserved = self._came
        return message

    def _client_key(self) -> str:
        address = self._request.client
        return self._request.headers.get("token") or (address.host if address else "")
