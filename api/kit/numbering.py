"""Numbering (单据编号): prefix + company code + yyyyMMdd + sequence; unique, gap-tolerant, never reused.

Numbers are drawn in a transaction of their own, so that a clerk who saves slowly holds no other clerk's counter.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from sqlalchemy import BigInteger, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.database import Base, side_engine

DIGITS = 4


class BillCounter(Base):
    """The last sequence drawn for a prefix, company and day."""

    __tablename__ = "bill_counter"

    stem: Mapped[str] = mapped_column(Text, primary_key=True)
    last: Mapped[int] = mapped_column(BigInteger)


_DRAW = """
insert into bill_counter as c (stem, last)
select * from unnest(%s::text[], %s::bigint[])
on conflict (stem) do update set last = c.last + excluded.last
returning stem, last
"""


def stem(prefix: str, company_code: str, on: date) -> str:
    """What precedes the sequence: XSCK + A01 + 20260131."""
    return f"{prefix}{company_code}{on:%Y%m%d}"


def draw(prefix: str, company_code: str, on: date, count: int = 1) -> list[str]:
    """The next `count` numbers of a day."""
    head = stem(prefix, company_code, on)
    return draw_blocks({head: count})[head]


def draw_blocks(wanted: Mapping[str, int]) -> dict[str, list[str]]:
    """The next numbers of several stems at once, as many as each wants; stems in order, so that nobody deadlocks."""
    stems = sorted(wanted)
    with side_engine().begin() as conn:
        drawn = conn.exec_driver_sql(_DRAW, (stems, [wanted[head] for head in stems]))
        lasts: dict[str, int] = dict(row._tuple() for row in drawn)
    return {
        head: [f"{head}{sequence:0{DIGITS}d}" for sequence in range(last - wanted[head] + 1, last + 1)]
        for head, last in lasts.items()
    }
