"""Late stock moves (盘点前的单据): bills dated no later than a stocktake but posted after it.

Whoever audits or reverses such a bill is asked whether its goods had been counted; of the same day, only
bills entered on it after the count are certainly uncounted. If counted, a difference bill (PYRK, PKCK)
dated as the stocktake takes the bill's effect back, and is reversed with it. If not, the effect comes on
top. Only the net movement of a bill and its difference bills since the stocktake's audit counts: a bill
that was reversed and audited again unchanged asks nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import groupby
from typing import Any

from sqlalchemy import select

from api.inventory import stock_counts
from api.inventory.stock_differences import (
    StockLoss,
    StockSurplus,
    create_audited_bills,
    void_bills,
    widen_scope,
)
from api.inventory.stock_take import StockTake
from api.kit.bills.refusal_causes import link_to_bill
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.posting import BillRef
from api.kit.errors import Refusal, Remedy
from api.kit.storage.database import TIME_ZONE
from api.ledger.integrity_checks import Check, register_checks
from api.master.stock import ledger_gateway

_OWN = f"""
select l.* from stock_ledger l where l.bill_type = %(type)s and l.bill_id = %(id)s
union all
select l.*
from ({stock_counts.LATE_BILLS}) d
join stock_ledger l on l.bill_type = d.bill_type and l.bill_id = d.bill_id
where d.late_type = %(type)s and d.late_bill_id = %(id)s
"""
# A count covers the places that it lists, and others of the goods within its range where it lists all that held any:
# what lay nowhere else was counted as none. Of one day the last count tells.
_COVERS = """
(h.allocation_id is null or h.allocation_id = s.allocation_id)
and not exists (
    select from stock_ledger b
    where b.warehouse_id = h.warehouse_id and b.goods_id = s.goods_id and b.business_date <= h.business_date
        and b.ledger_id <= h.ledger_upto and (h.allocation_id is null or b.allocation_id = h.allocation_id)
        and not exists (
            select from stock_take_line n
            where n.bill_id = h.bill_id and n.goods_id = b.goods_id
                and coalesce(n.allocation_id, 0) = b.allocation_id and coalesce(n.batch_id, 0) = b.batch_id
        )
    group by b.allocation_id, b.batch_id
    having sum(b.quantity) <> 0
)
"""
# Since the audit of a count, which settled what had been posted till then.
_MOVED_SINCE = f"""
with own as ({_OWN}),
spot as (
    select o.warehouse_id, o.goods_id, o.allocation_id, o.batch_id, min(o.business_date) as since
    from own o where o.quantity <> 0
    group by o.warehouse_id, o.goods_id, o.allocation_id, o.batch_id
),
moved as (
    select s.*, t.bill_id as take_id, t.bill_no as take_no, t.business_date, t.listed,
        (
            select sum(o.quantity) from own o
            where (o.warehouse_id, o.goods_id, o.allocation_id, o.batch_id)
                = (s.warehouse_id, s.goods_id, s.allocation_id, s.batch_id)
                and o.ledger_id > t.ledger_upto
                and (
                    o.business_date < t.business_date
                    or o.business_date = t.business_date
                    and (t.counted_at > %(made_at)s or o.business_date < %(made_on)s)
                )
        ) as quantity
    from spot s
    cross join lateral (
        select distinct on (h.business_date)
            h.bill_id, h.bill_no, h.business_date, h.ledger_upto, c.counted_at, c.listed
        from (
            select l.*,
                (coalesce(l.allocation_id, 0), coalesce(l.batch_id, 0)) = (s.allocation_id, s.batch_id) as listed
            from stock_take_line l
            where l.goods_id = s.goods_id and l.superseded_by is null and not exists (
                select from stock_take_line n
                where n.bill_id = l.bill_id and n.goods_id = l.goods_id and n.superseded_by is not null
                    and (coalesce(n.allocation_id, 0), coalesce(n.batch_id, 0)) = (s.allocation_id, s.batch_id)
            )
        ) c
        join stock_take h using (bill_id)
        where h.warehouse_id = s.warehouse_id and h.status in {POSTED_SQL} and h.business_date >= s.since
            and (c.listed or {_COVERS})
        order by h.business_date, c.counted_at desc, c.listed desc
    ) t
)
select
    m.take_id, m.take_no, m.business_date, m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, m.quantity,
    m.listed, g.goods_name, g.is_numbered
