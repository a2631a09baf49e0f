"""Every framed report in a browser, as three roles of the demo group: opened, sorted, paged, filtered, taken as a file.

The branch manager does all that; the group manager and the clerk open and look. One report a role is walked in
every run, all of them by `make walk`. Each view is kept as a picture in ERP_SCREENSHOTS, where that is set.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from reports.catalogue import REPORTS, Report
from reports.catalogue.model import PLAIN
from tests.e2e.conftest import START_SECONDS, Desk, System
from tests.e2e.frames import Reading

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
# Trends, buckets, links and two paged tables.
ALWAYS = ("accountsReceivable",)
CLERK_READS = "BestSeller"
TALL = {"width": 1600, "height": 2600}
"""A report is drawn as far as it is in view."""


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
            reading.sound(frame)
            reading.shot(pictures, f"{report.code}-{tab.key}-branch")
            # Of the demo's roles none but the clerk lacks the right to costs.
            board = tab.cost or tab.board(PLAIN)
            table = next((chart for chart in board.charts if chart.kind == "table"), None)
            if table is None:
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
