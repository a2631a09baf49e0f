"""Headings take few lines, and long names what room is left; checked for every table of the catalogue."""

from __future__ import annotations

import yaml

from reports.catalogue import find_report
from reports.semantics.dashboards import COST, PLAIN
from reports.semantics.kpi_comparison import CHANGE_SUFFIX
from reports.superset.assets import compile_assets, list_dashboards
from reports.superset.chart_params import chart_params
from reports.superset.column_widths import (
    LEAST_NAME,
    LETTER,
    MOST_NAME,
    PADDING,
    ROOM,
    SIGN,
    SORTER,
    column_widths,
    heading_width,
    list_headings,
    short_headings,
)
from reports.superset.theme import nowrap_css

NOTE, A_FIGURE, PERIODS = 11, 90, 70
"""The width of a letter of a note, and the least of a figure and of the column that names the periods."""


def measure_text(text: str, letter: int = LETTER) -> int:
    return sum(letter if ord(one) > ord("⺀") else SIGN for one in text)


def all_css() -> str:
    assets = compile_assets().items()
    return "\n".join(yaml.safe_load(text)["css"] for name, text in assets if name.startswith("dashboards/"))


def test_a_heading_of_four_letters_is_not_broken_and_a_longer_one_once():
    assert heading_width("库存金额") == 4 * LETTER + SORTER == heading_width("按进度较去年同月")
    assert heading_width("库存金额", 0) == 2 * LETTER + SORTER, "where there is little room it is"
    assert heading_width("平均库存金额") == 4 * LETTER + SORTER
    assert heading_width("销售按进度较去年同月") == 5 * LETTER + SORTER
    assert heading_width("费用") == 2 * LETTER + SORTER
    assert heading_width("上月末180天以上") == 3 * (SIGN + LETTER) + SORTER, "numbers are not broken"
    assert heading_width("在途（已订未到）", 0) == 4 * LETTER + SORTER


def test_headings_of_all_tables_take_two_lines():
    """What they need is at hand even where names have next to nothing."""
    for placed in list_dashboards():
        for chart in (chart.on_screen for chart in placed.board.tables):
            data = placed.board.dataset(chart.dataset)
            widths = column_widths(chart, data)
            for name, text in list_headings(chart, data).items():
                assert widths[name] >= heading_width(text, 0), (placed.title, chart.title, text)
            assert sum(width + PADDING for width in widths.values()) <= ROOM, (placed.title, chart.title)


def test_no_two_columns_of_a_table_have_one_heading():
    for placed in list_dashboards():
        for chart in placed.board.tables:
            headings = [*list_headings(chart, placed.board.dataset(chart.dataset)).values()]
            assert len({*headings}) == len(headings), (placed.report.code, chart.title, headings)


def test_goods_in_warehouses_are_told_with_their_company():
    for code in ("inventoryturnover", "inventoryAgingReportDetailed"):
        chart = find_report(code).first_tab.board(COST).chart("detail").on_screen
        assert chart.by[:2] == ("company_name", "warehouse_name"), code


def test_every_column_of_a_table_has_its_heading_s_room_and_names_share_what_is_left():
    widest = 0
    for placed in list_dashboards():
        for chart in placed.board.tables:
            shown, dataset = chart.on_screen, placed.board.dataset(chart.dataset)
            widths = column_widths(shown, dataset)
            assert set(widths) == {*shown.by, *shown.metrics}
            names = {widths[name] for name in shown.by if dataset.column(name).is_wrapped}
            assert len(names) < 2 and all(LEAST_NAME <= width <= MOST_NAME for width in names)
            widest = max(widest, *names, 0)
            config = chart_params(shown, dataset)["column_config"]
            assert {name: config[name]["columnWidth"] for name in widths} == widths
    assert widest == MOST_NAME


def test_a_head_has_room_for_its_labels_and_notes_so_that_all_its_periods_are_in_sight():
    """A line more above them, and last year's would be out of the card."""
    for placed in list_dashboards():
        for chart in placed.board.kpi_charts:
            dataset = placed.board.dataset(chart.dataset)
            metrics = [dataset.metric(name) for name in chart.metrics]
            wide = sum(
                max(
                    measure_text(metric.heading or metric.label),
                    measure_text(metric.note, NOTE),
                    0 if metric.name.endswith(CHANGE_SUFFIX) else A_FIGURE,
                )
                + 2 * PADDING
                for metric in metrics
            )
            assert wide + PERIODS <= ROOM, placed.title


def test_profit_after_rebates_is_told_in_short_headings():
    for code in ("CommodityProfit", "ClassifiedProfit", "CustomerProfit"):
        report = find_report(code)
        assert report
        for tab in report.tabs:
            board = tab.board(COST)
            [table] = board.tables
            headings = list_headings(table.on_screen, board.dataset(table.dataset))
            told = {headings[name] for name in ("profit", "margin", "after_expected", "margin_expected")}
            assert told == {"返利前毛利", "返利前毛利率", "返利后毛利", "返利后毛利率"}
            assert max(map(len, headings.values())) <= 8, "按进度较去年同月"


def test_names_stand_in_one_line_where_figures_are_few():
    report = find_report("BusinessDailyReport")
    assert report
    board = report.first_tab.board(COST)
    widths = {
        key: column_widths(board.chart(key), board.dataset(board.chart(key).dataset))
        for key in ("stock", "levels")
    }
    assert widths["stock"]["company_name"] == MOST_NAME > widths["levels"]["company_name"]


def test_two_bills_and_two_days_leave_names_less_room():
    board = find_report("verificationDetails").first_tab.board(PLAIN)
    chart = board.chart("detail")
    widths = column_widths(chart.on_screen, board.dataset(chart.dataset))
    assert LEAST_NAME < widths["company_name"] == widths["partner_name"] <= 110, "or amounts are out of sight"


def test_short_words_stand_in_one_line():
    """乘用车胎 broken in two makes a row of a table twice as high."""
    css = all_css()
    for name in ("type3_name", "symptom_name", "state"):
        assert f'td[aria-labelledby="header-{name}"]' in css


def test_names_that_say_their_company_take_two_lines():
    """销售一部（杭州之江轮胎有限公司） in one line pushes a table's last figures out of sight."""
    for name in ("department_name", "employee_name"):
        assert f'td[aria-labelledby="header-{name}"]' not in all_css()


def test_headings_of_three_letters_are_never_broken():
    """未使用 beside 上季应计; of one that is longer in another table of the board that isn't said."""
    report = find_report("ScheduleSupplierRebate")
    assert report
    board = report.first_tab.board(PLAIN)
    short = short_headings(board)
    assert {"left", "rate", "company_name"} <= {*short}
    for chart in board.tables:
        headings = list_headings(chart.on_screen, board.dataset(chart.dataset))
        assert all(len(headings[name]) <= 3 for name in short if name in headings)
    said = nowrap_css(short)
    assert 'th[id="header-left"]' in said
    dashboards = [
        yaml.safe_load(text) for name, text in compile_assets().items() if name.startswith("dashboards/")
    ]
    assert [said in board["css"] for board in dashboards if "ScheduleSupplierRebate" in board["slug"]] == [
        True
    ]
