"""The print job (批量打印): many bills as one PDF, made by the job worker under the asker's own rights."""

from __future__ import annotations

import io
from itertools import islice
from typing import Any, cast

import pypdf
from sqlalchemy import select

from api.identity.sessions import principal_of
from api.kit import registry
from api.kit.context import Context
from api.kit.database import engine
from api.kit.document import Bill
from api.kit.errors import Refusal
from api.printing import press
from api.printing.bill_calls import PRINT_JOB, collect
from api.shell.export_job import whole, work_off
from api.shell.export_tasks import ExportTask
from api.shell.jobs import app

AT_ONCE = 25
"""Bills that are set together: so many keep the press within some hundred megabytes."""


@app.task(name=PRINT_JOB, pass_context=False)
def print_bills(export_id: int) -> None:
    """Print the bills of one task."""
    work_off(export_id, _write)


def _write(export_id: int) -> int:
    with engine().connect() as conn:
        task = conn.execute(select(ExportTask.__table__).where(ExportTask.export_id == export_id)).one()
        ctx = Context(conn, principal_of(conn, task.user_id))
        cls = cast(type[Bill], registry.get(task.resource))
        if not ctx.principal.may(cls.right("list")):
            raise Refusal("您没有查看此类单据的权限")
        asked: dict[str, Any] = task.query
        keys = list(dict.fromkeys(asked["ids"]))
        sheets = iter(collect(ctx, cls, keys, asked["print_template_id"]))
    document = pypdf.PdfWriter()
    while part := list(islice(sheets, AT_ONCE)):
        document.append(io.BytesIO(press.pdf("paper", part)))
    with whole(export_id, ".pdf") as path:
        document.write(path)
    return len(keys)
