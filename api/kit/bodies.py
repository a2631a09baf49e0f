"""Bodies (请求内容): how much of what a client sends is taken before he is proven, at all, and of all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from api.kit.errors import Refusal

KILOBYTE, MEGABYTE = 1024, 1024 * 1024
UNPROVEN = 64 * KILOBYTE
"""So much of a body is taken of anybody; who sends more is proven first."""
LOGIN = 16 * KILOBYTE
"""Of a call that needs no login."""
TEXT = 8 * MEGABYTE
"""JSON or a form, which is held in memory; a bill of 5,000 lines takes three."""
FILES = 52 * MEGABYTE
"""An upload, which goes to the disk: a sheet of 50 MB, and what stands beside it."""
PARTS = {"max_files": 10, "max_fields": 50, "max_part_size": 128 * KILOBYTE}
"""Of an upload; its fields are held in memory."""
BUSY = "正在处理的内容较多，请稍后再提交"


class TooLarge(Refusal):
    """A body beyond what its call takes."""

    def __init__(self, most: int) -> None:
        size = f"{most // MEGABYTE} MB" if most >= MEGABYTE else f"{most // KILOBYTE} KB"
        super().__init__(f"提交的内容超过 {size}，请拆分后提交")


class Room:
    """Bytes of bodies that this process holds, `together` and of `each` client; refuses what would be more."""

    def __init__(self, together: int, each: int) -> None:
        self.together, self.each = together, each
        self.held: Counter[str] = Counter()

    def take(self, client: str, count: int) -> None:
        if self.held.total() + count > self.together or self.held[client] + count > self.each:
            raise Refusal(BUSY)
        self.held[client] += count

    def give_back(self, client: str, count: int) -> None:
        self.held[client] -= count
        if not self.held[client]:
            del self.held[client]


MEMORY = Room(together=32 * MEGABYTE, each=16 * MEGABYTE)
"""What is made of a JSON text takes ten times as much."""
DISK = Room(together=1024 * MEGABYTE, each=160 * MEGABYTE)


class Intake:
    """A request's body as it comes in, up to `most` bytes and where there is room; beyond what is taken of anybody,
    after `prove` alone, which refuses who may not send it.

    The block's request is to be read in its stead; what was taken of the room is given back at the end of the block.
    """

    def __init__(
        self, request: Request, most: int, room: Room, prove: Callable[[], None] | None = None
    ) -> None:
        self._request, self._most, self._room, self._prove = request, most, room, prove
        self._came = self._held = 0

    async def __aenter__(self) -> Request:
        declared = self._request.headers.get("content-length", "")
        length = int(declared) if declared.isdecimal() else 0
        if length > UNPROVEN:
            await self.prove()
        if length > self._most:
            raise TooLarge(self._most)
        # Not kept here, where it would keep all that was sent until garbage is looked for.
        return Request(self._request.scope, self._receive)

    async def __aexit__(self, *raised: object) -> None:
        if self._held:
            self._room.give_back(self._client(), self._held)

    async def prove(self) -> None:
        """Refuse who may not send this, whatever it is; he is asked once."""
        prove, self._prove = self._prove, None
        if prove is not None:
            await run_in_threadpool(prove)

    async def _receive(self) -> Any:
        message = await self._request.receive()
        self._came += len(message.get("body", b""))
        if self._came > UNPROVEN:
            await self.prove()
        if self._came > self._most:
            raise TooLarge(self._most)
        if self._came > UNPROVEN:
            self._room.take(self._client(), self._came - self._held)
            self._held = self._came
        return message

    def _client(self) -> str:
        address = self._request.client
        return self._request.headers.get("token") or (address.host if address else "")
