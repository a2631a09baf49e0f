"""The database: declarative base, one engine a process, and transactions that retry a lost deadlock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar
from zoneinfo import ZoneInfo

import orjson
from psycopg.errors import DeadlockDetected, SerializationFailure
from sqlalchemy import Connection, Engine, MetaData, Row, create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import DeclarativeBase

from api.kit.settings import read_settings

T = TypeVar("T")

ATTEMPTS = 4
CONNECT_SECONDS = 10
"""A server that doesn't answer would be waited for as long as TCP tries, by every request."""
STATEMENT_SECONDS = 90
"""Shorter than the timeout of the proxy (deploy/nginx.conf), so that the client gets an answer and no 504."""
IDLE_SECONDS = 300
"""A transaction idle for so long is aborted; drawing, reading and writing files take less."""


class Base(DeclarativeBase):
    """Declarative base of every table of the core; constraints are named by convention."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


TIME_ZONE = ZoneInfo("Asia/Shanghai")


def today() -> date:
    """Return the business date."""
    return datetime.now(TIME_ZONE).date()


def format_business_time() -> str:
    """Format the business's present moment with its offset: 2026-11-21T00:00:01.250+08:00."""
    return datetime.now(TIME_ZONE).isoformat(timespec="milliseconds")


def _encode_value(value: object) -> object:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return f"{value.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Row):
        return dict(value._mapping)
    raise TypeError(f"{type(value).__name__} is not JSON")


def dump_json(value: object) -> bytes:
    """Serialize as the product's JSON: decimals as strings, dates as YYYY-MM-DD."""
    return orjson.dumps(
        value, default=_encode_value, option=orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS
    )


def build_engine(url: str, connections: int = 12, limits: Mapping[str, str] | None = None) -> Engine:
    """Build an engine for `url` (postgresql://…) with JSON columns written by `dump_json`.

    At most twice `connections`, each under `limits`, settings of Postgres.
    """
    given = {"timezone": TIME_ZONE.key, **(limits or {})}
    return create_engine(
        url.replace("postgresql://", "postgresql+psycopg://", 1),
        pool_size=connections,
        max_overflow=connections,
        pool_timeout=20,
        connect_args={
            "options": " ".join(f"-c {name}={value}" for name, value in given.items()),
            "connect_timeout": CONNECT_SECONDS,
        },
        json_serializer=lambda value: dump_json(value).decode(),
        json_deserializer=orjson.loads,
    )


@lru_cache(maxsize=1)
def main_engine() -> Engine:
    """Return the engine of jobs and commands, which take as long as they need."""
    return build_engine(read_settings().database_url)


@lru_cache(maxsize=1)
def request_engine() -> Engine:
    """Return the engine of requests.

    Its limits keep any of them from holding a connection and locks for ever.
    """
    return _build_limited_engine()


@lru_cache(maxsize=1)
def side_engine() -> Engine:
    """Return the engine of short transactions inside another.

    From one pool, callers that hold a connection and want a second would wait for each other.
    """
    return _build_limited_engine(connections=3)


def _build_limited_engine(connections: int = 12) -> Engine:
    limits = {
        "statement_timeout": f"{STATEMENT_SECONDS}s",
        "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
    }
    return build_engine(read_settings().database_url, connections, limits)


def retry_deadlocks(work: Callable[[], T]) -> T:
    """Run `work`, a whole transaction, again when Postgres made it the victim of a deadlock."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return work()
        except OperationalError as error:
            if attempt == ATTEMPTS or not isinstance(error.orig, DeadlockDetected | SerializationFailure):
                raise
    raise AssertionError("unreachable")


def run_transaction(work: Callable[[Connection], T], *, nested: bool = False) -> T:
    """Run `work` in one transaction of its own; `nested` in another that the caller has open."""

    def run_once() -> T:
        with (side_engine() if nested else main_engine()).begin() as conn:
            return work(conn)

    return retry_deadlocks(run_once)
