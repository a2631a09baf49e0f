"""Proration by amount (按金额分摊): quantity and tax of a part of a source line's amount, as on invoices.

Whatever the sequence, the parts that take all of a line's amount have all of its quantity and tax. The
audit prorates once more under the source's lock, as drafts don't count each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, select

from api.kit.bills.pricing import unit_price
from api.kit.bills.proration import SourceMoney, TakenParts, prorate_amount, take_tax
from api.kit.declaration.document import Bill, SourceLink
from api.kit.declaration.flow import POSTED_SQL

THOUSANDTH = Decimal("0.001")
Line = dict[str, Any]
PRORATED_FIELDS = ("quantity", "price", "tax_rate", "tax_amount", "no_tax_amount")
_SOURCE = ("line_id", "quantity", "amount", "tax_rate", "discount_amount", "tax_amount")


def has_amount_links(cls: type[Bill]) -> bool:
    """Return whether a bill's lines execute amounts of their sources."""
    return any(link.measure == "amount" for link in cls.bill.links) if cls.bill else False


def taken_amounts_sql(cls: type[Bill], link: SourceLink, named: str = "") -> str:
    """Build SQL of what posted bills have taken of each source line: line_id, quantity, amount, tax."""
    assert cls.bill is not None
    return f"""
        select x.{link.column} as line_id, sum(abs(x.quantity)) as quantity, sum(abs(x.amount)) as amount,
            sum(abs(x.tax_amount)) as tax
        from {cls.bill.blocks[0].cls.name()} x join {cls.name()} h using (bill_id)
        where x.{link.column} is not null and h.status in {POSTED_SQL} {named}
        group by x.{link.column}
    """


def prorate_amounts(
    conn: Connection, cls: type[Bill], lines: Sequence[Line], but: Sequence[int] = ()
) -> None:
    """Set quantity, price and tax of lines from their amounts; posted bills `but` don't count as taken."""
    assert cls.bill is not None
    for link in cls.bill.links:
        drawn = [line for line in lines if line.get(link.column)]
        keys = sorted({line[link.column] for line in drawn})
        if not keys:
            continue
        sources = _read_source_lines(conn, link, keys)
        taken = _read_taken_parts(conn, cls, link, keys, but)
        for line in drawn:
            _prorate_line(
                line, link, sources[line[link.column]], taken.setdefault(line[link.column], TakenParts())
            )


def _read_source_lines(conn: Connection, link: SourceLink, keys: Iterable[int]) -> dict[int, Any]:
    table = link.lines.table()
    rows = conn.execute(select(*(table.c[name] for name in _SOURCE)).where(table.c.line_id.in_(list(keys))))
    return {row.line_id: row for row in rows}


def _read_taken_parts(
    conn: Connection, cls: type[Bill], link: SourceLink, keys: Sequence[int], but: Sequence[int]
) -> dict[int, TakenParts]:
    named = f"and x.{link.column} = any(%(keys)s::bigint[]) and not h.bill_id = any(%(but)s::bigint[])"
    rows = conn.exec_driver_sql(taken_amounts_sql(cls, link, named), {"keys": list(keys), "but": list(but)})
    return {row.line_id: TakenParts(row.quantity, row.amount, tax_amount=row.tax) for row in rows}


def _prorate_line(line: Line, link: SourceLink, source: Any, taken: TakenParts) -> None:
    whole = SourceMoney(source.quantity, source.amount, source.discount_amount, source.tax_amount)
    amount = abs(line["amount"])
    upto = taken.amount + amount
    quantity = prorate_amount(whole.quantity, taken.quantity, upto, whole.amount, THOUSANDTH)
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


def update_amount_shares(
    conn: Connection, cls: type[Bill], bills: Sequence[tuple[int, Sequence[Line]]]
) -> list[int]:
    """Prorate the lines of bills (id, lines) anew, under their sources' locks.

    Return the ids of changed bills.
    """
    assert cls.bill is not None
    before = {line["line_id"]: _prorated_values(line) for _, lines in bills for line in lines}
    prorate_amounts(conn, cls, [line for _, lines in bills for line in lines], [key for key, _ in bills])
    changed = [
        line for _, lines in bills for line in lines if _prorated_values(line) != before[line["line_id"]]
    ]
    if not changed:
        return []
    columns = ", ".join(f"%({name})s::numeric[]" for name in PRORATED_FIELDS)
    conn.exec_driver_sql(
        f"update {cls.bill.blocks[0].cls.name()} l set {', '.join(f'{name} = n.{name}' for name in PRORATED_FIELDS)}"
        f" from unnest(%(line_id)s::bigint[], {columns}) as n (line_id, {', '.join(PRORATED_FIELDS)})"
        " where l.line_id = n.line_id",
        {name: [line[name] for line in changed] for name in ("line_id", *PRORATED_FIELDS)},
    )
    touched = {line["line_id"] for line in changed}
    return [key for key, lines in bills if any(line["line_id"] in touched for line in lines)]


def _prorated_values(line: Line) -> tuple[Any, ...]:
    return tuple(line.get(name) for name in PRORATED_FIELDS)
