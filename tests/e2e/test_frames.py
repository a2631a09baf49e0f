"""Every framed report in a browser: opened, sorted, paged, taken as a file and filtered by each role that may.

The group's and a branch's manager and the analyst read the boards with costs, a role without that right the others, the
clerk almost none. One or two reports a role are walked in every run, all of them by `make walk`. Each view is kept as a
picture in ERP_SCREENSHOTS, where that is set.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from playwright.sync_api import Browser, Route, expect

from reports.catalogue import REPORTS, Report, embed_id, find_report
from reports.catalogue.best_seller import BEST_SELLER
from reports.semantics.dashboards import COST, HEAD, PLAIN
from tests.e2e.conftest import START_SECONDS, BrowserUser, RunningProduct
from tests.e2e.report_reader import CUT, HOLDER, OPENED, PHONE_SIZE, ReportReader, find_card, read_rows
from tests.e2e.station_setup import create_reader_without_costs
from tests.support.superset import COSTS

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
GROUP, BRANCH, ANALYST, CLERK, COSTLESS = "集团经理", "分公司经理", "数据分析员", "开单员", "不看成本的经理"
POCKET = "手机上的集团经理"
# Trends, buckets, links, long names of warehouses and two paged tables.
ALWAYS = {("accountsReceivable", GROUP), ("inventoryDOTReport", BRANCH), ("warehouseTurnover", ANALYST)}
CLERK_READS = BEST_SELLER.code
ELSEWHERE = {"stationProfitAnalysis"}
"""Reports of companies that are not the branch manager's: to him they open empty."""
PRICED = [report for report in REPORTS if any(tab.cost for tab in report.tabs)]
WIDE = {"width": 1440, "height": 900}
PHONE: dict[str, Any] = {
    "viewport": PHONE_SIZE,
    "user_agent": "Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/130.0 Mobile Safari/537.36",
}


def mark_walked(always: Iterable[tuple[str, str]], *roles: str, reports: Iterable[Report] = REPORTS) -> list:
    """Return reports for roles; those that are always walked need no mark."""
    return [
        pytest.param(
            report,
            role,
            id=f"{report.code}-{role}",
            marks=() if (report.code, role) in always else pytest.mark.walk,
        )
        for report in reports
        for role in roles
    ]


def choose_reports(*always: str) -> list:
    """Return all reports, of which some are always walked."""
    return [
        pytest.param(report, id=report.code, marks=() if report.code in always else pytest.mark.walk)
        for report in REPORTS
    ]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = os.environ.get("ERP_SCREENSHOTS")
    return Path(place) if place else tmp_path_factory.mktemp("frames")


@pytest.fixture(scope="module")
def reader(
    system: RunningProduct, chromium: Browser, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], ReportReader]]:
    """Readers by role, each at one page for the whole walk."""
    seated: dict[str, tuple[BrowserUser, ReportReader]] = {}

    def sit(role: str) -> ReportReader:
        if role not in seated:
            device = PHONE if role == POCKET else {"viewport": WIDE}
            context = chromium.new_context(
                **device, locale="zh-CN", timezone_id="Asia/Shanghai", reduced_motion="reduce"
            )
            desk = BrowserUser(context, system.address)
            reading = ReportReader(desk.page, system.address)
            seated[role] = desk, reading
            if role == COSTLESS:
                login = create_reader_without_costs(request.getfixturevalue("office"))
                desk.log_in_as(login.user_name, login.password)
                reading.await_figures(BEST_SELLER)
            else:
                desk.log_in(GROUP if role == POCKET else role)
        return seated[role][1]

    yield sit
    for desk, _ in seated.values():
        desk.page.context.close()
        assert not desk.errors, desk.errors


class TestManagers:
    """The group's and a branch's manager and the analyst, all of whom see costs."""

    @pytest.mark.parametrize(("report", "role"), mark_walked(ALWAYS, GROUP, BRANCH, ANALYST))
    def test_read_sort_page_filter_and_take_a_file(
        self, reader: Callable[[str], ReportReader], pictures: Path, report: Report, role: str
    ) -> None:
        reading = reader(role)
        empty = role == BRANCH and report.code in ELSEWHERE
        reading.open(report)
        for tab in report.tabs:
            board = tab.board(tab.variant(sees_cost=True))
            frame = reading.open_tab(report, tab)
            reading.save_picture(pictures, f"{report.code}-{tab.key}-{role}")
            reading.assert_sound(frame, board, empty=empty)
            reading.assert_fits(frame)
            if empty:
                continue
            table = board.tables[0].on_screen
            reading.assert_sorts(frame, table, board)
            reading.assert_pages(frame, table)
            reading.assert_takes_file(frame, table, board)
            reading.assert_filters(frame, table, board)
            assert not reading.failed, reading.failed
            reading.save_picture(pictures, f"{report.code}-{tab.key}-{role}-筛选后")


