"""Form-encoded bodies (表单): the older encoding of JSON bodies, on the same paths."""

from __future__ import annotations

from urllib.parse import parse_qsl

import orjson


def form_to_json(raw: bytes) -> bytes:
    """Convert a form-encoded body to JSON; values that are JSON arrays or objects are nested.

    Raises UnicodeDecodeError.
    """
    pairs = parse_qsl(raw.decode(), keep_blank_values=True)
    return orjson.dumps({name: _parse_nested(value) for name, value in pairs})


def _parse_nested(value: str) -> object:
    if value[:1] not in ("[", "{"):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value
