"""Framed reports as files: complete, totals from base rows, within the role's companies and cost right, filters printed."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import openpyxl
import pypdf
import pytest
from sqlalchemy import Connection, text

from api.exporting import files, report_job
from api.exporting.asked import ReportExport, understand
from api.exporting.book import Book, figure_column, number_format, text_column
from api.exporting.head import Told, told
from api.exporting.summary import worded
from api.kit.database import TIME_ZONE
from api.kit.errors import Refusal
from api.kit.settings import settings
from api.reporting.snapshot import published, stamp
from api.shell import export_job
from api.shell.export_tasks import DONE, FAILED
from reports.assets import Placed, boards
from reports.catalogue import REPORTS, find_report
from reports.catalogue.model import CHANGE, COST, DAYS, MONEY, PERCENT, UNSEEN, Dataset, Metric
from tests.kit.fixtures import Site
from tests.kit.superset import COMPANY_ONE, COMPANY_TWO, EVERYTHING, NOTHING, publish

EXPORT, CHOICES = "v2/report/Frame/export", "v2/report/Frame/getPivotChoices"
BOARDS = list(boards())
named = pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
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


@pytest.fixture(scope="module", autouse=True)
def snapshot(site: Site, own_warehouse: Path) -> None:
    """The small snapshot of the reports' tests, in which two roles of the group have a company each."""
    roles = {"manager": site.world.role_manager_a, "clerk": site.world.role_clerk_a}
    publish(settings().warehouse_dir, 1, SCOPES.format(**roles) + DANGEROUS)
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
def source(snapshot: None) -> Iterator[Connection]:
    with published() as conn:
        yield conn


def reader(role: int, sees_cost: bool = True) -> Any:
    return SimpleNamespace(role_id=role, sees_cost=sees_cost)


def facts(source: Connection) -> Told:
    at = datetime(2026, 11, 21, 9, tzinfo=TIME_ZONE)
    return Told("上海公司", "集团经理", "张三", at, stamp(source), "数据刷新失败")


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
            own = placed.board.dataset(item.dataset).sql
            newest = f"select max({item.column}) from ({own}) where role_id = {EVERYTHING}"
            value = source.exec_driver_sql(newest).scalar() if item.latest else "".join(item.default)
            if value:
                parts.append(f"{item.column} = '{value}'")
    return " and ".join(parts)


def figure(source: Connection, dataset: Dataset, metric: Metric, where: str) -> Any:
    return source.exec_driver_sql(f"select {metric.sql} from ({dataset.sql}) where {where}").scalar()


def is_sum(metric: Metric) -> bool:
    return metric.sql.startswith('cast(sum("') and metric.sql.count("sum(") == 1


def same(found: Any, expected: Any) -> bool:
    return found is None if expected is None else found == pytest.approx(expected)


