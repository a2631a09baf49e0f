"""Every framed report in a browser, as three roles of the demo group: opened, sorted, paged, filtered, taken as a file.

The branch manager does all that; the group manager opens, looks and subscribes, the clerk looks. One report a role is
walked in every run, all of them by `make walk`. Each view is kept as a picture in ERP_SCREENSHOTS, where that is set.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from playwright.sync_api import Browser, expect

from reports.catalogue import REPORTS, Report, embed_id, find_report
from reports.catalogue.boards import PLAIN
from tests.e2e.conftest import START_SECONDS, Desk, System
from tests.e2e.frames import OPENED, Reading, card, rows

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
# Trends, buckets, links and two paged tables.
ALWAYS = ("accountsReceivable",)
CLERK_READS = "BestSeller"
ELSEWHERE = {"stationProfitAnalysis"}
"""Reports of companies that are not the branch manager's: to him they open empty."""
TALL = {"width": 1600, "height": 2600}
"""A report is drawn as far as it is in view."""
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "user_agent": "Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/130.0 Mobile Safari/537.36",
}


def walked(always: tuple[str, ...] = ALWAYS) -> list:
    return [
        pytest.param(report, id=report.code, marks=() if report.code in always else pytest.mark.walk)
        for report in REPORTS
    ]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = os.environ.get("ERP_SCREENSHOTS")
    return Path(place) if place else tmp_path_factory.mktemp("frames")


@pytest.fixture(scope="module")
def reader(system: System, chromium: Browser) -> Iterator[Callable[[str], Reading]]:
    """Readers by role, each at one page for the whole walk."""
    seated: dict[str, tuple[Desk, Reading]] = {}

    def sit(role: str) -> Reading:
        if role not in seated:
            context = chromium.new_context(
                viewport=TALL, locale="zh-CN", timezone_id="Asia/Shanghai", reduced_motion="reduce"
            )
            desk = Desk(context, system.address)
            desk.log_in(role)
            seated[role] = desk, Reading(desk.page, system.address)
        return seated[role][1]

    yield sit
    for desk, _ in seated.values():
        desk.page.context.close()
        assert not desk.errors, desk.errors


class TestBranchManager:
    @pytest.mark.parametrize("report", walked())
    def test_reads_sorts_pages_filters_and_takes_a_file(
        self, reader: Callable[[str], Reading], pictures: Path, report: Report
    ) -> None:
        reading = reader("分公司经理")
        reading.open(report)
        for tab in report.tabs:
            frame = reading.frame(report, tab)
            reading.sound(frame, empty=report.code in ELSEWHERE)
            reading.shot(pictures, f"{report.code}-{tab.key}-branch")
            # Of the demo's roles none but the clerk lacks the right to costs.
            board = tab.cost or tab.board(PLAIN)
            table = next((chart.on_screen for chart in board.tables), None)
            if table is None or report.code in ELSEWHERE:
                continue
            reading.sorts(frame, table, board)
            reading.pages(frame, table)
            reading.takes_file(frame, table, board)
            reading.filters(frame, table, board)
            assert not reading.failed, reading.failed
            reading.shot(pictures, f"{report.code}-{tab.key}-branch-filtered")


class TestGroupManager:
    @pytest.mark.parametrize("report", walked(("inventoryDOTReport",)))
    def test_opens(self, reader: Callable[[str], Reading], pictures: Path, report: Report) -> None:
        reading = reader("集团经理")
        reading.open(report)
        for tab in report.tabs:
            frame = reading.frame(report, tab)
            reading.sound(frame)
            reading.shot(pictures, f"{report.code}-{tab.key}-group")


class TestClerk:
    @pytest.mark.parametrize("report", walked((CLERK_READS, "CommodityProfit")))
    def test_opens_what_he_may_and_is_told_of_the_rest(
        self, reader: Callable[[str], Reading], pictures: Path, report: Report
    ) -> None:
        reading = reader("开单员")
        reading.open(report)
        if report.code == CLERK_READS:
            frame = reading.frame(report, report.first_tab)
            reading.sound(frame)
            assert not [word for word in ("毛利", "成本") if word in frame.locator("body").inner_text()]
        else:
            expect(reading.page.get_by_text("没有查看此报表的权限").first).to_be_visible()
            expect(reading.page.locator("iframe")).to_have_count(0)
        reading.shot(pictures, f"{report.code}-clerk")


