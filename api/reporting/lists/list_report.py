"""List reports (原生报表): lists whose rows come from the newest published snapshot.

A report is declared like any view; its `source()` is SQL over the published facts and dimensions. The
snapshot holds the masters under their own names, so that references and keywords work there as they do in
the core.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from typing import ClassVar

from sqlalchemy import Connection

from api.kit.declaration.view import View
from api.kit.scope import Principal
from api.reporting.snapshot import data_freshness
from api.reporting.snapshot.snapshot_connection import open_snapshot, read_refreshed_at


class ListReport(View):
    """Base of list reports.

    Rows are limited to companies and warehouses like every list's, and rows of documents, which have a
    `maker_id`, to one's own or the department's. Other figures can't be attributed to documents: a role
    that is limited to some sees none, unless they are `is_for_everyone`.
    """

    __abstract__ = True

    reads_extract = True
    exportable_as_report: ClassVar[bool] = True
    is_for_everyone: ClassVar[bool] = False

    @classmethod
    def is_visible_to(cls, principal: Principal) -> bool:
        return cls.is_for_everyone or principal.own == "all" or "maker_id" in cls.table().columns

    @classmethod
    def read_connection(cls, conn: Connection) -> AbstractContextManager[Connection]:
        return open_snapshot()

    @classmethod
    def refreshed_at(cls, conn: Connection) -> datetime | None:
        return read_refreshed_at(conn)

    @classmethod
    def notices(cls, conn: Connection, principal: Principal) -> list[str]:
        return data_freshness.list_notices(conn, principal, costs=cls.shows_costs(principal))
