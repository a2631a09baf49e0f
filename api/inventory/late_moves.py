"""What moves stock and is dated before a stocktake of it, or of its day (盘点前的单据): was it counted?

Of the day itself only what was entered on it, after the count, certainly happened after. Who audits such a bill, or
takes it back, is asked. What was counted keeps the stock at what was counted: a difference bill (PYRK, PKCK) dated as
the stocktake takes the bill's effect back, stands with it and falls with it. What was not counted comes on top. Only
what a bill and its difference bills moved since the stocktake's audit matters: taken back and audited again as it was,
it asks nothing.
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
from api.inventory.stock_differences import StockLoss, StockSurplus, audit_new, beyond_scope, void_bills
from api.inventory.stock_take import StockTake
from api.kit import registry
from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.document import Bill
from api.kit.errors import Refusal, Way
from api.kit.flow import POSTED_SQL
from api.kit.posting import BillRef
from api.kit.reasons import see_bill
from api.ledger.checks import Check, register
from api.master import ledgers

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

register(
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


class LateMoves:
    """What `api.master.ledgers` asks about bills that are not dated after stocktakes."""

    def give_way(self, ctx: Context, bill: BillRef) -> None:
        """Take back what this bill's difference bills took, before it moves stock again itself."""
        _void(ctx, StockLoss, bill)

    def settle(self, ctx: Context, bill: BillRef) -> None:
        """Once a bill was posted or reversed: ask whether it was counted, and keep the stock at what was counted."""
        of = {"type": bill.bill_type, "id": bill.bill_id}
        if ctx.conn.exec_driver_sql(_MADE_BY_TAKE, of).scalar_one():
            return
        _void(ctx, StockSurplus, bill)
        key = (bill.bill_type, bill.bill_id)
        made = stock_counts.made_at(ctx, {key})[key]
        moved = ctx.conn.exec_driver_sql(
            _MOVED_SINCE,
            {
                **of,
                "made_at": made,
                "made_on": made.astimezone(TIME_ZONE).date(),
            },
        )
        cls = registry.prefixes()[bill.bill_type]
        about = f"{cls.declaration.label}{bill.bill_no}改变了盘点日账面："
        counting = stock_counts.Counting(ctx, bill, cls.name(), about)
        found = _find_corrections(counting, moved.all())
        counting.settle()
        if found:
            _correct(ctx, bill, cls.declaration.label, found)

    def find_ways(self, ctx: Context, bill: BillRef, short: Collection[tuple[int, int]]) -> Iterator[Way]:
        """What to do where a stocktake has taken away already what a bill lacks: (goods, warehouse) each."""
        goods, warehouses = zip(*short, strict=True)
        asked = {"goods": list(goods), "warehouses": list(warehouses), "day": bill.business_date}
        for take in ctx.conn.exec_driver_sql(_TAKEN, asked).all()[: stock_counts.SHOWN]:
            told = f"若盘点单{take.bill_no}已盘在内：先反审核它，审核本单，再审核它"
            yield replace(see_bill(StockTake, take.bill_id, take.bill_no), label=told)


def _tell(rows: Sequence[Any]) -> str:
    """By how much the book of a count differs of some goods, and whether not every place stands on the count."""
    row, moved = rows[0], sum((row.quantity for row in rows), Decimal(0))
    unlisted = "" if all(row.listed for row in rows) else "，含盘点明细中没有的库位或批次，盘点时为0"
    return f"盘点单{row.take_no}（{row.business_date}，{row.goods_name} {moved.normalize():+f}{unlisted}）"


def _void(ctx: Context, cls: type[Bill], bill: BillRef) -> None:
    table = cls.table()
    acting = beyond_scope(ctx)
    acting.known[f"late {bill.bill_type}", bill.bill_id] = True
    void_bills(acting, cls, table.c.late_type == bill.bill_type, table.c.late_bill_id == bill.bill_id)
    del acting.known[f"late {bill.bill_type}", bill.bill_id]


def _find_corrections(counting: stock_counts.Counting, moved: Sequence[Any]) -> list[tuple[Any, Decimal]]:
    """By which stocktakes of a spot, in order of their days, what a bill moved since is to be taken back, and how much.

    The first count that saw the goods decides: what is taken back for it lies in the books of all later ones as well.
    Of those that did not see them each is asked about by itself, once it is known of the ones before.
    """
    told: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for row in moved:
        if row.quantity:
            told[row.take_id, row.goods_id].append(row)
    answers: dict[tuple[int, int], bool | None] = {}

    def was_counted(row: Any) -> bool | None:
        about = (row.take_id, row.goods_id)
        if about not in answers:
            answers[about] = counting.answer(_tell(told[about]), told[about])
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


def _correct(ctx: Context, bill: BillRef, label: str, found: Sequence[tuple[Any, Decimal]]) -> None:
    """Make what takes back, of each stocktake's goods, what a bill has moved since."""
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
        audit_new(
            beyond_scope(ctx),
            take,
            lines,
            reason=f"{label}已盘在盘点单内",
            late_type=bill.bill_type,
            late_bill_id=bill.bill_id,
            late_bill_no=bill.bill_no,
        )


ledgers.set_late_moves(LateMoves())
