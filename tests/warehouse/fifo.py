"""FIFO layers in plain Python: the expected values of the marts of stock by age."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from typing import Any

import polars as pl


def compute_layers(ledger: pl.DataFrame, as_of: dt.date) -> dict[tuple[Any, ...], float]:
    """Return the rest of each receipt at a day, by warehouse, goods, batch and date."""
    receipts: dict[tuple[int, ...], dict[dt.date, float]] = defaultdict(lambda: defaultdict(float))
    returns: dict[tuple[int, ...], dict[dt.date, float]] = defaultdict(lambda: defaultdict(float))
    on_hand: dict[tuple[int, ...], float] = defaultdict(float)
    last: dict[tuple[int, ...], dt.date] = {}
    for row in ledger.filter(pl.col("business_date") <= as_of).iter_rows(named=True):
        key = (row["warehouse_id"], row["goods_id"], row["batch_id"])
        on_hand[key] += row["quantity"]
        last[key] = max(last.get(key, row["business_date"]), row["business_date"])
        if (row["quantity"] > 0) == (row["reverses"] is None):
            side = returns if row["bill_type"] == "XSTH" else receipts
            side[key][row["first_date"] or row["business_date"]] += row["quantity"]
    layers: dict[tuple[Any, ...], float] = {}
    for key, quantity in on_hand.items():
        layers |= {
            (*key, day): left
            for day, left in _compute_batch_layers(quantity, receipts[key], returns[key], last[key])
        }
    return layers


def _compute_batch_layers(
    on_hand: float, receipts: dict[dt.date, float], returns: dict[dt.date, float], last: dt.date
) -> list[tuple[dt.date, float]]:
    """Return the rest of a batch, by date: issues took the oldest receipts; a rest without receipts came from
    returns."""
    left: dict[dt.date, float] = defaultdict(float)
    gone = max(sum(max(quantity, 0) for quantity in receipts.values()) - max(on_hand, 0), 0)
    for day, quantity in sorted(receipts.items()):
        taken = min(gone, max(quantity, 0))
        gone -= taken
        left[day] += max(quantity, 0) - taken
    missing = on_hand - sum(left.values())
    for day, quantity in sorted(returns.items(), reverse=True):
        given = min(max(missing, 0), max(quantity, 0))
        missing -= given
        left[day] += given
    left[last] += missing
    return [(day, quantity) for day, quantity in left.items() if abs(quantity) > 1e-6]


def label_age(days: int) -> str:
    edges = [(30, "0–30天"), (60, "31–60天"), (90, "61–90天"), (180, "91–180天"), (365, "181–365天")]
    return next((label for edge, label in edges if days <= edge), "365天以上")
