"""Return batches (退回批次): goods go back under the batches that the source's line moved, less earlier returns.

What the source moved without a batch may come back under any: nobody knew it then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, Document, SourceLink
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
NO_BATCH = 0


class ReturnableBatch(NamedTuple):
    """The quantity of a source's line that may go back under one batch."""

    batch_id: int
    batch: str | None
    quantity: Decimal


def fill_batches(
    ctx: Context, cls: type[Bill], rows: Iterable[dict[str, Any]], name: str = "batch_id"
) -> None:
    """Set the batch of lines that name none, where only one is left of what their sources moved.

    In bulk a source may not be saved yet.
    """
    link = _get_return_link(cls)
    wanted = [row for row in rows if isinstance(row.get(link.column), int) and not row.get(name)]
    left = _read_returnable(ctx, cls, link, {row[link.column] for row in wanted})
    for row in wanted:
        found = left.get(row[link.column], [])
        if len(found) == 1 and found[0].batch_id != NO_BATCH:
            row[name] = getattr(found[0], name)


def forbid_other_batches(ctx: Context, cls: type[Bill], doc: Document) -> None:
    """Raise Refusal if a posted bill returns goods under batches that their sources did not move.

    The sources' headers are locked: nothing else goes back meanwhile.
    """
    link, bill = _get_return_link(cls), doc.header
    assert cls.bill is not None
    sources = {getattr(line, link.column) for line in doc.lines} - {None}
    if not sources:
        return
    left = _read_returnable(ctx, cls, link, sources, without=bill.bill_id)
    sql = _TAKEN.format(column=link.column, line=cls.bill.blocks[0].cls.name())
    taken: defaultdict[int, list[Any]] = defaultdict(list)
    for row in ctx.conn.exec_driver_sql(sql, (cls.bill.prefix, bill.bill_id)):
        taken[row.line_id].append(row)
    for source, rows in taken.items():
        rest = {one.batch_id: one.quantity for one in left.get(source, ())}
        beyond = [max(row.quantity - rest.get(row.batch_id, Decimal(0)), Decimal(0)) for row in rows]
        unnamed = sum((row.quantity for row in rows if row.batch_id == NO_BATCH), Decimal(0))
        if sum(beyond) > max(rest.get(NO_BATCH, Decimal(0)) - unnamed, Decimal(0)):
            label = registry.get_resource(link.bill).declaration.label
            lines_text = "、".join(
                f"{one.batch or '无批次'} {one.quantity.normalize():f}" for one in left.get(source, ())
            )
            raise Refusal(
                f"第{rows[0].line_no}行退回的批次不在来源{label}的批次中，该来源可退：{lines_text}，请核对批次和数量"
            )


def _get_return_link(cls: type[Bill]) -> SourceLink:
    link = cls.bill.return_link if cls.bill else None
    assert link is not None
    return link


def _read_returnable(
    ctx: Context, cls: type[Bill], link: SourceLink, sources: Iterable[int], without: int = 0
) -> dict[int, list[ReturnableBatch]]:
    """Return by source line the rest of each batch that it moved, oldest first; bill `without` is left out."""
    source = registry.get_resource(link.bill)
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
    found: defaultdict[int, list[ReturnableBatch]] = defaultdict(list)
    for row in ctx.conn.exec_driver_sql(sql, values):
        if row.sign > 0:
            found[row.line_id].append(ReturnableBatch(row.batch_id, row.batch, row.rest))
    return found
