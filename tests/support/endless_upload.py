"""A client that sends without end, as far as its body is taken."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

PIECE = 64 * 1024
MULTIPART = "multipart/form-data; boundary=parts"
BEGUN = b'--parts\r\nContent-Disposition: form-data; name="excel"; filename="a.xlsx"\r\n\r\n'
"""First part of an upload."""


@dataclass(frozen=True)
class UploadOutcome:
    """The answer to the client, and how many bytes of its body were taken."""

    code: int
    msg: str
    taken: int


def send_without_end(
    app: Any,
    path: str,
    headers: Mapping[str, str] | None = None,
    *,
    begun: bytes = b"",
    declared: int | None = None,
    most: int = 256 * 1024 * 1024,
) -> UploadOutcome:
    """Post pieces until there is an answer, or so many bytes were taken; a length is declared only where it is given."""
    given = {"content-type": "application/json", **(headers or {})}
    if declared is not None:
        given["content-length"] = str(declared)
    return asyncio.run(_send_pieces(app, path, given, begun, most))


def post_scope(path: str, headers: Mapping[bytes, bytes]) -> dict[str, Any]:
    """Return the ASGI scope of a POST."""
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": list(headers.items()),
        "client": ("testclient", 50000),
        "server": ("127.0.0.1", 80),
        "state": {},
    }


async def _send_pieces(
    app: Any, path: str, headers: Mapping[str, str], begun: bytes, most: int
) -> UploadOutcome:
    taken, parts = 0, [begun]
    answered: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        nonlocal taken
        if taken >= most:
            return {"type": "http.disconnect"}
        piece = parts.pop() if parts else b" " * PIECE
        taken += len(piece)
        return {"type": "http.request", "body": piece, "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        answered.append(message)

    scope = post_scope(path, {name.encode(): value.encode() for name, value in headers.items()})
    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in answered)
    found = orjson.loads(body) if body else {"code": answered[0]["status"], "msg": ""}
    return UploadOutcome(found["code"], found["msg"], taken)
