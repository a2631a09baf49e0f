"""A group whose stock was bought, sold, moved and corrected, and what its stock reports are called."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from api.money import cost_recalculation
from tests.support.bill_client import BillClient

OUT_IN, SUMMARY = "v2/report/InventoryOutIn", "v2/report/InventorySummary"
CARD, INFORMATION, BATCHES = (
    "v2/report/StockCard",
    "v2/report/InventoryInformation",
    "v2/report/BatchSummary",
)
REPORTS = (OUT_IN, SUMMARY, CARD, INFORMATION, BATCHES)
FEBRUARY = {"day_start": "2026-02-01", "day_end": "2026-02-28"}

Refresh = Callable[[], None]


@pytest.fixture(scope="module")
def stocked(desk: BillClient, now: date, refresh: Refresh) -> BillClient:
    """Of the first spare, in company A: 10 at 100 come in January; in February 10 at 200 are bought, 4 sold, 5 sent to
    the other warehouse, 1 comes back, and the other warehouse gets 5 at 400. Company B has 3.

    Of the ninth 6 at 100 come in February, and 4 become 2 of the tenth, with 40.00 of labour.

    Of the second: 10 at 100, 4 sold in March; then 10 at 200 and 10 at 50 are dated before the sale, each recalculated.
    """
    world = desk.world
    first, second = world.spares[:2]
    desk.stock_in(first, 10, business_date="2026-01-10")
    _buy_goods(desk, first, "226", "2026-02-05")
    _sell_goods(desk, first, "2026-02-10")
    line = {"goods_id": first, "quantity": "5"}
    desk.add_audited(
        "transfer_out", line, to_warehouse_id=world.warehouse2_a, business_date="2026-02-12", reason="备货"
    )
    desk.add_audited(
        "sales_return", {"goods_id": first, "quantity": "1", "price": "300"}, business_date="2026-02-15"
    )
    desk.stock_in(first, 5, "452", business_date="2026-02-20", warehouse_id=world.warehouse2_a)
    desk.stock_in(
        first, 3, business_date="2026-02-20", company_id=world.company_b, warehouse_id=world.warehouse_b
    )
    desk.stock_in(second, 10, business_date="2026-01-10")
    _sell_goods(desk, second, "2026-03-10")
    for price, day in (("226", "2026-02-10"), ("56.5", "2026-02-11")):
        _buy_goods(desk, second, price, day)
        asked = {"company_id": world.company_a, "period": "2026-02"}
        started = desk.caller.post("v2/system/CostRecalculate/start", asked)
        assert started.ok, started
        cost_recalculation.work_off_run(started.data["recalculation_id"])
    taken, made = world.spares[8:10]
    desk.stock_in(taken, 6, business_date="2026-02-03")
    desk.add_audited(
        "stock_conversion",
        {"goods_id": taken, "quantity": "4"},
        outputs=[{"goods_id": made, "quantity": "2"}],
        labour_amount="40",
        business_date="2026-02-18",
    )
    desk.stock_in(world.tyre, 8, business_date="2026-02-20", batch="0124")
    _sell_goods(desk, world.tyre, now.isoformat(), "2")
    refresh()
    return desk


def _buy_goods(desk: BillClient, goods: int, price: str, day: str) -> None:
    line = {"goods_id": goods, "quantity": "10", "price": price, "tax_rate": "13"}
    desk.add_audited("purchase_inbound", line, business_date=day)


def _sell_goods(desk: BillClient, goods: int, day: str, quantity: str = "4") -> None:
    line = {"goods_id": goods, "quantity": quantity, "price": "300", "tax_rate": "13"}
    desk.add_audited("sales_outbound", line, business_date=day)
