"""How many keys whole jobs take, from the list to the audited bill, without the mouse. The README tells them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from api.kit.storage.database import today
from tests.e2e.bill_form import OUTBOUND, add_outbound, at_one_place, audit_bill, goods, manager
from tests.e2e.conftest import START_SECONDS, DemoUserOpener
from tests.e2e.keystroke_counter import (
    INITIALS,
    CountedKeyboard,
    find_by_initials,
    find_distinct_goods,
    read_documented_counts,
)
from tests.e2e.station_setup import require_data
from tests.support.client import Caller

__all__ = ["at_one_place", "goods", "manager"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)

AUDITED = 2
CUSTOMER, SUPPLIER = "v2/custom/Customer", "v2/system/Supplier"
Begin = Callable[[str], CountedKeyboard]
Coded = list[tuple[str, dict[str, Any]]]

SALE = "两行赊销出库，保存并审核"
RECEIPT = "一张收款单核销五张单据"
RETURN = "从出库单做部分退货"
INBOUND = "从采购订单入库，录批次"
TRANSFER = "两仓之间调拨"
COUNT = "盘点单录两行"
QUOTE = "给客户报价"
PAYMENT = "付款核销两张单据"
JOBS = (SALE, RECEIPT, RETURN, INBOUND, TRANSFER, COUNT, QUOTE, PAYMENT)


@pytest.fixture
def begin(desks: DemoUserOpener) -> Begin:
    """A keyboard in front of a page, on which nothing has been pressed yet."""
    desk = desks("分公司经理")

    def at_page(route: str) -> CountedKeyboard:
        desk.open(route)
        expect(desk.page.locator("main .list-page .ant-table-row, main .detail-page").first).to_be_visible()
        return CountedKeyboard(desk.page)

    return at_page


@pytest.fixture(scope="module")
def coded(manager: Caller, goods: list[dict[str, Any]]) -> Coded:
    """Goods in stock, and what is typed for each of them."""
    return find_distinct_goods(manager, goods, 3)


@pytest.fixture(scope="module")
def customer(manager: Caller) -> tuple[str, dict[str, Any]]:
    return find_by_initials(manager, CUSTOMER, "customer_name", INITIALS)


@pytest.fixture(scope="module")
def warehouses(manager: Caller) -> list[int]:
    return [
        row["warehouse_id"] for row in require_data(manager.get("v2/system/Warehouse/getDropdown"))["data"]
    ]


def assert_counts(job: str, keys: CountedKeyboard) -> None:
    """Assert the README's count, and no more than there may be."""
    counted, most = read_documented_counts()[job]
    assert keys.count == counted <= most, f"{job}: {keys.count} keys"


def await_saved(keys: CountedKeyboard, manager: Caller, api: str, see: str) -> dict[str, Any]:
    """Return the bill whose page the form has led to, with the focus on it."""
    keys.page.wait_for_url(f"**{see}?id=*")
    expect(keys.page.locator(".detail-page")).to_be_focused()
    bill: dict[str, Any] = require_data(manager.get(f"{api}/getInfo", id=keys.page.url.rpartition("=")[2]))
    return bill


def locate_combobox(keys: CountedKeyboard, label: str) -> Any:
    return keys.page.get_by_role("combobox", name=label, exact=True)


def test_the_table_tells_each_job() -> None:
    assert tuple(read_documented_counts()) == JOBS


