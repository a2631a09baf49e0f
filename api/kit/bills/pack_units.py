"""Packs (辅单位): lines counted by cartons and the like — 数量 = 件数 × 换算率, in the goods' own unit.

A line keeps the rate (换算率) it was saved at; quantities, prices and ledgers know nothing of packs. The
cases that this and the browser share are in tests/golden/packs.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from sqlalchemy import Connection, select

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import ChildRow
from api.kit.declaration.goods_bills import QuantityLine
from api.kit.storage.validation import Problems, parse_key, parse_value

UNIT, QUANTITY, FACTOR = "pack_unit_id", "pack_quantity", "pack_factor"
COLUMNS = (UNIT, QUANTITY, FACTOR)
"""Columns of a line's packs: all are set or none."""
THOUSANDTH = Decimal("0.001")
Factors = Mapping[tuple[int, int], Decimal]
"""Own units that a pack holds, by goods and pack unit."""


def quantity_of(packs: Decimal, factor: Decimal) -> Decimal:
    """Return 件数 × 换算率, rounded half up to 3 decimals."""
    return (packs * factor).quantize(THOUSANDTH, ROUND_HALF_UP)


def packs_of(quantity: Decimal, factor: Decimal) -> Decimal | None:
    """Return the packs that come to a quantity, with at most 3 decimals; None where none do."""
    packs = (quantity / factor).quantize(THOUSANDTH, ROUND_HALF_UP)
    return packs if packs > 0 and quantity_of(packs, factor) == quantity else None


def fill_quantity(conn: Connection, cls: type[ChildRow], sent: Any) -> Any:
    """Fill the quantity of a block's sent rows that only have their packs."""
    if not issubclass(cls, QuantityLine) or not isinstance(sent, list):
        return sent
    known: Factors | None = None
    found = []
    for row in sent:
        if isinstance(row, Mapping) and row.get("quantity") in (None, "") and row.get(QUANTITY):
            known = read_factors(conn, sent) if known is None else known
            factor = known.get((parse_key(row.get("goods_id")) or 0, parse_key(row.get(UNIT)) or 0))
            packs = parse_value(cls.field(QUANTITY), row[QUANTITY], Problems())
            if factor and packs:
                row = {**row, "quantity": quantity_of(packs, factor)}
        found.append(row)
    return found


def validate_packs(ctx: Context, cls: type[ChildRow], rows: list[dict[str, Any]], problems: Problems) -> None:
    """Validate that packs are of a unit of the line's goods and come to its quantity.

    Fill their number if absent. For a user who may not see them they follow a changed quantity, or are
    cleared.
    """
    if not issubclass(cls, QuantityLine):
        return
    if not all(ctx.principal.can_see(cls.name(), name, None) for name in (UNIT, QUANTITY)):
        copy_packs(ctx.conn, rows)
        return
    known = read_factors(ctx.conn, rows)
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
            equation = f"{_format_number(row[QUANTITY])}×{_format_number(factor)}={_format_number(due)}"
            problems.add(f"“{cls.field('quantity').label}”应等于件数×换算率：{equation}")
    problems.place = ""


def _format_number(value: Decimal) -> str:
    return f"{value.normalize():f}"


def copy_packs(conn: Connection, lines: list[dict[str, Any]]) -> None:
    """Set the packs of lines made from others from their quantity, at the present rate.

    Clear those that don't fit.
    """
    known = read_factors(conn, lines)
    for line in lines:
        if UNIT not in line:
            continue
        factor, quantity = known.get((line["goods_id"], line[UNIT])), line["quantity"]
        packs = packs_of(quantity, factor) if factor and isinstance(quantity, Decimal) else None
        if packs is None:
            line.update(dict.fromkeys((*COLUMNS, *(name for name in ("pack_unit_name",) if name in line))))
        else:
            line.update({QUANTITY: packs, FACTOR: factor})


def read_factors(conn: Connection, rows: Iterable[Any]) -> Factors:
    """Read the rates of the packs of goods in rows with a pack."""
    goods = {parse_key(row.get("goods_id")) for row in rows if isinstance(row, Mapping) and row.get(UNIT)}
    table = registry.get_resource("goods").blocks()[0].cls.table()
    query = select(table.c.goods_id, table.c.unit_id, table.c.factor).where(
        table.c.goods_id.in_(sorted(key for key in goods if key))
    )
    return {(row.goods_id, row.unit_id): row.factor for row in conn.execute(query)} if goods - {None} else {}
