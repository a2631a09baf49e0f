"""Benchmark of the goods upload: from the uploaded file to the company's selection, on a server of its
own.

Run: `python -m tests.bench.initialise_goods [rows]`. Half of the goods have types, brands and units that
are new.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import xlsxwriter

from api.launch.postgres import EmbeddedPostgres

HEADING = (
    *(
        "商品编码",
        "商品名称",
        "商品类型",
        "品牌",
        "单位",
        "规格型号",
        "花纹",
        "载重指数",
        "速度级别",
        "厂家编码",
        "条形码",
    ),
    *("按批次管理", "税率%", "销售价", "采购价"),
)


def write_workbook(path: Path, rows: int) -> None:
    with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, HEADING)
        for row in range(1, rows + 1):
            kind, brand = f"轮胎/类型{row % 20}/小类{row % 200}", f"品牌{row % 300}"
            cells = [
                f"{row:08d}",
                f"米其林轮胎 {row % 90 + 200}/80R22.5 X{row}",
                kind,
                brand,
                f"单位{row % 9}",
            ]
            cells += [f"{row % 90 + 200}/80R22.5", f"X{row % 50}", "152", "M", f"F{row}", f"69{row:011d}"]
            sheet.write_row(row, 0, [*cells, "是" if row % 2 else "否", 13, 1500.5, 1200.25])


def measure_upload(rows: int, place: Path, server: EmbeddedPostgres) -> None:
    from api import catalogue
    from api.identity.sessions import read_principal
    from api.identity.setup import ensure_admin
    from api.importing import initialisation_job as job
    from api.kit.context import Context
    from api.kit.declaration import registry
    from api.kit.storage.database import main_engine, run_transaction
    from api.kit.storage.records import add_record
    from api.migrations import upgrade
    from api.shell.operations import initialisation as states

    assert catalogue.__all__
    upgrade(server.url())
    admin = run_transaction(lambda conn: ensure_admin(conn, "Admin#123456"))
    job.upload_folder().mkdir(parents=True)
    write_workbook(job.upload_folder() / "1.xlsx", rows)

    def create_task(conn: object) -> int:
        ctx = Context(conn, read_principal(conn, admin))  # type: ignore[arg-type]
        company = add_record(
            ctx, registry.get_resource("company"), {"company_name": "基准公司", "company_code": "JZ"}
        )
        states.advance_state(ctx.conn, company, 0, 1)
        values = {"company_id": company, "step": 0, "file_name": "a.xlsx", "asked_by": admin}
        values |= {"path": "initialisation/1.xlsx", "rows_total": rows}
        key: int = ctx.conn.execute(
            job.TABLE.insert().values(values).returning(job.TABLE.c.initialisation_task_id)
        ).scalar_one()
        return key

    key = run_transaction(create_task)
    for run in ("first upload", "same file again"):
        began, used = time.perf_counter(), time.process_time()
        job.initialise(key)
        seconds, busy = time.perf_counter() - began, time.process_time() - used
        with main_engine().begin() as conn:
            row = conn.execute(job.TABLE.select()).one()
            print(
                f"{run}: {row.message} — {seconds:.1f} s, {rows / seconds:,.0f} rows/s, own CPU {busy:.1f} s"
            )
            conn.execute(job.TABLE.update().values(status=0, attempts=0))
            conn.exec_driver_sql("update initialisation set state = 1")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"worker's peak {peak:.0f} MiB")
    main_engine().dispose()


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        server = EmbeddedPostgres(place / "postgres", place / "postgres.log")
        server.start()
        os.environ |= {"ERP_DATA_DIR": str(place), "ERP_DATABASE_URL": server.url()}
        try:
            measure_upload(rows, place, server)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
