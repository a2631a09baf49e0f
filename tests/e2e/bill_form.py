"""Bill forms: who keys in, on which form, and the steps that the tests share."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from api.demo import list_logins
from api.kit.storage.database import today
from tests.e2e.conftest import DemoUserOpener, RunningProduct
from tests.e2e.station_setup import log_in, open_client, require_data
from tests.support.client import Caller

ADD = "/sales/salesoutAdd"
INBOUND = "v2/purchase/InStorage"
OUTBOUND = "v2/sales/SalesOutstock"
PAGE = 30
"""Rows that a list shows unless told otherwise."""
FEW = 8


@pytest.fixture(scope="module")
def manager(system: RunningProduct) -> Caller:
    """The branch manager's calls."""
    [user] = [login for login in list_logins() if login["role"] == "分公司经理"]
    return log_in(open_client(system.address), user["user_name"], user["password"])


@pytest.fixture(scope="module")
def goods(manager: Caller) -> list[dict[str, Any]]:
    """Goods in stock, with all fields that find them."""
    warehouse = require_data(manager.get("v2/system/Warehouse/getDropdown"))["data"][0]["warehouse_id"]
    asked = {"warehouse_id": warehouse, "bill_type": "XSCK", "keyword": "轮胎", "per_page": 100}
    found = require_data(manager.get("v2/inventory/Goods/getGoodsListPopup", **asked))["data"]
    return [row for row in found if float(row["available_stocks"] or 0) > 5]


@pytest.fixture(scope="module")
def at_one_place(manager: Caller) -> list[dict[str, Any]]:
    """Goods bought for the first warehouse that had none of them: each has one location and one batch."""
    warehouse = require_data(manager.get("v2/system/Warehouse/getDropdown"))["data"][0]
    asked = {
        "warehouse_id": warehouse["warehouse_id"],
        "bill_type": "KCPD",
        "keyword": "轮胎",
        "per_page": 100,
    }
    found = require_data(manager.get("v2/inventory/Goods/getGoodsListPopup", **asked))["data"]
    bought = [row for row in found if not row["places"]][:FEW]
    bill = {
        "warehouse_id": warehouse["warehouse_id"],
        "company_id": warehouse["company_id"],
        "supplier_id": require_data(manager.get("v2/system/Supplier/getDropdown"))["data"][0]["supplier_id"],
        "business_date": str(today()),
        "lines": [
            {"goods_id": row["goods_id"], "quantity": "2", "price": "210", "tax_rate": "13", "batch": "2526"}
            for row in bought
        ],
    }
    audit_bill(manager, INBOUND, require_data(manager.post(f"{INBOUND}/add", bill)))
    return bought


@pytest.fixture
def page(desks: DemoUserOpener) -> Page:
    """The branch manager's, with a new outbound open."""
    desk = desks("分公司经理")
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.open(ADD)
    return desk.page


def cell_input(page: Page) -> Locator:
    return page.locator(".cell-input")


def expect_cell(page: Page, place: str) -> None:
    expect(cell_input(page)).to_have_attribute("aria-label", place)


def first_goods_choice(page: Page, words: str) -> Locator:
    """Return the first goods on offer for what is typed into the goods cell."""
    cell_input(page).focus()
    page.keyboard.type(words)
    return page.locator(".choice:not(.heading)").first


def count_lines(page: Page) -> int:
    return int(page.get_by_role("grid").first.get_attribute("aria-rowcount") or 0) - 2


def add_outbound(
    manager: Caller, lines: list[dict[str, Any]], *, api: str = OUTBOUND, **header: Any
) -> dict[str, Any]:
    """Add an unaudited outbound, or another sale, to the first customer."""
    places = {
        key: require_data(manager.get(f"v2/{path}/getDropdown"))["data"][0][key]
        for key, path in (("warehouse_id", "system/Warehouse"), ("customer_id", "custom/Customer"))
    }
    company = require_data(manager.get("v2/custom/Customer/getInfo", id=places["customer_id"]))["company_id"]
    body = {**places, "company_id": company, "business_date": str(today()), "lines": lines, **header}
    bill: dict[str, Any] = require_data(manager.post(f"{api}/add", body))
    return bill


def audit_bill(manager: Caller, api: str, bill: dict[str, Any]) -> dict[str, Any]:
    require_data(manager.post(f"{api}/auditorPass", {"ids": [bill["id"]], "confirmed": True}))
    return bill


def paste_rows(page: Page, rows: list[str]) -> None:
    """Paste rows of a sheet at the focused cell."""
    page.evaluate("text => navigator.clipboard.writeText(text)", "\r\n".join(rows))
    page.keyboard.press("Control+v")


def search_list(page: Page, words: str) -> None:
    page.get_by_label("关键字").fill(words)
    page.get_by_role("button", name="查询", exact=True).click()


@pytest.fixture(scope="module")
def sold(manager: Caller, goods: list[dict[str, Any]]) -> dict[str, Any]:
    """An audited outbound of which one piece came back."""
    bill = add_audited_outbound(manager, goods[0])
    draft = require_data(manager.get("v2/sales/SalesReturn/getDraft", id=bill["id"]))
    draft["lines"][0] |= {"quantity": "1", "batch": goods[0]["batch"]}
    back = require_data(manager.post("v2/sales/SalesReturn/add", {**draft, "business_date": str(today())}))
    audit_bill(manager, "v2/sales/SalesReturn", back)
    return {**bill, "back": back}


def add_audited_outbound(manager: Caller, goods: dict[str, Any]) -> dict[str, Any]:
    """Add an audited outbound of two pieces to the first customer, of whichever batch."""
    line = {"goods_id": goods["goods_id"], "quantity": "2", "price": "300", "tax_rate": "13"}
    return audit_bill(manager, OUTBOUND, add_outbound(manager, [line]))
