"""Forms by the keyboard alone: from field to field, through dates, past what is the mouse's, to rows that are chosen."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bill_form import (
    at_one_place,
    cell_input,
    expect_cell,
    first_goods_choice,
    goods,
    manager,
    page,
)
from tests.e2e.conftest import START_SECONDS, DemoUserOpener
from tests.e2e.station_setup import require_data
from tests.e2e.test_main_job import choose_first
from tests.support.client import Caller

__all__ = ["at_one_place", "goods", "manager", "page"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
RECEIPT = "/custom/receiptmanage_add"
STOCK_TAKE = "/inventory/takestockAdd"


class TestHead:
    def test_enter_leaves_a_date_that_was_typed_and_stays_in_what_is_none(self, page: Page) -> None:
        day = page.get_by_role("textbox", name="业务日期", exact=True)
        day.focus()
        page.keyboard.press("Control+a")
        page.keyboard.type("2026-02-30")
        page.keyboard.press("Enter")
        expect(day).to_be_focused()
        page.keyboard.press("Control+a")
        page.keyboard.type("2026-02-28")
        page.keyboard.press("Enter")
        expect(day).not_to_be_focused()
        expect(day).to_have_value("2026-02-28")
        day.focus()
        page.keyboard.press("Enter")
        expect(day).not_to_be_focused()
        expect(page.locator(".ant-picker-dropdown:visible")).to_have_count(0)

    def test_a_cross_that_empties_a_choice_is_the_mouses_and_delete_the_keyboards(self, page: Page) -> None:
        choose_first(page, "部门")
        department = page.get_by_role("combobox", name="部门", exact=True)
        cross = page.locator("[data-field=department_id] .ant-select-clear")
        department.focus()
        expect(cross).to_be_hidden()
        page.keyboard.press("Tab")
        expect(page.locator(".ant-select-clear:focus")).to_have_count(0)
        page.locator("[data-field=department_id] .ant-select").hover()
        expect(cross).to_have_attribute("aria-label", "清除")
        department.focus()
        page.keyboard.press("Delete")
        expect(cross).to_have_count(0)


class TestReceipt:
    def test_behind_the_head_comes_the_choice_of_open_items(
        self, desks: DemoUserOpener, manager: Caller
    ) -> None:
        desk = desks("分公司经理")
        page = desk.page
        desk.open(RECEIPT)
        choose_first(page, "客户")
        for _ in range(20):
            page.keyboard.press("Enter")
            if page.locator("button:focus").count():
                break
        expect(page.get_by_role("button", name="选择核销明细")).to_be_focused()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label(re.compile("本次核销")).first).to_be_focused()
        page.keyboard.type("12.5")
        expect(dialog.get_by_role("checkbox", checked=True)).to_have_count(1)
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="选择核销明细")).to_be_focused()


class TestStockTake:
    def test_counts_are_keyed_in_line_by_line(
        self, desks: DemoUserOpener, at_one_place: list[dict[str, Any]], manager: Caller
    ) -> None:
        desk = desks("分公司经理")
        page = desk.page
        desk.open(STOCK_TAKE)
        choose_first(page, "仓库")
        one, other, *_ = at_one_place
        counts = {one["goods_num"]: "3", other["goods_num"]: "0"}
        for row, (code, count) in enumerate(counts.items(), 1):
            cell_input(page).focus() if row == 1 else None
            expect_cell(page, f"第{row}行 商品")
            expect(first_goods_choice(page, code)).to_contain_text(code)
            page.keyboard.press("Enter")
            for _ in range(6):
                if "初盘数量" in (cell_input(page).get_attribute("aria-label") or ""):
                    break
                page.keyboard.press("Enter")
            expect_cell(page, f"第{row}行 初盘数量")
            page.keyboard.type(count)
            for _ in range(6):
                if f"第{row}行" not in (cell_input(page).get_attribute("aria-label") or ""):
                    break
                page.keyboard.press("Enter")
        page.keyboard.press("Control+s")
        page.wait_for_url(re.compile(r"/inventory/takestockSee\?id=\d+"))
        key = int(page.url.rpartition("=")[2])
        lines = require_data(manager.get("v2/inventory/StockTaking/getInfo", id=key))["lines"]
        assert {line["goods_num"]: line["counted_quantity"] for line in lines} == {
            code: f"{count}.000" for code, count in counts.items()
        }
