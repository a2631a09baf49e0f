"""Keying in bills all day: what clerks are used to from elsewhere, in a sales outbound and its list."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from playwright.sync_api import Page, expect

from api.kit.storage.database import today
from tests.e2e.bill_form import (
    ADD,
    OUTBOUND,
    PAGE,
    audit_bill,
    cell_input,
    count_lines,
    expect_cell,
    first_goods_choice,
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
POLICY = "v2/sales/PromotionPolicy"
ROWS = 500


class TestKeyboard:
    def test_enter_leads_from_cell_to_cell_one_key_to_a_figure_and_ctrl_s_saves(
        self, page: Page, goods: list[dict[str, Any]]
    ) -> None:
        customer = page.get_by_role("combobox", name="客户", exact=True)
        expect(customer).to_be_focused()
        choose_first(page, "客户")
        expect(customer).to_have_attribute("aria-expanded", "false")
        expect(page.get_by_role("combobox", name="仓库", exact=True)).to_be_focused()
        expect(page.locator(".header-fields [aria-expanded=true]")).to_have_count(0)
        choose_first(page, "仓库")
        for row, one in enumerate(goods[:2], 1):
            expect_cell(page, f"第{row}行 商品")
            expect(first_goods_choice(page, one["goods_num"])).to_contain_text(one["goods_num"])
            page.keyboard.press("Enter")
            expect_cell(page, f"第{row}行 数量")
            page.keyboard.type("2")
            page.keyboard.press("Enter")
            expect_cell(page, f"第{row}行 单价")
            page.keyboard.type("88.5")
            page.keyboard.press("Enter")
            for _ in range(3):
                if f"第{row}行" in (cell_input(page).get_attribute("aria-label") or ""):
                    page.keyboard.press("Enter")
        expect_cell(page, "第3行 商品")
        page.keyboard.press("ArrowUp")
        for key, figure in (("2", "数量"), ("3", "单价"), ("4", "优惠金额")):
            page.keyboard.press(f"Alt+{key}")
            expect_cell(page, f"第2行 {figure}")
        expect(page.get_by_role("columnheader", name="*商品", exact=True)).to_be_in_viewport(ratio=1)
        page.keyboard.press("Alt+1")
        picker = page.get_by_role("dialog", name="选择商品")
        expect(picker.get_by_label("编码 / 名称")).to_be_focused()
        page.keyboard.press("Escape")
        expect(picker).to_have_count(0)
        expect(cell_input(page)).to_be_focused()
        page.keyboard.press("Control+s")
        page.wait_for_url("**/sales/salesamend?id=*")
        expect(page.get_by_text("354.00").first).to_be_visible()
        for read in ("商品", "数量", "单价", "金额"):
            heading = page.locator(".block-table").get_by_role("columnheader", name=read, exact=True)
            expect(heading).to_be_in_viewport(ratio=1)

    def test_goods_are_found_by_whatever_one_knows_of_them(
        self, page: Page, goods: list[dict[str, Any]]
    ) -> None:
        choose_first(page, "仓库")
        one = next(row for row in goods if row["barcode"] and row["specification_type"] and row["logogram"])
        for known in ("goods_num", "goods_name", "specification_type", "logogram", "barcode"):
            first_goods_choice(page, one[known])
            found = page.locator(".choice:not(.heading)", has_text=one["goods_num"])
            expect(found.first, known).to_contain_text(re.compile(r"\d"))
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")

    def test_stock_and_last_price_stand_beside_the_line(
        self, page: Page, goods: list[dict[str, Any]], sold: dict[str, Any], manager: Caller
    ) -> None:
        choose_first(page, "客户")
        choose_first(page, "仓库")
        first_goods_choice(page, goods[0]["goods_num"]).click()
        warehouse = require_data(manager.get("v2/system/Warehouse/getDropdown"))["data"][0]["warehouse_id"]
        asked = {"warehouse_id": warehouse, "keyword": goods[0]["goods_num"]}
        found = require_data(manager.get("v2/inventory/Goods/getGoodsListPopup", **asked))["data"]
        row, left = page.get_by_role("row").nth(1), sum(float(one["available_stocks"]) for one in found)
        for column, value in (("可用库存", f"{left:,.0f}"), ("最近价", "300.00")):
            place = page.get_by_role("columnheader", name=column).get_attribute("aria-colindex")
            expect(row.locator(f"[aria-colindex='{place}']")).to_have_text(value)


class TestInputMethod:
    def test_no_letter_is_lost_and_its_enter_stays_in_the_cell(self, page: Page) -> None:
        typing = page.context.new_cdp_session(page)
        cell_input(page).focus()
        for text in ("l", "lu", "lun"):
            typing.send(
                "Input.imeSetComposition",
                {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
            )
            expect(cell_input(page)).to_have_value(text)
        enter = {"windowsVirtualKeyCode": 229, "code": "Enter", "key": "Process"}
        typing.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
        expect_cell(page, "第1行 商品")
        typing.send("Input.insertText", {"text": "轮胎"})
        expect(cell_input(page)).to_have_value("轮胎")
        expect(page.locator(".choice:not(.heading)").first).to_contain_text("轮胎")

    def test_scanning_goes_on_while_it_is_on(self, page: Page, goods: list[dict[str, Any]]) -> None:
        choose_first(page, "仓库")
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
        assert count_lines(page) in (1, 2), "one line, and the blank one that waits"


class TestManyLines:
    def test_rows_pasted_from_a_sheet_are_as_many_lines_and_audited_in_time(
        self, page: Page, goods: list[dict[str, Any]], manager: Caller
    ) -> None:
        """An inbound: what it brings, others may sell. Every tyre without its batch is told at once."""
        page.goto(page.url.replace(ADD, "/purchase/instorageAdd"))
        choose_first(page, "供应商")
        choose_first(page, "仓库")
        cell_input(page).focus()
        for batch in ("", "2526"):
            paste_rows(
                page, [f"{goods[row % len(goods)]['goods_num']}\t{batch}\t2\t10" for row in range(ROWS)]
            )
            expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^1,?000(\.0+)?$"))
            assert count_lines(page) in (ROWS, ROWS + 1)
            page.get_by_role("button", name="保存并审核").click()
            if not batch:
                told = page.get_by_role("dialog")
                expect(told).to_contain_text(f"有{ROWS}处需要修改")
                told.get_by_role("button", name="知道了").click()
                cell_input(page).focus()
        page.wait_for_url("**/purchase/instorageSee?id=*")
        expect(page.get_by_text("已审核", exact=True).first).to_be_visible()
        bill = require_data(manager.get("v2/purchase/InStorage/getInfo", id=page.url.split("=")[-1]))
        assert [line["quantity"] for line in bill["lines"]] == ["2.000"] * ROWS

    def test_codes_pasted_into_the_picker_are_all_chosen(self, page: Page, manager: Caller) -> None:
        found = require_data(
            manager.get("v2/inventory/Goods/getGoodsListPopup", keyword="轮胎", per_page=100)
        )
        codes = [row["goods_num"] for row in found["data"]][:80]
        choose_first(page, "仓库")
        cell_input(page).focus()
        page.keyboard.press("Alt+1")
        picker = page.get_by_role("dialog", name="选择商品")
        expect(picker).to_be_visible()
        paste_rows(page, [f"{code}\t3" for code in codes])
        picker.get_by_role("button", name=f"确定（{len(codes)}）").click()
        expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(rf"^{3 * len(codes)}(\.0+)?$"))
        assert len(codes) > 50 and count_lines(page) in (len(codes), len(codes) + 1)

    def test_a_file_of_lines_tells_which_it_could_not_take(
        self, page: Page, goods: list[dict[str, Any]], tmp_path: Path
    ) -> None:
        choose_first(page, "仓库")
        sheet = openpyxl.Workbook()
        for row in (["商品编码", "数量", "单价"], [goods[0]["goods_num"], 3, 10], ["没有这个编码", 1, 10]):
            sheet.active.append(row)
        sheet.save(tmp_path / "lines.xlsx")
        page.locator(".line-toolbar input[type=file]").set_input_files(tmp_path / "lines.xlsx")
        told = page.get_by_role("dialog")
        expect(told).to_contain_text("没有这个编码")
        expect(page.locator("[data-sum=quantity]")).to_have_text(re.compile(r"^[34](\.0+)?$"))
        with page.expect_download() as file:
            told.get_by_role("button", name="下载失败明细").click()
        file.value.save_as(tmp_path / "failures.xlsx")
        heading, failed = openpyxl.load_workbook(tmp_path / "failures.xlsx").active.values
        assert heading == ("行/单据号", "字段", "失败原因")
        assert failed[:2] == ("第3行", "商品编码") and "没有这个编码" in failed[2]


class TestMistakes:
    def test_every_wrong_line_is_marked_at_once(self, page: Page, goods: list[dict[str, Any]]) -> None:
        choose_first(page, "客户")
        choose_first(page, "仓库")
        cell_input(page).focus()
        paste_rows(page, [f"{one['goods_num']}\t0" for one in goods[:3]])
        expect(page.get_by_role("gridcell", name=goods[2]["goods_name"]).first).to_be_visible()
        page.keyboard.press("Control+s")
        expect(page.locator("[role=gridcell][aria-invalid=true]")).to_have_count(3)
        assert ADD in page.url

    def test_a_double_click_saves_once(
        self, page: Page, goods: list[dict[str, Any]], manager: Caller
    ) -> None:
        choose_first(page, "客户")
        choose_first(page, "仓库")
        choice = first_goods_choice(page, goods[0]["goods_num"])
        expect(choice).to_contain_text(goods[0]["goods_num"])
        choice.click()
        expect_cell(page, "第1行 数量")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
        before = require_data(manager.get(f"{OUTBOUND}/getList"))["total"]
        page.get_by_role("button", name="保存", exact=True).dblclick()
        page.wait_for_url("**/sales/salesamend?id=*")
        assert require_data(manager.get(f"{OUTBOUND}/getList"))["total"] == before + 1


class TestPacks:
    def test_goods_are_sold_by_the_carton(self, page: Page, manager: Caller) -> None:
        """Keyed in, scanned, saved, and shown again with the number of cartons that came to the quantity."""
        found = require_data(
            manager.get("v2/inventory/Goods/getGoodsListPopup", keyword="机油滤清器", per_page=100)
        )
        one = next(row for row in found["data"] if row["units"])
        [carton] = one["units"]
        each = int(carton["factor"])
        choose_first(page, "客户")
        choose_first(page, "仓库")
        expect(page.get_by_role("columnheader", name="件数")).to_have_count(0)
        expect(first_goods_choice(page, one["goods_num"])).to_contain_text(one["goods_num"])
        page.keyboard.press("Enter")
        expect_cell(page, "第1行 件数")
        page.keyboard.type("2")
        page.keyboard.press("Enter")
        expect_cell(page, "第1行 数量")
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
        [line] = require_data(manager.get(f"{OUTBOUND}/getInfo", id=page.url.split("=")[-1]))["lines"]
        assert (line["pack_quantity"], line["quantity"]) == ("3.000", f"{3 * each}.000")


class TestGifts:
    def test_what_is_bought_brings_its_gift(
        self, page: Page, manager: Caller, goods: list[dict[str, Any]]
    ) -> None:
        bought, given = goods[2], goods[3]
        company = require_data(manager.get("v2/custom/Customer/getDropdown"))["data"][0]["company_id"]
        line = {"method": 3, "goods_id": bought["goods_id"], "buy_quantity": "4"}
        gift = {"gift_goods_id": given["goods_id"], "gift_quantity": "1"}
        days = dict.fromkeys(("business_date", "starts_on", "ends_on"), str(today()))
        policy = {"company_id": company, "policy_name": "买四送一", **days, "lines": [line | gift]}
        audit_bill(manager, POLICY, require_data(manager.post(f"{POLICY}/add", policy)))
        choose_first(page, "客户")
        choose_first(page, "仓库")
        expect_cell(page, "第1行 商品")
        expect(first_goods_choice(page, bought["goods_num"])).to_contain_text(bought["goods_num"])
        page.keyboard.press("Enter")
        expect_cell(page, "第1行 数量")
        page.keyboard.type("9")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="添加赠品").click()
        expect(page.get_by_text("已生成1行")).to_be_visible()
        page.get_by_role("button", name="添加赠品").click()
        expect(page.get_by_text("没有需要生成的明细")).to_be_visible()
        page.keyboard.press("Control+s")
        page.wait_for_url("**/sales/salesamend?id=*")
        lines = require_data(manager.get(f"{OUTBOUND}/getInfo", id=page.url.split("=")[-1]))["lines"]
        assert [(row["goods_id"], row["quantity"], row["is_gift"], row["amount"]) for row in lines] == [
            (bought["goods_id"], "9.000", False, lines[0]["amount"]),
            (given["goods_id"], "2.000", True, "0.00"),
        ]
        assert float(lines[0]["amount"]) > 0


class TestStatement:
    def test_it_is_drawn_audited_and_sent_to_the_customer(
        self, desks: DemoUserOpener, sold: dict[str, Any], manager: Caller
    ) -> None:
        page = (desk := desks("分公司经理")).page
        desk.open("/custom/accountStatement/add")
        choose_first(page, "客户")
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
        self, desks: DemoUserOpener, sold: dict[str, Any], manager: Caller
    ) -> None:
        customer = require_data(manager.get(f"{OUTBOUND}/getInfo", id=sold["id"]))["customer_id"]
        found = require_data(manager.get(f"{OUTBOUND}/getList", customer_id=customer))
        assert PAGE < found["total"] < require_data(manager.get(f"{OUTBOUND}/getList"))["total"]
        (desk := desks("分公司经理")).open(f"/sales/salesout?customer_id={customer}")
        totals = desk.page.locator(".totals-row")
        expect(totals).to_contain_text(f"{float(found['totals']['total_amount']):,.2f}")