class TestDays:
    def test_days_of_a_month_are_the_month_and_others_have_other_figures(
        self, reader: Callable[[str], ReportReader], pictures: Path
    ) -> None:
        reading, report = reader(GROUP), find_report("CommodityProfit")
        assert report
        months, days = report.tabs
        reading.open(report)
        figures = {}
        for tab in (months, days):
            frame = reading.open_tab(report, tab)
            figures[tab.key] = read_rows(find_card(frame, tab.board(COST).charts[0]))[0]
        named, *of_the_month = figures[days.key]
        assert named == "所选日期" and of_the_month == figures[months.key][1:]
        reading.choose_days(frame, "本年")
        reading.save_picture(pictures, "按日期-本年")
        reading.assert_sound(frame, days.board(COST))
        of_the_year = read_rows(find_card(frame, days.board(COST).charts[0]))[0][1:]
        sold, sold_of_the_month = (float(told[0].replace(",", "")) for told in (of_the_year, of_the_month))
        assert sold > sold_of_the_month, "a year has more than its last month"
        assert not reading.failed, reading.failed


class TestWithoutCosts:
    """Who sees no costs reads the other boards of the same reports: in pieces, or without margins."""

    @pytest.mark.parametrize(
        ("report", "role"), mark_walked({(BEST_SELLER.code, COSTLESS)}, COSTLESS, reports=PRICED)
    )
    def test_reads_sorts_pages_and_takes_a_file(
        self, reader: Callable[[str], ReportReader], pictures: Path, report: Report, role: str
    ) -> None:
        reading = reader(role)
        reading.open(report)
        for tab in report.tabs:
            frame = reading.open_tab(report, tab)
            reading.save_picture(pictures, f"{report.code}-{tab.key}-{role}")
            reading.assert_sound(frame, tab.plain)
            reading.assert_fits(frame)
            text = frame.locator("body").inner_text()
            assert not [word for word in COSTS if word in text], report.code
            table = tab.plain.tables[0].on_screen
            reading.assert_sorts(frame, table, tab.plain)
            reading.assert_pages(frame, table)
            reading.assert_takes_file(frame, table, tab.plain)
            assert not reading.failed, reading.failed


class TestClerk:
    @pytest.mark.parametrize("report", choose_reports(CLERK_READS, "CommodityProfit"))
    def test_opens_what_he_may_and_is_told_of_the_rest(
        self, reader: Callable[[str], ReportReader], pictures: Path, report: Report
    ) -> None:
        reading = reader(CLERK)
        reading.open(report)
        if report.code == CLERK_READS:
            frame = reading.open_tab(report, report.first_tab)
            reading.assert_sound(frame, report.first_tab.plain)
            assert not [word for word in COSTS if word in frame.locator("body").inner_text()]
            reading.assert_takes_no_file(frame, report.first_tab.plain.tables[0].on_screen)
        else:
            expect(reading.page.get_by_text("没有查看此报表的权限").first).to_be_visible()
            expect(reading.page.locator("iframe")).to_have_count(0)
        reading.save_picture(pictures, f"{report.code}-clerk")


class TestWaitingFrame:
    """Half of a report's opening is done before: a frame waits, and is told which report it is to show."""

    def test_shows_the_report_that_is_opened(
        self, system: RunningProduct, chromium: Browser, pictures: Path
    ) -> None:
        context = chromium.new_context(viewport=WIDE, locale="zh-CN", timezone_id="Asia/Shanghai")
        desk = BrowserUser(context, system.address)
        desk.log_in(BRANCH)
        reading = ReportReader(desk.page, system.address)
        waiting = desk.page.locator("body > iframe")
        first, *others = (
            find_report(code) for code in ("BestSeller", "CustomerProfit", "BusinessDailyReport")
        )
        assert first is not None
        reading.open(first)
        reading.assert_sound(reading.open_tab(first, first.first_tab), first.first_tab.board(COST))
        for report in others:
            assert report is not None
            waiting.wait_for(state="attached")
            waiting.evaluate("frame => { frame.dataset.waited = 'yes'; }")
            desk.page.evaluate(OPENED, report.route)
            frame = reading.open_tab(report, report.first_tab)
            expect(desk.page.locator(f"iframe[title^='{report.label}']")).to_have_attribute(
                "data-waited", "yes"
            )
            assert embed_id(report.code, report.first_tab, sees_cost=True) in frame.url
            reading.assert_sound(frame, report.first_tab.board(COST))
            expect(frame.get_by_text(report.first_tab.board(PLAIN).charts[0].title).first).to_be_visible()
            reading.save_picture(pictures, f"{report.code}-waited")
        context.close()
        assert not desk.errors, desk.errors


