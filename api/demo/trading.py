"""Two years of trade of one demo company (演示业务): day by day, handed out in portions to post."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from api.demo.buying import Buyer
from api.demo.cashier import Cashier
from api.demo.consigning import Consignor
from api.demo.counting import Counter
from api.demo.desk import Desk, Portion
from api.demo.group import Branch, Group
from api.demo.guarantee import Warrantor
from api.demo.selling import Seller
from api.demo.sizes import Size

YEARS = 2
REVIEW_DAYS = 14
CONSIGNING_DAY, SHARING_DAY, ADJUSTING_DAY = 6, 9, 19
PORTION_LINES = 1500
"""Lines of one transaction, about: rows that a transaction rewrites often get slow to find before it commits."""


def begins_on(today: date) -> date:
    """The first day of trade: a whole month, against which the same month of the next years stands."""
    return today.replace(year=today.year - YEARS, day=1)


def portions(group: Group, branch: Branch, size: Size, today: date) -> Iterator[Portion]:
    """The company's bills up to `today`, always the same for the same arguments.

    A portion ends with its month, as what was voided or closed is free again in the next, or when it is large.
    """
    desk = Desk(group, branch, size, today)
    cashier = Cashier(desk)
    buyer = Buyer(desk, cashier)
    warrantor = Warrantor(desk, buyer)
    counter, consignor = Counter(desk), Consignor(desk)
    seller = Seller(desk, buyer, cashier, warrantor)
    first = begins_on(today)
    for number in range((today - first).days + 1):
        desk.day = first + timedelta(days=number)
        if number == 0:
            buyer.open_books()
        desk.do_diary()
        if number % REVIEW_DAYS == 3:
            buyer.review(planned=desk.day.day <= REVIEW_DAYS)
        seller.sell()
        cashier.settle()
        if desk.day.day == SHARING_DAY:
            buyer.buy_for_sisters()
        if desk.day.day == CONSIGNING_DAY and desk.day.month % 2:
            consignor.send()
        if desk.day.day == ADJUSTING_DAY:
            counter.adjust()
        if desk.day.day == 26:
            buyer.correct()
            warrantor.send_back()
        month_ends = desk.day == desk.month_end()
        if month_ends:
            counter.count()
        if month_ends or desk.day == today or desk.portion.lines >= PORTION_LINES:
            yield desk.portion
            desk.portion = Portion()
