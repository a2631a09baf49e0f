"""Account statements: opening, each bill, closing as of any day; agreed to as they are printed, or read anew."""

from __future__ import annotations

import itertools

import pytest

from tests.kit.desk import Books, Desk, Made

_names = itertools.count(1)


@pytest.fixture
def customer(desk: Desk) -> int:
    return desk.partner("customer", f"对账客户{next(_names)}")


def sell(desk: Desk, customer: int, on: str, price: str) -> Made:
    goods = desk.world.spares[47]
    desk.stock_in(goods, 1)
    line = {"goods_id": goods, "quantity": "1", "price": price}
    return desk.audited("sales_outbound", line, customer_id=customer, business_date=on)


def state(desk: Desk, customer: int) -> Made:
    days = {"starts_on": "2026-03-01", "ends_on": "2026-03-31"}
    return desk.draft("account_statement", customer_id=customer, **days)


class TestStatement:
    def test_opening_and_bills_make_the_closing(self, desk: Desk, books: Books, customer: int) -> None:
        first = sell(desk, customer, "2026-02-10", "100")
        second = sell(desk, customer, "2026-03-05", "60")
        part = {"settlement_id": books.item(first), "amount": "100"}
        paid = desk.audited(
            "customer_receipt", part, customer_id=customer, amount="130", business_date="2026-03-20"
        )
        sell(desk, customer, "2026-04-01", "7")
        info = desk.info(state(desk, customer))
        sums = [info[f"{name}_amount"] for name in ("opening", "increase", "settled", "closing")]
        assert sums == ["100.00", "60.00", "130.00", "30.00"]
        shown = [
            (
                row["bill_name"],
                row["item_no"],
                row["increase_amount"],
                row["settled_amount"],
                row["balance_amount"],
            )
            for row in info["lines"]
        ]
        assert shown == [
            ("销售出库", second.no, "60.00", "0.00", "160.00"),
            ("收款单", paid.no, "0.00", "130.00", "30.00"),
        ]

    def test_what_changed_since_is_read_anew(self, desk: Desk, customer: int) -> None:
        sell(desk, customer, "2026-03-05", "60")
        made = state(desk, customer)
        sell(desk, customer, "2026-03-06", "5")
        stale = desk.act("auditorPass", made)
        assert (stale.code, stale.msg[:13]) == (400, "对账期间的往来已有变化，请")
        info = desk.info(made)
        body = {"id": made.id, "revision": info["revision"], "remark": "重新取数"}
        assert desk.caller.post(desk.path("account_statement", "edit"), body).ok
        assert desk.act("auditorPass", made).ok
        assert desk.info(made)["closing_amount"] == "65.00"
