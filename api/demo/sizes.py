"""Sizes of the demo group (演示规模): counts of goods, partners and bills."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DemoSize:
    """Counts per company but for goods; sales are the mean of a workday, lines the mean of a sales bill."""

    goods: int
    customers: int
    sales_a_day: float
    lines_a_sale: float


SIZES = {
    "tiny": DemoSize(goods=120, customers=8, sales_a_day=0.9, lines_a_sale=2.0),
    "small": DemoSize(goods=420, customers=32, sales_a_day=1.75, lines_a_sale=2.9),
    "large": DemoSize(goods=2400, customers=240, sales_a_day=100.0, lines_a_sale=7.0),
}
