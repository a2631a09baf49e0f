"""Reports over the marts (原生报表): lists whose rows come from the newest published snapshot.

A report is declared like any view; its `source()` is SQL over the published facts and dimensions. The snapshot holds
the masters under their own names, so that references and keywords work there as they do in the core.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from typing import ClassVar

from sqlalchemy import Connection

from api.kit.database import TIME_ZONE
from api.kit.errors import Refusal
from api.kit.scope import Principal
from api.kit.view import Values, View
from api.reporting.snapshot import published, stamp


class Published(View):
    """Base of reports over the marts.

    Rows are limited to companies and warehouses like every list's, and rows of documents, which have a `maker_id`, to
    one's own or the department's. Other figures don't tell whose documents they come from: a role that is limited to
    some sees none, but where they are `everyones`.
    """

    __abstract__ = True

    everyones: ClassVar[bool] = False

    @classmethod
    def open_to(cls, principal: Principal) -> bool:
        return cls.everyones or principal.own == "all" or "maker_id" in cls.table().columns

    @classmethod
    def reading(cls, conn: Connection) -> AbstractContextManager[Connection]:
        return published()

    @classmethod
    def refreshed_at(cls, conn: Connection) -> datetime | None:
        return stamp(conn)


def today() -> date:
    """The business date."""
    return datetime.now(TIME_ZONE).date()


def this_month(field: str) -> dict[str, str]:
    """The filter of a day field that keeps the current month up to today."""
    now = today()
    return {f"{field}_start": now.replace(day=1).isoformat(), f"{field}_end": now.isoformat()}


def asked_day(asked: Values, name: str, label: str) -> date | None:
    """A day that a list is asked for."""
    told = str(asked.get(name) or "")
    try:
        return date.fromisoformat(told[:10]) if told else None
    except ValueError as error:
        raise Refusal(f"“{label}”的查询条件不正确") from error


def asked_days(asked: Values, field: str, label: str) -> tuple[date, date]:
    """The first and last day of the range that a list is asked for: from the beginning, until today."""
    first = asked_day(asked, f"{field}_start", label)
    last = asked_day(asked, f"{field}_end", label)
    return max(first or BEGINNING, BEGINNING), min(last or today(), END)


BEGINNING, END = date(1900, 1, 1), date(9999, 12, 30)
ONE_DAY = timedelta(days=1)
