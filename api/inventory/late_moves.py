"""What moves stock and is dated before a stocktake of it, or of its day (盘点前的单据): was it counted?

Of the day itself only what was entered on it, after the count, certainly happened after. Who audits such a bill, or
takes it back, is asked. What was counted keeps the stock at what was counted: a difference bill (PYRK, PKCK) dated as
the stocktake takes the bill's effect back, stands with it and falls with it. What was not counted comes on top. Only
what a bill and its difference bills moved since the count matters: taken back and audited again as it was, it asks
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import select

from api.inventory import stock_counts
from api.inventory.stock_differences import StockLoss, StockSurplus, audit_new, beyond_scope, void_bills
from api.inventory.stock_take import StockTake
from api.kit import registry
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.errors import Refusal
from api.kit.flow import POSTED_SQL
from api.kit.posting import BillRef
from api.ledger.checks import Check, register
from api.master import ledgers

_OWN = """
select l.* from stock_ledger l where l.bill_type = %(type)s and l.bill_id = %(id)s
union all
select l.* from stock_loss d join stock_ledger l on l.bill_type = 'PKCK' and l.bill_id = d.bill_id
where d.late_type = %(type)s and d.late_bill_id = %(id)s
union all
select l.* from stock_surplus d join stock_ledger l on l.bill_type = 'PYRK' and l.bill_id = d.bill_id
where d.late_type = %(type)s and d.late_bill_id = %(id)s
"""
_MOVED_SINCE = f"""
with own as ({_OWN}),
spot as (
    select distinct o.warehouse_id, o.goods_id, o.allocation_id, o.batch_id
    from own o where o.quantity <> 0 and not o.frozen
),
moved as (
    select s.*, t.bill_id as take_id, t.bill_no as take_no, t.business_date,
        (
            select sum(o.quantity) from own o
            where (o.warehouse_id, o.goods_id, o.allocation_id, o.batch_id)
                = (s.warehouse_id, s.goods_id, s.allocation_id, s.batch_id)
                and not o.frozen and o.posted_at > t.counted_at
        ) as quantity
    from spot s
    cross join lateral (
        select distinct on (h.business_date, h.bill_id) h.bill_id, h.bill_no, h.business_date, c.counted_at
        from stock_take_line c
        join stock_take h using (bill_id)
        where c.goods_id = s.goods_id and h.warehouse_id = s.warehouse_id and h.status in {POSTED_SQL}
            and (
                h.business_date > %(day)s
                or h.business_date = %(day)s and (c.counted_at > %(made_at)s or %(entered_late)s)
            )
        order by
            h.business_date, h.bill_id,
            (coalesce(c.allocation_id, 0), coalesce(c.batch_id, 0)) = (s.allocation_id, s.batch_id) desc, c.counted_at
    ) t
)
select distinct on (m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id)
    m.take_id, m.take_no, m.goods_id, m.allocation_id, m.batch_id, m.quantity, g.goods_name, g.is_numbered
from moved m
join goods g using (goods_id)
where m.quantity <> 0
order by m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, m.business_date, m.take_id
"""
_MADE_BY_TAKE = """
select exists (select from stock_loss where %(type)s = 'PKCK' and bill_id = %(id)s and stock_take_id is not null)
    or exists (select from stock_surplus where %(type)s = 'PYRK' and bill_id = %(id)s and stock_take_id is not null)
"""
_STANDING = f"""
select d.late_type, d.late_bill_id, d.late_bill_no, d.bill_no, l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id,
    sum(l.quantity) as corrected
from (
    select 'PKCK' as bill_type, bill_id, bill_no, late_type, late_bill_id, late_bill_no from stock_loss
    where late_bill_id is not null and status in {POSTED_SQL}
    union all
    select 'PYRK', bill_id, bill_no, late_type, late_bill_id, late_bill_no from stock_surplus
    where late_bill_id is not null and status in {POSTED_SQL}
) d
join stock_ledger l on l.bill_type = d.bill_type and l.bill_id = d.bill_id
group by 1, 2, 3, 4, 5, 6, 7, 8
"""

register(
    Check(
        "late_corrections_undo_their_bills",
        "已盘在内的单据与其更正单合计：盘点之后库存不变",
        f"""select c.late_bill_no, c.bill_no, c.corrected, coalesce(m.moved, 0) as moved
        from ({_STANDING}) c
        join (
            select bill_no, stock_take_id from stock_loss union all select bill_no, stock_take_id from stock_surplus
        ) d on d.bill_no = c.bill_no
        join lateral (
            select min(o.counted_at) as counted_at
            from stock_take_line o
            where o.bill_id = d.stock_take_id and o.goods_id = c.goods_id
        ) t on true
        left join lateral (
            select sum(l.quantity) as moved
            from stock_ledger l
            where l.bill_type = c.late_type and l.bill_id = c.late_bill_id and l.warehouse_id = c.warehouse_id
                and l.goods_id = c.goods_id and l.allocation_id = c.allocation_id and l.batch_id = c.batch_id
                and not l.frozen and l.posted_at > t.counted_at
        ) m on true
        where c.corrected <> -coalesce(m.moved, 0)""",
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
                "day": bill.business_date,
                "made_at": made,
                "entered_late": stock_counts.is_entered_late(made, bill.business_date),
            },
        ).all()
        if not moved:
            return
        cls = registry.prefixes()[bill.bill_type]
        takes = stock_counts.join_numbers(list(dict.fromkeys(row.take_no for row in moved)))
        names = list(dict.fromkeys(row.goods_name for row in moved))
        goods = "、".join(names[: stock_counts.SHOWN]) + (
            f"等{len(names)}种商品" if len(names) > stock_counts.SHOWN else ""
        )
        what = f"{cls.declaration.label}{bill.bill_no}的日期不晚于盘点单{takes}：{goods}"
        if stock_counts.ask_counted(ctx, bill, cls.name(), what):
            _correct(ctx, bill, cls.declaration.label, moved)


def _void(ctx: Context, cls: type[Bill], bill: BillRef) -> None:
    table = cls.table()
    acting = beyond_scope(ctx)
    acting.known[("late", bill.bill_id)] = True
    void_bills(acting, cls, table.c.late_type == bill.bill_type, table.c.late_bill_id == bill.bill_id)
    del acting.known[("late", bill.bill_id)]


def _correct(ctx: Context, bill: BillRef, label: str, moved: Sequence[Any]) -> None:
    """Make what takes back, of each stocktake's goods, what a bill has moved since."""
    numbered = next((row for row in moved if row.is_numbered), None)
    if numbered is not None:
        raise Refusal(
            f"{numbered.goods_name}按胎号管理，不能按已盘在内处理，请先反审核盘点单{numbered.take_no}"
        )
    table = StockTake.table()
    keys = sorted({row.take_id for row in moved})
    takes = {row.bill_id: row for row in ctx.conn.execute(select(table).where(table.c.bill_id.in_(keys)))}
    for key, rows in groupby(sorted(moved, key=lambda row: row.take_id), key=lambda row: row.take_id):
        take = takes[key]
        lines = [
            {
                "goods_id": row.goods_id,
                "allocation_id": row.allocation_id or None,
                "batch_id": row.batch_id or None,
                "quantity": -row.quantity,
            }
            for row in rows
        ]
        audit_new(
            beyond_scope(ctx),
            take,
            lines,
            reason=f"{label}{bill.bill_no}已盘在盘点单{take.bill_no}内",
            late_type=bill.bill_type,
            late_bill_id=bill.bill_id,
            late_bill_no=bill.bill_no,
        )


ledgers.set_late_moves(LateMoves())
