"""Packs (辅单位): lines counted by cartons and the like — 数量 = 件数 × 换算率, in the goods' own unit.

A line keeps the rate (换算率) it was saved at; quantities, prices and ledgers know nothing of packs. What both this and
the browser must say stands in tests/golden/packs.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from sqlalchemy import Connection, select

from api.kit import registry
from api.kit.context import Context
from api.kit.document import Part
from api.kit.goods_bills import QuantityLine
from api.kit.validation import Problems, as_key, value_of

UNIT, QUANTITY, FACTOR = "pack_unit_id", "pack_quantity", "pack_factor"
COLUMNS = (UNIT, QUANTITY, FACTOR)
"""What a line knows of its packs: all of it or nothing."""
MILLI = Decimal("0.001")
Factors = Mapping[tuple[int, int], Decimal]
"""How many of its own unit a goods' pack holds, by goods and unit."""


def quantity_of(packs: Decimal, factor: Decimal) -> Decimal:
    """件数 × 换算率, rounded half up to 3 decimals."""
    return (packs * factor).quantize(MILLI, ROUND_HALF_UP)


def packs_of(quantity: Decimal, factor: Decimal) -> Decimal | None:
    """The packs that come to a quantity, with at most 3 decimals; None where none do."""
    packs = (quantity / factor).quantize(MILLI, ROUND_HALF_UP)
    return packs if packs > 0 and quantity_of(packs, factor) == quantity else None


def filled(conn: Connection, cls: type[Part], sent: Any) -> Any:
    """A block's rows as they were sent, with the quantity of those that only tell their packs."""
    if not issubclass(cls, QuantityLine) or not isinstance(sent, list):
        return sent
    known: Factors | None = None
    found = []
    for row in sent:
        if isinstance(row, Mapping) and row.get("quantity") in (None, "") and row.get(QUANTITY):
            known = factors(conn, sent) if known is None else known
            factor = known.get((as_key(row.get("goods_id")) or 0, as_key(row.get(UNIT)) or 0))
            packs = value_of(cls.field(QUANTITY), row[QUANTITY], Problems())
            if factor and packs:
                row = {**row, "quantity": quantity_of(packs, factor)}
        found.append(row)
    return found


def check(ctx: Context, cls: type[Part], rows: list[dict[str, Any]], problems: Problems) -> None:
    """Packs are of a unit of the line's goods and come to its quantity; without their number it follows from that.

    One who may not see them changes the quantity alone: they follow it, or go.
    """
    if not issubclass(cls, QuantityLine):
        return
    if not all(ctx.principal.sees(cls.name(), name, None) for name in (UNIT, QUANTITY)):
        carry(ctx.conn, rows)
        return
    known = factors(ctx.conn, rows)
    for row in rows:
        problems.place = f"第{row['line_no']}行"
        factor = known.get((row["goods_id"], row[UNIT])) if row.get(UNIT) else None
        row[FACTOR] = factor
        if factor is None:
            if row.get(UNIT):
                problems.add(f"“{cls.field(UNIT).label}”不是该商品的辅助单位，请重新选择")
            elif row.get(QUANTITY):
                problems.add(f"请选择{cls.field(UNIT).label}")
        elif not row.get(QUANTITY):
            row[QUANTITY] = packs_of(row["quantity"], factor)
            if row[QUANTITY] is None:
                problems.add(f"请输入{cls.field(QUANTITY).label}")
        elif row["quantity"] != (due := quantity_of(row[QUANTITY], factor)):
            told = f"{_plain(row[QUANTITY])}×{_plain(factor)}={_plain(due)}"
            problems.add(f"“{cls.field('quantity').label}”应等于件数×换算率：{told}")
    problems.place = ""


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"


def carry(conn: Connection, lines: list[dict[str, Any]]) -> None:
    """Have lines that were made from others tell their quantity by the same packs, at the present rate, or by none."""
    known = factors(conn, lines)
    for line in lines:
        if UNIT not in line:
            continue
        factor, quantity = known.get((line["goods_id"], line[UNIT])), line["quantity"]
        packs = packs_of(quantity, factor) if factor and isinstance(quantity, Decimal) else None
        if packs is None:
            line.update(dict.fromkeys((*COLUMNS, *(name for name in ("pack_unit_name",) if name in line))))
        else:
            line.update({QUANTITY: packs, FACTOR: factor})


def factors(conn: Connection, rows: Iterable[Any]) -> Factors:
    """The rates of the packs of the goods that rows with a pack name."""
    goods = {as_key(row.get("goods_id")) for row in rows if isinstance(row, Mapping) and row.get(UNIT)}
    table = registry.get("goods").blocks()[0].cls.table()
    query = select(table.c.goods_id, table.c.unit_id, table.c.factor).where(
        table.c.goods_id.in_(sorted(key for key in goods if key))
    )
    return {(row.goods_id, row.unit_id): row.factor for row in conn.execute(query)} if goods - {None} else {}
