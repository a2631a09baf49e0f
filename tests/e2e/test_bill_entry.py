"""Keying in bills all day: what clerks are used to from elsewhere, in a sales outbound and its list."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import openpyxl
import pytest
from playwright.sync_api import Locator, Page, expect

from api.demo import logins
from api.kit.database import today
from tests.e2e.conftest import START_SECONDS, Desk, System
from tests.e2e.office import log_in, made
from tests.e2e.test_main_job import choose
from tests.kit.client import Caller

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
ADD = "/sales/salesoutAdd"
ROWS = 500


@pytest.fixture(scope="module")
def manager(system: System) -> Caller:
    """The branch manager's calls."""
    [user] = [login for login in logins() if login["role"] == "分公司经理"]
    return log_in(httpx.Client(base_url=system.address, timeout=60), user["user_name"], user["password"])


@pytest.fixture(scope="module")
def goods(manager: Caller) -> list[dict[str, Any]]:
    """Goods in stock, with all that they may be found by."""
    warehouse = made(manager.get("v2/system/Warehouse/getDropdown"))["data"][0]["warehouse_id"]
    asked = {"warehouse_id": warehouse, "bill_type": "XSCK", "keyword": "轮胎", "per_page": 100}
    found = made(manager.get("v2/inventory/Goods/getGoodsListPopup", **asked))["data"]
    return [row for row in found if float(row["available_stocks"] or 0) > 5]


@pytest.fixture
def page(desks: Callable[[str], Desk]) -> Page:
    """The branch manager's, with a new outbound open."""
    desk = desks("分公司经理")
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.open(ADD)
    return desk.page


def cell(page: Page) -> Locator:
    return page.locator(".cell-input")


def at(page: Page, place: str) -> None:
    expect(cell(page)).to_have_attribute("aria-label", place)


def first_goods(page: Page, words: str) -> Locator:
    """The first goods on offer for what is typed into the goods cell."""
    cell(page).focus()
    page.keyboard.type(words)
    return page.locator(".choice:not(.heading)").first


def lines(page: Page) -> int:
    return int(page.get_by_role("grid").first.get_attribute("aria-rowcount") or 0) - 2


@pytest.fixture(scope="module")
def sold(manager: Caller, goods: list[dict[str, Any]]) -> dict[str, Any]:
    """An audited outbound of which one piece came back."""
    bill = _sell(manager, goods[0])
    draft = made(manager.get("v2/sales/SalesReturn/getDraft", id=bill["id"]))
    draft["lines"][0] |= {"quantity": "1", "batch": goods[0]["batch"]}
    back = _audited(manager, "v2/sales/SalesReturn", {**draft, "business_date": str(today())})
    return {**bill, "back": back}


def _sell(manager: Caller, goods: dict[str, Any]) -> dict[str, Any]:
    """Two pieces to the first customer, of whichever batch."""
    places = {
        key: made(manager.get(f"v2/{path}/getDropdown"))["data"][0][key]
        for key, path in (("warehouse_id", "system/Warehouse"), ("customer_id", "custom/Customer"))
    }
    customer = made(manager.get("v2/custom/Customer/getInfo", id=places["customer_id"]))
    line = {"goods_id": goods["goods_id"], "quantity": "2", "price": "300", "tax_rate": "13"}
    header = {**places, "company_id": customer["company_id"], "business_date": str(today())}
    return _audited(manager, "v2/sales/SalesOutstock", {**header, "lines": [line]})


def _audited(manager: Caller, api: str, body: dict[str, Any]) -> dict[str, Any]:
    bill: dict[str, Any] = made(manager.post(f"{api}/add", body))
    made(manager.post(f"{api}/auditorPass", {"ids": [bill["id"]], "confirmed": True}))
    return bill


class TestKeyboard:
    def test_enter_leads_from_cell_to_cell_and_ctrl_s_saves(
        self, page: Page, goods: list[dict[str, Any]]
    ) -> None:
        choose(page, "客户")
        choose(page, "仓库")
        for row, one in enumerate(goods[:2], 1):
            at(page, f"第{row}行 商品")
            expect(first_goods(page, one["goods_num"])).to_contain_text(one["goods_num"])
            page.keyboard.press("Enter")
            at(page, f"第{row}行 数量")
            page.keyboard.type("2")
            page.keyboard.press("Enter")
            at(page, f"第{row}行 单价")
            page.keyboard.type("88.5")
            page.keyboard.press("Enter")
            for _ in range(3):
                if f"第{row}行" in (cell(page).get_attribute("aria-label") or ""):
                    page.keyboard.press("Enter")
        page.keyboard.press("Control+s")
        page.wait_for_url("**/sales/salesamend?id=*")
        expect(page.get_by_text("354.00").first).to_be_visible()

    def test_goods_are_found_by_whatever_one_knows_of_them(
        self, page: Page, goods: list[dict[str, Any]]
    ) -> None:
        choose(page, "仓库")
        one = next(row for row in goods if row["barcode"] and row["specification_type"] and row["logogram"])
        for known in ("goods_num", "goods_name", "specification_type", "logogram", "barcode"):
            first_goods(page, one[known])
            found = page.locator(".choice:not(.heading)", has_text=one["goods_num"])
            expect(found.first, known).to_contain_text(re.compile(r"\d"))
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")

    def test_stock_and_last_price_stand_beside_the_line(
        self, page: Page, goods: list[dict[str, Any]]
    ) -> None:
        choose(page, "客户")
        choose(page, "仓库")
        first_goods(page, goods[0]["goods_num"]).click()
        row = page.get_by_role("row").nth(1)
        for column in ("可用库存", "最近价"):
            expect(page.get_by_role("columnheader", name=column)).to_be_visible()
        expect(row).to_contain_text(f"{float(goods[0]['available_stocks']):,.0f}")


