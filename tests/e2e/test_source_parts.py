"""A return of part of a sale, keyed in: its money follows the quantity, and is shown as the sale's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import START_SECONDS, Seats
from tests.e2e.entry import OUTBOUND, at, audited, cell, manager, outbound
from tests.e2e.office import made
from tests.kit.client import Caller

__all__ = ["manager"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
RETURN = "v2/sales/SalesReturn"


@pytest.fixture
def goods(manager: Caller) -> dict[str, Any]:
    """Goods without batches, which come back on one line."""
    warehouse = made(manager.get("v2/system/Warehouse/getDropdown"))["data"][0]["warehouse_id"]
    asked = {"warehouse_id": warehouse, "bill_type": "XSCK", "keyword": "滤清器", "per_page": 100}
    found = made(manager.get("v2/inventory/Goods/getGoodsListPopup", **asked))["data"]
    return next(row for row in found if float(row["available_stocks"] or 0) > 5 and not row["is_batch"])


def figure(page: Page, name: str) -> Locator:
    return page.locator(f".line-table [role=gridcell][data-field={name}]").first


def type_into(page: Page, name: str, label: str, text: str) -> None:
    figure(page, name).click()
    at(page, f"第1行 {label}")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_a_piece_of_a_discounted_sale_comes_back_at_its_money(
    desks: Seats, goods: dict[str, Any], manager: Caller
) -> None:
    line = {"goods_id": goods["goods_id"], "quantity": "5", "price": "33.33", "discount_amount": "10"}
    bill = audited(manager, OUTBOUND, outbound(manager, [line]))
    desk = desks("分公司经理")
    desk.open(f"/sales/salesReturnAdd?from={bill['id']}")
    page = desk.page
    expect(figure(page, "amount")).to_have_text("156.65")
    expect(figure(page, "price")).to_have_class(re.compile("from-source"))
    type_into(page, "quantity", "数量", "1")
    expect(figure(page, "amount")).to_have_text("31.33")
    expect(figure(page, "discount_amount")).to_have_text("2.00")
    type_into(page, "price", "单价", "5000")
    expect(figure(page, "amount")).to_have_class(re.compile("beyond-source"))
    expect(figure(page, "amount")).to_have_attribute("title", re.compile("超过来源单据可退的 31.33 元"))
    type_into(page, "price", "单价", "33.33")
    expect(figure(page, "price")).to_have_class(re.compile("from-source"))
    cell(page).press("Control+s")
    page.wait_for_url(re.compile("salesReturnSee"))
    [found] = made(manager.get(f"{RETURN}/getList", order_key="bill_id", order_by="desc", per_page=1))["data"]
    assert (found["total_quantity"], found["total_amount"]) == ("1.000", "31.33")
