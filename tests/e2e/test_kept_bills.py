"""Bills that are kept: drafts recalled, and stored ones copied, reversed, undone and shown as printed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from api.kit.storage.database import today
from tests.e2e.bill_form import (
    ADD,
    OUTBOUND,
    add_audited_outbound,
    add_outbound,
    audit_bill,
    cell_input,
    goods,
    manager,
    page,
    paste_rows,
    sold,
)
from tests.e2e.conftest import START_SECONDS, DemoUserOpener
from tests.e2e.station_setup import require_data
from tests.e2e.test_main_job import choose_first
from tests.support.client import Caller

__all__ = ["goods", "manager", "page", "sold"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
ORDER = "v2/sales/SalesOrder"


class TestDrafts:
    def test_lines_are_recalled_after_they_were_parked_and_after_a_reload(
        self, page: Page, goods: list[dict[str, Any]]
    ) -> None:
        choose_first(page, "客户")
        choose_first(page, "仓库")
        cell_input(page).focus()
        paste_rows(page, [f"{one['goods_num']}\t{count}" for count, one in enumerate(goods[:2], 1)])
        quantity, three = page.locator("[data-sum=quantity]"), re.compile(r"^3(\.0+)?$")
        expect(quantity).to_have_text(three)
        customer = page.locator("[data-field=customer_id]").inner_text()
        page.get_by_role("button", name="暂存", exact=True).click()
        expect(quantity).not_to_have_text(three)
        page.get_by_role("button", name="取单").click()
        page.get_by_role("menuitem", name=re.compile("^暂存 ")).first.click()
        expect(quantity).to_have_text(three)
        page.reload()
        page.get_by_role("button", name="恢复").click()
        expect(quantity).to_have_text(three)
        assert page.locator("[data-field=customer_id]").inner_text() == customer


class TestStoredBills:
    def test_a_copy_is_a_bill_of_its_own(
        self, desks: DemoUserOpener, sold: dict[str, Any], manager: Caller
    ) -> None:
        desk = desks("分公司经理")
        desk.open(f"/sales/salesamend?id={sold['id']}")
        desk.page.get_by_role("button", name="复制").click()
        desk.page.wait_for_url(f"**{ADD}?copy={sold['id']}")
        expect(desk.page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^2(\.0+)?$"))
        desk.page.keyboard.press("Control+s")
        desk.page.wait_for_url("**/sales/salesamend?id=*")
        copy = require_data(manager.get(f"{OUTBOUND}/getInfo", id=desk.page.url.split("=")[-1]))
        assert (copy["status"], copy["bill_no"] != sold["bill_no"]) == (1, True)
        assert [line["returned_quantity"] for line in copy["lines"]] == ["0.000"]

    def test_a_copy_of_what_was_drawn_from_an_order_is_not(
        self, desks: DemoUserOpener, goods: list[dict[str, Any]], manager: Caller
    ) -> None:
        line = {"goods_id": goods[0]["goods_id"], "quantity": "1", "price": "300"}
        order = audit_bill(manager, ORDER, add_outbound(manager, [line], api=ORDER))
        draft = require_data(manager.get(f"{OUTBOUND}/getDraft", id=order["id"]))
        drawn = require_data(manager.post(f"{OUTBOUND}/add", {**draft, "business_date": str(today())}))
        desk = desks("分公司经理")
        desk.open(f"{ADD}?copy={drawn['id']}")
        expect(desk.page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^1(\.0+)?$"))
        desk.page.keyboard.press("Control+s")
        desk.page.wait_for_url("**/sales/salesamend?id=*")
        kept = [
            require_data(manager.get(f"{OUTBOUND}/getInfo", id=key))
            for key in (drawn["id"], desk.page.url.split("=")[-1])
        ]
        assert [bill["lines"][0]["order_line_id"] is None for bill in kept] == [False, True]

    def test_a_refused_undo_leads_to_what_stands_in_its_way(
        self, desks: DemoUserOpener, sold: dict[str, Any]
    ) -> None:
        desk = desks("分公司经理")
        page = desk.page
        desk.open(f"/sales/salesamend?id={sold['id']}")
        page.get_by_role("button", name="反审核").click()
        page.get_by_role("dialog").get_by_role("button", name=re.compile("确\\s*定")).click()
        panel = page.get_by_role("dialog", name="销售出库的关联单据与流水")
        expect(panel).to_contain_text("已有退货")
        panel.get_by_text(sold["back"]["bill_no"]).first.click()
        page.wait_for_url(f"**/sales/salesReturnSee?id={sold['back']['id']}")

    def test_an_audited_one_is_reversed_by_a_bill_drawn_from_it(
        self, desks: DemoUserOpener, goods: list[dict[str, Any]], manager: Caller
    ) -> None:
        sold = add_audited_outbound(manager, goods[0])
        desk = desks("分公司经理")
        page = desk.page
        desk.open(f"/sales/salesamend?id={sold['id']}")
        page.get_by_role("button", name="生成销售退货").click()
        expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^2(\.0+)?$"))
        page.keyboard.press("Control+s")
        page.wait_for_url("**/sales/salesReturnSee?id=*")
        page.get_by_role("button", name="审核", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="确定").click()
        expect(page.get_by_text("已审核", exact=True).first).to_be_visible()
        back = require_data(manager.get("v2/sales/SalesReturn/getInfo", id=page.url.split("=")[-1]))
        undone = require_data(manager.get(f"{OUTBOUND}/getInfo", id=sold["id"]))
        assert back["total_amount"] == undone["total_amount"] == "600.00"
        assert [line["returned_quantity"] for line in undone["lines"]] == ["2.000"]

    def test_the_clerk_sees_no_cost_of_it(
        self, desks: DemoUserOpener, sold: dict[str, Any], manager: Caller
    ) -> None:
        bill = require_data(manager.get(f"{OUTBOUND}/getInfo", id=sold["id"]))
        cost = f"{float(bill['lines'][0]['cost_amount']):,.2f}"
        for role, sees in (("分公司经理", True), ("开单员", False)):
            desk = desks(role)
            desk.open(f"/sales/salesamend?id={sold['id']}")
            expect(desk.page.get_by_text(sold["bill_no"]).first).to_be_visible()
            desk.page.get_by_role("button", name="关联与流水").click()
            expect(desk.page.get_by_role("heading", name="库存流水")).to_be_visible()
            assert (cost in desk.page.inner_text("body")) == sees, role

    def test_it_is_shown_as_it_will_be_printed(self, desks: DemoUserOpener, sold: dict[str, Any]) -> None:
        """The words on the paper are read in the tests of printing; here they are drawn."""
        desk = desks("分公司经理")
        desk.open(f"/sales/salesamend?id={sold['id']}")
        desk.page.get_by_role("button", name="打印").click()
        expect(desk.page.get_by_text("1 张单据，1 页")).to_be_visible()
        paper = desk.page.frame_locator("iframe[title=打印预览]")
        expect(paper.locator(".page svg")).to_be_visible()