@pytest.mark.walk
class TestSlowLine:
    def test_the_words_of_a_frame_are_waited_for(self, system: RunningProduct, chromium: Browser) -> None:
        context = chromium.new_context(viewport=WIDE, locale="zh-CN", timezone_id="Asia/Shanghai")
        desk = BrowserUser(context, system.address)
        desk.log_in(GROUP)
        desk.page.route("**/superset/language_pack/**", answer_slowly)
        reading = ReportReader(desk.page, system.address)
        reading.open(BEST_SELLER)
        reading.assert_sound(
            reading.open_tab(BEST_SELLER, BEST_SELLER.first_tab), BEST_SELLER.first_tab.board(COST)
        )
        context.close()


def answer_slowly(route: Route) -> None:
    """Answer later than the platform waits by itself."""
    time.sleep(7)
    route.continue_()


class TestPhone:
    @pytest.mark.parametrize("report", choose_reports("warehouseTurnover"))
    def test_every_tab_of_a_report_is_read(
        self, reader: Callable[[str], ReportReader], pictures: Path, report: Report
    ) -> None:
        reading = reader(POCKET)
        reading.open(report)
        for tab in report.tabs:
            frame = reading.open_tab(report, tab)
            reading.save_picture(pictures, f"{report.code}-{tab.key}-手机")
            reading.assert_sound(frame, tab.board(COST))
            width = frame.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE_SIZE["width"], tab.label

    @pytest.mark.parametrize("role", [POCKET, GROUP])
    def test_key_figures_are_read_without_scrolling(
        self, reader: Callable[[str], ReportReader], role: str
    ) -> None:
        """In a window as narrow as a phone of a browser that isn't one, too."""
        reading, report = reader(role), find_report("CustomerProfit")
        assert report
        usual = reading.page.viewport_size
        reading.page.set_viewport_size({"width": 375, "height": 812})
        reading.open(report)
        frame = reading.open_tab(report, report.first_tab)
        assert not [title for title in frame.evaluate(CUT) if title.startswith(HEAD)]
        figures = frame.locator(f"[data-test-chart-name^='{HEAD}']")
        assert figures.evaluate("one => one.scrollHeight <= one.clientHeight")
        widths = {
            round(box["width"]) for box in (one.bounding_box() for one in frame.locator(HOLDER).all()) if box
        }
        assert len(widths) == 1 and widths.pop() <= 375
        if usual:
            reading.page.set_viewport_size(usual)


class TestSubscriber:
    def test_filters_kept_by_name_are_what_a_subscription_brings(
        self, reader: Callable[[str], ReportReader], pictures: Path
    ) -> None:
        reading, name = reader(GROUP), f"筛选{time.time_ns()}"
        page, report = reading.page, find_report("CustomerProfit")
        assert report
        tab = report.first_tab
        board = tab.cost or tab.board(PLAIN)
        table, *_ = board.tables
        place = table.by.index("customer_name")
        reading.open(report)
        value = reading.assert_filters(reading.open_tab(report, tab), table, board)
        assert value
        page.get_by_role("button", name="常用筛选").click()
        page.get_by_label("方案名称").fill(name)
        page.get_by_role("button", name=re.compile("保 ?存")).click()
        expect(page.get_by_text("常用筛选已保存")).to_be_visible()
        reading.open(report)
        frame = reading.open_tab(report, tab)
        assert {cells[place] for cells in read_rows(find_card(frame, table))} > {value}
        page.get_by_role("button", name="常用筛选").click()
        page.get_by_role("button", name=name, exact=True).click()
        frame = reading.open_tab(report, tab)
        reading.save_picture(pictures, "kept-filters")
        assert {cells[place] for cells in read_rows(find_card(frame, table))} == {value}

        page.locator("button.ant-dropdown-trigger", has_text="导出").click()
        page.get_by_role("menuitem", name="订阅…").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("筛选").click()
        page.locator(f".ant-select-dropdown:visible .ant-select-item-option[title='{name}']").click()
        reading.save_picture(pictures, "subscribe")
        dialog.get_by_role("button", name=re.compile("^订 ?阅$")).click()
        expect(dialog).to_be_hidden()
        page.goto(f"{reading.address}/mySubscriptions")
        mine = page.get_by_role("row").filter(has_text=name)
        if time.time() % 60 > 40:  # what is not sent at the full minute is gone when it is deleted
            page.wait_for_timeout(20_000)
        mine.get_by_role("button", name="立即运行").click()
        with page.expect_download() as taken:
            mine.get_by_role("button", name="下载").click()
        reading.save_picture(pictures, "subscriptions")
        sheet = openpyxl.load_workbook(BytesIO(taken.value.path().read_bytes())).worksheets[0]
        _, _, _, told, _, *lines, _ = sheet.iter_rows(values_only=True)
        assert value in str(told[0])
        assert {line[place] for line in lines} == {value}
        mine.get_by_role("button", name="删除").click()
        page.get_by_role("dialog", name="删除这个订阅？").get_by_role(
            "button", name=re.compile("确 ?定")
        ).click()
        expect(mine).to_have_count(0)
        assert not reading.failed, reading.failed
