"""Framed reports on paper: what is set of them, the charts beside their tables, and how these are drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pypdf
import pytest
from sqlalchemy import Connection

from api.exporting import report_file
from api.exporting.chart_plot import Plot, Series, build_plot, main_charts
from api.exporting.dataset_sql import resolve_filter_values
from api.exporting.export_request import ExportRequestBody, validate_request
from api.exporting.report_layout import EDGES, LETTER, build_sheet, divide_row_quota
from api.exporting.text_format import format_value
from api.exporting.vega_renderer import render_svg
from api.kit.storage.database import today
from reports.catalogue import find_report
from reports.semantics.dashboards import COST
from reports.semantics.datasets import CHANGE, INVISIBLE_LETTERS, MONEY, PERCENT
from reports.superset.assets import DashboardVariant
from reports.superset.theme import BUCKET_COLORS, PRIMARY
from tests.reporting.report_files import (
    AUTUMN,
    STAMP,
    build_header,
    build_reader,
    build_sample_sheet,
    build_table_request,
    named,
    opening_condition,
    query_figure,
    select_days,
)
from tests.support.superset import EVERYTHING, bind_sample_range


class TestPaper:
    def test_it_tells_title_filters_stamp_figures_and_how_many_rows_there_are(
        self, source: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        report = find_report("CommodityProfit")
        assert report
        body = ExportRequestBody(code=report.code, tab="all", form="pdf", filters={"company": ["上海公司"]})
        asked, path = validate_request(report, build_reader(EVERYTHING), body), tmp_path / "a.pdf"
        told, whole = "共3行，此处打印前2行，合计为全部3行；完整的行请导出Excel明细", ("G001", "G002", "G003")
        for most, printed in ((2, 2), (None, 3)):
            with monkeypatch.context() as patch:
                if most:
                    patch.setattr("api.exporting.report_layout.MAX_PRINTED_ROWS", most)
                assert report_file.write_report(path, asked, source, build_header(source)) == printed
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
    def test_tables_are_whole_with_the_totals_of_all_rows(
        self, placed: DashboardVariant, source: Connection
    ) -> None:
        _, found = build_sample_sheet(source, placed.report.code, placed.tab.key, placed.variant == COST)
        for chart, table in zip(placed.board.tables, found["tables"], strict=True):
            dataset = placed.board.dataset(chart.dataset)
            shown = chart.on_screen
            where = opening_condition(source, placed, dataset, chart.key)
            metrics = [dataset.metric(name) for name in shown.metrics]
            keys = ", ".join(f'"{name}"' for name in shown.by)
            figures = [item.expression for item in metrics]
            own = [item.sql for item in figures if not item.has_window and not item.is_count]
            told = (
                " or ".join(f"{sql} is not null" for sql in own)
                if dataset.has_comparisons and own
                else "true"
            )
            rows = f"select {keys} from ({bind_sample_range(dataset.sql)}) where {where} group by {keys} having {told}"
            count = source.exec_driver_sql(f"select count(*) from ({rows})").scalar()
            assert len(table["rows"]) == count > 0
            assert "打印前" not in table["note"] and f"共 {count:,} 行" in table["note"]
            assert table["totals"][len(table["totals"]) - len(metrics) :] == (
                [
                    format_value(query_figure(source, dataset, metric, where), metric.format)
                    for metric in metrics
                ]
                if chart.totalled
                else []
            )

    def test_a_column_has_room_for_its_total(self, source: Connection) -> None:
        """It may be longer than any row's figure."""
        asked = build_table_request(
            "select * from (values ('甲', 99999.5), ('乙', 99999.5)) as t (name, amount)"
        )
        [table] = build_sheet(asked, source, build_header(source), {})["tables"]
        assert table["rows"][0][1] == "99,999.50" and table["totals"][1] == "199,999.00"
        assert table["columns"][1]["width"] >= len(table["totals"][1]) * LETTER + EDGES

    def test_a_short_table_leaves_its_room_to_a_long_one(self) -> None:
        assert divide_row_quota([10, 9000, 3000], 5000) == [10, 2495, 2495]
        assert divide_row_quota([10, 9000, 300], 5000) == [10, 4690, 300]
        assert divide_row_quota([3, 4], 5000) == [3, 4] and divide_row_quota([], 5000) == []

    def test_what_no_row_tells_is_left_empty(self, source: Connection) -> None:
        for filters, told in (({}, True), ({"brand": ["没有的品牌"]}, False)):
            _, found = build_sample_sheet(source, "CommodityProfit", filters=filters)
            assert [bool(item["value"]) for item in found["figures"]] == [told] * len(found["figures"])
            assert len(found["figures"]) == 5
            assert bool(found["charts"]) == told

    def test_nothing_has_no_sign(self) -> None:
        words = [
            format_value(value, form)
            for value, form in ((-0.0004, CHANGE), (-0.0004, PERCENT), (-1234.5, MONEY))
        ]
        assert words == ["+0.0%", "0.0%", "-1,234.50"]


class TestCharts:
    @named
    def test_the_boards_first_charts_are_drawn(self, placed: DashboardVariant, source: Connection) -> None:
        # Of a single day some would have nothing to compare.
        code, tab = placed.report.code, placed.tab.key
        _, found = build_sample_sheet(
            source, code, tab, placed.variant == COST, filters=select_days(code, tab, AUTUMN)
        )
        drawn = [chart.title for chart in placed.board.charts if chart.kind in ("bar", "line", "mixed")]
        assert 1 <= len(found["charts"]) <= 2
        for item in found["charts"]:
            assert item["title"] in drawn
            picture = ElementTree.fromstring(item["picture"])
            words = [part.text or "" for part in picture.iter("{http://www.w3.org/2000/svg}text")]
            assert words and not set(INVISIBLE_LETTERS) & set("".join(words))

    def test_it_is_of_the_rows_that_the_filters_leave(self, source: Connection) -> None:
        """Of the trend, which leaves the month alone: revenue, profit and margin of each, margins on the right."""
        for companies in (["上海公司"], []):
            asked, _ = build_sample_sheet(source, "CommodityProfit", filters={"company": companies})
            chart = main_charts(asked.board)[0]
            found = build_plot(asked, chart, source, resolve_filter_values(asked, source))
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
                    float(query_figure(source, dataset, dataset.metric(name), where))
                ), name

    def test_a_day_without_bills_is_a_step_without_figures(self, source: Connection) -> None:
        code, tab = "CommodityProfit", "days"
        asked, _ = build_sample_sheet(source, code, tab, filters=select_days(code, tab, AUTUMN))
        chart = asked.board.chart("trend")
        found = build_plot(asked, chart, source, resolve_filter_values(asked, source))
        assert found
        days = [date.fromisoformat(step) for step in found.steps]
        assert {later - day for day, later in pairwise(days)} == {timedelta(days=1)}
        assert (days[0], days[-1]) == (date(2026, 10, 1), min(today(), date(2026, 11, 30)))
        empty = [
            values for values in zip(*(one.values for one in found.series), strict=True) if not values[0]
        ]
        assert empty and {*empty} == {(0, 0, None)}

    def test_buckets_have_their_order_and_colors(self, source: Connection) -> None:
        asked, _ = build_sample_sheet(source, "inventoryAgingReport")
        chart = asked.board.chart("warehouses")
        found = build_plot(asked, chart, source, resolve_filter_values(asked, source))
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
        self.picture = ElementTree.fromstring(render_svg(Plot(list(steps), series, form, **marks), 400))
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

    def word_heights(self, *words: str) -> list[float]:
        """Return the height of each word."""
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
        assert found.word_heights("丙") < found.word_heights("乙")

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