from moved m
join goods g using (goods_id)
where m.quantity is not null
order by m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, m.business_date
"""
_TAKEN = f"""
select distinct t.bill_id, t.bill_no
from unnest(%(goods)s::bigint[], %(warehouses)s::bigint[]) as s (goods_id, warehouse_id)
join stock_take_line l using (goods_id)
join stock_take t on t.bill_id = l.bill_id and t.warehouse_id = s.warehouse_id
where t.status in {POSTED_SQL} and t.business_date >= %(day)s and {stock_counts.DIFFERENCE.format(table="l")} < 0
order by t.bill_no
"""
_MADE_BY_TAKE = """
select exists (select from stock_loss where %(type)s = 'PKCK' and bill_id = %(id)s and stock_take_id is not null)
    or exists (select from stock_surplus where %(type)s = 'PYRK' and bill_id = %(id)s and stock_take_id is not null)
"""
_ANY_OWN = f"""
select l.ledger_id, l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.business_date, l.quantity
from stock_ledger l
where l.bill_type = c.late_type and l.bill_id = c.late_bill_id
union all
select l.ledger_id, l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.business_date, l.quantity
from ({stock_counts.LATE_BILLS}) d join stock_ledger l on l.bill_type = d.bill_type and l.bill_id = d.bill_id
where d.late_type = c.late_type and d.late_bill_id = c.late_bill_id
"""

register_checks(
    Check(
        "late_corrections_undo_their_bills",
        "已盘在内的单据与其更正单合计：当日最后一次盘点审核之后，当日账面不变",
        f"""select c.late_bill_no, c.bill_no, l.goods_id, m.moved
        from ({stock_counts.LATE_BILLS}) c
        join stock_take t on t.bill_id = c.stock_take_id
        join stock_ledger l on l.bill_type = c.bill_type and l.bill_id = c.bill_id
        cross join lateral (
            select sum(o.quantity) as moved
            from ({_ANY_OWN}) o
            where (o.warehouse_id, o.goods_id, o.allocation_id, o.batch_id)
                = (l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id)
                and o.business_date <= t.business_date and o.ledger_id > t.ledger_upto
        ) m
        where c.status in {POSTED_SQL} and l.reverses is null and m.moved <> 0
            and not exists (
                select from stock_take p
                join stock_take_line n using (bill_id)
                where p.warehouse_id = t.warehouse_id and p.business_date = t.business_date and p.bill_id <> t.bill_id
                    and p.status in {POSTED_SQL} and n.goods_id = l.goods_id and n.superseded_by is null
                    and n.counted_at > (
                        select max(w.counted_at) from stock_take_line w
                        where w.bill_id = t.bill_id and w.goods_id = l.goods_id
                    )
            )""",
    )
)


class LateMoveHandler:
    """Implementation of the `LateMoves` protocol of `api.master.stock.ledger_gateway`."""

    def void_corrections(self, ctx: Context, bill: BillRef) -> None:
        """Void this bill's difference bills before it moves stock again itself."""
        _void_corrections(ctx, StockLoss, bill)

    def reconcile_counts(self, ctx: Context, bill: BillRef) -> None:
        """Ask whether a posted or reversed bill was counted, and keep the stock at the counted quantity."""
        of = {"type": bill.bill_type, "id": bill.bill_id}
        if ctx.conn.exec_driver_sql(_MADE_BY_TAKE, of).scalar_one():
            return
        _void_corrections(ctx, StockSurplus, bill)
        key = (bill.bill_type, bill.bill_id)
        made = stock_counts.read_entry_times(ctx, {key})[key]
        moved = ctx.conn.exec_driver_sql(
            _MOVED_SINCE,
            {
                **of,
                "made_at": made,
                "made_on": made.astimezone(TIME_ZONE).date(),
            },
        )
        cls = registry.map_prefixes()[bill.bill_type]
        about = f"{cls.declaration.label}{bill.bill_no}改变了盘点日账面："
        counting = stock_counts.CountQuestions(ctx, bill, cls.name(), about)
        found = _find_corrections(counting, moved.all())
        counting.raise_if_open()
        if found:
            _create_corrections(ctx, bill, cls.declaration.label, found)

    def find_ways(self, ctx: Context, bill: BillRef, short: Collection[tuple[int, int]]) -> Iterator[Remedy]:
        """Yield remedies where a stocktake has already taken away goods that a bill lacks: (goods, warehouse)
        each."""
        goods, warehouses = zip(*short, strict=True)
        params = {"goods": list(goods), "warehouses": list(warehouses), "day": bill.business_date}
        for take in ctx.conn.exec_driver_sql(_TAKEN, params).all()[: stock_counts.SHOWN]:
            advice = f"若盘点单{take.bill_no}已盘在内：先反审核它，审核本单，再审核它"
            yield replace(link_to_bill(StockTake, take.bill_id, take.bill_no), label=advice)


