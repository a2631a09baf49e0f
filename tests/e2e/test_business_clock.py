"""The business's calendar is the server's: a PC in another zone, or with a wrong clock, dates nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from api.kit.storage.database import TIME_ZONE, today
from tests.e2e.bill_form import ADD, OUTBOUND, cell_input, first_goods_choice, goods, manager
from tests.e2e.conftest import START_SECONDS, BrowserUser, RunningProduct
from tests.e2e.station_setup import require_data
from tests.e2e.test_main_job import choose_first
from tests.support.client import Caller

__all__ = ["goods", "manager"]
pytestmark = pytest.mark.timeout(START_SECONDS + 300)


def other_zone() -> str:
    """Return a zone where it is another day at this moment."""
    return "Pacific/Pago_Pago" if datetime.now(TIME_ZONE).hour < 18 else "Pacific/Kiritimati"


@pytest.fixture(params=["another zone", "a clock of last year"])
def page(request: pytest.FixtureRequest, system: RunningProduct, chromium: Browser) -> Iterator[Page]:
    """The branch manager's, at a PC that knows the business's day least of all."""
    slow = request.param == "a clock of last year"
    zone = "UTC" if slow else other_zone()
    context = chromium.new_context(viewport={"width": 1366, "height": 768}, locale="zh-CN", timezone_id=zone)
    desk = BrowserUser(context, system.address)
    if slow:
        desk.page.clock.install(time=datetime.now(TIME_ZONE) - timedelta(days=366))
    desk.log_in("分公司经理")
    yield desk.page
    context.close()
    assert not desk.errors, desk.errors


def test_a_bill_is_dated_and_looked_for_by_the_business_date(
    page: Page, system: RunningProduct, manager: Caller, goods: list[dict[str, Any]]
) -> None:
    browsers = page.evaluate("new Intl.DateTimeFormat('sv', {dateStyle: 'short'}).format(new Date())")
    day = str(today())
    assert browsers != day
    page.goto(f"{system.address}{ADD}")
    expect(page.get_by_label("业务日期")).to_have_value(day)
    choose_first(page, "客户")
    choose_first(page, "仓库")
    expect(first_goods_choice(page, goods[0]["goods_num"])).to_contain_text(goods[0]["goods_num"])
    page.keyboard.press("Enter")
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    cell_input(page).press("Control+s")
    page.wait_for_url("**/sales/salesamend?id=*")
    key = int(page.url.split("id=")[1].split("&")[0])
    assert require_data(manager.get(f"{OUTBOUND}/getInfo", id=key))["business_date"] == day

    page.goto(f"{system.address}/sales/salesout")
    page.get_by_label("业务日期").first.click()
    page.get_by_text("今天", exact=True).click()
    ends = page.locator(".filter-range input")
    expect(ends.nth(0)).to_have_value(day)
    expect(ends.nth(1)).to_have_value(day)
