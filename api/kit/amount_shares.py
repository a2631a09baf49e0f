"""Shares by amount (按金额分摊): the quantity and tax that fall to a part of a source line's amount, as on invoices.

Whatever the sequence, the parts that take all of a line's amount have all of its quantity and tax. The audit shares
once more under the source's lock, as drafts don't count each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, select

from api.kit.document import Bill, Link
from api.kit.flow import POSTED_SQL
from api.kit.pricing import unit_price
from api.kit.proration import SourceMoney, TakenParts, prorate, take_tax

MILLI = Decimal("0.001")
Line = dict[str, Any]
SHARED = ("quantity", "price", "tax_rate", "tax_amount", "no_tax_amount")
_SOURCE = ("line_id", "quantity", "amount", "tax_rate", "discount_amount", "tax_amount")


def takes_amounts(cls: type[Bill]) -> bool:
    """Whether a bill's lines take parts of amounts."""
    return any(link.measure == "amount" for link in cls.bill.links) if cls.bill else False


def taken_sql(cls: type[Bill], link: Link, named: str = "") -> str:
    """Select what posted bills have taken of each source line: line_id, quantity, amount, tax."""
    assert cls.bill is not None
    return f"""
        select x.{link.column} as line_id, sum(abs(x.quantity)) as quantity, sum(abs(x.amount)) as amount,
            sum(abs(x.tax_amount)) as tax
        from {cls.bill.blocks[0].cls.name()} x join {cls.name()} h using (bill_id)
        where x.{link.column} is not null and h.status in {POSTED_SQL} {named}
        group by x.{link.column}
    """


def share_amounts(conn: Connection, cls: type[Bill], lines: Sequence[Line], but: Sequence[int] = ()) -> None:
    """Give lines what falls to their amounts; posted bills `but` don't count as taken."""
    assert cls.bill is not None
    for link in cls.bill.links:
        drawn = [line for line in lines if line.get(link.column)]
        keys = sorted({line[link.column] for line in drawn})
        if not keys:
            continue
        sources = _read(conn, link, keys)
        taken = _taken(conn, cls, link, keys, but)
        for line in drawn:
            _share(line, link, sources[line[link.column]], taken.setdefault(line[link.column], TakenParts()))


def _read(conn: Connection, link: Link, keys: Iterable[int]) -> dict[int, Any]:
    table = link.lines.table()
    rows = conn.execute(select(*(table.c[name] for name in _SOURCE)).where(table.c.line_id.in_(list(keys))))
    return {row.line_id: row for row in rows}


def _taken(
    conn: Connection, cls: type[Bill], link: Link, keys: Sequence[int], but: Sequence[int]
) -> dict[int, TakenParts]:
    named = f"and x.{link.column} = any(%(keys)s::bigint[]) and not h.bill_id = any(%(but)s::bigint[])"
    rows = conn.exec_driver_sql(taken_sql(cls, link, named), {"keys": list(keys), "but": list(but)})
    return {row.line_id: TakenParts(row.quantity, row.amount, tax_amount=row.tax) for row in rows}


def _share(line: Line, link: Link, source: Any, taken: TakenParts) -> None:
    whole = SourceMoney(source.quantity, source.amount, source.discount_amount, source.tax_amount)
    amount = abs(line["amount"])
    upto = taken.amount + amount
    quantity = prorate(whole.quantity, taken.quantity, upto, whole.amount, MILLI)
    tax = take_tax(whole, taken, amount)
    taken.quantity += quantity
    taken.amount = upto
    taken.tax_amount += tax
    line.update(
        quantity=quantity * link.sign,
        price=unit_price(source.amount, source.quantity),
        tax_rate=source.tax_rate,
        tax_amount=tax * link.sign,
        no_tax_amount=line["amount"] - tax * link.sign,
    )


def apply_shares(conn: Connection, cls: type[Bill], bills: Sequence[tuple[int, Sequence[Line]]]) -> list[int]:
    """Share the lines of bills (id, lines) anew, under their sources' locks; answers the ids of those changed."""
    assert cls.bill is not None
    before = {line["line_id"]: _shared_of(line) for _, lines in bills for line in lines}
    share_amounts(conn, cls, [line for _, lines in bills for line in lines], [key for key, _ in bills])
    changed = [line for _, lines in bills for line in lines if _shared_of(line) != before[line["line_id"]]]
    if not changed:
        return []
    columns = ", ".join(f"%({name})s::numeric[]" for name in SHARED)
    conn.exec_driver_sql(
        f"update {cls.bill.blocks[0].cls.name()} l set {', '.join(f'{name} = n.{name}' for name in SHARED)}"
        f" from unnest(%(line_id)s::bigint[], {columns}) as n (line_id, {', '.join(SHARED)})"
        " where l.line_id = n.line_id",
        {name: [line[name] for line in changed] for name in ("line_id", *SHARED)},
    )
    touched = {line["line_id"] for line in changed}
    return [key for key, lines in bills if any(line["line_id"] in touched for line in lines)]


def _shared_of(line: Line) -> tuple[Any, ...]:
    return tuple(line.get(name) for name in SHARED)