def _describe_difference(rows: Sequence[Any]) -> str:
    """Describe the difference of some goods' book after a count, and whether unlisted places are part of it."""
    row, moved = rows[0], sum((row.quantity for row in rows), Decimal(0))
    unlisted = "" if all(row.listed for row in rows) else "，含盘点明细中没有的库位或批次，盘点时为0"
    return f"盘点单{row.take_no}（{row.business_date}，{row.goods_name} {moved.normalize():+f}{unlisted}）"


def _void_corrections(ctx: Context, cls: type[Bill], bill: BillRef) -> None:
    table = cls.table()
    acting = widen_scope(ctx)
    acting.lookup_cache[f"late {bill.bill_type}", bill.bill_id] = True
    void_bills(acting, cls, table.c.late_type == bill.bill_type, table.c.late_bill_id == bill.bill_id)
    del acting.lookup_cache[f"late {bill.bill_type}", bill.bill_id]


def _find_corrections(
    counting: stock_counts.CountQuestions, moved: Sequence[Any]
) -> list[tuple[Any, Decimal]]:
    """Find, per spot and in order of days, which stocktake takes back how much of a bill's movement.

    The first count that saw the goods decides: its correction lies in the books of all later ones as well.
    Counts that did not see them are asked about one by one, each after the answers for the ones before.
    """
    corrections: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for row in moved:
        if row.quantity:
            corrections[row.take_id, row.goods_id].append(row)
    answers: dict[tuple[int, int], bool | None] = {}

    def was_counted(row: Any) -> bool | None:
        about = (row.take_id, row.goods_id)
        if about not in answers:
            answers[about] = counting.get_answer(_describe_difference(corrections[about]), corrections[about])
        return answers[about]

    found = []
    for _, rows in groupby(
        moved, key=lambda row: (row.warehouse_id, row.goods_id, row.allocation_id, row.batch_id)
    ):
        corrected, decided = Decimal(0), False
        for row in rows:
            left = -row.quantity - corrected
            if not left:
                continue
            if not decided:
                decided = bool(seen := was_counted(row))
                if seen is None:
                    break
            if decided:
                corrected += left
                found.append((row, left))
    return found


def _create_corrections(
    ctx: Context, bill: BillRef, label: str, found: Sequence[tuple[Any, Decimal]]
) -> None:
    """Create the difference bills that take back a bill's movement, per stocktake."""
    numbered = next((row for row, _ in found if row.is_numbered), None)
    if numbered is not None:
        raise Refusal(
            f"{numbered.goods_name}按胎号管理，不能按已盘在内处理，请先反审核盘点单{numbered.take_no}"
        )
    table = StockTake.table()
    keys = sorted({row.take_id for row, _ in found})
    takes = {row.bill_id: row for row in ctx.conn.execute(select(table).where(table.c.bill_id.in_(keys)))}
    by_take = sorted(found, key=lambda pair: pair[0].take_id)
    for key, pairs in groupby(by_take, key=lambda pair: pair[0].take_id):
        take = takes[key]
        lines = [
            {
                "goods_id": row.goods_id,
                "allocation_id": row.allocation_id or None,
                "batch_id": row.batch_id or None,
                "quantity": quantity,
            }
            for row, quantity in pairs
        ]
        create_audited_bills(
            widen_scope(ctx),
            take,
            lines,
            reason=f"{label}已盘在盘点单内",
            late_type=bill.bill_type,
            late_bill_id=bill.bill_id,
            late_bill_no=bill.bill_no,
        )


ledger_gateway.set_late_move_handler(LateMoveHandler())
