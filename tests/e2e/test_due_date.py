"""When a sale falls due, as its form shows it: computed until somebody types a day, and never that of the bill copied."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from api.kit.database import today
from tests.e2e.conftest import START_SECONDS, Seats
from tests.e2e.entry import ADD, OUTBOUND, goods, manager, outbound, page
from tests.e2e.office import made
from tests.kit.client import Caller

__all__ = ["goods", "manager", "page"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)
CUSTOMER = "v2/custom/Customer"


class Known(NamedTuple):
    """A customer and the days that he is given to pay."""

    customer_id: int
    name: str
    days: int


@pytest.fixture(scope="module")
def customers(manager: Caller) -> list[Known]:
    """Two customers of the manager's with different terms."""
    rows = made(manager.get(f"{CUSTOMER}/getList", per_page=100))["data"]
    found: dict[int, Known] = {}
    for row in rows:
        days = int(row["payment_days"])
        found.setdefault(days, Known(row["customer_id"], row["customer_name"], days))
    few, many = min(found), max(found)
    assert few < many
    return [found[few], found[many]]


def due(page: Page) -> Locator:
    return page.get_by_role("textbox", name="到期日", exact=True)


def hint(page: Page) -> Locator:
    return page.locator("[data-field=due_date] .field-hint")


def expect_computed(page: Page, day: date) -> None:
    expect(hint(page)).to_have_text(f"不填则为 {day}")
    expect(due(page)).to_have_value("")


def pick(page: Page, customer: Known) -> None:
    field = page.get_by_role("combobox", name="客户", exact=True)
    field.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.type(customer.name)
    offered = page.locator(f".ant-select-item-option[id^='{field.get_attribute('id')}_list_']")
    expect(offered.first).to_have_text(customer.name)
    page.keyboard.press("Enter")
    expect(page.locator("[data-field=customer_id]")).to_contain_text(customer.name)


def put(page: Page, label: str, day: date) -> None:
    field = page.get_by_role("textbox", name=label, exact=True)
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(str(day))
    page.keyboard.press("Enter")
    expect(field).to_have_value(str(day))


def saved(page: Page, manager: Caller) -> dict[str, Any]:
    page.keyboard.press("Control+s")
    page.wait_for_url("**/sales/salesamend?id=*")
    bill: dict[str, Any] = made(manager.get(f"{OUTBOUND}/getInfo", id=page.url.split("=")[-1]))
    return bill


def test_it_follows_customer_and_date_until_it_is_typed(page: Page, customers: list[Known]) -> None:
    one, other = customers
    pick(page, one)
    expect_computed(page, today() + timedelta(one.days))
    pick(page, other)
    expect_computed(page, today() + timedelta(other.days))
    earlier = today() - timedelta(3)
    put(page, "业务日期", earlier)
    expect_computed(page, earlier + timedelta(other.days))
    typed = today() + timedelta(100)
    put(page, "到期日", typed)
    expect(hint(page)).to_have_count(0)
    pick(page, one)
    put(page, "业务日期", today())
    expect(due(page)).to_have_value(str(typed))
    page.locator("[data-field=due_date] .ant-picker").hover()
    page.locator("[data-field=due_date] .ant-picker-clear").click()
    expect_computed(page, today() + timedelta(one.days))


def test_a_copy_is_not_overdue_at_once(
    desks: Seats, customers: list[Known], goods: list[dict[str, Any]], manager: Caller
) -> None:
    one = customers[0]
    long_ago = today() - timedelta(90)
    line = {"goods_id": goods[0]["goods_id"], "quantity": "1", "price": "300", "tax_rate": "13"}
    old = outbound(
        manager,
        [line],
        customer_id=one.customer_id,
        business_date=str(long_ago),
        due_date=str(long_ago + timedelta(30)),
    )
    assert made(manager.get(f"{OUTBOUND}/getInfo", id=old["id"]))["due_typed"] is True
    desk = desks("分公司经理")
    desk.open(f"{ADD}?copy={old['id']}")
    expect_computed(desk.page, today() + timedelta(one.days))
    copy = saved(desk.page, manager)
    assert (copy["business_date"], copy["due_date"], copy["due_typed"]) == (
        str(today()),
        str(today() + timedelta(one.days)),
        False,
    )
    desk.open(f"/sales/salesoutModify?id={copy['bill_id']}")
    expect_computed(desk.page, today() + timedelta(one.days))
    typed = today() + timedelta(7)
    put(desk.page, "到期日", typed)
    again = saved(desk.page, manager)
    assert (again["due_date"], again["due_typed"]) == (str(typed), True)
    desk.open(f"/sales/salesoutModify?id={copy['bill_id']}")
    expect(due(desk.page)).to_have_value(str(typed))
