"""Framed reports as files: complete, totals from base rows, within the role's companies and cost right, filters printed."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pypdf
import pytest
from sqlalchemy import Connection

from api.exporting import files
from api.exporting.asked import Asked, ReportExport, understand
from api.exporting.book import Book, figure_column, number_format, text_column
from api.exporting.drawing import draw
from api.exporting.plotting import Plot, Series, main_charts, plot
from api.exporting.rows import settled
from api.exporting.sheet import shares, sheet
from api.exporting.wording import worded
from api.kit.database import today
from api.kit.errors import Refusal
from reports.assets import Placed, boards
from reports.catalogue import find_report
from reports.catalogue.boards import COST
from reports.catalogue.datasets import CHANGE, DAYS, MONEY, PERCENT, UNSEEN, Metric
from reports.theme import BUCKET_COLORS, PRIMARY
from tests.kit.superset import COMPANY_ONE, COMPANY_TWO, EVERYTHING, NOTHING
from tests.reporting.exported import (
    AUTUMN,
    HEAD,
    STAMP,
    cells,
    facts,
    figure,
    in_days,
    is_sum,
    opening,
    reader,
    same,
    sheets,
)

BOARDS = list(boards())
named = pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))


class TestEveryReport:
    @named
    def test_tables_are_whole_and_end_with_the_metric_of_all_rows(
        self, placed: Placed, source: Connection, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.xlsx"
        found = sheets(
            source, path, placed.report.code, "detail", cost=placed.variant == COST, tab=placed.tab.key
        )
        for chart, (title, _, when, _, heading, *rows) in zip(placed.board.listed, found, strict=True):
            dataset = placed.board.dataset(chart.dataset)
            metrics = [dataset.metric(name) for name in chart.metrics]
            columns = [name for name in chart.by if dataset.column(name).kind != "link"]
            where = opening(source, placed, dataset, chart.key)
            keys = ", ".join(f'"{name}"' for name in chart.by)
            told = ", ".join(f"({metric.sql}) is not null" for metric in metrics)
            groups = (
                f"select count(*) from (select [{told}] as told from ({dataset.sql}) where {where} group by {keys})"
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
        found, *_ = sheets(
            source, tmp_path / "a.xlsx", "CommodityProfit", "detail", tab="days", filters={"days": [words]}
        )
        assert told in found[HEAD - 1][0]
        assert found[-1][found[HEAD].index("销售数量")] == sold
        [crossed] = sheets(
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

    def test_this_month_stays_this_month(self, source: Connection) -> None:
        _, found = on_paper(source, "CommodityProfit", "days", filters={"days": ["Current month"]})
        assert f"日期＝本月（{today().replace(day=1)} 至 " in found["head"][2]

    @pytest.mark.parametrize("words", ["", "yesterday", "2026-02-30 : now", "1' or '1' = '1 : now"])
    def test_other_words_are_refused(self, words: str) -> None:
        report = find_report("CommodityProfit")
        body = ReportExport(code=report.code, tab="days", form="detail", filters={"days": [words]})
        with pytest.raises(Refusal, match="所选的范围不能导出"):
            understand(report, reader(EVERYTHING), body)


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

    def test_a_bill_that_was_written_off_bit_by_bit_counts_once_in_the_total(
        self, source: Connection, tmp_path: Path
    ) -> None:
        """Of two companies two bills of 500 each, of which one was written off twice."""
        books = sheets(source, tmp_path / "a.xlsx", "verificationDetails", "detail", tab="payable")
        [found] = [rows for rows in books if "被核销单据金额" in rows[HEAD]]
        place = found[HEAD].index("被核销单据金额")
        *listed, total = (row[place] for row in found[HEAD + 1 :])
        assert (listed, total) == ([500] * 4, 2000)

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
        assert (
            found[0][0] == "商品毛利分析 · 按月分析 · 公司、仓库 × 商品类型、月：销售收入、毛利率（返利前）"
        )
        assert "月＝全部（在表中展开）" in found[3][0] and "商品类型＝轿车胎、卡客车胎" in found[3][0]
        types, months, heading, *rows = found[HEAD:]
        assert heading[:4] == ["公司", "仓库", "销售收入", "毛利率（返利前）"]
        assert months[2::2].count("小计") == 2
        assert types[-2:] == ["合计", "合计"]
        assert [row[:2] for row in rows] == [
            ["上海公司", "上海中心仓"],
            ["上海公司", "上海残次仓"],
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


class TestPaper:
    def test_it_tells_title_filters_stamp_figures_and_how_many_rows_there_are(
        self, source: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        report = find_report("CommodityProfit")
        assert report
        body = ReportExport(code=report.code, tab="all", form="pdf", filters={"company": ["上海公司"]})
        asked, path = understand(report, reader(EVERYTHING), body), tmp_path / "a.pdf"
        told, whole = "共3行，此处打印前2行，合计为全部3行；完整的行请导出Excel明细", ("G001", "G002", "G003")
        for most, printed in ((2, 2), (None, 3)):
            with monkeypatch.context() as patch:
                if most:
                    patch.setattr("api.exporting.sheet.PRINTED", most)
                assert files.write(path, asked, source, facts(source)) == printed
            [page] = pypdf.PdfReader(path).pages
            assert page.mediabox.width > page.mediabox.height
            words = "".join(page.extract_text().split())
            for expected in (
                "商品毛利分析",
                "导出人公司：上海公司角色：集团经理导出人：张三",
                f"数据时间：{STAMP}注意：数据刷新失败注意：正在重算成本".replace(" ", ""),
                "月＝2026-11；公司＝上海公司",
                "销售收入3,000.00上月整月3,000.00（+50.0%）",
                "第1页/共1页",
                # The total holds a row that isn't printed.
                "合计12",
            ):
                assert expected in words, expected
            assert (told in words, "共3行" in words) == (most is not None, True)
            assert [name in words for name in whole].count(True) >= printed

    @named
    def test_tables_are_whole_with_the_totals_of_all_rows(self, placed: Placed, source: Connection) -> None:
        _, found = on_paper(source, placed.report.code, placed.tab.key, placed.variant == COST)
        for chart, table in zip(placed.board.tables, found["tables"], strict=True):
            dataset = placed.board.dataset(chart.dataset)
            shown = chart.on_screen
            where = opening(source, placed, dataset, chart.key)
            metrics = [dataset.metric(name) for name in shown.metrics]
            keys = ", ".join(f'"{name}"' for name in shown.by)
            own = [item.sql for item in metrics if " over (" not in item.sql and "count(" not in item.sql]
            told = " or ".join(f"{sql} is not null" for sql in own) if dataset.compares and own else "true"
            rows = f"select {keys} from ({dataset.sql}) where {where} group by {keys} having {told}"
            count = source.exec_driver_sql(f"select count(*) from ({rows})").scalar()
            assert len(table["rows"]) == count > 0
            assert "打印前" not in table["note"] and f"共 {count:,} 行" in table["note"]
            assert table["totals"][len(table["totals"]) - len(metrics) :] == (
                [worded(figure(source, dataset, metric, where), metric.format) for metric in metrics]
                if chart.totalled
                else []
            )

    def test_a_short_table_leaves_its_room_to_a_long_one(self) -> None:
        assert shares([10, 9000, 3000], 5000) == [10, 2495, 2495]
        assert shares([10, 9000, 300], 5000) == [10, 4690, 300]
        assert shares([3, 4], 5000) == [3, 4] and shares([], 5000) == []

    def test_what_no_row_tells_is_left_empty(self, source: Connection) -> None:
        for filters, told in (({}, True), ({"brand": ["没有的品牌"]}, False)):
            _, found = on_paper(source, "CommodityProfit", filters=filters)
            assert [bool(item["value"]) for item in found["figures"]] == [told] * len(found["figures"])
            assert len(found["figures"]) == 4
            assert bool(found["charts"]) == told

    def test_nothing_has_no_sign(self) -> None:
        words = [
            worded(value, form) for value, form in ((-0.0004, CHANGE), (-0.0004, PERCENT), (-1234.5, MONEY))
        ]
        assert words == ["+0.0%", "0.0%", "-1,234.50"]


class TestCharts:
    @named
    def test_the_boards_first_charts_are_drawn(self, placed: Placed, source: Connection) -> None:
        # Of a single day some would have nothing to compare.
        code, tab = placed.report.code, placed.tab.key
        _, found = on_paper(source, code, tab, placed.variant == COST, filters=in_days(code, tab, AUTUMN))
        drawn = [chart.title for chart in placed.board.charts if chart.kind in ("bar", "line", "mixed")]
        assert 1 <= len(found["charts"]) <= 2
        for item in found["charts"]:
            assert item["title"] in drawn
            picture = ElementTree.fromstring(item["picture"])
            words = [part.text or "" for part in picture.iter("{http://www.w3.org/2000/svg}text")]
            assert words and not set(UNSEEN) & set("".join(words))

    def test_it_is_of_the_rows_that_the_filters_leave(self, source: Connection) -> None:
        """Of the trend, which leaves the month alone: revenue, profit and margin of each, margins on the right."""
        for companies in (["上海公司"], []):
            asked, _ = on_paper(source, "CommodityProfit", filters={"company": companies})
            chart = main_charts(asked.board)[0]
            found = plot(asked, chart, source, settled(asked, source))
            assert found and len(found.steps) == 14 and found.steps[-1] == "2026-11"
            assert [one.label for one in found.series] == [
                "销售收入",
                "毛利（返利前）",
                "毛利率（返利前）",
            ]
            assert [(one.line, one.second) for one in found.series] == [
                (False, False),
                (False, False),
                (True, True),
            ]
            assert found.series[0].color == PRIMARY
            dataset = asked.board.dataset(chart.dataset)
            where = f"role_id = {EVERYTHING} and month_label = '2026-11'" + (
                " and company_name = '上海公司'" if companies else ""
            )
            for one, name in zip(found.series, ("revenue", "profit", "margin"), strict=True):
                assert one.values[-1] == pytest.approx(
                    float(figure(source, dataset, dataset.metric(name), where))
                ), name

    def test_buckets_have_their_order_and_colors(self, source: Connection) -> None:
        asked, _ = on_paper(source, "inventoryAgingReport")
        chart = asked.board.chart("warehouses")
        found = plot(asked, chart, source, settled(asked, source))
        assert found and found.stacked
        known = dict(zip(asked.board.dataset(chart.dataset).buckets, BUCKET_COLORS, strict=True))
        assert [one.label for one in found.series] == [
            name for name in known if name in {o.label for o in found.series}
        ]
        assert {one.label: one.color for one in found.series}.items() <= known.items()


SVG = "{http://www.w3.org/2000/svg}"
BAR = re.compile(r"M([-\d.]+),([-\d.]+)h([-\d.]+)v([-\d.]+)h[-\d.]+Z")
MONTHS = ("一月", "二月", "三月")


@dataclass(frozen=True)
class Bar:
    left: float
    top: float
    width: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height


class Drawing:
    """A drawn plot, taken apart."""

    def __init__(self, steps: Sequence[str], *series: Series, form: str = MONEY, **marks: Any) -> None:
        self.picture = ElementTree.fromstring(draw(Plot(list(steps), series, form, **marks), 400))
        self.words = [part.text for part in self.picture.iter(f"{SVG}text")]

    def bars(self, color: str) -> list[Bar]:
        """In the order of the steps."""
        paths = [part for part in self.picture.iter(f"{SVG}path") if part.get("fill") == color]
        drawn = (part.get("d", "") for part in paths if part.get("aria-roledescription") == "bar")
        return [Bar(*map(float, match.groups())) for d in drawn if (match := BAR.fullmatch(d))]

    def strokes(self, color: str) -> list[str]:
        """The unbroken parts of a line, as far as they join points."""
        [line] = (
            part.get("d", "")
            for part in self.picture.iter(f"{SVG}path")
            if part.get("aria-roledescription") == "line mark" and part.get("stroke") == color
        )
        return [stroke for stroke in line.split("M") if "L" in stroke]

    def standing(self, *words: str) -> list[float]:
        """How high each word is written."""
        return [self._height(word) for word in words]

    def _height(self, word: str) -> float:
        [part] = (part for part in self.picture.iter(f"{SVG}text") if part.text == word)
        match = re.match(r"translate\([-\d.]+,([-\d.]+)\)", part.get("transform", ""))
        assert match
        return float(match[1])


class TestDrawing:
    def test_bars_reach_from_nothing_to_their_figure_and_texts_are_no_markup(self) -> None:
        """Of 100 and -50 the second lies below and is half as long; a name is text, whatever it contains."""
        found = Drawing(["<b>甲&乙</b>", "丙"], Series("额", "#123456", [100.0, -50.0]), valued=True)
        up, down = found.bars("#123456")
        assert up.height == pytest.approx(2 * down.height, rel=0.01)
        assert up.bottom == pytest.approx(down.top, abs=0.2)
        assert "<b>甲&乙</b>" in found.words and {"100.00", "-50.00"} <= {*found.words}

    def test_stacked_bars_stand_on_each_other_in_the_order_of_the_series(self) -> None:
        """What is below nothing hangs under it by itself."""
        first, second = Series("甲", "#111111", [2.0, 3.0, -1.0]), Series("乙", "#222222", [1.0, None, 4.0])
        found = Drawing(MONTHS, first, second, stacked=True)
        lower, upper = found.bars("#111111"), found.bars("#222222")
        assert upper[0].bottom == pytest.approx(lower[0].top, abs=0.2)
        assert lower[0].height == pytest.approx(2 * upper[0].height, rel=0.01)
        assert (
            upper[-1].bottom
            == pytest.approx(lower[-1].top, abs=0.2)
            == pytest.approx(lower[0].bottom, abs=0.2)
        )
        assert {one.left for one in lower} >= {upper[0].left, upper[-1].left}

    def test_others_stand_beside_each_other(self) -> None:
        found = Drawing(
            MONTHS, Series("甲", "#111111", [2.0, 3.0, 1.0]), Series("乙", "#222222", [1.0, 2.0, 4.0])
        )
        for left, right in zip(found.bars("#111111"), found.bars("#222222"), strict=True):
            assert left.left + left.width == pytest.approx(right.left, abs=0.2)
            assert left.bottom == pytest.approx(right.bottom, abs=0.2)

    def test_lying_bars_have_the_first_step_lowest_and_long_names_are_cut(self) -> None:
        long = "一条名字非常非常非常长的轮胎" * 3
        found = Drawing(
            [long, "乙", "丙"], Series("额", "#111111", [1.0, 2.0, 4.0]), upright=False, valued=True
        )
        lengths = [one.width for one in sorted(found.bars("#111111"), key=lambda one: -one.top)]
        assert lengths == pytest.approx([lengths[0], 2 * lengths[0], 4 * lengths[0]], rel=0.01)
        [cut] = (word for word in found.words if word and word.startswith("一条"))
        assert cut.endswith("…") and len(cut) < 20
        assert found.standing("丙") < found.standing("乙")

    def test_a_line_breaks_where_there_is_no_value(self) -> None:
        values = [1.0, 2.0, None, 3.0, 4.0, None, 5.0, 6.0]
        steps = [str(number) for number in range(len(values))]
        assert len(Drawing(steps, Series("率", "#111111", values, line=True)).strokes("#111111")) == 3
        whole = [value or 0.0 for value in values]
        assert len(Drawing(steps, Series("率", "#111111", whole, line=True)).strokes("#111111")) == 1

    def test_a_second_axis_has_its_own_marks(self) -> None:
        """Ratios beside amounts, each in its own format, and every series is named."""
        amount, ratio = (
            Series("收入", "#111111", [1e6, 2e6, 3e6]),
            Series("毛利率", "#222222", [0.1, 0.2, 0.3], True, True),
        )
        found = Drawing(MONTHS, amount, ratio, form=",.0f", second_format=PERCENT)
        assert {"收入", "毛利率", "3,000,000", "30.0%"} <= {*found.words}
        assert not any(word and "," in word and "%" in word for word in found.words)
        alone = Drawing(MONTHS, amount, form=",.0f")
        assert "收入" not in alone.words and not any(word and "%" in word for word in alone.words)

    def test_steps_that_read_alike_stay_apart_in_their_order(self) -> None:
        found = Drawing(["乙", "甲", "甲"], Series("额", "#111111", [1.0, 2.0, 3.0]))
        assert [word for word in found.words if word in ("甲", "乙")] == ["乙", "甲", "甲"]
        assert [one.height for one in found.bars("#111111")] == sorted(
            one.height for one in found.bars("#111111")
        )

    @pytest.mark.parametrize(("form", "most"), [(",.0f", 3.0), (PERCENT, 0.002)])
    def test_no_two_marks_read_alike(self, form: str, most: float) -> None:
        marks = Drawing(MONTHS, Series("额", "#111111", [most / 3, most / 2, most]), form=form).words
        assert len(marks) == len({*marks}) > len(MONTHS) + 1
