"""Source of a report (导出的数据): the newest snapshot, or a copy of the core's present rows for a list of
the core."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection

from api.exporting.export_request import ExportRequest
from api.exporting.list_copy import open_copy
from api.exporting.report_header import ExportMetadata, read_export_metadata
from api.kit.context import Context
from api.kit.declaration.view import open_read_connection
from api.kit.storage.database import TIME_ZONE
from api.reporting.snapshot import data_freshness
from api.reporting.snapshot.snapshot_connection import open_snapshot, read_refreshed_at


@contextmanager
def open_source(ctx: Context, request: ExportRequest) -> Iterator[tuple[Connection, ExportMetadata]]:
    """The connection that a report is read on, and its header's facts. Raises Refusal before anything is
    published."""
    me, listed = ctx.principal, request.listed
    if listed is None or listed.present is None:
        with open_snapshot() as source:
            notices = data_freshness.list_notices(ctx.conn, me, costs=me.sees_cost)
            yield source, read_export_metadata(ctx.conn, me, read_refreshed_at(source), notices)
        return
    with open_read_connection(listed.cls, ctx.conn) as core, open_copy(core, listed.present) as source:
        yield (
            source,
            read_export_metadata(ctx.conn, me, datetime.now(TIME_ZONE), listed.cls.notices(ctx.conn, me)),
        )


def require_readable(request: ExportRequest) -> None:
    """Raise Refusal before anything is published."""
    if request.listed is None or request.listed.present is None:
        with open_snapshot():
            pass
