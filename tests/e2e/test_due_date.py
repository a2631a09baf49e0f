"""When a sale falls due, as its form shows it: computed until somebody types a day, and never that of the bill copied."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from api.kit.storage.database import today
from tests.e2e.bill_form import ADD, OUTBOUND, add_outbound, goods, manager, page
from tests.e2e.conftest import START_SECONDS, DemoUserOpener
from tests.e2e.station_setup import require_data
from tests.support.client import Caller

__all__ = ["goods", "manager", "page"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
CUSTOMER = "v2/custom/Customer"


class CustomerTerms(NamedTuple):
    """A customer and his payment days."""

    customer_id: int
    name: str
    days: int


@pytest.fixture(scope="module")
def customers(manager: Caller) -> list[CustomerTerms]:
    """Two customers of the manager's with different terms."""
    rows = require_data(manager.get(f"{CUSTOMER}/getList", per_page=100))["data"]
    found: dict[int, CustomerTerms] = {}
    for row in rows:
        days = int(row["payment_days"])
        found.setdefault(days, CustomerTerms(row["customer_id"], row["customer_name"], days))
    few, many = min(found), max(found)
    assert few < many
    return [found[few], found[many]]


def locate_due_date(page: Page) -> Locator:
    return page.get_by_role("textbox", name="到期日", exact=True)


def locate_hint(page: Page) -> Locator:
    return page.locator("[data-field=due_date] .field-hint")


def expect_computed(page: Page, day: date) -> None:
    expect(locate_hint(page)).to_have_text(f"不填则为 {day}")
    expect(locate_due_date(page)).to_have_value("")


def pick_customer(page: Page, customer: CustomerTerms) -> None:
    field = page.get_by_role("combobox", name="客户", exact=True)
    field.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.type(customer.name)
    offered = page.locator(f".ant-select-item-option[id^='{field.get_attribute('id')}_list_']")
    expect(offered.first).to_have_text(customer.name)
    page.keyboard.press("Enter")
    expect(page.locator("[data-field=customer_id]")).to_contain_text(customer.name)


def type_day(page: Page, label: str, day: date) -> None:
    field = page.get_by_role("textbox", name=label, exact=True)
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(str(day))
    page.keyboard.press("Enter")
    expect(field).to_have_value(str(day))


def save_bill(page: Page, manager: Caller) -> dict[str, Any]:
    page.keyboard.press("Control+s")
    page.wait_for_url("**/sales/salesamend?id=*")
    bill: dict[str, Any] = require_data(manager.get(f"{OUTBOUND}/getInfo", id=page.url.split("=")[-1]))
    return bill


def test_it_follows_customer_and_date_until_it_is_typed(page: Page, customers: list[CustomerTerms]) -> None:
    one, other = customers
    pick_customer(page, one)
    expect_computed(page, today() + timedelta(one.days))
    pick_customer(page, other)
    expect_computed(page, today() + timedelta(other.days))
    earlier = today() - timedelta(3)
    type_day(page, "业务日期", earlier)
    expect_computed(page, earlier + timedelta(other.days))
    typed = today() + timedelta(100)
    type_day(page, "到期日", typed)
    expect(locate_hint(page)).to_have_count(0)
    pick_customer(page, one)
    type_day(page, "业务日期", today())
    expect(locate_due_date(page)).to_have_value(str(typed))
    page.locator("[data-field=due_date] .ant-picker").hover()
    page.locator("[data-field=due_date] .ant-picker-clear").click()
    expect_computed(page, today() + timedelta(one.days))


def test_a_copy_is_not_overdue_at_once(
    desks: DemoUserOpener, customers: list[CustomerTerms], goods: list[dict[str, Any]], manager: Caller
) -> None:
    one = customers[0]
    long_ago = today() - timedelta(90)
    line = {"goods_id": goods[0]["goods_id"], "quantity": "1", "price": "300", "tax_rate": "13"}
    old = add_outbound(
        manager,
        [line],
        customer_id=one.customer_id,
        business_date=str(long_ago),
        due_date=str(long_ago + timedelta(30)),
    )
    assert require_data(manager.get(f"{OUTBOUND}/getInfo", id=old["id"]))["due_typed"] is True
    desk = desks("分公司经理")
    desk.open(f"{ADD}?copy={old['id']}")
    expect_computed(desk.page, today() + timedelta(one.days))
    copy = save_bill(desk.page, manager)
    assert (copy["business_date"], copy["due_date"], copy["due_typed"]) == (
        str(today()),
        str(today() + timedelta(one.days)),
        False,
    )
    desk.open(f"/sales/salesoutModify?id={copy['bill_id']}")
    expect_computed(desk.page, today() + timedelta(one.days))
    typed = today() + timedelta(7)
    type_day(desk.page, "到期日", typed)
    again = save_bill(desk.page, manager)
    assert (again["due_date"], again["due_typed"]) == (str(typed), True)
    desk.open(f"/sales/salesoutModify?id={copy['bill_id']}")
    expect(locate_due_date(desk.page)).to_have_value(str(typed))
