"""From figures to what they are of, in a browser: typed into a table, clicked on a bar, followed by a link."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Frame, Locator, expect

from reports.catalogue import find_report
from reports.semantics.dashboards import COST, Report, Tab
from tests.e2e.conftest import START_SECONDS, BrowserUser, RunningProduct
from tests.e2e.report_reader import DATA, ReportReader, find_card, find_column, read_rows

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
REVENUE = find_report("OperatingRevenue")


@pytest.fixture(scope="module")
def reading(system: RunningProduct, chromium: Browser) -> Iterator[ReportReader]:
    context = chromium.new_context(
        viewport={"width": 1440, "height": 900}, locale="zh-CN", timezone_id="Asia/Shanghai"
    )
    desk = BrowserUser(context, system.address)
    desk.log_in("集团经理")
    yield ReportReader(desk.page, system.address)
    context.close()
    assert not desk.errors, desk.errors


@pytest.fixture
def revenue(reading: ReportReader) -> Frame:
    assert REVENUE
    return open_tab(reading, REVENUE, REVENUE.first_tab)


def open_tab(reading: ReportReader, report: Report, tab: Tab) -> Frame:
    reading.open(report)
    return reading.open_tab(report, tab)


def locate_detail(frame: Frame) -> Locator:
    assert REVENUE
    return find_card(frame, REVENUE.first_tab.board(COST).chart("detail"))


def read_totals(shown: Locator) -> list[str]:
    found: list[str] = shown.locator("tfoot tr").first.evaluate(
        "line => [...line.cells].map(cell => cell.innerText.trim())"
    )
    return found


class TestTyping:
    def test_totals_are_of_what_is_found(self, reading: ReportReader, revenue: Frame) -> None:
        """Of one row all figures are the totals; without what was typed they are as before."""
        shown = locate_detail(revenue)
        before, whole = read_rows(shown), read_totals(shown)
        place = find_column(shown, "employee_name")
        names = [cells[place] for cells in before]
        name = next(one for one in names if names.count(one) == 1)
        with reading.page.expect_response(f"**{DATA}*"):
            shown.locator("input[type=text]").fill(name)
        expect(shown.locator("tbody tr")).to_have_count(1)
        [found] = read_rows(shown)
        assert found in before
        figures = slice(find_column(shown, "revenue"), None)
        assert read_totals(shown)[-len(found[figures]) :] == found[figures]
        with reading.page.expect_response(f"**{DATA}*"):
            shown.locator("input[type=text]").fill("")
        expect(shown.locator("tbody tr")).to_have_count(len(before))
        assert read_totals(shown) == whole
        assert not reading.failed, reading.failed


class TestBars:
    def test_a_bar_narrows_the_page_and_its_links_go_on(self, reading: ReportReader, revenue: Frame) -> None:
        assert REVENUE
        bars = find_card(revenue, REVENUE.first_tab.board(COST).chart("companies"))
        shown = locate_detail(revenue)
        place = find_column(shown, "company_name")
        assert len({cells[place] for cells in read_rows(shown)}) > 1
        box = bars.locator("canvas").first.bounding_box()
        assert box
        canvas = bars.locator("canvas").first
        canvas.hover(position={"x": box["width"] / 2, "y": box["height"] / 2})
        chosen = revenue.locator("[data-test='form-item-value']").nth(1).locator(".ant-select-selection-item")
        with reading.page.expect_response(f"**{DATA}*"):
            for step in range(1, 40):
                # The bars begin behind their names.
                canvas.click(position={"x": box["width"] * 0.6, "y": box["height"] * step / 40})
                if chosen.count():
                    break
        reading.wait_drawn(revenue)
        [company] = {cells[place] for cells in read_rows(shown)}
        address = shown.locator("td a").first.get_attribute("href")
        assert address
        asked = parse_qs(urlsplit(address).query)
        assert asked["company_id__label"] == [company]
        assert not reading.failed, reading.failed
