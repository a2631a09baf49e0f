"""Framed reports written as files, and what a file has to say."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from sqlalchemy import Connection, text

from api.exporting import files
from api.exporting.asked import Asked, Listed, ReportExport, understand
from api.exporting.head import Told
from api.exporting.query import Rows
from api.exporting.rows import settled, told
from api.exporting.sheet import sheet
from api.kit.database import TIME_ZONE
from api.kit.scope import Principal
from api.kit.settings import settings
from api.kit.view import View
from api.reporting.snapshot import published, stamp
from reports.assets import Placed, boards
from reports.catalogue import REPORTS, find_report
from reports.catalogue.boards import Board, Chart, Pivot
from reports.catalogue.datasets import MONEY, Column, Dataset, Metric
from reports.catalogue.expressions import ColumnRef, Expression, Sum, ToDouble, quoted_sum
from tests.kit.fixtures import Site
from tests.kit.superset import EVERYTHING, of_range, publish

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
named = pytest.mark.parametrize("placed", list(boards()), ids=lambda item: "-".join(item.names))
"""Asks it of every board."""


@pytest.fixture(scope="module")
def companies_apart(site: Site, own_warehouse: Path) -> None:
    """The small snapshot of the reports' tests, in which two roles of the group have a company each."""
    roles = {"manager": site.world.role_manager_a, "clerk": site.world.role_clerk_a}
    publish(settings().warehouse_dir, 1, SCOPES.format(**roles) + DANGEROUS + ADVANCED + UNEVEN)
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
    with published() as conn:
        yield conn


NOVEMBER, AUTUMN = (f"2026-{month}-01T00:00:00 : 2026-12-01T00:00:00" for month in (11, 10))


def in_days(code: str, tab: str, words: str = NOVEMBER) -> dict[str, list[str]]:
    """Days of the snapshot, for reports by days: this month is another one in time."""
    board = find_report(code).tab(tab).plain  # type: ignore[union-attr]
    return {item.key: [words] for item in board.filters if item.ranged}


def reader(role: int, sees_cost: bool = True) -> Principal:
    return Principal(0, "", "", role, 0, sees_cost=sees_cost)


def facts(source: Connection) -> Told:
    at = datetime(2026, 11, 21, 9, tzinfo=TIME_ZONE)
    return Told("上海公司", "集团经理", "张三", at, stamp(source), ["数据刷新失败", "正在重算成本"])


def on_paper(
    source: Connection, code: str, tab: str = "all", cost: bool = True, **asked: Any
) -> tuple[Asked, dict[str, Any]]:
    """What is asked of a report's tab, and the sheet that is set of it."""
    report = find_report(code)
    assert report
    asked["filters"] = {**in_days(code, tab), **asked.get("filters", {})}
    body = ReportExport(code=code, tab=tab, form="pdf", **asked)
    wanted = understand(report, reader(EVERYTHING, cost), body)
    return wanted, sheet(wanted, source, facts(source), settled(wanted, source))


def of_table(rows: str, form: Any = "pdf", amount: Expression = quoted_sum("amount")) -> Asked:
    """A report of one table over names and amounts."""
    metric = Metric("amount", "金额", amount, MONEY)
    dataset = Dataset(
        "t", "表", "", "company", columns=(Column("name", "名称"),), measures=(), metrics=(metric,)
    )
    table = Chart("rows", "表", "table", "t", ("amount",), by=("name",), totalled=True)
    board = Board((table,), (), (), (dataset,), Pivot("t", ("name",), (), ("amount",)))
    listed = Listed(View, Rows(f"({rows})", ()), "")
    return Asked("t", "表", board, reader(EVERYTHING), form, {}, board.pivot, listed)


def sheets(
    source: Connection,
    path: Path,
    code: str,
    form: str,
    role: int = EVERYTHING,
    cost: bool = True,
    **asked: Any,
) -> list[list[list[Any]]]:
    """The cells of a written workbook, sheet by sheet."""
    report = find_report(code)
    assert report
    tab = asked.pop("tab", report.first_tab.key)
    asked["filters"] = {**in_days(code, tab), **asked.get("filters", {})}
    body = ReportExport(code=code, tab=tab, form=form, **asked)  # type: ignore[arg-type]
    files.write(path, understand(report, reader(role, cost), body), source, facts(source))
    return cells(path)


def cells(path: Path) -> list[list[list[Any]]]:
    book = openpyxl.load_workbook(path)
    return [[[cell.value for cell in row] for row in sheet.iter_rows()] for sheet in book.worksheets]


def opening(source: Connection, placed: Placed, dataset: Dataset, excluding: str = "") -> str:
    """What a board shows when it opens, as a condition on a dataset."""
    parts = [f"role_id = {EVERYTHING}"]
    for item in placed.board.filters:
        if dataset.has_column(item.column) and excluding not in (item.column, *item.excludes):
            if item.ranged and not dataset.takes_range:
                parts.append(f"{item.column} >= '2026-11-01' and {item.column} < '2026-12-01'")
            if item.ranged:
                continue
            own = placed.board.dataset(item.dataset).sql
            newest = f"select max({item.column}) from ({own}) where role_id = {EVERYTHING}"
            value = source.exec_driver_sql(newest).scalar() if item.latest else "".join(item.default)
            if value:
                parts.append(f"{item.column} = '{value}'")
    return " and ".join(parts)


def figure(source: Connection, dataset: Dataset, metric: Metric, where: str) -> Any:
    """As a file tells it."""
    return source.exec_driver_sql(
        f"select {told(metric)} from ({of_range(dataset.sql)}) where {where}"
    ).scalar()


def is_sum(metric: Metric) -> bool:
    figure = metric.expression
    return isinstance(figure, ToDouble) and isinstance(figure.of, Sum) and isinstance(figure.of.of, ColumnRef)


def same(found: Any, expected: Any) -> bool:
    return found is None if expected is None else found == pytest.approx(expected)
