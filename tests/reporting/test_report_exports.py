"""Framed reports as files: complete, totals from base rows, within the role's companies and cost right, filters printed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pypdf
import pytest
from sqlalchemy import Connection

from api.exporting import report_file
from api.exporting.export_request import ExportRequestBody, validate_request
from api.exporting.workbook import WorkbookWriter, figure_column, number_format, text_column
from api.kit.errors import Refusal
from api.kit.storage.database import today
from reports.catalogue import find_report
from reports.semantics.dashboards import COST
from reports.semantics.datasets import CHANGE, DAYS, INVISIBLE_LETTERS, MONEY, PERCENT, Metric
from reports.semantics.expressions import sum_of
from reports.semantics.metrics import total_of
from reports.superset.assets import DashboardVariant
from tests.reporting.report_files import (
    HEAD,
    STAMP,
    build_header,
    build_reader,
    build_sample_sheet,
    build_table_request,
    is_same,
    is_sum,
    named,
    opening_condition,
    query_figure,
    read_cells,
    read_sheets,
)
from tests.support.superset import COMPANY_ONE, COMPANY_TWO, EVERYTHING, NOTHING, bind_sample_range


class TestEveryReport:
    @named
    def test_tables_are_whole_and_end_with_the_metric_of_all_rows(
        self, placed: DashboardVariant, source: Connection, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.xlsx"
        found = read_sheets(
            source, path, placed.report.code, "detail", cost=placed.variant == COST, tab=placed.tab.key
        )
        for chart, (title, _, when, _, heading, *rows) in zip(
            placed.board.exported_charts, found, strict=True
        ):
            dataset = placed.board.dataset(chart.dataset)
            metrics = [dataset.metric(name) for name in chart.metrics]
            columns = [name for name in chart.by if dataset.column(name).kind != "link"]
            where = opening_condition(source, placed, dataset, chart.key)
            keys = ", ".join(f'"{name}"' for name in chart.by)
            told = ", ".join(f"({metric.sql}) is not null" for metric in metrics)
            groups = (
                f"select count(*) from (select [{told}] as told from ({bind_sample_range(dataset.sql)}) where {where} group by {keys})"
                f" where list_contains(told, true)"
            )
            assert title[0].endswith(chart.title)
            assert STAMP in when[0] and "数据刷新失败" in when[0]
            assert heading[len(columns) :] == [metric.label for metric in metrics]
            # The lines of a statement contain each other: it has no sum.
            totals = rows.pop() if chart.totalled else None
            assert len(rows) == source.exec_driver_sql(groups).scalar() > 0
            assert "合计" not in {row[0] for row in rows}
            assert all(any(cell is not None for cell in row[len(columns) :]) for row in rows)
            assert not set(INVISIBLE_LETTERS) & {
                letter for row in rows for cell in row for letter in str(cell)
            }
            if totals is None:
                continue
            assert totals[0] == "合计"
            for at, metric in enumerate(metrics, len(columns)):
                assert is_same(totals[at], query_figure(source, dataset, metric, where)), metric.name
                if is_sum(metric):
                    assert (totals[at] or 0) == pytest.approx(sum(row[at] or 0 for row in rows)), metric.name

    @named
    def test_pivots_total_from_base_rows(
        self, placed: DashboardVariant, source: Connection, tmp_path: Path
    ) -> None:
        board, pivot = placed.board, placed.board.pivot
        dataset = board.dataset(pivot.dataset)
        [(title, *rest)] = read_sheets(
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
        where = opening_condition(source, placed, dataset, spread or "no such chart")
        whole = spread is None or dataset.is_additive(metric)
        assert (heading[-1] == "合计") == whole
        if whole:
            assert is_same(totals[-1], query_figure(source, dataset, metric, where))
        [across], beside = pivot.columns, len(pivot.rows)
        first = f"select min_by({across}, icu_sort_key({across}, 'zh')) from ({bind_sample_range(dataset.sql)}) where {where}"
        value = source.exec_driver_sql(first).scalar()
        assert heading[beside].strip() == "".join(letter for letter in str(value) if letter.isprintable())
        assert is_same(
            totals[beside], query_figure(source, dataset, metric, f"{where} and {across} = '{value}'")
        )


class TestDays:
    """All that a month sold was sold on its fifth day."""

    @pytest.mark.parametrize(
        ("words", "told", "sold"),
        [
            ("2026-11-01 : 2026-11-21", "日期＝2026-11-01 至 2026-11-20", 18),
            ("2026-10-05 : 2026-11-06", "日期＝2026-10-05 至 2026-11-05", 36),
            ("2025-10-01 : 2026-11-01", "日期＝2025-10-01 至 2026-10-31", 13 * 18),
            ("2026-11-06 : ", "日期＝2026-11-06 至 最晚", None),
            ("No filter", "日期＝全部", 14 * 18),
        ],
    )
    def test_the_file_is_of_the_chosen_days_and_says_so(
        self, source: Connection, tmp_path: Path, words: str, told: str, sold: int | None
    ) -> None:
        found, *_ = read_sheets(
            source, tmp_path / "a.xlsx", "CommodityProfit", "detail", tab="days", filters={"days": [words]}
        )
        assert told in found[HEAD - 1][0]
        assert found[-1][found[HEAD].index("销售数量")] == sold
        [crossed] = read_sheets(
            source,
            tmp_path / "b.xlsx",
            "CommodityProfit",
            "pivot",
            tab="days",
            filters={"days": [words]},
            rows=["company_name"],
            columns=["day_label"],
            metrics=["quantity"],
        )
        assert any(told in str(line[0]) for line in crossed)
        assert crossed[-1][-1] == sold

    @pytest.mark.parametrize(
        ("words", "opening", "settled"),
        [("2026-11-01 : 2026-11-21", 2000, 1200), ("2026-11-06 : 2026-11-21", 2400, 0)],
    )
    def test_a_file_of_accounts_goes_from_opening_to_closing_of_the_chosen_days(
        self, source: Connection, tmp_path: Path, words: str, opening: int, settled: int
    ) -> None:
        for code, owed, paid in (
            ("ScheduleAccountsReceivable", "应收", "收款"),
            ("ScheduleAccountsPayable", "应付", "付款"),
        ):
            asked = {"tab": "days", "filters": {"days": [words]}}
            found, *_ = read_sheets(source, tmp_path / "a.xlsx", code, "detail", **asked)
            totals = dict(zip(found[HEAD], found[-1], strict=True))
            shown = ("期初" + owed, "本期" + paid, "期末" + owed, "上月同期末" + owed)
            assert [totals[name] for name in shown] == [opening, settled, 2400, 2400]
            [crossed] = read_sheets(source, tmp_path / "b.xlsx", code, "pivot", **asked)
            assert crossed[-1][-1] == settled
            wanted, _ = build_sample_sheet(source, code, "days", filters=asked["filters"])
            assert report_file.write_report(tmp_path / "c.pdf", wanted, source, build_header(source)) == 2
            assert (tmp_path / "c.pdf").read_bytes().startswith(b"%PDF")

    def test_this_month_stays_this_month(self, source: Connection) -> None:
        _, found = build_sample_sheet(source, "CommodityProfit", "days", filters={"days": ["Current month"]})
        assert f"日期＝本月（{today().replace(day=1)} 至 " in found["head"][2]

    @pytest.mark.parametrize("words", ["", "yesterday", "2026-02-30 : now", "1' or '1' = '1 : now"])
    def test_other_words_are_refused(self, words: str) -> None:
        report = find_report("CommodityProfit")
        body = ExportRequestBody(code=report.code, tab="days", form="detail", filters={"days": [words]})
        with pytest.raises(Refusal, match="所选的范围不能导出"):
            validate_request(report, build_reader(EVERYTHING), body)


class TestDetail:
    def test_a_role_has_its_companies_alone(self, source: Connection, tmp_path: Path) -> None:
        for role, cost, companies in (
            (EVERYTHING, True, {"上海公司", "苏州公司"}),
            (COMPANY_ONE, True, {"上海公司"}),
            (COMPANY_TWO, False, {"苏州公司"}),
            (NOTHING, True, set()),
        ):
            found, *_ = read_sheets(source, tmp_path / "a.xlsx", "CustomerProfit", "detail", role, cost)
            assert {row[0] for row in found[HEAD + 1 : -1]} == companies
            assert ("毛利（返利后，已确认）" in found[HEAD]) == cost

    def test_cost_needs_its_right_in_the_snapshot_as_well(self, source: Connection, tmp_path: Path) -> None:
        found, *_ = read_sheets(source, tmp_path / "a.xlsx", "CustomerProfit", "detail", COMPANY_TWO)
        assert found[HEAD + 1 :] == [["没有符合条件的数据", *[None] * (len(found[HEAD]) - 1)]]

    def test_filters_are_heeded_and_printed(self, source: Connection, tmp_path: Path) -> None:
        chosen = {"period": ["2026-10"], "company": ["苏州公司"], "type": ["轿车胎", None], "goods": []}
        found, *_ = read_sheets(source, tmp_path / "a.xlsx", "CommodityProfit", "detail", filters=chosen)
        assert found[3][0] == (
            "筛选条件：月＝2026-10；公司＝苏州公司；仓库＝全部；商品类型＝轿车胎、（空）；品牌＝全部；商品编码＝全部"
        )
        assert [row[0] for row in found[HEAD + 1 :]] == ["G001", "合计"]
        assert found[-1][found[HEAD].index("销售收入")] == 250

    def test_a_bill_that_was_written_off_bit_by_bit_counts_once_in_the_total(
        self, source: Connection, tmp_path: Path
    ) -> None:
        """Of two companies two bills of 500 each, of which one was written off twice."""
        books = read_sheets(source, tmp_path / "a.xlsx", "verificationDetails", "detail", tab="payable")
        [found] = [rows for rows in books if "被核销单据金额" in rows[HEAD]]
        place = found[HEAD].index("被核销单据金额")
        *listed, total = (row[place] for row in found[HEAD + 1 :])
        assert (listed, total) == ([500] * 4, 2000)

    def test_a_value_is_no_sql(self, source: Connection, tmp_path: Path) -> None:
        value = "' or 1=1 --"
        found, *_ = read_sheets(
            source, tmp_path / "a.xlsx", "CommodityProfit", "detail", filters={"company": [value]}
        )
        assert len(found) == HEAD + 2
        assert value in found[3][0]

    def test_texts_are_no_formulas_and_figures_have_their_formats(
        self, source: Connection, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.xlsx"
        found, *_ = read_sheets(source, path, "CustomerProfit", "detail")
        assert {row[1] for row in found} >= {"=1+1", "苏州公司的客户"}
        with zipfile.ZipFile(path) as book:
            assert "<f>" not in book.read("xl/worksheets/sheet1.xml").decode()
        sheet = openpyxl.load_workbook(path).worksheets[0]
        formats = [cell.number_format for cell in sheet[HEAD + 2]]
        assert formats[found[HEAD].index("销售收入")] == "#,##0.00"
        assert formats[found[HEAD].index("毛利率（返利前）")] == "#,##0.0%"
        assert sheet.freeze_panes == f"A{HEAD + 2}"
        assert sheet.auto_filter.ref == f"A{HEAD + 1}:S{len(found) - 1}"

    def test_amounts_are_of_whole_cents(self, source: Connection, tmp_path: Path) -> None:
        """Of two warehouses a piece each at 270.333333: rows add up to the total. A mean is what is shown of it."""
        path = tmp_path / "a.xlsx"
        code, wanted = "inDecisionAnalysisTable", {"cover": ["备90天"], "goods": ["G003"]}
        listed = next(
            one[HEAD:]
            for one in read_sheets(source, path, code, "detail", filters=wanted)
            if "仓库" in one[HEAD]
        )
        at = listed[0].index("建议采购金额")
        amounts = [row[at] for row in listed[1:]]
        assert amounts == [270.33, 270.33, 0, 540.66]
        rows, mean = "select '甲' as name, 1525.25 as amount", total_of("amount") / 3
        for form in ("detail", "pivot"):
            report_file.write_report(
                path, build_table_request(rows, form, mean), source, build_header(source)
            )
            assert {row[1] for row in read_cells(path)[0][HEAD + 1 :]} == {508.42}

    @pytest.mark.parametrize("form", ["detail", "pivot", "pdf"])
    def test_without_rows_it_says_so(self, source: Connection, tmp_path: Path, form: str) -> None:
        rows, path = "select * from (values ('甲', 1.5)) as t (name, amount) where amount > 2", tmp_path / "a"
        assert (
            report_file.write_report(path, build_table_request(rows, form), source, build_header(source)) == 0
        )
        if form == "pdf":
            words = pypdf.PdfReader(path).pages[0].extract_text()
            assert "没有符合条件的数据" in words and "合计" not in words
        else:
            path = path.rename(tmp_path / "a.xlsx")
            assert [row[0] for row in read_cells(path)[0][HEAD + 1 :]] == ["没有符合条件的数据"]

    def test_rows_that_only_a_link_tells_apart_stay_apart(self, source: Connection, tmp_path: Path) -> None:
        dataset = find_report("facyorypayment").first_tab.plain.datasets[0]
        assert dataset.has_column("detail_link")
        found = read_sheets(source, tmp_path / "a.xlsx", "facyorypayment", "detail")
        assert not any("href" in str(cell) for rows in found for row in rows for cell in row)

    def test_a_full_sheet_goes_on_in_the_next_and_ends_with_the_totals(self, tmp_path: Path) -> None:
        path = tmp_path / "a.xlsx"
        lines = [("row", [f"客户{number}", 1.0]) for number in range(5)]
        columns = [
            text_column(("客户",), 10),
            figure_column(("金额",), Metric("a", "金额", sum_of("a"), MONEY)),
        ]
        with WorkbookWriter(path, sheet_rows=2) as book:
            count = book.write("明细", ["标题"], columns, [*lines, ("total", ["合计", 5.0])], filtered=True)  # type: ignore[list-item]
        assert count == 5
        found = read_cells(path)
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
        [found] = read_sheets(
            source,
            tmp_path / "a.xlsx",
            "CommodityProfit",
            "pivot",
            filters={"type": ["轿车胎", "卡客车胎"], "period": ["2026-10"]},
            rows=["company_name", "warehouse_name"],
            columns=["type1_name", "month_label"],
            metrics=["revenue", "margin"],
        )
        assert (
            found[0][0] == "商品毛利分析 · 按月分析 · 公司、仓库 × 商品类型、月：销售收入、毛利率（返利前）"
        )
        assert "月＝全部（在表中展开）" in found[3][0] and "商品类型＝轿车胎、卡客车胎" in found[3][0]
        types, months, heading, *rows = found[HEAD:]
        assert heading[:4] == ["公司", "仓库", "销售收入", "毛利率（返利前）"]
        assert months[2::2].count("小计") == 2
        assert types[-2:] == ["合计", "合计"]
        assert [row[:2] for row in rows] == [
            ["上海公司", "上海残次仓"],
            ["上海公司", "上海中心仓"],
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
        assert (types[subtotal], whole[subtotal]) == ("轿车胎", pytest.approx(3 * months_of_each * 250))

    def test_shares_are_of_all_rows(self, source: Connection, tmp_path: Path) -> None:
        [found] = read_sheets(
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
        [found] = read_sheets(
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
        [found] = read_sheets(source, tmp_path / "a.xlsx", "inventoryAgingReport", "pivot", filters=now)
        assert found[HEAD] == ["公司", "0–30天", "91–180天", "365天以上", "合计"]

    @pytest.mark.parametrize(
        ("code", "tab", "cost"),
        [
            ("accountsReceivable", "all", False),
            ("ScheduleAccountsPayable", "aging", False),
            ("facyorypayment", "all", False),
            ("inventoryAgingReport", "all", True),
        ],
    )
    def test_buckets_are_those_of_the_table(
        self, source: Connection, tmp_path: Path, code: str, tab: str, cost: bool
    ) -> None:
        """Of debts without the advances, which have a column of their own there."""
        found = {
            form: read_sheets(source, tmp_path / "a.xlsx", code, form, tab=tab, cost=cost)[0][HEAD:]
            for form in ("pivot", "detail")
        }
        heading, *_, totals = found["detail"]
        table = dict(zip(heading, totals, strict=True))
        heading, *_, totals = found["pivot"]
        assert len(heading) > 3
        for label, value in list(zip(heading, totals, strict=True))[1:-1]:
            assert value == table[label], label

    def test_too_many_columns_are_refused(
        self, source: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("api.exporting.cross_table.MOST_COLUMNS", 5)
        with pytest.raises(Refusal, match="请换一个列维度"):
            read_sheets(source, tmp_path / "a.xlsx", "CommodityProfit", "pivot")