class TestSales:
    def test_a_credit_sale_of_two_lines(
        self,
        begin: Begin,
        manager: Caller,
        coded: Coded,
        customer: tuple[str, dict[str, Any]],
        warehouses: list[int],
    ) -> None:
        keys = begin("/sales/salesout")
        keys.press("Alt+n")
        keys.expect_focused(locate_combobox(keys, "客户"))
        keys.enter(customer[0])
        keys.pick("仓库", 0)
        keys.enter(coded[0][0])
        keys.press("2", "Control+Enter")
        keys.enter(coded[1][0])
        keys.press("1", "F8")
        bill = await_saved(keys, manager, OUTBOUND, "/sales/salesamend")
        assert (bill["status"], bill["customer_id"]) == (AUDITED, customer[1]["customer_id"])
        assert bill["warehouse_id"] == warehouses[0]
        assert [(line["goods_id"], line["quantity"]) for line in bill["lines"]] == [
            (coded[0][1]["goods_id"], "2.000"),
            (coded[1][1]["goods_id"], "1.000"),
        ]
        assert_counts(SALE, keys)

    def test_a_return_of_a_part(self, begin: Begin, manager: Caller, coded: Coded) -> None:
        line = {"goods_id": coded[2][1]["goods_id"], "quantity": "2", "price": "300", "tax_rate": "13"}
        sale = audit_bill(manager, OUTBOUND, add_outbound(manager, [line]))
        keys = begin(f"/sales/salesamend?id={sale['id']}")
        expect(keys.page.locator(".detail-page")).to_be_focused()
        keys.press("Alt+r", "Tab", "Enter")
        keys.expect_cell("第1行 数量")
        keys.press("1", "F8")
        back = await_saved(keys, manager, "v2/sales/SalesReturn", "/sales/salesReturnSee")
        assert back["status"] == AUDITED
        assert [one["quantity"] for one in back["lines"]] == ["1.000"]
        assert_counts(RETURN, keys)

    def test_a_quote(
        self, begin: Begin, manager: Caller, coded: Coded, customer: tuple[str, dict[str, Any]]
    ) -> None:
        keys = begin("/sales/BidManagement")
        keys.press("Alt+n")
        keys.expect_focused(locate_combobox(keys, "客户"))
        keys.enter(customer[0])
        keys.press("Enter")
        keys.enter(coded[0][0])
        keys.press("4", "F8")
        bill = await_saved(keys, manager, "v2/sales/BidManagement", "/sales/BidManagement/see")
        assert (bill["status"], bill["customer_id"]) == (AUDITED, customer[1]["customer_id"])
        assert [line["quantity"] for line in bill["lines"]] == ["4.000"]
        assert_counts(QUOTE, keys)


class TestMoney:
    def test_a_receipt_over_five_bills(
        self, begin: Begin, manager: Caller, coded: Coded, customer: tuple[str, dict[str, Any]]
    ) -> None:
        words, owing = customer
        for price in ("11", "12", "13", "14", "15"):
            line = {"goods_id": coded[2][1]["goods_id"], "quantity": "1", "price": price, "tax_rate": "13"}
            sale = add_outbound(
                manager, [line], customer_id=owing["customer_id"], company_id=owing["company_id"]
            )
            audit_bill(manager, OUTBOUND, sale)
        keys = begin("/custom/receiptmanage")
        keys.press("Alt+n")
        keys.expect_focused(locate_combobox(keys, "客户"))
        keys.enter(words)
        keys.pick("结算方式", 1)
        write_off_all(keys, 5)
        bill = await_saved(keys, manager, "v2/custom/CustomerReceipt", "/custom/receiptmanage_search")
        taken = [float(one["amount"]) for one in bill["write_offs"]]
        assert (bill["status"], bill["customer_id"], len(taken)) == (AUDITED, owing["customer_id"], 5)
        assert float(bill["amount"]) == pytest.approx(sum(taken))
        assert_counts(RECEIPT, keys)

    def test_a_payment_over_two_bills(self, begin: Begin, manager: Caller, coded: Coded) -> None:
        words, owed = find_by_initials(manager, SUPPLIER, "supplier_name", INITIALS)
        for price in ("21", "22"):
            add_purchase(manager, "v2/purchase/InStorage", owed, coded[0][1], price)
        keys = begin("/purchase/paymanage")
        keys.press("Alt+n")
        keys.expect_focused(locate_combobox(keys, "供应商"))
        keys.enter(words)
        keys.pick("结算方式", 1)
        write_off_all(keys, 2)
        bill = await_saved(keys, manager, "v2/purchase/Payment", "/purchase/paymanageSearch")
        assert (bill["status"], bill["supplier_id"]) == (AUDITED, owed["supplier_id"])
        assert len(bill["write_offs"]) == 2
        assert_counts(PAYMENT, keys)


