"""Form-encoded bodies (表单): the older way to send what JSON bodies say, on the same paths."""

from __future__ import annotations

from urllib.parse import parse_qsl

import orjson


def as_json(raw: bytes) -> bytes:
    """A form-encoded body as JSON: values that are JSON arrays or objects are nested, others stay texts.

    Raises UnicodeDecodeError.
    """
    pairs = parse_qsl(raw.decode(), keep_blank_values=True)
    return orjson.dumps({name: _nested(value) for name, value in pairs})


def _nested(value: str) -> object:
    if value[:1] not in ("[", "{"):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value