class TestWaitingFrame:
    """Half of a report's opening is done before: a frame waits, and is told which report it is to show."""

    def test_shows_the_report_that_is_opened(self, system: System, chromium: Browser, pictures: Path) -> None:
        context = chromium.new_context(viewport=TALL, locale="zh-CN", timezone_id="Asia/Shanghai")
        desk = Desk(context, system.address)
        desk.log_in("分公司经理")
        reading = Reading(desk.page, system.address)
        waiting = desk.page.locator("body > iframe")
        first, *others = (
            find_report(code) for code in ("BestSeller", "CustomerProfit", "BusinessDailyReport")
        )
        assert first is not None
        reading.open(first)
        reading.sound(reading.frame(first, first.first_tab))
        for report in others:
            assert report is not None
            waiting.wait_for(state="attached")
            waiting.evaluate("frame => { frame.dataset.waited = 'yes'; }")
            desk.page.evaluate(OPENED, report.route)
            frame = reading.frame(report, report.first_tab)
            expect(desk.page.locator(f"iframe[title^='{report.label}']")).to_have_attribute(
                "data-waited", "yes"
            )
            assert embed_id(report.code, report.first_tab, sees_cost=True) in frame.url
            reading.sound(frame)
            expect(frame.get_by_text(report.first_tab.board(PLAIN).charts[0].title).first).to_be_visible()
            reading.shot(pictures, f"{report.code}-waited")
        context.close()
        assert not desk.errors, desk.errors


class TestPhone:
    def test_every_tab_of_a_report_is_reached(self, system: System, chromium: Browser) -> None:
        context = chromium.new_context(**PHONE, locale="zh-CN", timezone_id="Asia/Shanghai")
        desk = Desk(context, system.address)
        desk.log_in("集团经理")
        reading, report = Reading(desk.page, system.address), find_report("warehouseTurnover")
        assert report
        reading.open(report)
        for tab in report.tabs:
            frame = reading.frame(report, tab)
            width = frame.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["viewport"]["width"], tab.label
        context.close()
        assert not (reading.failed or desk.errors), (reading.failed, desk.errors)


class TestSubscriber:
    def test_filters_kept_by_name_are_what_a_subscription_brings(
        self, reader: Callable[[str], Reading], pictures: Path
    ) -> None:
        reading, name = reader("集团经理"), f"筛选{time.time_ns()}"
        page, report = reading.page, find_report("CustomerProfit")
        assert report
        tab = report.first_tab
        board = tab.cost or tab.board(PLAIN)
        table, *_ = board.tables
        place = table.by.index("customer_name")
        reading.open(report)
        value = reading.filters(reading.frame(report, tab), table, board)
        assert value
        page.get_by_role("button", name="常用筛选").click()
        page.get_by_label("方案名称").fill(name)
        page.get_by_role("button", name=re.compile("保 ?存")).click()
        expect(page.get_by_text("常用筛选已保存")).to_be_visible()
        reading.open(report)
        frame = reading.frame(report, tab)
        assert {cells[place] for cells in rows(card(frame, table))} > {value}
        page.get_by_role("button", name="常用筛选").click()
        page.get_by_role("button", name=name, exact=True).click()
        frame = reading.frame(report, tab)
        reading.shot(pictures, "kept-filters")
        assert {cells[place] for cells in rows(card(frame, table))} == {value}

        page.locator("button.ant-dropdown-trigger", has_text="导出").click()
        page.get_by_role("menuitem", name="订阅…").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("筛选").click()
        page.locator(f".ant-select-dropdown:visible .ant-select-item-option[title='{name}']").click()
        reading.shot(pictures, "subscribe")
        dialog.get_by_role("button", name=re.compile("^订 ?阅$")).click()
        expect(dialog).to_be_hidden()
        page.goto(f"{reading.address}/mySubscriptions")
        mine = page.get_by_role("row").filter(has_text=name)
        if time.time() % 60 > 40:  # what is not sent at the full minute is gone when it is deleted
            page.wait_for_timeout(20_000)
        mine.get_by_role("button", name="立即运行").click()
        with page.expect_download() as taken:
            mine.get_by_role("button", name="下载").click()
        reading.shot(pictures, "subscriptions")
        sheet = openpyxl.load_workbook(BytesIO(taken.value.path().read_bytes())).worksheets[0]
        _, _, _, told, _, *lines, _ = sheet.iter_rows(values_only=True)
        assert value in str(told[0])
        assert {line[place] for line in lines} == {value}
        mine.get_by_role("button", name="删除").click()
        page.get_by_role("tooltip").get_by_role("button", name=re.compile("确 ?定")).click()
        expect(mine).to_have_count(0)
        assert not reading.failed, reading.failed
