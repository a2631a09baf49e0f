"""From figures to what they are of, in a browser: typed into a table, clicked on a bar, followed by a link."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Frame, Locator, expect

from reports.catalogue import find_report
from reports.catalogue.boards import COST, Report, Tab
from tests.e2e.conftest import START_SECONDS, Desk, System
from tests.e2e.frames import DATA, Reading, card, place_of, rows

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
REVENUE = find_report("OperatingRevenue")


@pytest.fixture(scope="module")
def reading(system: System, chromium: Browser) -> Iterator[Reading]:
    context = chromium.new_context(
        viewport={"width": 1440, "height": 900}, locale="zh-CN", timezone_id="Asia/Shanghai"
    )
    desk = Desk(context, system.address)
    desk.log_in("集团经理")
    yield Reading(desk.page, system.address)
    context.close()
    assert not desk.errors, desk.errors


@pytest.fixture
def revenue(reading: Reading) -> Frame:
    assert REVENUE
    return opened(reading, REVENUE, REVENUE.first_tab)


def opened(reading: Reading, report: Report, tab: Tab) -> Frame:
    reading.open(report)
    return reading.frame(report, tab)


def detail(frame: Frame) -> Locator:
    assert REVENUE
    return card(frame, REVENUE.first_tab.board(COST).chart("detail"))


def totals(shown: Locator) -> list[str]:
    found: list[str] = shown.locator("tfoot tr").first.evaluate(
        "line => [...line.cells].map(cell => cell.innerText.trim())"
    )
    return found


class TestTyping:
    def test_totals_are_of_what_is_found(self, reading: Reading, revenue: Frame) -> None:
        """Of one row all figures are the totals; without what was typed they are as before."""
        shown = detail(revenue)
        before, whole = rows(shown), totals(shown)
        place = place_of(shown, "employee_name")
        names = [cells[place] for cells in before]
        name = next(one for one in names if names.count(one) == 1)
        with reading.page.expect_response(f"**{DATA}*"):
            shown.locator("input[type=text]").fill(name)
        expect(shown.locator("tbody tr")).to_have_count(1)
        [found] = rows(shown)
        assert found in before
        figures = slice(place_of(shown, "revenue"), None)
        assert totals(shown)[-len(found[figures]) :] == found[figures]
        with reading.page.expect_response(f"**{DATA}*"):
            shown.locator("input[type=text]").fill("")
        expect(shown.locator("tbody tr")).to_have_count(len(before))
        assert totals(shown) == whole
        assert not reading.failed, reading.failed


class TestBars:
    def test_a_bar_narrows_the_page_and_its_links_go_on(self, reading: Reading, revenue: Frame) -> None:
        assert REVENUE
        bars = card(revenue, REVENUE.first_tab.board(COST).chart("companies"))
        shown = detail(revenue)
        place = place_of(shown, "company_name")
        assert len({cells[place] for cells in rows(shown)}) > 1
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
        reading.wait(revenue)
        [company] = {cells[place] for cells in rows(shown)}
        address = shown.locator("td a").first.get_attribute("href")
        assert address
        asked = parse_qs(urlsplit(address).query)
        assert asked["company_id__label"] == [company]
        assert not reading.failed, reading.failed
