"""The report job (报表导出任务): writes a report's file with the requester's rights at the time of the work."""

from __future__ import annotations

from sqlalchemy import select

from api.exporting.calls import REPORT_JOB
from api.exporting.export_request import SUFFIXES, ExportRequestBody
from api.exporting.report_access import parse_export_request
from api.exporting.report_file import write_report
from api.exporting.report_source import open_source
from api.identity.sessions import read_principal
from api.kit.context import Context
from api.kit.storage.database import main_engine
from api.shell.files.export_job import open_export_file, run_export
from api.shell.files.export_tasks import ExportTask
from api.shell.jobs import app


@app.task(name=REPORT_JOB, pass_context=False)
def export_report(export_id: int) -> None:
    """Write one report."""
    run_export(export_id, _write_task)


def _write_task(export_id: int) -> int:
    with main_engine().connect() as conn:
        task = conn.execute(select(ExportTask.__table__).where(ExportTask.export_id == export_id)).one()
        ctx = Context(conn, read_principal(conn, task.user_id))
        body = ExportRequestBody.model_validate(task.query)
        request = parse_export_request(ctx, body)
        with (
            open_source(ctx, request) as (source, facts),
            open_export_file(export_id, SUFFIXES[request.form]) as path,
        ):
            # Nothing more is read of the core: a long file holds no transaction open there.
            conn.rollback()
            return write_report(path, request, source, facts)
