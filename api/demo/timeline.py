"""Timeline of one demo company (演示业务): two years of trade day by day, in portions to post."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from api.demo.company_simulator import CompanySimulator, Portion
from api.demo.consignments import Consignor
from api.demo.masters import DemoBranch, DemoGroup
from api.demo.purchases import Purchaser
from api.demo.sales import Seller
from api.demo.settlements import Cashier
from api.demo.sizes import DemoSize
from api.demo.stock_takes import StockTaker
from api.demo.warranty import WarrantyHandler

YEARS = 2
REVIEW_DAYS = 14
CONSIGNING_DAY, SHARING_DAY, ADJUSTING_DAY = 6, 9, 19
PORTION_LINES = 1500
"""Lines of one transaction, about: rows that a transaction rewrites often get slow to find before it commits."""


def first_day(today: date) -> date:
    """Return the first day of trade: a whole month, to be compared with the same month of the next years."""
    return today.replace(year=today.year - YEARS, day=1)


def generate_portions(group: DemoGroup, branch: DemoBranch, size: DemoSize, today: date) -> Iterator[Portion]:
    """Yield the company's bills up to `today`, always the same for the same arguments.

    A portion ends with its month, as what was voided or closed is free again in the next, or when it is
    large.
    """
    desk = CompanySimulator(group, branch, size, today)
    cashier = Cashier(desk)
    buyer = Purchaser(desk, cashier)
    warrantor = WarrantyHandler(desk, buyer)
    counter, consignor = StockTaker(desk), Consignor(desk)
    seller = Seller(desk, buyer, cashier, warrantor)
    first = first_day(today)
    for number in range((today - first).days + 1):
        desk.day = first + timedelta(days=number)
        if number == 0:
            buyer.enter_opening_stock()
        desk.run_scheduled()
        if number % REVIEW_DAYS == 3:
            buyer.order_goods(planned=desk.day.day <= REVIEW_DAYS)
        seller.make_sales()
        cashier.settle()
        if desk.day.day == SHARING_DAY:
            buyer.buy_for_sisters()
        if desk.day.day == CONSIGNING_DAY and desk.day.month % 2:
            consignor.send_goods()
        if desk.day.day == ADJUSTING_DAY:
            counter.adjust_costs()
        if desk.day.day == 26:
            buyer.enter_corrections()
            warrantor.return_tyres()
        month_ends = desk.day == desk.month_end()
        if month_ends:
            counter.take_stock()
        if month_ends or desk.day == today or desk.portion.lines >= PORTION_LINES:
            yield desk.portion
            desk.portion = Portion()
