"""SMS channels (短信通道): one interface, a file for tests and demos, and any HTTP gateway."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import orjson
from sqlalchemy import Row

from api.kit.errors import Refusal
from api.kit.settings import settings
from api.messaging.outside import Unreachable, post
from api.messaging.sealing import unseal
from api.messaging.tables import FILE, GATEWAY, body_of


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `id` lets the gateway know a repetition."""

    id: int
    mobile: str
    content: str
    template: str
    sign: str


class Rejected(Exception):
    """The channel will not send this message, however often it is tried."""


class Later(Exception):
    """The channel can't send now."""


Channel = Callable[[Row[Any], Message], None]


def send(channel: Row[Any], message: Message) -> None:
    """Hand a message to its channel; raises Rejected or Later."""
    CHANNELS[channel.kind](channel, message)


def _to_file(channel: Row[Any], message: Message) -> None:
    """One JSON line a message."""
    folder = settings().data_dir / "sms"
    folder.mkdir(parents=True, exist_ok=True)
    line = orjson.dumps({"channel": channel.channel_name, **asdict(message)}) + b"\n"
    target = os.open(folder / "outbox.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(target, line)
    finally:
        os.close(target)


def _to_gateway(channel: Row[Any], message: Message) -> None:
    """The declared body and header with their {placeholders} filled in; texts can't break out of the JSON."""
    try:
        secret = unseal(channel.sealed) if channel.sealed else ""
        values = {**{name: str(value) for name, value in asdict(message).items()}, "secret": secret}
        headers = _header(channel.header, values) if channel.header else {}
        status, text = post(channel.url, _body(body_of(channel), values), headers)
    except Unreachable as error:
        raise Later(str(error)) from error
    except Refusal as refusal:
        raise Rejected(refusal.msg) from refusal
    if status >= 500 or status == 429:
        raise Later(f"网关应答 {status}")
    if not 200 <= status < 300 or (channel.success and channel.success not in text):
        raise Rejected(f"网关应答 {status}：{text[:200].replace(secret, '***') if secret else text[:200]}")


CHANNELS: dict[int, Channel] = {FILE: _to_file, GATEWAY: _to_gateway}


def _header(header: str, values: dict[str, str]) -> dict[str, str]:
    name, _, content = header.partition(":")
    return {name.strip(): filled(content.strip(), values)}


def _body(part: Any, values: dict[str, str]) -> Any:
    if isinstance(part, dict):
        return {name: _body(value, values) for name, value in part.items()}
    if isinstance(part, list):
        return [_body(value, values) for value in part]
    return filled(part, values) if isinstance(part, str) else part


def filled(part: str, values: dict[str, str]) -> str:
    """Each placeholder once: what a value holds is not looked at again."""
    pieces = part.split("{")
    found = pieces[0]
    for piece in pieces[1:]:
        name, closed, rest = piece.partition("}")
        found += values[name] + rest if closed and name in values else "{" + piece
    return found
