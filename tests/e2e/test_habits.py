"""Habits of people who key in bills all day that other tests of the browser don't go through: a bad network, hidden
cost, lists of one's own."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.bill_form import (
    ADD,
    OUTBOUND,
    add_outbound,
    audit_bill,
    expect_cell,
    first_goods_choice,
    goods,
    manager,
    page,
    search_list,
)
from tests.e2e.conftest import START_SECONDS, BrowserUser, UserOpener
from tests.e2e.station_setup import StationLogin, StationSetup, create_staff, require_data
from tests.e2e.test_main_job import choose_first
from tests.printing.pdf_pages import read_pdf
from tests.support.client import Caller

__all__ = ["goods", "manager", "page"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
LISTS = ["sales_outbound:list", "goods:list"]
SETUP = "v2/system/PrintSetup"


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
        choose_first(page, "客户")
        choose_first(page, "仓库")
        expect(first_goods_choice(page, goods[0]["goods_num"])).to_contain_text(goods[0]["goods_num"])
        page.keyboard.press("Enter")
        expect_cell(page, "第1行 数量")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
        before = require_data(manager.get(f"{OUTBOUND}/getList"))["total"]
        page.keyboard.press("Control+s")
        expect(page.get_by_text(re.compile("网络")).first).to_be_visible()
        assert ADD in page.url
        expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^1(\.0+)?$"))
        page.keyboard.press("Control+s")
        page.wait_for_url("**/sales/salesamend?id=*")
        assert len(keys) == 2 and keys[0] == keys[1] is not None
        assert require_data(manager.get(f"{OUTBOUND}/getList"))["total"] == before + 1


class TestHiddenCost:
    def test_whoever_may_not_see_it_finds_it_nowhere(
        self,
        seat: UserOpener,
        office: StationSetup,
        goods: list[dict[str, Any]],
        manager: Caller,
        tmp_path: Path,
    ) -> None:
        """Whoever may, finds it in each of these places."""
        line = {"goods_id": goods[1]["goods_id"], "quantity": "3", "price": "1"}
        bill = audit_bill(manager, OUTBOUND, add_outbound(manager, [line]))
        [stored] = require_data(manager.get(f"{OUTBOUND}/getInfo", id=bill["id"]))["lines"]
        cost = float(stored["cost_amount"])
        template = _with_cost(office)
        company = require_data(manager.get(f"{OUTBOUND}/getInfo", id=bill["id"]))["company_id"]
        asked = {"company_id": company, "per_page": 1}
        key = require_data(office.admin.get("v2/system/CompanyGoods/getList", **asked))["data"][0][
            "company_goods_id"
        ]
        require_data(
            office.admin.post("v2/system/CompanyGoods/edit", {"id": key, "purchase_price": "7654.32"})
        )
        rights = [*LISTS, "sales_outbound_detail:list", "sales_outbound_detail:export", "sales_detail:list"]
        for sees in (True, False):
            user = create_staff(office, [*rights, "company_goods:list", "company_goods:edit"], "看成本的人")
            require_data(office.admin.post("v2/system/Role/edit", {"id": user.role_id, "sees_cost": sees}))
            page = (desk := seat(user)).page
            desk.open(f"/sales/outstockgoodsdetail?bill_no={bill['bill_no']}")
            expect(page.get_by_text(bill["bill_no"]).first).to_be_visible()
            found = {"list": f"{cost:,.2f}" in page.inner_text("body")}
            found["export"] = cost in {cell.value for cell in desk.export_list(tmp_path / f"{sees}.xlsx")}
            desk.open(f"/sales/salesamend?id={bill['id']}")
            expect(page.get_by_role("heading", name=re.compile(bill["bill_no"]))).to_be_visible()
            found["bill"] = f"{cost:,.2f}" in page.inner_text("body")
            page.get_by_role("button", name="打印").click()
            page.get_by_role("combobox", name="打印模板").click()
            page.get_by_title(template, exact=True).click()
            expect(page.get_by_text("1 张单据，1 页")).to_be_visible()
            paper = desk.save_download(page.get_by_role("button", name="下载PDF"), tmp_path / f"{sees}.pdf")
            found["print"] = f"{cost:,.2f}" in read_pdf(paper.read_bytes()).text
            desk.open(f"/system/companygoods_amend?id={key}")
            expect(page.get_by_label("销售价").first).to_be_visible()
            found["form"] = "7654.32" in page.evaluate(WRITTEN)
            desk.open(f"/report/salesdetrpt?bill_no={bill['bill_no']}")
            _await_row(page, page.locator(".ant-table-row", has_text=bill["bill_no"]))
            found["report"] = f"{cost:,.2f}" in page.inner_text("body")
            assert found == dict.fromkeys(found, sees)


WRITTEN = "() => [...document.querySelectorAll('input')].map(one => one.value.replaceAll(',', '')).join(' ')"


def _with_cost(office: StationSetup) -> str:
    """Return a template of outbounds that prints every cost there is."""
    defined = require_data(office.admin.get(f"{SETUP}/getPrintDefinedInfo", bill_type="sales_outbound"))
    layout, name = defined["layout"], f"含成本{time.time_ns()}"
    layout["columns"]["lines"] += [
        {"name": field["name"]}
        for block in defined["blocks"]
        for field in block["fields"]
        if field["is_cost"]
    ]
    body = {"bill_type": "sales_outbound", "template_name": name, "layout": layout}
    require_data(office.admin.post(f"{SETUP}/addPrint", body))
    return name


def _await_row(page: Page, row: Locator) -> None:
    """Wait until reports show a bill, once the marts have it."""
    for _ in range(30):
        page.get_by_role("button", name="查询", exact=True).click()
        page.wait_for_timeout(1_000)
        if row.count():
            return
    expect(row.first).to_be_visible()


class TestOwnLists:
    def test_columns_goods_inside_neighbours_and_the_last_query(
        self, seat: UserOpener, office: StationSetup, manager: Caller, goods: list[dict[str, Any]]
    ) -> None:
        line = {"goods_id": goods[2]["goods_id"], "quantity": "1", "price": "9"}
        bills = [add_outbound(manager, [line])["bill_no"] for _ in range(2)]
        user = create_staff(office, LISTS, "查单的人")
        page = (desk := seat(user)).page
        desk.open("/sales/salesout")
        expect(page.get_by_text(bills[1]).first).to_be_visible()
        search_list(page, words := bills[0][:-3])
        page.get_by_role("button", name="列设置").click()
        page.get_by_role("checkbox", name="部门", exact=True).uncheck()
        page.keyboard.press("Escape")
        expect(page.get_by_role("columnheader", name="部门", exact=True)).to_have_count(0)
        day = page.get_by_role("columnheader", name="业务日期", exact=True)
        day.locator(".resize-handle").hover()
        page.mouse.down()
        page.mouse.move(day.bounding_box()["x"] + 260, 200)  # type: ignore[index]
        with page.expect_response("**/UserPreference/save*"):
            page.mouse.up()
        width = day.evaluate("one => one.offsetWidth")
        assert width > 200
        page.reload()
        expect(day).to_have_js_property("offsetWidth", width)
        expect(page.get_by_label("关键字")).to_have_value(words)
        expect(page.get_by_role("columnheader", name="部门", exact=True)).to_have_count(0)
        page.get_by_role("link", name=bills[1]).click()
        expect(page.get_by_role("heading", name=re.compile(bills[1]))).to_be_visible()
        page.get_by_role("button", name="下一条").click()
        expect(page.get_by_role("heading", name=re.compile(bills[0]))).to_be_visible()
        page.get_by_role("button", name="上一条").click()
        expect(page.get_by_role("heading", name=re.compile(bills[1]))).to_be_visible()
        self._found_by_goods(desk, manager, goods[2], bills)
        self._schemes(desk, seat, user, office, width)

    def _found_by_goods(
        self, desk: BrowserUser, manager: Caller, goods: dict[str, Any], bills: list[str]
    ) -> None:
        """Beside the last query, which is still there."""
        page = desk.page
        desk.open("/sales/salesout")
        page.get_by_role("button", name="展开").click()
        page.get_by_role("combobox", name="商品", exact=True).click()
        page.keyboard.type(goods["goods_num"])
        page.locator(".ant-select-item-option:visible", has_text=goods["goods_name"]).click()
        page.keyboard.press("Escape")
        with page.expect_response("**/SalesOutstock/getList?*goods_id=*") as found:
            page.get_by_role("button", name="查询", exact=True).click()
        shown = {row["bill_no"] for row in found.value.json()["data"]["data"]}
        words = {"keyword": bills[0][:-3], "goods_id": goods["goods_id"]}
        wanted = require_data(manager.get(f"{OUTBOUND}/getList", **words))["data"]
        assert set(bills) <= shown == {row["bill_no"] for row in wanted}

    def _schemes(
        self, desk: BrowserUser, seat: UserOpener, user: StationLogin, office: StationSetup, width: int
    ) -> None:
        """One for all and to begin with, one for himself; columns are his at any desk, and nobody else's."""
        page = desk.page
        words = page.get_by_label("关键字").input_value()
        page.get_by_role("button", name="查询方案").click()
        shared, own = f"大家的{user.user_id}", f"自己的{user.user_id}"
        for name, marks in ((shared, ("公开", "设为默认")), (own, ())):
            page.get_by_label("方案名称").fill(name)
            for mark in ("公开", "设为默认"):
                page.get_by_role("checkbox", name=mark).set_checked(mark in marks)
            page.get_by_role("button", name="保存", exact=True).click()
            expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
        colleague = seat(create_staff(office, LISTS, "同事"))
        colleague.open("/sales/salesout")
        theirs = colleague.page
        theirs.get_by_role("button", name="查询方案").click()
        expect(theirs.get_by_role("button", name=own, exact=True)).to_have_count(0)
        theirs.get_by_role("button", name=shared, exact=True).click()
        expect(theirs.get_by_label("关键字")).to_have_value(words)
        expect(theirs.get_by_role("columnheader", name="部门", exact=True)).to_be_visible()
        elsewhere = seat(user)
        elsewhere.open("/sales/salesout")
        expect(elsewhere.page.get_by_label("关键字")).to_have_value(words)
        expect(elsewhere.page.get_by_role("columnheader", name="部门", exact=True)).to_have_count(0)
        day = elsewhere.page.get_by_role("columnheader", name="业务日期", exact=True)
        expect(day).to_have_js_property("offsetWidth", width)
