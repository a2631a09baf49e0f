"""The reports' home page: found by the question, starred, opened, and told by how much they are used."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine, text

from tests.e2e.conftest import START_SECONDS, BrowserUser, DemoUserOpener
from tests.e2e.test_shell_daily import PHONE

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
VISIT = "**/v2/open/ReportStatistic/add?*"
ASKED = {
    "欠款": "应收账款账龄",
    "客户欠了多少钱": "应收账款账龄",
    "谁欠我们钱": "应收账款账龄",
    "库存周转": "商品周转率",
    "哪些货卖不动": "呆滞库存",
}
"""What people ask in words of their own, and a report that answers it."""
SHOTS = os.environ.get("ERP_E2E_SHOTS")


def save_picture(page: Page, name: str) -> None:
    """Save a picture to look at, where `SHOTS` is set."""
    if SHOTS:
        page.wait_for_timeout(500)
        page.screenshot(path=Path(SHOTS, f"{name}.png"))


def open_home(desk: BrowserUser) -> Page:
    desk.open("/report/ReportHome")
    expect(desk.page.get_by_label("查找报表")).to_be_visible()
    return desk.page


class TestReportHome:
    def test_a_manager_finds_stars_and_opens_reports(self, desks: DemoUserOpener) -> None:
        desk = desks("集团经理")
        page = open_home(desk)
        save_picture(page, "report-home")
        box = page.get_by_label("查找报表")
        box.fill("压了太久")
        hits = page.get_by_role("region", name="查找结果")
        expect(hits.get_by_role("link")).to_have_count(1)
        expect(hits.get_by_role("link")).to_contain_text("呆滞库存")
        box.fill("dzkc")
        expect(hits.get_by_role("link")).to_contain_text("呆滞库存")
        save_picture(page, "report-home-search")
        with page.expect_response("**/UserPreference/save?*"):
            hits.get_by_role("button", name="收藏呆滞库存").click()
        nearest = page.get_by_role("region", name=re.compile("查找结果|最接近的报表")).get_by_role("link")
        for asked, name in ASKED.items():
            box.fill(asked)
            expect(nearest.nth(0)).to_be_visible()
            assert any(name in told for told in nearest.all_inner_texts()[:3]), asked
        box.fill("天气")
        expect(page.get_by_text("没有找到与“天气”有关的报表")).to_be_visible()
        page.get_by_role("button", name="看全部报表").click()
        favourites = page.get_by_role("region", name="我的收藏")
        expect(favourites.get_by_role("link")).to_contain_text(["呆滞库存"])

        with page.expect_response(VISIT):
            page.get_by_role("region", name="销售报表").get_by_role("link", name="销售综合报表").click()
        page.wait_for_url("**/report/salesmulrpt")
        expect(page.get_by_role("tab", name="销售综合报表")).to_be_visible()
        page.get_by_role("tab", name="报表首页").click()
        recent = page.get_by_role("region", name="最近打开").get_by_role("link")
        expect(recent.first).to_contain_text("销售综合报表")
        with page.expect_response(VISIT):
            favourites.get_by_role("link").first.click()
        page.wait_for_url("**/report/sluggishstock")
        expect(page.locator("iframe").first).to_be_visible()
        page.get_by_role("tab", name="报表首页").click()
        expect(recent.first).to_contain_text("呆滞库存")
        page.reload()
        expect(recent.first).to_contain_text("呆滞库存")
        expect(favourites.get_by_role("link")).to_contain_text(["呆滞库存"])
        save_picture(page, "report-home-used")
        with page.expect_response("**/UserPreference/del?*"):
            favourites.get_by_role("button", name="收藏呆滞库存").click()
        expect(favourites.get_by_role("link")).to_have_count(0)

    def test_a_clerk_is_offered_what_he_may_open(self, desks: DemoUserOpener) -> None:
        desk = desks("开单员")
        page = open_home(desk)
        expect(page.get_by_role("status").filter(has_text="共 1 张报表")).to_be_visible()
        expect(page.get_by_role("region", name="销售报表").get_by_role("link")).to_contain_text(["畅销商品"])
        page.get_by_label("查找报表").fill("呆滞")
        expect(page.get_by_text("没有找到与“呆滞”有关的报表")).to_be_visible()
        page.get_by_label("查找报表").fill("cxsp")
        page.keyboard.press("Enter")
        page.wait_for_url("**/report/BestSeller")
        desk.open("/report/ReportStatistic")
        expect(page.get_by_text("您没有“报表使用统计”的权限")).to_be_visible()

    def test_it_fits_a_phone(self, desks: DemoUserOpener) -> None:
        desk = desks("分公司经理")
        desk.page.set_viewport_size(PHONE)
        page = open_home(desk)
        expect(page.get_by_role("region", name="库存报表").get_by_role("link").first).to_be_visible()
        wider = page.evaluate(
            """() => [document.documentElement, ...document.querySelectorAll('header, main, [role=tabpanel], section')]
                .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.className || one.tagName)"""
        )
        assert wider == []
        save_picture(page, "report-home-phone")


class TestReportUse:
    def test_an_opening_is_counted_and_leads_to_its_entry(self, desks: DemoUserOpener, books: Engine) -> None:
        """The page is entered once, however often its tab comes back."""
        opened = count_visits(books) + 2
        branch = desks("分公司经理")
        for _ in range(2):
            with branch.page.expect_response(VISIT):
                branch.open("/report/receiptdetail")
        for tab in ("主页", "收款核销明细", "主页", "收款核销明细"):
            branch.page.get_by_role("tab", name=tab).click()
        desk = desks("集团经理")
        page = desk.page
        desk.open("/report/ReportStatistic")
        row = page.locator(".ant-table-row").filter(has_text="收款核销明细")
        expect(
            row.locator(".ant-table-cell").filter(has_text=re.compile(f"^{opened}$")).first
        ).to_be_visible()
        expect(row).to_contain_text("陆建明")
        assert count_visits(books) == opened
        save_picture(page, "report-statistic")
        row.dblclick()
        page.wait_for_url("**/system/reportvisit?*")
        entries = page.locator("section:not([inert]) .ant-table-row")
        expect(entries).to_have_count(opened)
        expect(entries.first).to_contain_text("陆建明")
        save_picture(page, "report-visits")


def count_visits(books: Engine) -> int:
    with books.connect() as conn:
        found: int = conn.execute(
            text("select count(*) from report_visit where code = 'receiptdetail'")
        ).scalar_one()
    return found