def write_off_all(keys: CountedKeyboard, bills: int) -> None:
    """Pass the amount, which is the sum of the bills; write so many of them off whole; save and audit."""
    keys.expect_focused(keys.page.get_by_role("textbox", name="金额", exact=True))
    keys.press("Enter", "Enter")
    expect(keys.page.get_by_role("dialog").get_by_label("本次核销").first).to_be_focused()
    keys.press(*["Enter"] * bills, "Control+Enter")
    expect(keys.page.get_by_role("dialog")).to_have_count(0)
    keys.press("F8")


def add_purchase(
    manager: Caller, api: str, supplier: dict[str, Any], goods: dict[str, Any], price: str
) -> dict[str, Any]:
    """Add an audited purchase of two pieces."""
    warehouse = require_data(manager.get("v2/system/Warehouse/getDropdown"))["data"][0]
    places = {key: warehouse[key] for key in ("warehouse_id", "company_id")}
    line = {"goods_id": goods["goods_id"], "quantity": "2", "price": price, "tax_rate": "13"}
    if api.endswith("InStorage"):
        line["batch"] = "2526"
    body = {**places, "supplier_id": supplier["supplier_id"], "business_date": str(today()), "lines": [line]}
    return audit_bill(manager, api, require_data(manager.post(f"{api}/add", body)))


class TestStock:
    def test_an_inbound_from_its_order(self, begin: Begin, manager: Caller, coded: Coded) -> None:
        supplier = require_data(manager.get(f"{SUPPLIER}/getDropdown"))["data"][0]
        order = add_purchase(manager, "v2/purchase/PurchaseOrder", supplier, coded[0][1], "210")
        keys = begin(f"/purchase/orderSee?id={order['id']}")
        expect(keys.page.locator(".detail-page")).to_be_focused()
        keys.press("Alt+r", "Enter")
        keys.expect_cell("第1行 数量")
        keys.press("Shift+Tab")
        keys.expect_cell("第1行 批次(DOT)")
        keys.type("2526")
        keys.press("F8")
        bill = await_saved(keys, manager, "v2/purchase/InStorage", "/purchase/instorageSee")
        assert bill["status"] == AUDITED
        assert [(line["batch"], line["quantity"]) for line in bill["lines"]] == [("2526", "2.000")]
        assert_counts(INBOUND, keys)

    def test_a_transfer(self, begin: Begin, manager: Caller, coded: Coded, warehouses: list[int]) -> None:
        keys = begin("/inventory/transferware")
        keys.press("Alt+n")
        keys.expect_focused(locate_combobox(keys, "仓库"))
        keys.pick("仓库", 0)
        keys.pick("调入仓库", 1)
        keys.enter(coded[1][0])
        keys.press("1", "F8")
        bill = await_saved(keys, manager, "v2/inventory/TransferWarehouse", "/inventory/transferwareSee")
        assert (bill["status"], bill["warehouse_id"]) == (AUDITED, warehouses[0])
        assert [line["quantity"] for line in bill["lines"]] == ["1.000"]
        assert_counts(TRANSFER, keys)

    def test_lines_of_a_stocktake(
        self, begin: Begin, manager: Caller, at_one_place: list[dict[str, Any]]
    ) -> None:
        coded = find_distinct_goods(manager, at_one_place, 2)
        keys = begin("/inventory/takestock")
        keys.press("Alt+n")
        keys.expect_focused(locate_combobox(keys, "仓库"))
        keys.pick("仓库", 0)
        for row, (words, _goods) in enumerate(coded, 1):
            keys.expect_cell(f"第{row}行 商品")
            keys.enter(words)
            keys.press("3", "Control+Enter" if row == 1 else "Control+s")
        bill = await_saved(keys, manager, "v2/inventory/StockTaking", "/inventory/takestockSee")
        assert {line["goods_id"]: line["counted_quantity"] for line in bill["lines"]} == {
            one["goods_id"]: "3.000" for _words, one in coded
        }
        assert_counts(COUNT, keys)