class TestEveryReport:
    @named
    def test_tables_are_whole_and_end_with_the_metric_of_all_rows(
        self, placed: Placed, source: Connection, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.xlsx"
        found = sheets(
            source, path, placed.report.code, "detail", cost=placed.variant == COST, tab=placed.tab.key
        )
        assert len(found) == len(placed.board.tables)
        for chart, (title, _, when, _, heading, *rows) in zip(placed.board.tables, found, strict=True):
            dataset = placed.board.dataset(chart.dataset)
            metrics = [dataset.metric(name) for name in chart.metrics]
            columns = [name for name in chart.by if dataset.column(name).kind != "link"]
            where = opening(source, placed, dataset, chart.key)
            keys = ", ".join(f'"{name}"' for name in chart.by)
            groups = f"select count(*) from (select 1 from ({dataset.sql}) where {where} group by {keys})"
            assert title[0].endswith(chart.title)
            assert STAMP in when[0] and "数据刷新失败" in when[0]
            assert heading[len(columns) :] == [metric.label for metric in metrics]
            # The lines of a statement contain each other: it has no sum.
            totals = rows.pop() if chart.totalled else None
            assert len(rows) == source.exec_driver_sql(groups).scalar() > 0
            assert "合计" not in {row[0] for row in rows}
            assert not set(UNSEEN) & {letter for row in rows for cell in row for letter in str(cell)}
            if totals is None:
                continue
            assert totals[0] == "合计"
            for at, metric in enumerate(metrics, len(columns)):
                assert same(totals[at], figure(source, dataset, metric, where)), metric.name
                if is_sum(metric):
                    assert (totals[at] or 0) == pytest.approx(sum(row[at] or 0 for row in rows)), metric.name

    @named
    def test_pivots_total_from_base_rows(self, placed: Placed, source: Connection, tmp_path: Path) -> None:
        board, pivot = placed.board, placed.board.pivot
        dataset = board.dataset(pivot.dataset)
        [(title, *rest)] = sheets(
            source,
            tmp_path / "a.xlsx",
            placed.report.code,
            "pivot",
            cost=placed.variant == COST,
            tab=placed.tab.key,
        )
        metric = dataset.metric(pivot.metrics[0])
        assert metric.label in title[0]
        start = next(at for at, row in enumerate(rest) if row[0] == dataset.column(pivot.rows[0]).label)
        heading, rows, totals = rest[start], rest[start + 1 : -1], rest[-1]
        assert totals[0] == "合计" and rows
        single = {item.column for item in board.filters if not item.multiple}
        spread = next(iter(single & {*pivot.rows, *pivot.columns}), None)
        where = opening(source, placed, dataset, spread or "no such chart")
        whole = spread is None or dataset.adds_up(metric)
        assert (heading[-1] == "合计") == whole
        if whole:
            assert same(totals[-1], figure(source, dataset, metric, where))
        [across], beside = pivot.columns, len(pivot.rows)
        first = f"select min({across}) from ({dataset.sql}) where {where}"
        value = source.exec_driver_sql(first).scalar()
        assert heading[beside].strip() == "".join(letter for letter in str(value) if letter.isprintable())
        assert same(totals[beside], figure(source, dataset, metric, f"{where} and {across} = '{value}'"))


class TestDetail:
    def test_a_role_has_its_companies_alone(self, source: Connection, tmp_path: Path) -> None:
        for role, cost, companies in (
            (EVERYTHING, True, {"上海公司", "苏州公司"}),
            (COMPANY_ONE, True, {"上海公司"}),
            (COMPANY_TWO, False, {"苏州公司"}),
            (NOTHING, True, set()),
        ):
            found, *_ = sheets(source, tmp_path / "a.xlsx", "CustomerProfit", "detail", role, cost)
            assert {row[0] for row in found[HEAD + 1 : -1]} == companies
            assert ("毛利（返利后，已确认）" in found[HEAD]) == cost

    def test_cost_needs_its_right_in_the_snapshot_as_well(self, source: Connection, tmp_path: Path) -> None:
        found, *_ = sheets(source, tmp_path / "a.xlsx", "CustomerProfit", "detail", COMPANY_TWO)
        assert found[HEAD + 1 :] == [["合计", *[None] * (len(found[HEAD]) - 1)]]

    def test_filters_are_heeded_and_printed(self, source: Connection, tmp_path: Path) -> None:
        chosen = {"period": ["2026-10"], "company": ["苏州公司"], "type": ["轿车胎", None], "goods": []}
        found, *_ = sheets(source, tmp_path / "a.xlsx", "CommodityProfit", "detail", filters=chosen)
        assert found[3][0] == (
            "筛选条件：月＝2026-10；公司＝苏州公司；仓库＝全部；商品类型＝轿车胎、（空）；品牌＝全部；商品编码＝全部"
        )
        assert [row[0] for row in found[HEAD + 1 :]] == ["G001", "合计"]
        assert found[-1][found[HEAD].index("销售收入")] == 250

    def test_a_value_is_no_sql(self, source: Connection, tmp_path: Path) -> None:
        value = "' or 1=1 --"
        found, *_ = sheets(
            source, tmp_path / "a.xlsx", "CommodityProfit", "detail", filters={"company": [value]}
        )
        assert len(found) == HEAD + 2
        assert value in found[3][0]

    def test_texts_are_no_formulas_and_figures_have_their_formats(
        self, source: Connection, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.xlsx"
        found, *_ = sheets(source, path, "CustomerProfit", "detail")
        assert {row[1] for row in found} >= {"=1+1", "苏州公司的客户"}
        with zipfile.ZipFile(path) as book:
            assert "<f>" not in book.read("xl/worksheets/sheet1.xml").decode()
        sheet = openpyxl.load_workbook(path).worksheets[0]
        formats = [cell.number_format for cell in sheet[HEAD + 2]]
        assert formats[found[HEAD].index("销售收入")] == "#,##0.00"
        assert formats[found[HEAD].index("毛利率（返利前）")] == "#,##0.0%"
        assert sheet.freeze_panes == f"A{HEAD + 2}"
        assert sheet.auto_filter.ref == f"A{HEAD + 1}:S{len(found) - 1}"

    def test_rows_that_only_a_link_tells_apart_stay_apart(self, source: Connection, tmp_path: Path) -> None:
        dataset = find_report("facyorypayment").first_tab.plain.datasets[0]
        assert dataset.has_column("detail_link")
        found = sheets(source, tmp_path / "a.xlsx", "facyorypayment", "detail")
        assert not any("href" in str(cell) for rows in found for row in rows for cell in row)

    def test_a_full_sheet_goes_on_in_the_next_and_ends_with_the_totals(self, tmp_path: Path) -> None:
        path = tmp_path / "a.xlsx"
        lines = [("row", [f"客户{number}", 1.0]) for number in range(5)]
        columns = [text_column(("客户",), 10), figure_column(("金额",), Metric("a", "金额", "", MONEY))]
        with Book(path, sheet_rows=2) as book:
            count = book.write("明细", ["标题"], columns, [*lines, ("total", ["合计", 5.0])], filtered=True)  # type: ignore[list-item]
        assert count == 5
        found = cells(path)
        assert [[row[0] for row in sheet[2:]] for sheet in found] == [
            ["客户0", "客户1"],
            ["客户2", "客户3"],
            ["客户4", "合计"],
        ]
        assert {tuple(sheet[1]) for sheet in found} == {("客户", "金额")}
        assert openpyxl.load_workbook(path).sheetnames == ["明细", "明细 2", "明细 3"]

    def test_formats(self) -> None:
        found = {form: number_format(form) for form in (MONEY, PERCENT, CHANGE, DAYS)}
        assert found == {
            MONEY: "#,##0.00",
            PERCENT: "#,##0.0%",
            CHANGE: "+#,##0.0%;-#,##0.0%;#,##0.0%",
            DAYS: "#,##0.0",
        }


class TestPivot:
    def test_subtotals_on_both_sides_and_ratios_anew(self, source: Connection, tmp_path: Path) -> None:
        """Each goods of each warehouse and month: revenue 2.5 × price, profit 0.5 × price; prices 100, 200, 300."""
        [found] = sheets(
            source,
            tmp_path / "a.xlsx",
            "CommodityProfit",
            "pivot",
            filters={"type": ["轿车胎", "卡客车胎"], "period": ["2026-10"]},
            rows=["company_name", "warehouse_name"],
            columns=["type1_name", "month_label"],
            metrics=["revenue", "margin"],
        )
        assert found[0][0] == "商品毛利分析 · 公司、仓库 × 商品类型、月：销售收入、毛利率（返利前）"
        assert "月＝全部（在表中展开）" in found[3][0] and "商品类型＝轿车胎、卡客车胎" in found[3][0]
        types, months, heading, *rows = found[HEAD:]
        assert heading[:4] == ["公司", "仓库", "销售收入", "毛利率（返利前）"]
        assert months[2::2].count("小计") == 2
        assert types[-2:] == ["合计", "合计"]
        assert [row[:2] for row in rows] == [
            ["上海公司", "上海中心仓"],
            ["上海公司", "上海前置仓"],
            ["上海公司", "小计"],
            ["苏州公司", "苏州中心仓"],
            ["苏州公司", "小计"],
            ["合计", None],
        ]
        months_of_each = 14
        by_row = {tuple(row[:2]): row for row in rows}
        whole = by_row["合计", None]
        assert whole[-2] == pytest.approx(3 * months_of_each * 2.5 * (100 + 200))
        assert by_row["上海公司", "小计"][-2] == pytest.approx(2 * months_of_each * 2.5 * 300)
        assert all(row[at] == pytest.approx(0.2) for row in rows for at in range(3, len(heading), 2))
        subtotal = months.index("小计")
        assert (types[subtotal], whole[subtotal]) == ("卡客车胎", pytest.approx(3 * months_of_each * 500))

    def test_shares_are_of_all_rows(self, source: Connection, tmp_path: Path) -> None:
        [found] = sheets(
            source,
            tmp_path / "a.xlsx",
            "goodsinventoryrpt",
            "pivot",
            rows=["company_name"],
            columns=["type1_name"],
            metrics=["share"],
        )
        rows = found[HEAD + 1 :]
        assert rows[-1][-1] == pytest.approx(1)
        assert sum(row[-1] for row in rows[:-1]) == pytest.approx(1)
        assert sum(rows[-1][1:-1]) == pytest.approx(1)

    def test_what_does_not_add_up_over_months_has_no_total_there(
        self, source: Connection, tmp_path: Path
    ) -> None:
        """Closing balances of two months are no balance of both; what was delivered adds up."""
        [found] = sheets(
            source,
            tmp_path / "a.xlsx",
            "ScheduleAccountsReceivable",
            "pivot",
            rows=["company_name"],
            columns=["month_label"],
            metrics=["closing", "delivery"],
        )
        assert found[HEAD][0] == "说明：期末应收在不同月之间不能相加，不作合计"
        months, labels, *rows = found[HEAD + 1 :]
        assert (months[-2:], labels[-2:]) == (["2026-11", "合计"], ["本期销售", "本期销售"])
        assert rows[-1][1:3] == [2400, 1800]
        assert rows[-1][-1] == 14 * 1800

    def test_buckets_stand_in_their_order_without_invisible_letters(
        self, source: Connection, tmp_path: Path
    ) -> None:
        now = {"period": ["2026-11"]}
        [found] = sheets(source, tmp_path / "a.xlsx", "inventoryAgingReport", "pivot", filters=now)
        assert found[HEAD] == ["公司", "0–30天", "91–180天", "365天以上", "合计"]

    def test_too_many_columns_are_refused(
        self, source: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("api.exporting.pivoting.MOST_COLUMNS", 5)
        with pytest.raises(Refusal, match="请换一个列维度"):
            sheets(source, tmp_path / "a.xlsx", "CommodityProfit", "pivot")


class TestSummary:
    def test_it_tells_title_filters_stamp_figures_and_how_many_rows_there_are(
        self, source: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("api.exporting.summary.PRINTED", 2)
        report = find_report("CommodityProfit")
        assert report
        body = ReportExport(code=report.code, tab="all", form="pdf", filters={"company": ["上海公司"]})
        path = tmp_path / "a.pdf"
        assert files.write(path, understand(report, reader(EVERYTHING), body), source, facts(source)) == 4
        reading = pypdf.PdfReader(path)
        page = reading.pages[0]
        assert page.mediabox.width > page.mediabox.height
        printed = "".join(page.extract_text().split())
        for words in (
            "商品毛利分析",
            "公司：上海公司角色：集团经理导出人：张三",
            f"数据时间：{STAMP}注意：数据刷新失败".replace(" ", ""),
            "月＝2026-11；公司＝上海公司",
            "共3行，打印前2行，合计为全部3行",
            "本月至今销售收入3,000.00+0.0%较上月整月",
            "第1页/共1页",
        ):
            assert words in printed, words
        # What the figures are compared with comes before what is listed.
        assert printed.index("商品毛利：所选月、上月整月、去年同月整月") < printed.index("商品明细")
        # Of 3 goods in 2 warehouses at prices of 100, 200, 300: the total holds the one that isn't printed.
        assert "合计12" in printed

    def test_nothing_has_no_sign(self) -> None:
        words = [
            worded(value, form) for value, form in ((-0.0004, CHANGE), (-0.0004, PERCENT), (-1234.5, MONEY))
        ]
        assert words == ["+0.0%", "0.0%", "-1,234.50"]


class TestCalls:
    def ask(self, site: Site, user: str, **body: Any) -> Any:
        asked = {"code": "CustomerProfit", "tab": "all", "form": "detail", **body}
        return site.as_(user).post(EXPORT, asked)

    def test_it_is_a_task_like_every_export(self, site: Site) -> None:
        answer = self.ask(site, "manager_a", filters={"company": ["上海公司"]})
        assert answer.ok, answer
        key = answer.data["export_id"]
        with site.engine.connect() as conn:
            jobs = conn.exec_driver_sql(
                "select args from procrastinate_jobs where task_name = 'export_report'"
            )
            assert {"export_id": key} in [row.args for row in jobs]
        report_job.export_report(export_id=key)
        caller = site.as_("manager_a")
        row = caller.get("v2/open/ExportLog/getExportLogList").data["data"][0]
        assert (row["export_status"], row["failure"], row["rows"]) == (DONE, None, 4)
        assert row["file_name"].startswith("客户毛利分析_明细_") and row["file_name"].endswith(".xlsx")
        assert caller.raw("GET", row["url"]).content[:2] == b"PK"
        found, *_ = cells(export_job.file_of(key))
        assert "公司：A分公司" in found[1][0] and STAMP in found[2][0]
        assert [row[0] for row in found[HEAD + 1 :]] == ["上海公司", "合计"]

    def test_cost_is_in_nobodys_who_may_not_see_it(self, site: Site) -> None:
        key = self.ask(site, "clerk_a").data["export_id"]
        report_job.export_report(export_id=key)
        found, *_ = cells(export_job.file_of(key))
        assert not [label for label in found[HEAD] if "毛利" in label] and "销售收入" in found[HEAD]
        assert [row[0] for row in found[HEAD + 1 :]] == ["苏州公司", "合计"]
        refused = self.ask(site, "clerk_a", form="pivot", metrics=["profit"])
        assert (refused.code, refused.msg) == (400, "此报表的透视没有维度或指标“profit”，请重新选择")
        offered = site.as_("clerk_a").get(CHOICES, code="CustomerProfit", tab="all").data
        assert "profit" not in {item["name"] for item in offered["measures"]}
        assert offered["rows"] == ["company_name"] and offered["columns"] == ["month_label"]

    @pytest.mark.parametrize(
        ("body", "told_"),
        [
            ({"filters": {"price": ["1"]}}, "此报表没有筛选项“price”，请在报表上重新选择筛选后再导出"),
            ({"filters": {"period": ["2026-10", "2026-11"]}}, "“月”只能选一个值，请重新选择后再导出"),
            ({"form": "pivot", "rows": ["cost"]}, "此报表的透视没有维度或指标“cost”，请重新选择"),
            ({"form": "pivot", "columns": ["month_label"]}, "请至少选择一个行维度"),
            (
                {"form": "pivot", "rows": ["company_name"], "columns": ["company_name"]},
                "同一个维度不能在行和列上重复选择",
            ),
            ({"tab": "nowhere"}, "报表页签不存在或无权访问"),
            ({"code": "nothing"}, "报表不存在或无权访问"),
        ],
    )
    def test_what_the_report_does_not_have_is_refused(
        self, site: Site, body: dict[str, Any], told_: str
    ) -> None:
        answer = self.ask(site, "manager_a", **body)
        assert (answer.code, answer.msg) == (400, told_)

    def test_looking_is_not_exporting(self, site: Site) -> None:
        """Whoever may only look is refused when he asks, and when the work begins."""
        report = find_report("CustomerProfit")
        assert report
        role = {"role": site.world.role_manager_a, "code": report.export_right}
        key = self.ask(site, "manager_a").data["export_id"]
        with site.engine.begin() as conn:
            conn.execute(text("delete from role_right where role_id = :role and code = :code"), role)
            conn.execute(text("update role set version = version + 1 where role_id = :role"), role)
        try:
            caller = site.as_("manager_a")
            assert self.ask(site, "manager_a").code == 403
            assert caller.get(CHOICES, code=report.code, tab="all").code == 403
            frame = caller.get("v2/report/Frame/getFrame", code=report.code).data
            assert frame["may_export"] is False
            actions = caller.get("open/RequestOpen/getRequestOpenList", code=report.code).data["role_list"]
            assert actions == ["view"]
            report_job.export_report(export_id=key)
            row = caller.get("v2/open/ExportLog/getExportLogList").data["data"][0]
            assert row["export_status"] == FAILED
        finally:
            with site.engine.begin() as conn:
                conn.execute(text("insert into role_right (role_id, code) values (:role, :code)"), role)
                conn.execute(text("update role set version = version + 1 where role_id = :role"), role)

    def test_the_asker_and_the_warning_stand_in_the_head(self, site: Site, source: Connection) -> None:
        from api.identity.sessions import principal_of

        with site.engine.connect() as conn:
            found = told(conn, principal_of(conn, site.world.user_manager_a), source)
        assert found.company == "A分公司" and found.role and found.realname
        assert STAMP in found.when
