"""Exploring: from the shell into the exploring port, where a chart is drawn, saved on a board and found again, in Chinese."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import START_SECONDS, DemoUserOpener
from tests.e2e.test_report_home import save_picture

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
CHART, BOARD = "各公司销售收入", "我的销售看板"


def drop_field(page: Page, field: str, wanted: str) -> None:
    """Drop a column or a figure into a field of the chart."""
    page.get_by_text(field, exact=True).first.click()
    popover = page.locator(".ant-popover:visible")
    popover.get_by_role("combobox").last.fill(wanted)
    page.locator(".ant-select-item-option:visible").filter(has_text=wanted).first.click()
    popover.locator("[data-test$='Edit#save']").click()
    expect(popover).to_have_count(0)  # while it fades, the next one would be taken for it


class TestExplore:
    def test_an_analyst_draws_a_chart_of_his_own(self, desks: DemoUserOpener) -> None:
        desk = desks("数据分析员")
        desk.open("/report/explore")
        expect(desk.page.get_by_text("经营日报（含成本）", exact=True)).to_be_visible()
        expect(desk.page.locator(".filter-bar")).to_have_css("display", "flex")
        with desk.page.expect_popup() as opening:
            desk.page.get_by_role("button", name="进入分析").click()
        page = opening.value
        page.wait_for_url(re.compile(r":\d+/chart/list/"))
        assert page.evaluate("window.opener") is None
        assert page.evaluate("localStorage.getItem('session')") is None
        expect(page.get_by_text("看板", exact=True).first).to_be_visible()
        expect(page.get_by_text("请选择").first).to_be_visible()
        expect(page.get_by_text("选择数据库")).to_have_count(0)
        for absent in ("收藏", "认证", "所有者", "修改人"):
            expect(page.locator("label", has_text=absent)).to_be_hidden()
        door = page.url.partition("/chart/")[0]
        page.goto(f"{door}/explore/?slice_id=1")
        expect(page.get_by_text("没有这张图表，或者它不是您的")).to_be_visible()

        page.goto(f"{door}/chart/add")
        page.get_by_role("combobox").first.fill("商品毛利（")
        page.locator(".ant-select-item-option:visible").filter(has_text="商品毛利（含成本）").click()
        page.get_by_role("button", name="饼图").click()
        page.get_by_role("button", name="创建新图表").click()
        page.wait_for_url(re.compile("/explore/"))
        expect(page.get_by_text("销售收入", exact=True)).to_be_visible()
        expect(page.get_by_text("角色", exact=True)).to_have_count(0)
        drop_field(page, "拖列到这里，或点击选择", "公司")
        drop_field(page, "拖列或指标到这里，或点击选择", "销售收入")
        with page.expect_response("**/api/v1/chart/data*") as drawn:
            page.get_by_role("button", name="创建图表").click()
        assert len(drawn.value.json()["result"][0]["data"]) > 1
        expect(page.locator("[data-test='control-label']").filter(has_text="月份 (不限)")).to_be_visible()
        page.get_by_role("tab", name="结果").click()
        expect(page.locator(".ag-header-cell-text")).to_have_text(["公司", "销售收入", "销售收入占比"])
        expect(page.get_by_role("tab", name="数据预览")).to_be_hidden()
        expect(page.locator("[data-test='last-queried-label']")).to_have_text(
            re.compile(r"^取数时间: \d{4}-\d\d-\d\d \d\d:")
        )
        page.locator("[data-test='actions-trigger']").click()
        expect(page.get_by_role("menuitem", name="导出方式")).to_be_visible()
        for closed in ("分享", "查看查询语句", "在 SQL 工具箱中执行"):
            expect(page.get_by_role("menuitem", name=closed)).to_be_hidden()
        page.keyboard.press("Escape")
        save_picture(page, "explore-drawn")

        page.locator("[data-test='query-save-button']").click()
        page.locator("[data-test='new-chart-name']").fill(CHART)
        boards = page.locator(".ant-modal").get_by_role("combobox").first
        with page.expect_response("**/api/v1/dashboard/?q=*"):
            boards.click()
        # Superset's select drops what was typed less than 250 ms before it renders again, as it does once its list is in.
        boards.press_sequentially(BOARD, delay=300)
        page.locator(".ant-select-item-option:visible").filter(has_text=BOARD).first.click()
        page.locator("#btn_modal_save_goto_dash").click()
        page.wait_for_url(re.compile(r"/superset/dashboard/\d+/"))
        page.reload()
        expect(page.get_by_text(CHART, exact=True).first).to_be_visible()
        expect(page.locator("canvas").first).to_be_visible()
        save_picture(page, "explore-board")
        page.goto(f"{door}/chart/list/")
        expect(page.get_by_role("link", name=CHART).first).to_be_visible()
        answer = page.goto(f"{door}/sqllab/")
        assert answer and answer.status == 404
        expect(page.get_by_text("自助分析里没有这个页面")).to_be_visible()
