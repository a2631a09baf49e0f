"""Exported files of embedded reports: requests for them, and readers of their content."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from sqlalchemy import Connection, text

from api.exporting import report_file
from api.exporting.dataset_sql import resolve_filter_values, rounded_sql
from api.exporting.export_request import ExportRequest, ExportRequestBody, ListExport, validate_request
from api.exporting.query import RowQuery
from api.exporting.report_header import ExportMetadata
from api.exporting.report_layout import build_sheet
from api.kit.declaration.view import View
from api.kit.scope import Principal
from api.kit.settings import read_settings
from api.kit.storage.database import TIME_ZONE
from api.reporting.snapshot.snapshot_connection import open_snapshot, read_refreshed_at
from reports.catalogue import REPORTS, find_report
from reports.semantics.dashboards import Board, Chart, Pivot
from reports.semantics.datasets import MONEY, Column, Dataset, Metric
from reports.semantics.expressions import ColumnRef, Expression, Sum, ToDouble, quoted_sum
from reports.superset.assets import DashboardVariant, list_dashboards
from tests.support.fixtures import Site
from tests.support.superset import EVERYTHING, bind_sample_range, publish_snapshot

HEAD = 4
STAMP = "2026-11-20 17:30:05"
SCOPES = """
insert into role_company_scope values ({manager}, 1), ({clerk}, 2);
insert into role_warehouse_scope
select s.role_id, w.company_id, w.warehouse_id from role_company_scope as s inner join dim_warehouse as w using (company_id)
where s.role_id in ({manager}, {clerk});
insert into role_cost_scope values ({manager}, 1);
insert into role_cost_warehouse_scope select * from role_warehouse_scope where role_id = {manager};
"""
DANGEROUS = (
    "update mart_customer_profit set customer_name = '=1+1', employee_name = '@SUM(A1)' where company_id = 1;"
)
ADVANCED = "".join(
    f"update mart_{side}_aging set advance_amount = 9, balance = open_amount - 9 where bucket_order = 1;"
    for side in ("receivable", "payable")
)
UNEVEN = """
update mart_goods_stock set recent_price = 270.333333 where goods_num = 'G003';
"""
named = pytest.mark.parametrize("placed", list(list_dashboards()), ids=lambda item: "-".join(item.names))
"""Asks it of every board."""


@pytest.fixture(scope="module")
def companies_apart(site: Site, own_warehouse: Path) -> None:
    """The small snapshot of the reports' tests, in which two roles of the group have a company each."""
    roles = {"manager": site.world.role_manager_a, "clerk": site.world.role_clerk_a}
    publish_snapshot(read_settings().warehouse_dir, 1, SCOPES.format(**roles) + DANGEROUS + ADVANCED + UNEVEN)
    codes = [code for report in REPORTS for code in (report.right, report.export_right)]
    with site.engine.begin() as conn:
        for role in roles.values():
            rows = [{"role": role, "code": code} for code in codes]
            conn.execute(
                text("insert into role_right (role_id, code) values (:role, :code) on conflict do nothing"),
                rows,
            )
            conn.execute(text("update role set version = version + 1 where role_id = :role"), {"role": role})


@pytest.fixture(scope="module")
def source(companies_apart: None) -> Iterator[Connection]:
    with open_snapshot() as conn:
        yield conn


NOVEMBER, AUTUMN = (f"2026-{month}-01T00:00:00 : 2026-12-01T00:00:00" for month in (11, 10))


def select_days(code: str, tab: str, words: str = NOVEMBER) -> dict[str, list[str]]:
    """Days of the snapshot, for reports by days: this month is another one in time."""
    board = find_report(code).tab(tab).plain  # type: ignore[union-attr]
    return {item.key: [words] for item in board.filters if item.ranged}


def build_reader(role: int, sees_cost: bool = True) -> Principal:
    return Principal(0, "", "", role, 0, sees_cost=sees_cost)


