"""The main job: a clerk keys and audits a sales outbound, the branch manager sees it in a framed report."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Error, Frame, Locator, Page, expect

from reports.semantics.dashboards import HEAD
from tests.e2e.conftest import START_SECONDS, BrowserUser, DemoUserOpener

pytestmark = pytest.mark.timeout(START_SECONDS + 300)

QUANTITY = 2
SEEN_WITHIN_SECONDS = 90
"""Generous: the whole suite shares two cores. The benchmark measures how long it takes."""


def choose_first(page: Page, label: str) -> None:
    """Fill a reference field from the keyboard: read the first choice on offer, search for it, take it."""
    field = page.get_by_role("combobox", name=label, exact=True)
    field.focus()
    page.keyboard.press("ArrowDown")
    # Its own choices only: those of the field before may still be fading out.
    offered = page.locator(f".ant-select-item-option[id^='{field.get_attribute('id')}_list_']")
    expect(offered.first).to_be_visible()
    name = offered.first.inner_text()
    page.keyboard.type(name)
    expect(offered.first).to_have_text(name)
    page.keyboard.press("Enter")


def sell_by_keyboard(desk: BrowserUser) -> str:
    """Enter and audit an outbound of the first size on offer without the mouse; answers the bill number."""
    page = desk.page
    desk.open("/sales/salesoutAdd")
    choose_first(page, "客户")
    choose_first(page, "仓库")
    page.locator(".cell-input").focus()
    page.keyboard.type("轮胎")
    expect(page.locator(".choice:not(.heading)").nth(20)).to_contain_text("轮胎")
    in_stock = [int(re.sub(r"\D", "", text) or 0) >= QUANTITY for text in _stock_cells(page)]
    for _ in range(in_stock.index(True)):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".cell-input")).to_have_attribute("aria-label", "第1行 数量")
    page.keyboard.type(str(QUANTITY))
    page.keyboard.press("Enter")
    expect(page.locator(".cell-input")).to_have_attribute("aria-label", "第1行 单价")
    page.keyboard.type("520")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="保存并审核").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/sales/salesamend?id=*")
    expect(page.get_by_text("已审核").first).to_be_visible()
    found = re.search(
        r"XSCK\w+", page.locator(".ant-descriptions, header, h2").first.inner_text() + page.inner_text("body")
    )
    assert found, "the saved bill shows its number"
    return found.group()


def _stock_cells(page: Page) -> list[str]:
    """Return the stock column of the goods on offer."""
    rows = page.locator(".choice:not(.heading)")
    return [rows.nth(at).locator("> *").nth(4).inner_text() for at in range(rows.count())]


def read_figures(page: Page, read: Callable[[Frame], Locator]) -> list[int]:
    """Return the number that each frame on screen shows (one, or two while a newer one takes over)."""
    found = []
    for frame in page.frames:
        if "/embedded/" not in frame.url:
            continue
        try:
            figure = read(frame)
            if figure.count():
                found.append(int(re.sub(r"\D", "", figure.inner_text())))
        except Error:
            # A newer one has taken over meanwhile.
            if not frame.is_detached():
                raise
    return found


def locate_quantity(frame: Frame) -> Locator:
    """Return the cell of the net quantity."""
    return frame.locator(f"[data-test-chart-name^='{HEAD}'] tbody tr").first.locator("td").nth(1)


def locate_company_count(frame: Frame) -> Locator:
    """Return the text that says how many companies there are to choose from."""
    box = frame.locator("form").filter(has=frame.get_by_text("公司", exact=True))
    return box.get_by_text(re.compile(r"^\d+ 个选项$"))


def await_figure(page: Page, read: Callable[[Frame], Locator], wanted: Callable[[int], bool]) -> int:
    """Return the first figure shown that fits."""
    end = time.monotonic() + SEEN_WITHIN_SECONDS
    while time.monotonic() < end:
        for figure in read_figures(page, read):
            if wanted(figure):
                return figure
        page.wait_for_timeout(500)
    raise AssertionError(f"the frame still shows {read_figures(page, read)}")


def is_positive(figure: int) -> bool:
    return figure > 0


class TestMainJob:
    def test_an_audited_bill_reaches_the_managers_open_report(self, desks: DemoUserOpener) -> None:
        manager = desks("分公司经理")
        manager.open("/report/BestSeller")
        before = await_figure(manager.page, locate_quantity, is_positive)

        number = sell_by_keyboard(desks("开单员"))

        after = await_figure(manager.page, locate_quantity, lambda figure: figure != before)
        assert after == before + QUANTITY

        manager.open("/sales/salesout")
        expect(manager.page.get_by_text(number)).to_be_visible()

    def test_the_branch_sees_no_other_company(self, desks: DemoUserOpener) -> None:
        group, branch = desks("集团经理"), desks("分公司经理")
        assert companies_in_filter(group) == 8
        assert companies_in_filter(branch) == 1

    def test_the_clerk_sees_no_cost_and_only_his_reports(self, desks: DemoUserOpener) -> None:
        clerk = desks("开单员")
        clerk.open("/report/CustomerProfit")
        expect(clerk.page.get_by_text(re.compile("没有.*权限|无权")).first).to_be_visible()
        clerk.open("/sales/salesout")
        clerk.page.get_by_role("link", name=re.compile("XSCK")).first.click()
        expect(clerk.page.get_by_text("无权限").first).to_be_attached()


def companies_in_filter(desk: BrowserUser) -> int:
    """Return how many companies the best-seller frame lets its reader choose from."""
    desk.open("/report/BestSeller")
    return await_figure(desk.page, locate_company_count, is_positive)
