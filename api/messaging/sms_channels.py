"""SMS channels (短信通道): one interface over a file, for tests and demos, and any HTTP gateway."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import orjson
from sqlalchemy import Row

from api.kit.errors import Refusal
from api.kit.settings import read_settings
from api.messaging.outbound_http import UnreachableError, post_json
from api.messaging.secret_encryption import decrypt_secret
from api.messaging.tables import FILE, GATEWAY, read_body_template


@dataclass(frozen=True, slots=True)
class SmsMessage:
    """A text message; its `id` lets the gateway recognize a repetition."""

    id: int
    mobile: str
    content: str
    template: str
    sign: str


class PermanentError(Exception):
    """A refusal of a message that no retry will change."""


class TemporaryError(Exception):
    """A failure of the channel that a later try may overcome."""


Channel = Callable[[Row[Any], SmsMessage], None]


def send_message(channel: Row[Any], message: SmsMessage) -> None:
    """Hand a message to its channel.

    Raises: PermanentError, TemporaryError.
    """
    CHANNELS[channel.kind](channel, message)


def _write_to_file(channel: Row[Any], message: SmsMessage) -> None:
    """Append one JSON line a message."""
    folder = read_settings().data_dir / "sms"
    folder.mkdir(parents=True, exist_ok=True)
    line = orjson.dumps({"channel": channel.channel_name, **asdict(message)}) + b"\n"
    target = os.open(folder / "outbox.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(target, line)
    finally:
        os.close(target)


def _post_to_gateway(channel: Row[Any], message: SmsMessage) -> None:
    """Post the declared body and header with their {placeholders} filled in.

    Values can't break out of the JSON.
    """
    try:
        secret = decrypt_secret(channel.sealed) if channel.sealed else ""
        values = {**{name: str(value) for name, value in asdict(message).items()}, "secret": secret}
        headers = _build_header(channel.header, values) if channel.header else {}
        status, text = post_json(channel.url, _build_body(read_body_template(channel), values), headers)
    except UnreachableError as error:
        raise TemporaryError(str(error)) from error
    except Refusal as refusal:
        raise PermanentError(refusal.msg) from refusal
    if status >= 500 or status == 429:
        raise TemporaryError(f"网关应答 {status}")
    if not 200 <= status < 300 or (channel.success and channel.success not in text):
        raise PermanentError(
            f"网关应答 {status}：{text[:200].replace(secret, '***') if secret else text[:200]}"
        )


CHANNELS: dict[int, Channel] = {FILE: _write_to_file, GATEWAY: _post_to_gateway}


def _build_header(header: str, values: dict[str, str]) -> dict[str, str]:
    name, _, content = header.partition(":")
    return {name.strip(): fill_placeholders(content.strip(), values)}


def _build_body(part: Any, values: dict[str, str]) -> Any:
    if isinstance(part, dict):
        return {name: _build_body(value, values) for name, value in part.items()}
    if isinstance(part, list):
        return [_build_body(value, values) for value in part]
    return fill_placeholders(part, values) if isinstance(part, str) else part


def fill_placeholders(part: str, values: dict[str, str]) -> str:
    """Replace each {placeholder} once: a value's own braces are not replaced again."""
    pieces = part.split("{")
    found = pieces[0]
    for piece in pieces[1:]:
        name, closed, rest = piece.partition("}")
        found += values[name] + rest if closed and name in values else "{" + piece
    return found
