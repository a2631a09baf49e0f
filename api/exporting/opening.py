"""Where a report is read (导出的数据): in the newest snapshot, or a list of the core in a copy of its present rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection

from api.exporting.asked import Asked
from api.exporting.copying import copied
from api.exporting.head import Told, told
from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.view import reading
from api.reporting import freshness
from api.reporting.snapshot import published, stamp


@contextmanager
def opened(ctx: Context, asked: Asked) -> Iterator[tuple[Connection, Told]]:
    """The connection that a report is read on, and its head's facts. Refuses before anything is published."""
    me, listed = ctx.principal, asked.listed
    if listed is None or listed.present is None:
        with published() as source:
            notices = freshness.notices(ctx.conn, me, costs=me.sees_cost)
            yield source, told(ctx.conn, me, stamp(source), notices)
        return
    with reading(listed.cls, ctx.conn) as core, copied(core, listed.present) as source:
        yield source, told(ctx.conn, me, datetime.now(TIME_ZONE), listed.cls.notices(ctx.conn, me))


def require_readable(asked: Asked) -> None:
    """Raises Refusal before anything is published."""
    if asked.listed is None or asked.listed.present is None:
        with published():
            pass
