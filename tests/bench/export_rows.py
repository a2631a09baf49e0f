"""Benchmark of an export of a million rows: seconds, size of the file, and peak memory of the worker.

Run: `python -m tests.bench.export_rows [rows]`. The list is the upload log, a table of texts, moments and
references.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from api.launch.postgres import EmbeddedPostgres

FILL = """
insert into upload_log (at, company_id, user_id, purpose, file_name, size_text, result, message, client, size)
select now() - make_interval(secs => n), %s, %s, '明细导入', '=文件' || n || '.xlsx', '12.5 KB', 1 + n %% 2, '第' || n || '行', '10.0.0.1', n
from generate_series(1, %s) n
"""


def measure_export(rows: int, server: EmbeddedPostgres) -> None:
    from api import catalogue
    from api.identity.setup import ensure_admin
    from api.kit.storage.database import main_engine, run_transaction
    from api.migrations import upgrade
    from api.shell.files import export_job
    from api.shell.files.export_tasks import ExportTask

    assert catalogue.__all__
    upgrade(server.url())
    admin = run_transaction(lambda conn: ensure_admin(conn, "Admin#123456"))
    with main_engine().begin() as conn:
        company = conn.exec_driver_sql("select min(company_id) from company").scalar_one()
        conn.exec_driver_sql(FILL, (company, admin, rows))
        values = {
            "user_id": admin,
            "job": "export",
            "resource": "upload_log",
            "query": {},
            "file_name": "a.xlsx",
        }
        key = conn.execute(
            ExportTask.__table__.insert().values(values).returning(ExportTask.export_id)  # type: ignore[attr-defined]
        ).scalar_one()
    idle = _resident_mebibytes()
    began = time.perf_counter()
    export_job.export_list(key)
    seconds = time.perf_counter() - began
    size = export_job.export_path(key).stat().st_size / 1024 / 1024
    print(
        f"{rows:,} rows of 8 columns: {seconds:.0f} s, {rows / seconds:,.0f} rows/s, file {size:.0f} MB; "
        f"worker {idle:.0f} MiB before, {_resident_mebibytes():.0f} MiB at most"
    )
    main_engine().dispose()


def _resident_mebibytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        server = EmbeddedPostgres(place / "postgres", place / "postgres.log")
        server.start()
        os.environ |= {"ERP_DATA_DIR": str(place), "ERP_DATABASE_URL": server.url()}
        try:
            measure_export(rows, server)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
