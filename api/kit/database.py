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

from api.kit.settings import settings

T = TypeVar("T")

ATTEMPTS = 4
CONNECT_SECONDS = 10
"""A server that doesn't answer would be waited for as long as TCP tries, by every request."""
STATEMENT_SECONDS = 90
"""Shorter than the proxy before the API waits (deploy/nginx.conf): who asked is told, and not left with a 504."""
IDLE_SECONDS = 300
"""A transaction in which nothing is asked for so long is lost; drawing, reading and writing files take less."""


class Base(DeclarativeBase):
    """Every table of the core; constraints are named by convention."""

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
    """The business date."""
    return datetime.now(TIME_ZONE).date()


def told_time() -> str:
    """The business's moment with its offset, as every answer tells it: 2026-11-21T00:00:01.250+08:00."""
    return datetime.now(TIME_ZONE).isoformat(timespec="milliseconds")


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return f"{value.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Row):
        return dict(value._mapping)
    raise TypeError(f"{type(value).__name__} is not JSON")


def dumps(value: object) -> bytes:
    """JSON as the product writes it: decimals as strings, dates as YYYY-MM-DD."""
    return orjson.dumps(
        value, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS
    )


def connect(url: str, connections: int = 12, limits: Mapping[str, str] | None = None) -> Engine:
    """An engine for `url` (postgresql://…), with JSON columns written by `dumps`; at most twice `connections`, each
    under `limits`, settings of Postgres."""
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
        json_serializer=lambda value: dumps(value).decode(),
        json_deserializer=orjson.loads,
    )


@lru_cache(maxsize=1)
def engine() -> Engine:
    """The process's engine."""
    return connect(settings().database_url)


@lru_cache(maxsize=1)
def request_engine() -> Engine:
    """The engine of requests: none of them holds a connection, and what it locked, for ever. Jobs and commands take as
    long as they need."""
    return _limited()


@lru_cache(maxsize=1)
def side_engine() -> Engine:
    """An engine for short transactions inside another: from one pool, callers that hold a connection and want a
    second would wait for each other."""
    return _limited(connections=3)


def _limited(connections: int = 12) -> Engine:
    limits = {
        "statement_timeout": f"{STATEMENT_SECONDS}s",
        "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
    }
    return connect(settings().database_url, connections, limits)


def retrying(work: Callable[[], T]) -> T:
    """Run `work`, a whole transaction, again when Postgres made it the victim of a deadlock."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return work()
        except OperationalError as error:
            if attempt == ATTEMPTS or not isinstance(error.orig, DeadlockDetected | SerializationFailure):
                raise
    raise AssertionError("unreachable")


def transact(work: Callable[[Connection], T], *, beside: bool = False) -> T:
    """Run `work` in one transaction of its own; `beside` another that the caller has open."""

    def once() -> T:
        with (side_engine() if beside else engine()).begin() as conn:
            return work(conn)

    return retrying(once)
