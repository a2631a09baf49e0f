"""spec/3-rules.md 5, what may be typed, chosen and uploaded: a test a paragraph, in a real browser against the product.

5.4 and the rules of surveys stand in test_shell_rules.py; single values, one by one, in tests/golden/rules.json.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.e2e.conftest import START_SECONDS, DemoUserOpener, UserOpener
from tests.e2e.station_setup import StationSetup, create_staff, require_data
from tests.e2e.test_shell_users import SELLS
from tests.support.upload_files import build_pdf, build_png

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
MEGABYTE = 1024 * 1024


def type_and_leave(field: Locator, text: str) -> None:
    """Type into a field and go on to the next."""
    field.fill(text)
    field.press("Tab")


def expect_message(page: Page, words: str) -> None:
    expect(page.get_by_text(words).first).to_be_visible()


class TestTableCells:
    def test_numbers_of_lines(self, desks: DemoUserOpener, office: StationSetup) -> None:
        """5.1: "positive | > 0, 2 decimals | 请输入大于0的数", "Default numeric cap is below 100,000,000, message
        数值不能超过一亿. Non-numbers become empty or 0. (…) Table edit-rule validation messages are shown as warnings."
        """
        goods = require_data(office.admin.get("v2/inventory/Goods/getGoodsListPopup", per_page=1))["data"][0]
        desk = desks("分公司经理")
        page = desk.page
        desk.open("/sales/salesoutAdd")
        cell = page.locator(".cell-input")
        cell.focus()
        page.keyboard.type(goods["goods_num"])
        expect(page.locator(".choice:not(.heading)").first).to_contain_text(goods["goods_num"])
        page.keyboard.press("Enter")
        for typed, words in (
            ("-1", "“数量”请输入大于0的数"),
            ("100000000", "数值不能超过一亿"),
            ("abc", "“数量”请输入数字"),
        ):
            page.locator(".line-table [role=gridcell]").filter(has_text=goods["goods_num"]).first.click()
            for _ in range(12):
                if cell.get_attribute("aria-label") == "第1行 数量":
                    break
                page.keyboard.press("Tab")
            expect(cell).to_have_attribute("aria-label", "第1行 数量")
            page.keyboard.type(typed)
            page.keyboard.press("Enter")
            warning = page.locator(".ant-message-warning, .ant-message-notice").filter(has_text=words)
            expect(warning.first).to_be_visible()
            # What it lies over takes the next click.
            box = warning.first.bounding_box()
            assert box
            place = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
            assert page.evaluate(
                "([x, y]) => !document.elementFromPoint(x, y).closest('.ant-message')", place
            )


class TestNumericInput:
    def test_fields_of_forms_correct_what_was_typed(self, seat: UserOpener, office: StationSetup) -> None:
        """5.2: "Value must be a positive integer, otherwise error {label}必须是正整数 (…) PositiveInteger takes the absolute
        value. (…) Below min: (…) the value is set to min. Above max: warning 请输入小于等于{max}的数 and clears."
        """
        desk = seat(create_staff(office, ["erp_config:list", "erp_config:edit"], "设参数的人"))
        page = desk.page
        desk.open("/system/erpconfig")
        page.locator(".ant-table-row .ant-checkbox-input").first.check()
        page.get_by_role("button", name="修改", exact=True).click()
        form = page.get_by_role("dialog")
        hours = form.get_by_label("登录闲置失效（小时）")
        type_and_leave(hours, "-24")
        expect(hours).to_have_value("24")
        type_and_leave(hours, "0")
        expect_message(page, "登录闲置失效（小时）必须是正整数")
        type_and_leave(hours, "2.5")
        expect(hours).to_have_value("")
        type_and_leave(hours, "169")
        expect_message(page, "请输入小于等于168的数")
        expect(hours).to_have_value("")

    def test_a_purchase_price_takes_digits_and_one_dot(self, seat: UserOpener, office: StationSetup) -> None:
        """5.2: "Purchase price input: digits and one dot only, at most 2 decimals, formatted to 2 decimals on change." """
        desk = seat(create_staff(office, ["supplier_price:list", "supplier_price:add"], "定采购价的人"))
        desk.open("/purchase/purchaseprice/settingPurchase")
        price = desk.page.get_by_role("textbox", name="采购价", exact=True)
        price.press_sequentially("-a080.5.55")
        expect(price).to_have_value("80.55")
        type_and_leave(price, "80")
        expect(price).to_have_value("80.00")


class TestForms:
    def test_a_mobile_number(self, seat: UserOpener, office: StationSetup) -> None:
        """5.3: "Mobile phone: mainland-China 11 digits starting with 1; message says only mainland China mobile numbers are
        supported. (…) Required fields, each with its own message". The server says the same.
        """
        rights = ["logistics_driver:list", "logistics_driver:add", "logistics:list"]
        user = create_staff(office, rights, "登记司机的人")
        desk = seat(user)
        page = desk.page
        desk.open("/system/logisticsdriver")
        page.get_by_role("button", name="新增").first.click()
        form = page.get_by_role("dialog")
        type_and_leave(form.get_by_label("手机号"), "23800138000")
        form.get_by_role("button", name="保存", exact=True).click()
        expect_message(page, "目前只支持中国大陆的手机号码")
        expect_message(page, "请输入司机姓名")
        answer = office.caller(user).post("v2/system/LogisticsDriver/add", {"mobile": "23800138000"})
        assert "目前只支持中国大陆的手机号码" in str(answer.data)

    def test_nothing_selected(self, seat: UserOpener, office: StationSetup) -> None:
        """5.3: "Batch delete with nothing selected: warning asking to select the information to delete. Goods picker confirm
        with nothing selected: 请选择商品."
        """
        desk = seat(create_staff(office, [*SELLS, "unit:list", "unit:del"], "什么都没选的人"))
        page = desk.page
        desk.open("/system/unit")
        expect(page.locator(".ant-table-row").first).to_be_visible()
        page.get_by_role("button", name="删除", exact=True).click()
        expect_message(page, "请选择要删除的信息")
        desk.open("/sales/salesoutAdd")
        page.get_by_role("button", name="选择商品").click()
        page.get_by_role("dialog", name="选择商品").get_by_role("button", name="确定").click()
        expect_message(page, "请选择商品")


class TestUploads:
    def test_the_generic_control(self, seat: UserOpener, office: StationSetup) -> None:
        """5.5: "Optional allowed extensions, compared case-insensitively: 请上传{types}格式的文件. Optional size limit in MB
        (…): {ext}文件请上传{n}兆内. Optional maximum file count: 只能上传{n}个文件."
        """
        desk = seat(create_staff(office, ["group_info:list", "group_info:edit"], "换标志的人"))
        page = desk.page
        desk.open("/system/companyinfo")
        page.locator(".ant-table-row .ant-checkbox-input").first.check()
        page.get_by_role("button", name="修改", exact=True).click()
        chooser = page.get_by_role("dialog").get_by_label("选择标志")
        chooser.set_input_files([file_payload("logo.gif", b"x")])
        expect_message(page, "请上传jpg、jpeg、png格式的文件")
        chooser.set_input_files([file_payload("logo.PNG", b"x" * (MEGABYTE + 1))])
        expect_message(page, "png文件请上传1兆内")
        chooser.set_input_files([file_payload("logo.PNG", build_png())])
        expect(page.get_by_role("button", name="删除标志1.png")).to_be_visible()
        chooser.set_input_files([file_payload("another.png", build_png())])
        expect_message(page, "只能上传1个文件")

    def test_attachments_of_contracts(self, seat: UserOpener, office: StationSetup) -> None:
        """5.6: "Images jpg, jpeg, png, bmp at most 2MB each and at most 6; pdf at most 10MB and at most 3; other types rejected with a message
        that only pdf and images can be uploaded. Messages: a hint recommending scans with these limits".
        """
        rights = ["supplier_resource:list", "supplier_resource:add"]
        desk = seat(create_staff(office, rights, "登记供应商的人"))
        page = desk.page
        desk.open("/system/newsupplier")
        expect_message(page, "建议上传扫描件")
        chooser = page.get_by_label("选择证照")
        for name, size, words in (
            ("licence.txt", 10, "只能上传pdf和图片"),
            ("licence.png", 2 * MEGABYTE + 1, "图片大小不能超过2MB"),
            ("licence.pdf", 10 * MEGABYTE + 1, "pdf文件大小不能超过10MB"),
        ):
            chooser.set_input_files([file_payload(name, b"x" * size)])
            expect_message(page, words)
        chooser.set_input_files([file_payload(f"{place}.png", build_png()) for place in range(7)])
        expect_message(page, "图片最多上传6张")
        chooser.set_input_files([file_payload(f"{place}.pdf", build_pdf()) for place in range(4)])
        expect_message(page, "pdf文件最多上传3个")
        kept = page.get_by_role("button", name=re.compile("^删除"))
        expect(kept).to_have_count(9)


def file_payload(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}
