"""The report job (报表导出任务): writes a report's file under the asker's rights at the moment of the work."""

from __future__ import annotations

from sqlalchemy import select

from api.exporting.asked import SUFFIXES, ReportExport
from api.exporting.calls import REPORT_JOB
from api.exporting.files import write
from api.exporting.opening import opened
from api.exporting.reports import understood
from api.identity.sessions import principal_of
from api.kit.context import Context
from api.kit.database import engine
from api.shell.export_job import whole, work_off
from api.shell.export_tasks import ExportTask
from api.shell.jobs import app


@app.task(name=REPORT_JOB, pass_context=False)
def export_report(export_id: int) -> None:
    """Write one report."""
    work_off(export_id, _write)


def _write(export_id: int) -> int:
    with engine().connect() as conn:
        task = conn.execute(select(ExportTask.__table__).where(ExportTask.export_id == export_id)).one()
        ctx = Context(conn, principal_of(conn, task.user_id))
        body = ReportExport.model_validate(task.query)
        asked = understood(ctx, body)
        with opened(ctx, asked) as (source, facts), whole(export_id, SUFFIXES[asked.form]) as path:
            # Nothing more is read of the core: a long file holds no transaction open there.
            conn.rollback()
            return write(path, asked, source, facts)
