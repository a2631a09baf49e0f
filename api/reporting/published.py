"""Reports over the marts (原生报表): lists whose rows come from the newest published snapshot.

A report is declared like any view; its `source()` is SQL over the published facts and dimensions. The snapshot holds
the masters under their own names, so that references and keywords work there as they do in the core.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from typing import ClassVar

from sqlalchemy import Connection

from api.kit.scope import Principal
from api.kit.view import View
from api.reporting import freshness
from api.reporting.snapshot import published, stamp


class Published(View):
    """Base of reports over the marts.

    Rows are limited to companies and warehouses like every list's, and rows of documents, which have a `maker_id`, to
    one's own or the department's. Other figures don't tell whose documents they come from: a role that is limited to
    some sees none, but where they are `everyones`.
    """

    __abstract__ = True

    apart = True
    filed: ClassVar[bool] = True
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

    @classmethod
    def notices(cls, conn: Connection, principal: Principal) -> list[str]:
        return freshness.notices(conn, principal, costs=cls.shows_costs(principal))
