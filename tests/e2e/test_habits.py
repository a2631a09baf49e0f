"""Habits of people who key in bills all day that other tests of the browser don't go through: a bad network, hidden
cost, one's own columns, long papers, imports and exports."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from playwright.sync_api import Page, Route, expect

from api.kit.database import today
from tests.e2e.conftest import START_SECONDS, Desk, Seat
from tests.e2e.office import Office, hire, made
from tests.e2e.test_bill_entry import ADD, at, first_goods, goods, manager, page
from tests.e2e.test_main_job import choose
from tests.kit.client import Caller

__all__ = ["goods", "manager", "page"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
OUTBOUND = "v2/sales/SalesOutstock"
LISTS = ["sales_outbound:list", "goods:list"]
PAPER = (241, 140)
"""Millimetres."""


def outbound(manager: Caller, lines: list[dict[str, Any]], **header: Any) -> dict[str, Any]:
    """An unaudited outbound to the first customer."""
    places = {
        key: made(manager.get(f"v2/{path}/getDropdown"))["data"][0][key]
        for key, path in (("warehouse_id", "system/Warehouse"), ("customer_id", "custom/Customer"))
    }
    company = made(manager.get("v2/custom/Customer/getInfo", id=places["customer_id"]))["company_id"]
    body = {**places, "company_id": company, "business_date": str(today()), "lines": lines, **header}
    bill: dict[str, Any] = made(manager.post(f"{OUTBOUND}/add", body))
    return bill


def exported(page: Page, place: Path) -> list[Any]:
    """The cells of every sheet of the file that the open list is exported to."""
    page.get_by_role("button", name=re.compile("导出$")).click()
    expect(page.get_by_text("系统正在处理，请稍后在导出任务中下载")).to_be_visible()
    page.get_by_role("button", name="导出任务").click()
    dialog = page.get_by_role("dialog", name="导出任务")
    download = dialog.get_by_role("button", name="下载").first
    for _ in range(60):
        if download.is_enabled():
            break
        page.wait_for_timeout(500)
        dialog.get_by_role("button", name="刷新").click()
    with page.expect_download() as file:
        download.click()
    file.value.save_as(place)
    return [cell for sheet in openpyxl.load_workbook(place) for row in sheet.iter_rows() for cell in row]


def search(page: Page, words: str) -> None:
    page.get_by_label("关键字").fill(words)
    page.get_by_role("button", name="查询", exact=True).click()


class TestBadNetwork:
    def test_a_lost_answer_keeps_the_draft_and_is_asked_for_again_under_the_same_key(
        self, page: Page, goods: list[dict[str, Any]], manager: Caller
    ) -> None:
        keys: list[str | None] = []

        def lose(route: Route) -> None:
            keys.append(route.request.headers.get("idempotency-key"))
            if len(keys) > 1:
                route.continue_()
                return
            route.fetch()
            route.abort()

        page.route("**/SalesOutstock/add?*", lose)
        choose(page, "客户")
        choose(page, "仓库")
        expect(first_goods(page, goods[0]["goods_num"])).to_contain_text(goods[0]["goods_num"])
        page.keyboard.press("Enter")
        at(page, "第1行 数量")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
        before = made(manager.get(f"{OUTBOUND}/getList"))["total"]
        page.keyboard.press("Control+s")
        expect(page.get_by_text(re.compile("网络")).first).to_be_visible()
        assert ADD in page.url
        expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^1(\.0+)?$"))
        page.keyboard.press("Control+s")
        page.wait_for_url("**/sales/salesamend?id=*")
        assert len(keys) == 2 and keys[0] == keys[1] is not None
        assert made(manager.get(f"{OUTBOUND}/getList"))["total"] == before + 1


class TestHiddenCost:
    def test_whoever_may_not_see_it_finds_it_nowhere(
        self, seat: Seat, office: Office, goods: list[dict[str, Any]], manager: Caller, tmp_path: Path
    ) -> None:
        bill = outbound(manager, [{"goods_id": goods[1]["goods_id"], "quantity": "3", "price": "1"}])
        made(manager.post(f"{OUTBOUND}/auditorPass", {"ids": [bill["id"]], "confirmed": True}))
        [stored] = made(manager.get(f"{OUTBOUND}/getInfo", id=bill["id"]))["lines"]
        cost = float(stored["cost_amount"])
        for sees in (True, False):
            user = hire(
                office, [*LISTS, "sales_outbound_detail:list", "sales_outbound_detail:export"], "看成本的人"
            )
            made(office.admin.post("v2/system/Role/edit", {"id": user.role_id, "sees_cost": sees}))
            page = (desk := seat(user)).page
            desk.open(f"/sales/outstockgoodsdetail?bill_no={bill['bill_no']}")
            expect(page.get_by_text(bill["bill_no"]).first).to_be_visible()
            read = [f"{cost:,.2f}" in page.inner_text("body")]
            figures = {cell.value for cell in exported(page, tmp_path / f"{sees}.xlsx")}
            desk.open(f"/sales/salesamend?id={bill['id']}")
            expect(page.get_by_role("heading", name=re.compile(bill["bill_no"]))).to_be_visible()
            read.append(f"{cost:,.2f}" in page.inner_text("body"))
            assert [*read, cost in figures] == [sees] * 3


class TestOwnLists:
    def test_columns_goods_inside_neighbours_and_the_last_query(
        self, seat: Seat, office: Office, manager: Caller, goods: list[dict[str, Any]]
    ) -> None:
        bills = [
            outbound(manager, [{"goods_id": goods[2]["goods_id"], "quantity": "1", "price": "9"}])["bill_no"]
            for _ in range(2)
        ]
        user = hire(office, LISTS, "查单的人")
        page = (desk := seat(user)).page
        desk.open("/sales/salesout")
        expect(page.get_by_text(bills[1]).first).to_be_visible()
        search(page, bills[0][:-1])
        page.get_by_role("button", name="列设置").click()
        page.get_by_role("checkbox", name="部门", exact=True).uncheck()
        page.keyboard.press("Escape")
        expect(page.get_by_role("columnheader", name="部门", exact=True)).to_have_count(0)
        day = page.get_by_role("columnheader", name="业务日期", exact=True)
        day.locator(".resize-handle").hover()
        page.mouse.down()
        page.mouse.move(day.bounding_box()["x"] + 260, 200)  # type: ignore[index]
        page.mouse.up()
        width = day.evaluate("one => one.offsetWidth")
        assert width > 200
        page.reload()
        expect(day).to_have_js_property("offsetWidth", width)
        expect(page.get_by_label("关键字")).to_have_value(bills[0][:-1])
        expect(page.get_by_role("columnheader", name="部门", exact=True)).to_have_count(0)
        page.get_by_role("link", name=bills[1]).click()
        expect(page.get_by_role("heading", name=re.compile(bills[1]))).to_be_visible()
        page.get_by_role("button", name="下一条").click()
        expect(page.get_by_role("heading", name=re.compile(bills[0]))).to_be_visible()
        page.get_by_role("button", name="上一条").click()
        expect(page.get_by_role("heading", name=re.compile(bills[1]))).to_be_visible()
        desk.open(f"/sales/salesout?goods_id={goods[2]['goods_id']}")
        expect(page.get_by_text(bills[0]).first).to_be_visible()
        desk.open(f"/sales/salesout?goods_id={goods[2]['goods_id']}&bill_no={bills[0]}")
        expect(page.get_by_text(bills[1])).to_have_count(0)


class TestPaper:
    def test_a_long_bill_fills_several_sheets_of_the_multi_part_paper(
        self, desks: Callable[[str], Desk], goods: list[dict[str, Any]], manager: Caller
    ) -> None:
        line = {"goods_id": goods[3]["goods_id"], "quantity": "1", "price": "77.25"}
        bill = outbound(manager, [line] * 30)
        page = (desk := desks("分公司经理")).page
        desk.open(f"/sales/salesamend?id={bill['id']}")
        with page.expect_response("**/SalesOutstock/print?*") as answered:
            page.get_by_role("button", name="打印").click()
        told = answered.value.json()["data"]
        assert told["pages"] > 1
        expect(page.get_by_text(f"1 张单据，{told['pages']} 页")).to_be_visible()
        paper = page.frame_locator("iframe[title=打印预览]")
        expect(paper.locator(".page")).to_have_count(told["pages"])
        drawn = paper.locator(".page svg").first
        box = str(drawn.get_attribute("viewBox")).split()[2:]
        assert tuple(round(float(side) / 72 * 25.4) for side in box) == PAPER


class TestExport:
    def test_the_file_tells_its_filter_and_figures_are_figures_and_texts_texts(
        self, desks: Callable[[str], Desk], manager: Caller, goods: list[dict[str, Any]], tmp_path: Path
    ) -> None:
        line = {"goods_id": goods[3]["goods_id"], "quantity": "1", "price": "1234.5"}
        bill = outbound(manager, [line], remark="=1+1")
        page = (desk := desks("分公司经理")).page
        desk.open("/sales/salesout")
        expect(page.locator(".ant-table-row").first).to_be_visible()
        search(page, bill["bill_no"])
        expect(page.locator(".ant-table-row")).to_have_count(1)
        cells = exported(page, tmp_path / "bills.xlsx")
        told = {cell.value: cell for cell in cells if cell.value is not None}
        assert [cell.value for cell in cells].count(bill["bill_no"]) == 2  # the row's, and the filter's
        assert (told["=1+1"].data_type, told[1234.5].data_type) == ("s", "n")
