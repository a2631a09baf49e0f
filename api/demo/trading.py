"""Two years of trade of one demo company (演示业务): day by day, handed out week by week."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from api.demo.buying import Buyer
from api.demo.cashier import Cashier
from api.demo.desk import Desk, Week
from api.demo.group import Branch, Group
from api.demo.selling import Seller
from api.demo.sizes import Size

DAYS = 730


def weeks(group: Group, branch: Branch, size: Size, today: date) -> Iterator[Week]:
    """The company's weeks up to `today`, always the same for the same arguments.

    A week must be posted before the next is asked for: payments are made of what its bills came to.
    """
    desk = Desk(group, branch, size, today)
    cashier = Cashier(desk)
    buyer = Buyer(desk, cashier)
    seller = Seller(desk, buyer, cashier)
    first = today - timedelta(days=DAYS)
    for number in range(DAYS + 1):
        desk.day = first + timedelta(days=number)
        if number == 0:
            buyer.open_books()
        desk.do_diary()
        if desk.day.weekday() in (0, 3):
            buyer.review()
        seller.sell()
        cashier.settle()
        if desk.day.day == 26:
            buyer.correct()
        if desk.day.weekday() == 6 or desk.day == today:
            yield desk.week
            desk.week = Week()
