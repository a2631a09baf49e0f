"""Pickers under slow, reordered and missing answers, and the keys of a bill's whole way, in a real browser."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.bill_form import (
    ADD,
    OUTBOUND,
    add_outbound,
    audit_bill,
    cell_input,
    expect_cell,
    goods,
    manager,
    page,
)
from tests.e2e.conftest import START_SECONDS, DemoUserOpener
from tests.e2e.keystroke_counter import INITIALS, find_by_initials, stock_of
from tests.e2e.station_setup import require_data
from tests.e2e.test_main_job import choose_first
from tests.support.client import Caller

__all__ = ["goods", "manager", "page"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
CUSTOMERS = "**/Customer/getDropdown?*"
LATE = 3_000
HEADER = 46
"""Pixels of the header, in which messages are read."""


@pytest.fixture(scope="module")
def customer(manager: Caller) -> tuple[str, dict[str, Any]]:
    """Not the first of the list, which a stale answer would begin with."""
    words, found = find_by_initials(manager, "v2/custom/Customer", "customer_name", INITIALS)
    rows = require_data(manager.get("v2/custom/Customer/getDropdown", per_page=30))["data"]
    if rows[0]["customer_id"] != found["customer_id"]:
        return words, found
    other = rows[1]
    return other["customer_name"], other


@pytest.fixture
def plenty(goods: list[dict[str, Any]]) -> dict[str, Any]:
    """The goods of which most are in stock: other tests sell as well."""
    return max(goods, key=stock_of)


def locate_select(page: Page, label: str) -> Locator:
    return page.locator(".header-field", has=page.get_by_role("combobox", name=label, exact=True)).locator(
        ".ant-select"
    )


def await_request(page: Page, requests: list[Route], count: int) -> None:
    for _ in range(100):
        if len(requests) >= count:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{len(requests)} questions were asked")


class TestSlowAnswers:
    def test_a_name_entered_at_once_waits_for_its_own_answer(
        self, page: Page, customer: tuple[str, dict[str, Any]]
    ) -> None:
        """All customers stand open, and the answer to half the name comes after the one to the whole."""
        words, wanted = customer
        held: list[Route] = []
        expect(page.get_by_role("combobox", name="客户", exact=True)).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(page.locator(".ant-select-item-option").first).to_be_visible()
        page.route(CUSTOMERS, lambda route: held.append(route))
        page.keyboard.type(words[:2])
        await_request(page, held, 1)
        page.keyboard.type(words[2:])
        page.keyboard.press("Enter")
        await_request(page, held, 2)
        page.wait_for_timeout(LATE)
        expect(locate_select(page, "客户")).not_to_contain_text(wanted["customer_name"])
        expect(page.locator(".ant-select-item-option:visible")).to_have_count(0)
        for route in reversed(held):
            route.continue_()
        expect(page.get_by_role("combobox", name="仓库", exact=True)).to_be_focused()
        expect(locate_select(page, "客户")).to_contain_text(wanted["customer_name"])

    def test_words_of_several_open_the_list_and_choose_none(self, page: Page, manager: Caller) -> None:
        box = page.get_by_role("combobox", name="客户", exact=True)
        expect(box).to_be_focused()
        page.keyboard.type("汽")
        page.keyboard.press("Enter")
        expect(page.locator(".ant-select-item-option:visible").nth(1)).to_contain_text("汽")
        expect(box).to_be_focused()
        expect(locate_select(page, "客户")).to_contain_text("请选择客户")

    def test_without_an_answer_nothing_is_chosen_and_it_is_said(
        self, page: Page, customer: tuple[str, dict[str, Any]]
    ) -> None:
        expect(page.get_by_role("combobox", name="客户", exact=True)).to_be_focused()
        page.route(CUSTOMERS, lambda route: None)
        page.keyboard.type(customer[0])
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"服务器没有应答，客户“{customer[0]}”没有选上")).to_be_visible()
        expect(page.get_by_role("combobox", name="客户", exact=True)).to_be_focused()
        expect(page.get_by_role("combobox", name="客户", exact=True)).to_have_value(customer[0])

    def test_a_quantity_typed_behind_a_code_follows_it(self, page: Page, goods: list[dict[str, Any]]) -> None:
        held: list[Route] = []
        choose_first(page, "仓库")
        page.route("**/getGoodsListPopup?*", lambda route: held.append(route))
        cell_input(page).focus()
        page.keyboard.type(goods[0]["goods_num"])
        for key in ("Enter", "7", "Enter"):
            page.keyboard.press(key)
        await_request(page, held, 1)
        for route in held:
            route.continue_()
        expect_cell(page, "第1行 单价")
        expect(page.locator("[data-field=quantity]").first).to_have_text("7")
        expect(page.locator("[data-field=goods_num]").first).to_have_text(goods[0]["goods_num"])


class TestChain:
    def test_the_keyboard_stays_with_the_page_from_bill_to_bill(
        self, page: Page, manager: Caller, plenty: dict[str, Any]
    ) -> None:
        """Edited, saved, audited, printed, on to the next one that waits: no click in between."""
        line = {"goods_id": plenty["goods_id"], "quantity": "1", "price": "9"}
        waiting = [add_outbound(manager, [line])["id"] for _ in range(2)]
        sheet = page.locator(".detail-page")
        page.goto(page.url.replace(ADD, f"/sales/salesamend?id={waiting[1]}"))
        expect(sheet).to_be_focused()
        page.keyboard.press("F4")
        page.wait_for_url("**/sales/salesoutModify?id=*")
        expect_cell(page, "第1行 数量")
        expect(cell_input(page)).to_be_focused()
        page.keyboard.press("2")
        page.keyboard.press("Control+s")
        page.wait_for_url("**/sales/salesamend?id=*")
        expect(sheet).to_be_focused()
        page.keyboard.press("F8")
        page.get_by_role("dialog").get_by_role("button", name="确定").press("Enter")
        expect(page.get_by_text("已审核", exact=True).first).to_be_visible()
        expect(sheet).to_be_focused()
        page.keyboard.press("F9")
        expect(page.get_by_role("dialog")).to_contain_text("打印销售出库")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(sheet).to_be_focused()
        page.keyboard.press("F6")
        page.wait_for_url(lambda url: not url.endswith(f"={waiting[1]}"))
        expect(page.get_by_text("未审核", exact=True).first).to_be_visible()
        stored = require_data(manager.get(f"{OUTBOUND}/getInfo", id=waiting[1]))
        assert (stored["status"], stored["lines"][0]["quantity"]) == (2, "2.000")

    def test_money_for_a_bill_is_received_from_its_page(
        self, page: Page, manager: Caller, plenty: dict[str, Any]
    ) -> None:
        line = {"goods_id": plenty["goods_id"], "quantity": "1", "price": "9"}
        sale = audit_bill(manager, OUTBOUND, add_outbound(manager, [line]))
        stored = require_data(manager.get(f"{OUTBOUND}/getInfo", id=sale["id"]))
        page.goto(page.url.replace(ADD, f"/sales/salesamend?id={sale['id']}"))
        expect(page.locator(".detail-page")).to_be_focused()
        page.keyboard.press("F10")
        page.wait_for_url("**/custom/receiptmanage_add?*")
        expect(locate_select(page, "客户")).to_contain_text(stored["customer_name"])
        expect(page.get_by_role("combobox", name="结算方式", exact=True)).to_be_focused()

    def test_f1_tells_the_keys_and_which_are_of_use_here(self, desks: DemoUserOpener) -> None:
        desk = desks("分公司经理")
        desk.open("/sales/salesout")
        page = desk.page
        expect(page.locator(".ant-table-row").first).to_be_visible()
        page.keyboard.press("F1")
        table = page.get_by_role("dialog", name="按键表")
        for combo, label in (("F8", "审核"), ("F9", "打印"), ("F6", "下一张待审核"), ("F3", "扫码框")):
            expect(table.locator("div", has=page.locator("kbd", has_text=combo)).last).to_contain_text(label)
        page.keyboard.press("F1")
        expect(table).to_have_count(0)
        page.keyboard.press("F3")
        expect(page.get_by_label("关键字")).to_be_focused()

    def test_a_restored_draft_and_a_refused_save_have_the_keyboard(
        self, page: Page, goods: list[dict[str, Any]]
    ) -> None:
        """Also while a second draft waits for its answer: the notice of the first leaves with its button."""
        customer = page.get_by_role("combobox", name="客户", exact=True)
        # What a link fills in has drafts of its own, which nobody else's visit adds to.
        page.goto(f"{page.url.split('?')[0]}?remark={uuid.uuid4().hex}")
        expect(customer).to_be_focused()
        cell_input(page).focus()
        page.keyboard.type(goods[0]["goods_num"])
        page.keyboard.press("Enter")
        expect_cell(page, "第1行 数量")
        page.get_by_role("button", name="保存", exact=True).click()
        page.get_by_role("button", name="知道了").press("Enter")
        expect(page.locator("main :focus")).to_have_count(1)
        for remark in ("二", "三"):
            page.wait_for_timeout(1_500)
            page.reload()
            expect(page.get_by_role("button", name="恢复", exact=True)).to_be_visible()
            page.get_by_role("textbox", name="备注", exact=True).fill(remark)
        page.wait_for_timeout(1_500)
        page.reload()
        page.get_by_role("button", name="恢复", exact=True).click()
        expect(customer).to_be_focused()
        expect(page.get_by_role("textbox", name="备注", exact=True)).to_have_value("三")
        page.get_by_role("button", name="丢弃", exact=True).click()
        expect(page.get_by_role("button", name="丢弃", exact=True)).to_be_visible()
        expect(page.locator("main :focus:not(button)")).to_have_count(1)

    def test_messages_are_read_where_no_button_is(self, desks: DemoUserOpener) -> None:
        desk = desks("分公司经理")
        desk.open("/sales/salesout")
        desk.page.locator(".ant-table-row").first.wait_for()
        desk.page.get_by_role("button", name="删除", exact=True).click()
        box = desk.page.locator(".ant-message-notice", has_text="请选择要删除的信息").bounding_box()
        assert box and box["y"] + box["height"] <= HEADER

    def test_enter_stops_at_an_optional_head_that_one_asked_for(self, page: Page) -> None:
        expect(page.get_by_role("combobox", name="客户", exact=True)).to_be_focused()
        choose_first(page, "仓库")
        expect(cell_input(page)).to_be_focused()
        page.get_by_role("button", name="回车停留").click()
        page.get_by_role("checkbox", name="备注", exact=True).check()
        page.keyboard.press("Escape")
        choose_first(page, "仓库")
        expect(page.get_by_role("textbox", name="备注", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        expect(cell_input(page)).to_be_focused()