def build_header(source: Connection) -> ExportMetadata:
    at = datetime(2026, 11, 21, 9, tzinfo=TIME_ZONE)
    return ExportMetadata(
        "上海公司", "集团经理", "张三", at, read_refreshed_at(source), ["数据刷新失败", "正在重算成本"]
    )


def build_sample_sheet(
    source: Connection, code: str, tab: str = "all", cost: bool = True, **params: Any
) -> tuple[ExportRequest, dict[str, Any]]:
    """Return the request for a report's tab as a file, and the sheet that is set of it."""
    report = find_report(code)
    assert report
    params["filters"] = {**select_days(code, tab), **params.get("filters", {})}
    body = ExportRequestBody(code=code, tab=tab, form="pdf", **params)
    wanted = validate_request(report, build_reader(EVERYTHING, cost), body)
    return wanted, build_sheet(wanted, source, build_header(source), resolve_filter_values(wanted, source))


def build_table_request(
    rows: str, form: Any = "pdf", amount: Expression = quoted_sum("amount")
) -> ExportRequest:
    """Return a request for a report of one table over names and amounts."""
    metric = Metric("amount", "金额", amount, MONEY)
    dataset = Dataset(
        "t", "表", "", "company", columns=(Column("name", "名称"),), measures=(), metrics=(metric,)
    )
    table = Chart("rows", "表", "table", "t", ("amount",), by=("name",), totalled=True)
    board = Board((table,), (), (), (dataset,), Pivot("t", ("name",), (), ("amount",)))
    listed = ListExport(View, RowQuery(f"({rows})", ()), "")
    return ExportRequest("t", "表", board, build_reader(EVERYTHING), form, {}, board.pivot, listed)


def read_sheets(
    source: Connection,
    path: Path,
    code: str,
    form: str,
    role: int = EVERYTHING,
    cost: bool = True,
    **params: Any,
) -> list[list[list[Any]]]:
    """Return the cells of an exported workbook, sheet by sheet."""
    report = find_report(code)
    assert report
    tab = params.pop("tab", report.first_tab.key)
    params["filters"] = {**select_days(code, tab), **params.get("filters", {})}
    body = ExportRequestBody(code=code, tab=tab, form=form, **params)  # type: ignore[arg-type]
    report_file.write_report(
        path, validate_request(report, build_reader(role, cost), body), source, build_header(source)
    )
    return read_cells(path)


def read_cells(path: Path) -> list[list[list[Any]]]:
    book = openpyxl.load_workbook(path)
    return [[[cell.value for cell in row] for row in sheet.iter_rows()] for sheet in book.worksheets]


def opening_condition(
    source: Connection, placed: DashboardVariant, dataset: Dataset, excluding: str = ""
) -> str:
    """Return the filters that a board opens with, as a condition on a dataset."""
    parts = [f"role_id = {EVERYTHING}"]
    for item in placed.board.filters:
        if dataset.has_column(item.column) and excluding not in (item.column, *item.excludes):
            if item.ranged and not dataset.has_range:
                parts.append(f"{item.column} >= '2026-11-01' and {item.column} < '2026-12-01'")
            if item.ranged:
                continue
            own = placed.board.dataset(item.dataset).sql
            newest = f"select max({item.column}) from ({own}) where role_id = {EVERYTHING}"
            value = source.exec_driver_sql(newest).scalar() if item.latest else "".join(item.default)
            if value:
                parts.append(f"{item.column} = '{value}'")
    return " and ".join(parts)


def query_figure(source: Connection, dataset: Dataset, metric: Metric, where: str) -> Any:
    """Return a metric as a file shows it."""
    return source.exec_driver_sql(
        f"select {rounded_sql(metric)} from ({bind_sample_range(dataset.sql)}) where {where}"
    ).scalar()


def is_sum(metric: Metric) -> bool:
    figure = metric.expression
    return isinstance(figure, ToDouble) and isinstance(figure.of, Sum) and isinstance(figure.of.of, ColumnRef)


def is_same(found: Any, expected: Any) -> bool:
    return found is None if expected is None else found == pytest.approx(expected)
