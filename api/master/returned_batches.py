"""Batches of goods on their way back (退回批次): those that the source's line moved, less what went back already.

What the source moved without a batch may come back under any: nobody knew it then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from api.kit import registry
from api.kit.context import Context
from api.kit.document import Bill, Document, Link
from api.kit.errors import Refusal

_REST = """
select s.line_id, m.batch_id, b.batch, abs(sum(m.quantity)) as rest, sign(sum(m.quantity)) * w.direction as sign
from unnest(%(sources)s::bigint[]) as s (line_id)
join lateral (
    select sign(sum(g.quantity)) as direction from stock_ledger g
    where g.bill_type = %(source_type)s and g.line_id = s.line_id
) w on true
join lateral (
    select g.batch_id, g.quantity from stock_ledger g
    where g.bill_type = %(source_type)s and g.line_id = s.line_id
    union all
    select g.batch_id, g.quantity from {line} x join stock_ledger g on g.bill_type = %(type)s and g.line_id = x.line_id
    where x.{column} = s.line_id and x.bill_id <> %(without)s
) m on true
left join goods_batch b using (batch_id)
group by s.line_id, m.batch_id, b.batch, b.production_date, w.direction
having sum(m.quantity) <> 0
order by s.line_id, b.production_date nulls first, m.batch_id
"""
_TAKEN = """
select x.{column} as line_id, min(x.line_no) as line_no, g.batch_id, abs(sum(g.quantity)) as quantity
from {line} x
join stock_ledger g on g.bill_type = %s and g.line_id = x.line_id
where x.bill_id = %s and x.{column} is not null
group by x.{column}, g.batch_id
having sum(g.quantity) <> 0
order by 2
"""
UNNAMED = 0


class Left(NamedTuple):
    """How much of a source's line may go back under a batch."""

    batch_id: int
    batch: str | None
    quantity: Decimal


def name_batches(
    ctx: Context, cls: type[Bill], rows: Iterable[dict[str, Any]], name: str = "batch_id"
) -> None:
    """Have lines that name no batch take the only one that is left of what their sources moved.

    In bulk a source may not be saved yet.
    """
    link = _returning(cls)
    wanted = [row for row in rows if isinstance(row.get(link.column), int) and not row.get(name)]
    left = _left(ctx, cls, link, {row[link.column] for row in wanted})
    for row in wanted:
        found = left.get(row[link.column], [])
        if len(found) == 1 and found[0].batch_id != UNNAMED:
            row[name] = getattr(found[0], name)


def refuse_others(ctx: Context, cls: type[Bill], doc: Document) -> None:
    """Refuse a bill, once posted, that has goods go back under batches which their sources did not move.

    The sources' headers are locked: nothing else goes back meanwhile.
    """
    link, bill = _returning(cls), doc.header
    assert cls.bill is not None
    sources = {getattr(line, link.column) for line in doc.lines} - {None}
    if not sources:
        return
    left = _left(ctx, cls, link, sources, without=bill.bill_id)
    sql = _TAKEN.format(column=link.column, line=cls.bill.blocks[0].cls.name())
    taken: defaultdict[int, list[Any]] = defaultdict(list)
    for row in ctx.conn.exec_driver_sql(sql, (cls.bill.prefix, bill.bill_id)):
        taken[row.line_id].append(row)
    for source, rows in taken.items():
        rest = {one.batch_id: one.quantity for one in left.get(source, ())}
        beyond = [max(row.quantity - rest.get(row.batch_id, Decimal(0)), Decimal(0)) for row in rows]
        unnamed = sum((row.quantity for row in rows if row.batch_id == UNNAMED), Decimal(0))
        if sum(beyond) > max(rest.get(UNNAMED, Decimal(0)) - unnamed, Decimal(0)):
            label = registry.get(link.bill).declaration.label
            told = "、".join(
                f"{one.batch or '无批次'} {one.quantity.normalize():f}" for one in left.get(source, ())
            )
            raise Refusal(
                f"第{rows[0].line_no}行退回的批次不在来源{label}的批次中，该来源可退：{told}，请核对批次和数量"
            )


def _returning(cls: type[Bill]) -> Link:
    link = cls.bill.returning if cls.bill else None
    assert link is not None
    return link


def _left(
    ctx: Context, cls: type[Bill], link: Link, sources: Iterable[int], without: int = 0
) -> dict[int, list[Left]]:
    """By source line what is left of each batch that it moved, oldest first, but for what the bill `without` took."""
    source = registry.get(link.bill)
    assert cls.bill is not None and source.bill is not None
    keys = sorted(sources)
    if not keys:
        return {}
    sql = _REST.format(column=link.column, line=cls.bill.blocks[0].cls.name())
    values = {
        "sources": keys,
        "source_type": source.bill.prefix,
        "type": cls.bill.prefix,
        "without": without,
    }
    found: defaultdict[int, list[Left]] = defaultdict(list)
    for row in ctx.conn.exec_driver_sql(sql, values):
        if row.sign > 0:
            found[row.line_id].append(Left(row.batch_id, row.batch, row.rest))
    return found
