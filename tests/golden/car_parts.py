"""Monthly demand of car parts as bills: what `erp import-bills` takes, made from `month,part_no,quantity`.

    python -m tests.golden.car_parts carparts.csv bills.csv [2026-10]

The last month, when given, moves all months so that the series ends there: reports of the last twelve months see it.
Each month's demand is bought on its first day and sold on its last, but every third part is bought for two months in
odd months, so that stock ages and turns over at different speeds. Prices follow from the part's number alone.
"""

from __future__ import annotations

import csv
import sys
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

HEADER = ("日期", "单据类型", "公司", "仓库", "往来单位", "商品编码", "批次", "数量", "单价", "商品名称")
COMPANY, WAREHOUSE, SUPPLIER, CUSTOMER = "配件示例公司", "配件示例仓", "配件总厂", "维修站合计"
MARKUP = Decimal("1.30")
SPARE = 2
"""Units of each part that are bought at the start and never sold."""


def cost_price(part: str) -> Decimal:
    """Return the purchase price with tax, yuan."""
    return Decimal(20 + int(part) % 480)


def sale_price(part: str) -> Decimal:
    """Return the sale price with tax, yuan."""
    return (cost_price(part) * MARKUP).quantize(Decimal("0.01"))


def list_bill_lines(demand: Iterable[tuple[str, str, int]]) -> Iterator[tuple[str, ...]]:
    """Yield bill lines from (month, part, quantity), months in order."""
    months: dict[str, dict[str, int]] = {}
    for month, part, quantity in demand:
        months.setdefault(month, {})[part] = quantity
    order = sorted(months)
    for place, month in enumerate(order):
        ahead = months[order[place + 1]] if place + 1 < len(order) else {}
        yield from _list_purchase_lines(place, month, months[month], ahead)
        year, number = map(int, month.split("-"))
        last = date(year, number, monthrange(year, number)[1])
        for part, quantity in months[month].items():
            if quantity > 0:
                yield _format_line(last, "XSCK", CUSTOMER, part, quantity, sale_price(part))


def _list_purchase_lines(
    place: int, month: str, now: dict[str, int], ahead: dict[str, int]
) -> Iterator[tuple[str, ...]]:
    first = date.fromisoformat(f"{month}-01")
    for part, wanted in now.items():
        quantity = max(wanted, 0) + (SPARE if place == 0 else 0)
        if int(part) % 3 == 0:
            quantity = SPARE if place == 0 else 0
            if place % 2 == 0:
                quantity += max(wanted, 0) + max(ahead.get(part, 0), 0)
        if quantity:
            yield _format_line(first, "CGRK", SUPPLIER, part, quantity, cost_price(part))


def _format_line(
    day: date, kind: str, partner: str, part: str, quantity: int, price: Decimal
) -> tuple[str, ...]:
    return (
        day.isoformat(),
        kind,
        COMPANY,
        WAREHOUSE,
        partner,
        part,
        "",
        str(quantity),
        str(price),
        f"配件 {part}",
    )


def read_demand(source: Path) -> Iterator[tuple[str, str, int]]:
    """Yield months, parts and quantities; a part without a figure for a month is left out."""
    with source.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            if row["quantity"]:
                yield row["month"], row["part_no"], int(float(row["quantity"]))


def write_lines(lines: Iterable[tuple[str, ...]], target: Path, header: Sequence[str] = HEADER) -> int:
    """Write bill lines as an import file; return how many."""
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        rows = list(lines)
        writer.writerows(rows)
    return len(rows)


def shift_months(demand: Iterable[tuple[str, str, int]], last: str) -> Iterator[tuple[str, str, int]]:
    """Shift the series by months so that it ends in month `last`."""
    rows = list(demand)
    distance = _count_months(last) - max(_count_months(month) for month, _, _ in rows)
    for month, part, quantity in rows:
        year, number = divmod(_count_months(month) + distance, 12)
        yield f"{year}-{number + 1:02d}", part, quantity


def _count_months(month: str) -> int:
    return int(month[:4]) * 12 + int(month[5:7]) - 1


def main(source: str, target: str, last: str | None = None) -> None:
    demand = read_demand(Path(source))
    print(write_lines(list_bill_lines(shift_months(demand, last) if last else demand), Path(target)))


if __name__ == "__main__":
    main(*sys.argv[1:])
