"""A return of part of a sale, keyed in: its money follows the quantity, and is shown as the sale's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.bill_form import OUTBOUND, add_outbound, audit_bill, cell_input, expect_cell, manager
from tests.e2e.conftest import START_SECONDS, DemoUserOpener
from tests.e2e.station_setup import require_data
from tests.support.client import Caller

__all__ = ["manager"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
RETURN = "v2/sales/SalesReturn"


@pytest.fixture
def goods(manager: Caller) -> dict[str, Any]:
    """Goods without batches, which come back on one line."""
    warehouse = require_data(manager.get("v2/system/Warehouse/getDropdown"))["data"][0]["warehouse_id"]
    asked = {"warehouse_id": warehouse, "bill_type": "XSCK", "keyword": "滤清器", "per_page": 100}
    found = require_data(manager.get("v2/inventory/Goods/getGoodsListPopup", **asked))["data"]
    return next(row for row in found if float(row["available_stocks"] or 0) > 5 and not row["is_batch"])


def locate_figure(page: Page, name: str) -> Locator:
    return page.locator(f".line-table [role=gridcell][data-field={name}]").first


def type_into_cell(page: Page, name: str, label: str, text: str) -> None:
    locate_figure(page, name).click()
    expect_cell(page, f"第1行 {label}")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_a_piece_of_a_discounted_sale_comes_back_at_its_money(
    desks: DemoUserOpener, goods: dict[str, Any], manager: Caller
) -> None:
    line = {"goods_id": goods["goods_id"], "quantity": "5", "price": "33.33", "discount_amount": "10"}
    bill = audit_bill(manager, OUTBOUND, add_outbound(manager, [line]))
    desk = desks("分公司经理")
    desk.open(f"/sales/salesReturnAdd?from={bill['id']}")
    page = desk.page
    expect(locate_figure(page, "amount")).to_have_text("156.65")
    expect(locate_figure(page, "price")).to_have_class(re.compile("from-source"))
    type_into_cell(page, "quantity", "数量", "1")
    expect(locate_figure(page, "amount")).to_have_text("31.33")
    expect(locate_figure(page, "discount_amount")).to_have_text("2.00")
    type_into_cell(page, "price", "单价", "5000")
    expect(locate_figure(page, "amount")).to_have_class(re.compile("beyond-source"))
    expect(locate_figure(page, "amount")).to_have_attribute(
        "title", re.compile("超过来源单据可退的 31.33 元")
    )
    type_into_cell(page, "price", "单价", "33.33")
    expect(locate_figure(page, "price")).to_have_class(re.compile("from-source"))
    cell_input(page).press("Control+s")
    page.wait_for_url(re.compile("salesReturnSee"))
    [found] = require_data(
        manager.get(f"{RETURN}/getList", order_key="bill_id", order_by="desc", per_page=1)
    )["data"]
    assert (found["total_quantity"], found["total_amount"]) == ("1.000", "31.33")