class TestInputMethod:
    def test_no_letter_is_lost_and_its_enter_stays_in_the_cell(self, page: Page) -> None:
        typing = page.context.new_cdp_session(page)
        cell(page).focus()
        for text in ("l", "lu", "lun"):
            typing.send(
                "Input.imeSetComposition",
                {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
            )
        enter = {"windowsVirtualKeyCode": 229, "code": "Enter", "key": "Process"}
        typing.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
        at(page, "第1行 商品")
        typing.send("Input.insertText", {"text": "轮胎"})
        expect(cell(page)).to_have_value("轮胎")
        expect(page.locator(".choice:not(.heading)").first).to_contain_text("轮胎")

    def test_scanning_goes_on_while_it_is_on(self, page: Page, goods: list[dict[str, Any]]) -> None:
        choose(page, "仓库")
        scan, code = page.get_by_label("扫码"), goods[0]["goods_num"]
        scan.focus()
        for _ in range(2):
            page.keyboard.type(code)
            page.keyboard.press("Enter")
        expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^2(\.0+)?$"))
        typing = page.context.new_cdp_session(page)
        typing.send(
            "Input.imeSetComposition", {"text": code, "selectionStart": len(code), "selectionEnd": len(code)}
        )
        enter = {"windowsVirtualKeyCode": 229, "code": "Enter", "key": "Process"}
        typing.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
        typing.send("Input.insertText", {"text": code})
        expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^3(\.0+)?$"))
        expect(scan).to_be_focused()
        expect(scan).to_have_value("")


class TestManyLines:
    def test_rows_pasted_from_a_sheet_are_as_many_lines(
        self, page: Page, goods: list[dict[str, Any]]
    ) -> None:
        choose(page, "仓库")
        rows = [f"{goods[row % len(goods)]['goods_num']}\t2" for row in range(ROWS)]
        page.evaluate("text => navigator.clipboard.writeText(text)", "\r\n".join(rows))
        cell(page).focus()
        page.keyboard.press("Control+v")
        expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^1,?000(\.0+)?$"))
        assert lines(page) in (ROWS, ROWS + 1)

    def test_a_file_of_lines_tells_which_it_could_not_take(
        self, page: Page, goods: list[dict[str, Any]], tmp_path: Path
    ) -> None:
        choose(page, "仓库")
        sheet = openpyxl.Workbook()
        for row in (["商品编码", "数量", "单价"], [goods[0]["goods_num"], 3, 10], ["没有这个编码", 1, 10]):
            sheet.active.append(row)
        sheet.save(tmp_path / "lines.xlsx")
        page.locator(".line-toolbar input[type=file]").set_input_files(tmp_path / "lines.xlsx")
        told = page.get_by_role("dialog")
        expect(told).to_contain_text("没有这个编码")
        expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^[34](\.0+)?$"))


class TestMistakes:
    def test_every_wrong_line_is_marked_at_once(self, page: Page, goods: list[dict[str, Any]]) -> None:
        choose(page, "客户")
        choose(page, "仓库")
        rows = [f"{one['goods_num']}\t0" for one in goods[:3]]
        page.evaluate("text => navigator.clipboard.writeText(text)", "\r\n".join(rows))
        cell(page).focus()
        page.keyboard.press("Control+v")
        expect(page.get_by_role("gridcell", name=goods[2]["goods_name"]).first).to_be_visible()
        page.keyboard.press("Control+s")
        expect(page.locator("[role=gridcell][aria-invalid=true]")).to_have_count(3)
        assert ADD in page.url

    def test_a_double_click_saves_once(
        self, page: Page, goods: list[dict[str, Any]], manager: Caller
    ) -> None:
        choose(page, "客户")
        choose(page, "仓库")
        choice = first_goods(page, goods[0]["goods_num"])
        expect(choice).to_contain_text(goods[0]["goods_num"])
        choice.click()
        at(page, "第1行 数量")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
        before = made(manager.get("v2/sales/SalesOutstock/getList"))["total"]
        page.get_by_role("button", name="保存", exact=True).dblclick()
        page.wait_for_url("**/sales/salesamend?id=*")
        assert made(manager.get("v2/sales/SalesOutstock/getList"))["total"] == before + 1


class TestStoredBills:
    def test_a_copy_is_a_bill_of_its_own(
        self, desks: Callable[[str], Desk], sold: dict[str, Any], manager: Caller
    ) -> None:
        desk = desks("分公司经理")
        desk.open(f"/sales/salesamend?id={sold['id']}")
        desk.page.get_by_role("button", name="复制").click()
        desk.page.wait_for_url(f"**{ADD}?copy={sold['id']}")
        expect(desk.page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^2(\.0+)?$"))
        desk.page.keyboard.press("Control+s")
        desk.page.wait_for_url("**/sales/salesamend?id=*")
        copy = made(manager.get("v2/sales/SalesOutstock/getInfo", id=desk.page.url.split("=")[-1]))
        assert (copy["status"], copy["bill_no"] != sold["bill_no"]) == (1, True)
        assert [line["returned_quantity"] for line in copy["lines"]] == ["0.000"]

    def test_a_refused_undo_leads_to_what_stands_in_its_way(
        self, desks: Callable[[str], Desk], sold: dict[str, Any]
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
        self, desks: Callable[[str], Desk], goods: list[dict[str, Any]], manager: Caller
    ) -> None:
        sold = _sell(manager, goods[0])
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
        back = made(manager.get("v2/sales/SalesReturn/getInfo", id=page.url.split("=")[-1]))
        undone = made(manager.get("v2/sales/SalesOutstock/getInfo", id=sold["id"]))
        assert back["total_amount"] == undone["total_amount"] == "600.00"
        assert [line["returned_quantity"] for line in undone["lines"]] == ["2.000"]

    def test_the_clerk_sees_no_cost_of_it(
        self, desks: Callable[[str], Desk], sold: dict[str, Any], manager: Caller
    ) -> None:
        bill = made(manager.get("v2/sales/SalesOutstock/getInfo", id=sold["id"]))
        cost = f"{float(bill['lines'][0]['cost_amount']):,.2f}"
        for role, sees in (("分公司经理", True), ("开单员", False)):
            desk = desks(role)
            desk.open(f"/sales/salesamend?id={sold['id']}")
            expect(desk.page.get_by_text(sold["bill_no"]).first).to_be_visible()
            desk.page.get_by_role("button", name="关联与流水").click()
            expect(desk.page.get_by_role("heading", name="库存流水")).to_be_visible()
            assert (cost in desk.page.inner_text("body")) == sees, role

    def test_it_is_shown_as_it_will_be_printed(
        self, desks: Callable[[str], Desk], sold: dict[str, Any]
    ) -> None:
        """The words on the paper are read in the tests of printing; here they are drawn."""
        desk = desks("分公司经理")
        desk.open(f"/sales/salesamend?id={sold['id']}")
        desk.page.get_by_role("button", name="打印").click()
        expect(desk.page.get_by_text("1 张单据，1 页")).to_be_visible()
        paper = desk.page.frame_locator("iframe[title=打印预览]")
        expect(paper.locator(".page svg")).to_be_visible()


class TestPacks:
    def test_goods_are_sold_by_the_carton(self, page: Page, manager: Caller) -> None:
        """Keyed in, scanned, saved, and shown again with the number of cartons that came to the quantity."""
        found = made(manager.get("v2/inventory/Goods/getGoodsListPopup", keyword="机油滤清器", per_page=100))
        one = next(row for row in found["data"] if row["units"])
        [carton] = one["units"]
        each = int(carton["factor"])
        choose(page, "客户")
        choose(page, "仓库")
        expect(page.get_by_role("columnheader", name="件数")).to_have_count(0)
        expect(first_goods(page, one["goods_num"])).to_contain_text(one["goods_num"])
        page.keyboard.press("Enter")
        at(page, "第1行 件数")
        page.keyboard.type("2")
        page.keyboard.press("Enter")
        at(page, "第1行 数量")
        expect(page.locator("[data-field=quantity]").first).to_have_text(re.compile(rf"^{2 * each}(\.0+)?$"))
        expect(page.locator("[data-field=pack_unit_id]").first).to_have_text(carton["unit_name"])
        page.get_by_label("扫码").focus()
        page.keyboard.type(carton["barcode"])
        page.keyboard.press("Enter")
        expect(page.locator("[data-field=pack_quantity]").first).to_have_text(re.compile(r"^3(\.0+)?$"))
        page.keyboard.press("Control+s")
        page.wait_for_url("**/sales/salesamend?id=*")
        shown = page.get_by_role("row").filter(has_text=one["goods_num"])
        expect(shown.get_by_role("cell", name=carton["unit_name"], exact=True)).to_be_visible()
        expect(shown.get_by_role("cell", name=re.compile(rf"^{3 * each}(\.0+)?$"))).to_be_visible()
        [line] = made(manager.get("v2/sales/SalesOutstock/getInfo", id=page.url.split("=")[-1]))["lines"]
        assert (line["pack_quantity"], line["quantity"]) == ("3.000", f"{3 * each}.000")


class TestGifts:
    def test_what_is_bought_brings_its_gift(
        self, page: Page, manager: Caller, goods: list[dict[str, Any]]
    ) -> None:
        bought, given = goods[2], goods[3]
        company = made(manager.get("v2/custom/Customer/getDropdown"))["data"][0]["company_id"]
        line = {"method": 3, "goods_id": bought["goods_id"], "buy_quantity": "4"}
        gift = {"gift_goods_id": given["goods_id"], "gift_quantity": "1"}
        days = dict.fromkeys(("business_date", "starts_on", "ends_on"), str(today()))
        policy = {"company_id": company, "policy_name": "买四送一", **days, "lines": [line | gift]}
        _audited(manager, "v2/sales/PromotionPolicy", policy)
        choose(page, "客户")
        choose(page, "仓库")
        at(page, "第1行 商品")
        expect(first_goods(page, bought["goods_num"])).to_contain_text(bought["goods_num"])
        page.keyboard.press("Enter")
        at(page, "第1行 数量")
        page.keyboard.type("9")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="添加赠品").click()
        expect(page.get_by_text("已生成1行")).to_be_visible()
        page.get_by_role("button", name="添加赠品").click()
        expect(page.get_by_text("没有需要生成的明细")).to_be_visible()
        page.keyboard.press("Control+s")
        page.wait_for_url("**/sales/salesamend?id=*")
        lines = made(manager.get("v2/sales/SalesOutstock/getInfo", id=page.url.split("=")[-1]))["lines"]
        assert [(row["goods_id"], row["quantity"], row["is_gift"], row["amount"]) for row in lines] == [
            (bought["goods_id"], "9.000", False, lines[0]["amount"]),
            (given["goods_id"], "2.000", True, "0.00"),
        ]
        assert float(lines[0]["amount"]) > 0


class TestStatement:
    def test_it_is_drawn_audited_and_sent_to_the_customer(
        self, desks: Callable[[str], Desk], sold: dict[str, Any], manager: Caller
    ) -> None:
        page = (desk := desks("分公司经理")).page
        desk.open("/custom/accountStatement/add")
        choose(page, "客户")
        page.get_by_label("起始日期").fill(str(today()))
        page.keyboard.press("Enter")
        page.get_by_label("截止日期").fill(str(today()))
        page.keyboard.press("Enter")
        page.get_by_role("button", name="保存并审核").click()
        page.wait_for_url("**/custom/accountStatement/see?id=*")
        expect(page.get_by_text(sold["bill_no"]).first).to_be_visible()
        page.get_by_role("button", name="发送").click()
        page.get_by_role("button", name="确定").click()
        expect(page.get_by_text("发送成功").first).to_be_visible()


class TestLists:
    def test_the_footer_totals_all_that_is_found(
        self, desks: Callable[[str], Desk], sold: dict[str, Any], manager: Caller
    ) -> None:
        part = sold["bill_no"][:-1]
        desk = desks("分公司经理")
        page = desk.page
        desk.open("/sales/salesout")
        expect(page.locator(".ant-table-row").first).to_be_visible()
        page.get_by_label("关键字").fill(part)
        page.get_by_role("button", name="查询", exact=True).click()
        expect(page.get_by_text(sold["bill_no"])).to_be_visible()
        found = made(manager.get("v2/sales/SalesOutstock/getList", keyword=part))
        expect(page.locator(".totals-row")).to_contain_text(f"{float(found['totals']['total_amount']):,.2f}")

    def test_an_export_has_every_row_of_the_filter(
        self, desks: Callable[[str], Desk], manager: Caller, tmp_path: Path
    ) -> None:
        desk = desks("分公司经理")
        page = desk.page
        desk.open("/sales/salesout")
        total = made(manager.get("v2/sales/SalesOutstock/getList"))["total"]
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
        file.value.save_as(tmp_path / "bills.xlsx")
        sheet = openpyxl.load_workbook(tmp_path / "bills.xlsx", read_only=True).active
        numbers = [
            str(value)
            for row in sheet.iter_rows(values_only=True)
            for value in row
            if re.match("XSCK", str(value))
        ]
        assert len(set(numbers)) == total
