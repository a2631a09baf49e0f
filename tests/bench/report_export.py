"""Benchmark of the export of a report of a million rows: seconds, beside a bare COPY of the same query to
CSV in the same run, and peak memory of the worker.

Run: `python -m tests.bench.report_export [rows]`. The report is 应收账款账龄, whose second table lists single
bills.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import duckdb

T = TypeVar("T")
FILL = """
insert into mart_receivable_aging
select
    date '2026-11-01', '2026-11', date '2026-11-20', 1 + n % 2, if(n % 2 = 0, '上海公司', '苏州公司'), 100 + n % 5000,
    '客户' || n % 5000, '业务员' || n % 40, 'XSCK', 'XSCK202611' || n, date '2026-09-01', date '2026-11-20' - cast(n % 300 as integer),
    n % 300, '1–30天', 2, n % 9973 / 7.0, 0.0, n % 9973 / 7.0
from range({rows}) as t(n)
"""


def measure_export(place: Path, rows: int, form: str) -> None:
    from api.exporting import report_file
    from api.exporting.dataset_sql import chart_rows, resolve_filter_values, table_statement
    from api.exporting.export_request import ExportRequestBody, validate_request
    from api.exporting.report_header import ExportMetadata
    from api.reporting.snapshot.snapshot_connection import open_snapshot, read_refreshed_at
    from reports.catalogue import find_report
    from reports.superset.snapshot import current_snapshot

    report = find_report("accountsReceivable")
    assert report
    reader: Any = SimpleNamespace(role_id=1, sees_cost=False)
    asked = validate_request(report, reader, ExportRequestBody(code=report.code, tab="all", form=form))  # type: ignore[arg-type]
    with open_snapshot() as source:
        facts = ExportMetadata(
            "上海公司", "集团经理", "张三", datetime.now(UTC), read_refreshed_at(source), []
        )
        idle, began = _resident_mebibytes(), time.perf_counter()
        path = place / "report.xlsx"
        count = report_file.write_report(path, asked, source, facts)
        seconds, most = time.perf_counter() - began, _resident_mebibytes()
        bare = 0.0
        if form == "detail":
            bills = asked.board.chart("bills")
            read = chart_rows(asked, bills, resolve_filter_values(asked, source))
            statement = table_statement(asked.board.dataset(bills.dataset), bills).replace("{rows}", read.sql)
    if form == "detail":
        bare = _run_in_process(
            _copy_to_csv, str(current_snapshot()), place / "bare.csv", statement, read.values
        )
    size = path.stat().st_size / 1024 / 1024
    print(
        f"{form}: {count:,} rows in {seconds:.1f} s ({count / seconds:,.0f} rows/s), file {size:.0f} MB; "
        f"{idle:.0f} MiB before, {most:.0f} MiB at most"
        + (f"; bare COPY of the bills to CSV {bare:.1f} s, ratio {seconds / bare:.0f}" if bare else "")
    )


def _copy_to_csv(snapshot: str, target: Path, statement: str, values: tuple[Any, ...]) -> float:
    for number, value in reversed(list(enumerate(values, 1))):
        statement = statement.replace(f"${number}", f"'{value}'" if isinstance(value, str) else str(value))
    with duckdb.connect(snapshot, read_only=True) as conn:
        began = time.perf_counter()
        conn.execute(f"copy ({statement}) to '{target}'")
        return time.perf_counter() - began


def _run_in_process(work: Callable[..., T], *arguments: Any) -> T:
    """Run work in a process of its own: its memory is not the export's."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def _resident_mebibytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    from tests.support.superset import publish_snapshot

    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    form = sys.argv[2] if len(sys.argv) > 2 else "detail"
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as folder:
        os.environ["ERP_DATA_DIR"] = folder
        place = Path(folder)
        _run_in_process(publish_snapshot, place / "warehouse", 1, FILL.format(rows=rows))
        measure_export(place, rows, form)


if __name__ == "__main__":
    main()
