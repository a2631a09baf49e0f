"""Idempotency (幂等): a command sent twice under one client key has one effect and one answer.

The key's row is inserted first, inside the command's transaction: a concurrent duplicate waits on it, and
finds either the stored answer or, after a rollback, a free key. The row keeps the request's signature as
well: a signed request sent again, under another key or none, has no second effect; nor has one that was
refused, once its obstacle is gone.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from hashlib import blake2b
from typing import Any
from urllib.parse import parse_qsl

import orjson
from sqlalchemy import BigInteger, Connection, DateTime, Index, LargeBinary, Text, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.errors import BadSignature, Refusal
from api.kit.settings import read_settings
from api.kit.signing import SIGNED_WITH
from api.kit.storage.database import Base, dump_json

KEY_LENGTH = 80
SIGNATURE_PREFIX = "sign:"
"""Prefix of the key of a request that has only its signature."""
RETENTION_DAYS = 7
"""Days for which a repetition is recognized; signatures are good for minutes."""


class IdempotencyKey(Base):
    """One command by one user; `part` tells the bills of a batch apart (0 = the whole request)."""

    __tablename__ = "idempotency_key"
    __table_args__ = (
        Index(
            "ix_idempotency_key_signature",
            "signature",
            "part",
            unique=True,
            postgresql_where="signature is not null",
        ),
    )

    user_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    part: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    request_hash: Mapped[str] = mapped_column(Text)
    answer: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    signature: Mapped[bytes | None] = mapped_column(LargeBinary)
    made_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now(), index=True)


_CLAIM = """
insert into idempotency_key (user_id, key, part, request_hash, signature)
select %(user)s, %(key)s, %(part)s, %(hash)s, %(signature)s
where not exists (
    select from idempotency_key where user_id = %(user)s and key = %(key)s and request_hash <> %(hash)s
) and not exists (
    select from idempotency_key where signature = %(signature)s and key = %(spent)s and part = 0
)
on conflict do nothing returning part
"""
_SPEND = """
insert into idempotency_key (user_id, key, part, request_hash, signature)
values (%(user)s, %(spent)s, 0, %(hash)s, %(signature)s) on conflict do nothing
"""
_ANSWER = """
select answer from idempotency_key
where user_id = %(user)s and key = %(key)s and part = %(part)s and request_hash = %(hash)s
"""
_STORE = "update idempotency_key set answer = %s where user_id = %s and key = %s and part = %s"
_EXPIRE = text(
    "delete from idempotency_key where ctid = any(array("
    "select ctid from idempotency_key where made_at < now() - make_interval(days => :days) limit :most))"
)


class RepeatedRequest(Exception):
    """A repetition of a whole request; `answer` is the stored one."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer


def claim_request(ctx: Context) -> None:
    """Claim the whole request's key. Raises RepeatedRequest with the stored answer of a repetition."""
    fresh, stored = claim_part(ctx)
    if not fresh:
        raise RepeatedRequest(stored)


def claim_part(ctx: Context, part: int = 0) -> tuple[bool, Any]:
    """Claim the request's key for a part: (True, None) to go on, (False, stored answer) for a repetition.

    A signed request without a key is claimed by its signature alone; its repetition is refused.
    """
    key = ctx.idempotency_key
    if key is None and ctx.signature is None:
        return True, None
    if key is not None and len(key) > KEY_LENGTH:
        raise Refusal("请求标识过长")
    params = _signature_params(ctx)
    claim = {**params, "key": key if key is not None else params["spent"], "part": part}
    if ctx.conn.exec_driver_sql(_CLAIM, claim).first():
        return True, None
    if key is None:
        raise BadSignature("该请求已经提交过，请刷新页面后重试")
    stored = ctx.conn.exec_driver_sql(_ANSWER, claim).first()
    if stored is None:
        raise Refusal("同一请求标识不能用于不同的内容，请刷新页面后重试")
    return False, stored.answer


def spend_signature(conn: Connection, ctx: Context) -> None:
    """Mark a signature as used, of a request that was refused or some of whose bills were."""
    if ctx.signature is not None:
        conn.exec_driver_sql(_SPEND, _signature_params(ctx))


def _signature_params(ctx: Context) -> dict[str, Any]:
    spent = f"{SIGNATURE_PREFIX}{ctx.signature.hex() if ctx.signature else ''}"
    known = {"hash": ctx.request_hash, "signature": ctx.signature}
    return {"user": ctx.principal.user_id, "spent": spent, **known}


def store_answer(ctx: Context, answer: Any, part: int = 0) -> None:
    """Store the answer of a claimed part; committed together with its effect."""
    if ctx.idempotency_key is not None:
        packed = dump_json(answer).decode()
        ctx.conn.exec_driver_sql(_STORE, (packed, ctx.principal.user_id, ctx.idempotency_key, part))


def expire_keys(conn: Connection, days: int = RETENTION_DAYS, most: int = 5_000) -> int:
    """Delete keys older than `days`, at most `most` of them; return how many."""
    return conn.execute(_EXPIRE, {"days": days, "most": most}).rowcount


def digest_request(method: str, path: str, query: str, body: bytes) -> str:
    """Hash what must be equal for two requests to be the same command; time and signature are left out.

    It is keyed: nobody who reads it can try out what password a body held.
    """
    params = sorted(pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] not in SIGNED_WITH)
    content = orjson.dumps([method, path, *params]) + body
    return blake2b(content, digest_size=16, key=_digest_key()).hexdigest()


@cache
def _digest_key() -> bytes:
    return blake2b(
        read_settings().secrets["sealing_secret"].encode(), digest_size=32, person=b"idempotency"
    ).digest()
