"""Request signatures (签名): HMAC-SHA256 with the key handed out at login, inside a five-minute window.

The signed text is METHOD, path, canonical query and the hash of the body, one a line; multipart bodies count as empty,
since browsers don't show their bytes before sending.
"""

from __future__ import annotations

import hmac
import time
from hashlib import sha256
from urllib.parse import parse_qsl, quote

from api.kit.errors import BadSignature

WINDOW_MS = 5 * 60 * 1000
STAMP_DIGITS = 16
SIGNED_WITH = frozenset({"timeStamp", "sign"})
"""Query parameters of the signature; each try of a request has its own."""


def canonical_query(query: str) -> str:
    """Return the query without `sign`, sorted by key then value, RFC 3986 escaped."""
    pairs = sorted((k, v) for k, v in parse_qsl(query, keep_blank_values=True) if k != "sign")
    return "&".join(f"{quote(k, safe='-_.~')}={quote(v, safe='-_.~')}" for k, v in pairs)


def compute_signature(key: str, method: str, path: str, query: str, body: bytes) -> str:
    """Return the hex signature a client must send."""
    text = "\n".join((method.upper(), path, canonical_query(query), sha256(body).hexdigest()))
    return hmac.new(key.encode(), text.encode(), sha256).hexdigest()


def verify_request(
    key: str, method: str, path: str, query: str, body: bytes, *, now_ms: int | None = None
) -> bytes:
    """Verify and return the signature of a request.

    Refuse one that is missing, wrong, or outside the window.
    """
    values = dict(parse_qsl(query))
    sent, stamp = values.get("sign", ""), values.get("timeStamp", "")
    if not sent or not (stamp.isascii() and stamp.isdigit()) or len(stamp) > STAMP_DIGITS:
        raise BadSignature("请求缺少签名，请刷新页面后重试")
    if abs((now_ms or time.time_ns() // 1_000_000) - int(stamp)) > WINDOW_MS:
        raise BadSignature("请求已过期，请校准本机时间后重试")
    if not hmac.compare_digest(sent.encode(), compute_signature(key, method, path, query, body).encode()):
        raise BadSignature()
    return bytes.fromhex(sent)
