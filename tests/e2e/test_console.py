"""Business on the home page, the page of business data and the stock wall, as roles see them, on a desktop and a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.e2e.conftest import START_SECONDS, DemoUserOpener
from tests.e2e.test_report_home import save_picture

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
PHONE: ViewportSize = {"width": 375, "height": 812}
WIDER = """() => [document.documentElement, ...document.querySelectorAll('header, main, [role=tabpanel], section')]
    .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.className || one.tagName)"""


def assert_fits(page: Page) -> None:
    """Wait until charts have taken the new width."""
    page.wait_for_function(f"({WIDER})().length === 0")


class TestConsole:
    def test_a_manager_reads_the_day_and_follows_a_figure(self, desks: DemoUserOpener) -> None:
        page = desks("集团经理", "/home").page
        business = page.get_by_role("region", name="经营数据")
        expect(business.get_by_text("销售收入（未税）")).to_be_visible()
        expect(
            business.get_by_role("img", name="本月每天的销售、采购、收款与付款").locator("svg")
        ).to_be_visible()
        expect(business.get_by_role("img", name="各省销售收入").locator("svg path").nth(33)).to_be_attached()
        expect(business.get_by_role("img", name="本月业务员销售收入").locator("svg")).to_be_visible()
        # At once: a window that changes while its charts come in counts too.
        desk = page.viewport_size
        assert desk is not None
        page.set_viewport_size(PHONE)
        assert_fits(page)
        save_picture(page, "home-manager-phone")
        page.set_viewport_size(desk)
        assert_fits(page)
        save_picture(page, "home-manager")
        page.get_by_role("link", name="查看全部经营数据").click()
        page.wait_for_url("**/system/businessData")
        panel = page.get_by_role("tabpanel", name="经营数据")
        expect(panel.get_by_role("img", name="各省销售收入").locator("svg path").nth(33)).to_be_attached()
        expect(panel.get_by_role("img", name="本月业务员销售收入").locator("svg")).to_be_visible()
        save_picture(page, "business-data")
        panel.get_by_role("button", name="浙江省").click()
        expect(panel.get_by_text("浙江省的客户")).to_be_visible()
        page.set_viewport_size(PHONE)
        assert_fits(page)
        save_picture(page, "business-data-phone")

    def test_a_clerk_has_what_waits_and_no_figures(self, desks: DemoUserOpener) -> None:
        desk = desks("开单员", "/home")
        expect(desk.page.get_by_text("常用入口")).to_be_visible()
        expect(desk.page.get_by_role("region", name="经营数据")).to_have_count(0)
        desk.open("/system/businessData")
        expect(desk.page.get_by_text("您没有“经营数据”的权限")).to_be_visible()

    def test_the_wall_shows_stock_by_province_and_the_last_bills(self, desks: DemoUserOpener) -> None:
        desk = desks("分公司经理")
        page = desk.page
        desk.open("/groupManagement/InventoryBigData")
        panel = page.get_by_role("tabpanel", name="库存大数据")
        expect(panel.get_by_role("img", name="各省库存").locator("svg path").nth(33)).to_be_attached()
        # Of his own company, which lies in one province.
        expect(panel.get_by_role("button", name="上海市")).to_be_visible()
        expect(panel.get_by_role("button", name="浙江省")).to_have_count(0)
        expect(panel.get_by_role("region", name="最新审核的单据").get_by_role("link").first).to_be_visible()
        save_picture(page, "stock-wall")
        page.set_viewport_size(PHONE)
        assert_fits(page)
        save_picture(page, "stock-wall-phone")
