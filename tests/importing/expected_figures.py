"""Expected figures of the reports for a file of carparts bills, computed by polars from the file alone.

Nothing of the product is used: prices are taken apart, stock is costed at the moving average, and every
day's closing balance is written out and summed, where the product works with intervals. Money is in whole
cents until the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import polars as pl

BUCKETS = ((30, "0–30天"), (60, "31–60天"), (90, "61–90天"), (180, "91–180天"), (365, "181–365天"))
OLDEST = "365天以上"
WINDOWS = {"d30": 29, "d90": 89}


@dataclass(frozen=True, slots=True)
class Moves:
    """Moves of parts in posting order: day, part, signed quantity, value and revenue in cents."""

    rows: pl.DataFrame
    as_of: date


def read_moves(source: Path, as_of: date) -> Moves:
    """Return the file's moves, costed."""
    lines = pl.read_csv(source, schema_overrides={"商品编码": pl.String, "单价": pl.Decimal(18, 6)})
    cents = (pl.col("数量") * pl.col("单价").cast(pl.Float64) * 100).round().cast(pl.Int64)
    tax = (cents * 13 / 113).round().cast(pl.Int64)
    rows = (
        lines.select(
            day=pl.col("日期").str.to_date(),
            part="商品编码",
            is_sale=pl.col("单据类型") == "XSCK",
            quantity="数量",
            net=cents - tax,
        )
        .sort("day", "is_sale", maintain_order=True)
        .group_by("part", maintain_order=True)
        .map_groups(_cost_moves)
    )
    return Moves(rows, as_of)


def _cost_moves(part: pl.DataFrame) -> pl.DataFrame:
    """Cost a part's moves at the moving average: inbound brings its net price, outbound takes its share of
    the value."""
    quantity = value = 0
    worth = []
    for row in part.iter_rows(named=True):
        if row["is_sale"]:
            left = quantity - row["quantity"]
            taken = value if left == 0 else (2 * value * row["quantity"] + quantity) // (2 * quantity)
            quantity, value = left, value - taken
            worth.append(-taken)
        else:
            quantity, value = quantity + row["quantity"], value + row["net"]
            worth.append(row["net"])
    sign = pl.when("is_sale").then(-1).otherwise(1)
    return part.with_columns(change=pl.col("quantity") * sign, value=pl.Series(worth, dtype=pl.Int64))


def sum_months(found: Moves) -> pl.DataFrame:
    """Return months over all parts: sum of daily values, closing value and quantity, cost and quantity sold."""
    return _sum_months(_spread_days(found.rows.with_columns(part=pl.lit("all")), found.as_of))


def sum_months_by_part(found: Moves) -> pl.DataFrame:
    """Return months of each part."""
    return _sum_months(_spread_days(found.rows, found.as_of))


def _spread_days(rows: pl.DataFrame, as_of: date) -> pl.DataFrame:
    days = pl.DataFrame({"day": pl.date_range(rows["day"].min(), as_of, "1d", eager=True)})
    sold = pl.col("is_sale")
    moved = rows.group_by("part", "day").agg(
        pl.sum("change", "value"),
        cost=-pl.col("value").filter(sold).sum(),
        sold=-pl.col("change").filter(sold).sum(),
    )
    return (
        rows.select("part")
        .unique()
        .join(days, how="cross")
        .join(moved, on=("part", "day"), how="left")
        .with_columns(pl.col("change", "value", "cost", "sold").fill_null(0))
        .sort("part", "day")
        .with_columns(
            closing=pl.col("value").cum_sum().over("part"), stock=pl.col("change").cum_sum().over("part")
        )
    )


def _sum_months(daily: pl.DataFrame) -> pl.DataFrame:
    return (
        daily.group_by("part", pl.col("day").dt.truncate("1mo").alias("month"), maintain_order=True)
        .agg(
            value_days=pl.col("closing").sum() / 100,
            closing_value=pl.col("closing").last() / 100,
            closing_quantity=pl.col("stock").last(),
            sales_cost=pl.col("cost").sum() / 100,
            sales_quantity=pl.col("sold").sum(),
        )
        .sort("part", "month")
    )


def compute_aging(found: Moves) -> pl.DataFrame:
    """Return quantity on hand by age bucket, first in first out: what is left is what came last."""
    received = (
        found.rows.filter(~pl.col("is_sale"))
        .join(found.rows.group_by("part").agg(on_hand=pl.sum("change")), on="part")
        .sort("part", "day", descending=[False, True])
        .with_columns(later=pl.col("quantity").cum_sum().over("part") - pl.col("quantity"))
        .with_columns(left=(pl.col("on_hand") - pl.col("later")).clip(0, pl.col("quantity")))
        .filter(pl.col("left") > 0)
    )
    age = (pl.lit(found.as_of) - pl.col("day")).dt.total_days()
    label = pl.lit(OLDEST)
    for edge, name in reversed(BUCKETS):
        label = pl.when(age <= edge).then(pl.lit(name)).otherwise(label)
    return received.group_by(bucket=label).agg(quantity=pl.sum("left")).sort("bucket")


def rank_best_sellers(found: Moves, window: str) -> pl.DataFrame:
    """Return net quantity, revenue and rank by quantity of each part sold in a window that ends at the as-of
    date."""
    first = found.as_of - timedelta(days=WINDOWS[window])
    return (
        found.rows.filter(pl.col("is_sale") & pl.col("day").is_between(first, found.as_of))
        .group_by("part")
        .agg(quantity=pl.sum("quantity"), amount=pl.col("net").sum() / 100, cost=-pl.col("value").sum() / 100)
        .with_columns(rank=pl.col("quantity").rank("min", descending=True))
        .sort("part")
    )
