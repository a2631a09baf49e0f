"""What leaves and enters the lists as files: papers, labels, exports, and sheets of records."""

from __future__ import annotations

import re
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils import get_column_letter
from playwright.sync_api import expect

from api.printing.capitals import format_capitals
from tests.e2e.bill_form import OUTBOUND, PAGE, add_outbound, goods, manager
from tests.e2e.conftest import START_SECONDS, BrowserUser, DemoUserOpener
from tests.e2e.station_setup import StationSetup, require_data
from tests.printing.pdf_pages import PdfPages, read_pdf
from tests.support.client import Caller

__all__ = ["goods", "manager"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
MULTI_PART, A4 = (241, 140), (210, 297)
"""Millimetres."""
LABEL = (50, 30)


class TestPaper:
    def test_a_long_bill_on_multi_part_paper_and_as_one_designs_it_on_a4(
        self, desks: DemoUserOpener, goods: list[dict[str, Any]], manager: Caller, tmp_path: Path
    ) -> None:
        line = {"goods_id": goods[3]["goods_id"], "quantity": "1", "price": "77.25"}
        bill = add_outbound(manager, [line] * 30)
        page = (desk := desks("分公司经理")).page
        desk.open(f"/sales/salesamend?id={bill['id']}")
        page.get_by_role("button", name="打印").click()
        paper = self._paper(desk, tmp_path / "multi.pdf")
        many = len(paper.pages)
        assert many > 1 and set(paper.sizes) == {MULTI_PART}
        subtotals = paper.row("本页小计")
        # A page that only closes the bill has no lines to add up; each that has some adds up its own.
        # Of one piece price and amount are alike.
        pieces = [page.count("77.25") // 2 for page in paper.pages if "77.25" in page]
        assert [int(number) for _, number, _ in subtotals] == pieces and sum(pieces) == 30
        assert format_capitals(Decimal("2317.50")) in paper.text and "单价" in paper.text
        expect(page.get_by_text(f"1 张单据，{many} 页")).to_be_visible()
        shown = page.frame_locator("iframe[title=打印预览]").locator(".page")
        expect(shown).to_have_count(many)
        box = str(shown.first.locator("svg").get_attribute("viewBox")).split()[2:]
        assert tuple(round(float(side) / 72 * 25.4) for side in box) == MULTI_PART

        name = f"无价送货单{time.time_ns()}"
        self._design(desk, name)
        desk.open(f"/sales/salesamend?id={bill['id']}")
        page.get_by_role("button", name="打印").click()
        page.get_by_role("combobox", name="打印模板").click()
        page.get_by_title(name, exact=True).click()
        expect(page.get_by_text("1 张单据，1 页")).to_be_visible()
        paper = self._paper(desk, tmp_path / "a4.pdf")
        assert paper.sizes == [A4]
        assert not [word for word in ("77.25", "单价", "金额", "花纹") if word in paper.text]
        assert goods[3]["goods_num"] in paper.text

    def _paper(self, desk: BrowserUser, place: Path) -> PdfPages:
        return read_pdf(
            desk.save_download(desk.page.get_by_role("button", name="下载PDF"), place).read_bytes()
        )

    def _design(self, desk: BrowserUser, name: str) -> None:
        """Save a template on A4, without prices, without the pattern."""
        page = desk.page
        desk.open("/system/printsetting")
        page.get_by_role("row").filter(has_text=re.compile("销售出库")).get_by_role(
            "button", name="新建模板"
        ).click()
        page.get_by_label("模板名称").fill(name)
        page.get_by_role("checkbox", name="默认").uncheck()
        page.get_by_role("combobox", name="纸张").click()
        page.locator(".ant-select-item-option:visible", has_text="A4").first.click()
        page.get_by_role("checkbox", name="花纹").uncheck()
        page.get_by_role("button", name="合计").click()
        page.get_by_role("checkbox", name="打印价格和金额").uncheck()
        page.get_by_role("button", name="保存", exact=True).click()
        expect(page.get_by_text("保存成功")).to_be_visible()


class TestLabels:
    def test_one_a_piece_with_a_bar_code_or_a_qr_code(
        self, desks: DemoUserOpener, goods: list[dict[str, Any]], manager: Caller, tmp_path: Path
    ) -> None:
        line = {"goods_id": goods[3]["goods_id"], "quantity": "4", "price": "1"}
        bill = add_outbound(manager, [line])
        page = (desk := desks("分公司经理")).page
        desk.open(f"/sales/salesamend?id={bill['id']}")
        page.get_by_role("button", name="商品标签").click()
        page.get_by_label("标签尺寸").fill("50×30")
        labels = page.frame_locator("iframe[title=打印预览]").locator(".page")
        bars = ""
        for code in ("条形码", "二维码"):
            page.get_by_role("radio", name=code).check()
            expect(labels).to_have_count(4)
            expect(labels.first.locator("svg")).not_to_have_js_property("innerHTML", bars)
            bars = labels.first.locator("svg").inner_html()
            button = page.get_by_role("button", name="下载PDF")
            assert (
                read_pdf(desk.save_download(button, tmp_path / "labels.pdf").read_bytes()).sizes
                == [LABEL] * 4
            )


class TestExport:
    def test_every_row_of_the_filter_which_is_told_figures_as_figures_and_texts_as_texts(
        self, desks: DemoUserOpener, manager: Caller, goods: list[dict[str, Any]], tmp_path: Path
    ) -> None:
        line = {"goods_id": goods[3]["goods_id"], "quantity": "1", "price": "1234.5"}
        bill = require_data(
            manager.get(f"{OUTBOUND}/getInfo", id=add_outbound(manager, [line], remark="=1+1")["id"])
        )
        (desk := desks("分公司经理")).open(f"/sales/salesout?customer_id={bill['customer_id']}")
        expect(desk.page.locator(".ant-table-row").first).to_be_visible()
        total = require_data(manager.get(f"{OUTBOUND}/getList", customer_id=bill["customer_id"]))["total"]
        assert total > PAGE
        cells = desk.export_list(tmp_path / "bills.xlsx")
        assert len({cell.value for cell in cells if str(cell.value).startswith("XSCK")}) == total
        [told] = {cell.row for cell in cells if cell.parent.title == "导出说明" and cell.value == "客户"}
        [_, named] = [cell.value for cell in cells if cell.parent.title == "导出说明" and cell.row == told]
        assert named == bill["customer_name"]
        kinds = {cell.value: cell.data_type for cell in cells}
        assert (kinds["=1+1"], kinds[1234.5]) == ("s", "n")


class TestImport:
    def test_a_sheet_is_looked_at_then_entered_and_failed_rows_come_back(
        self, desks: DemoUserOpener, office: StationSetup, manager: Caller, tmp_path: Path
    ) -> None:
        """Codes that begin with zeros stay as they are, in the template, the prices and the file of failed rows."""
        code, page = f"00{time.time_ns() % 10**9}", (desk := desks("分公司经理")).page
        kinds = {
            key: require_data(office.admin.get(f"v2/system/{path}/getDropdown"))["data"][0][key]
            for key, path in (("goods_type_id", "GoodsType"), ("unit_id", "Unit"))
        }
        named = {"goods_num": code, "goods_name": f"零头配件{code}"}
        key = require_data(office.admin.post("v2/system/Goods/add", {**kinds, **named}))["id"]
        company = require_data(manager.get("v2/custom/Customer/getList", per_page=1))["data"][0][
            "company_name"
        ]
        desk.open(f"/sales/salesprice?goods_id={key}")
        page.get_by_role("button", name=re.compile("导入$")).click()
        dialog = page.get_by_role("dialog", name=re.compile("^导入"))
        place = desk.save_download(dialog.get_by_role("button", name="下载模板"), tmp_path / "template.xlsx")
        rows = [
            {"公司": company, "商品编码": code, "销售价": 88.5},
            {"公司": company, "商品编码": f"0{code}", "销售价": 90},
            {"公司": company, "商品编码": code, "销售价": -1, "备注": "0071"},
        ]
        _fill_template(place, rows)
        dialog.locator("input[type=file]").set_input_files(place)
        expect(dialog).to_contain_text(re.compile("共 3 行.*其中 2 行有误"))
        expect(dialog).to_contain_text(f"没有找到“0{code}”")
        expect(dialog.get_by_role("cell", name=code, exact=True).first).to_be_visible()
        assert _read_prices(manager, key) == []
        dialog.get_by_role("button", name="确定上传").click()
        expect(dialog).to_contain_text("新增 1 行，更新 0 行，失败 2 行")
        place = desk.save_download(
            dialog.get_by_role("button", name="下载失败明细"), tmp_path / "failed.xlsx"
        )
        heading, *failed = openpyxl.load_workbook(place).active.values
        assert heading[:3] == ("行号", "字段", "原因")
        told = [dict(zip((str(one).rstrip("*") for one in heading), row, strict=True)) for row in failed]
        assert [(row["行号"], row["字段"], row["商品编码"], row["备注"]) for row in told] == [
            ("3", "商品编码", f"0{code}", None),
            ("4", "销售价", code, "0071"),
        ]
        assert all(row["原因"] for row in told)
        page.keyboard.press("Escape")
        expect(page.locator(".ant-table-row", has_text=code)).to_have_count(1)
        assert _read_prices(manager, key) == ["88.500000"]


def _fill_template(place: Path, rows: list[dict[str, Any]]) -> None:
    """Key rows into a template, whose columns of texts must be formatted as text."""
    book = openpyxl.load_workbook(place)
    sheet = book.active
    assert sheet is not None
    heading = [str(cell.value).rstrip("*") for cell in sheet[1]]
    formats = {
        title: sheet.column_dimensions[get_column_letter(at)].number_format
        for at, title in enumerate(heading, 1)
    }
    assert (formats["商品编码"], formats["销售价"]) == ("@", "General")
    for row in rows:
        sheet.append([row.get(title) for title in heading])
    book.save(place)


def _read_prices(manager: Caller, goods: int) -> list[str]:
    found = require_data(manager.get("v2/sales/SalesPrice/getList", goods_id=goods))["data"]
    return [row["sale_price"] for row in found]
