"""First costs (首次入库成本): goods that a company never had come in at a price, not at nothing.

Without a given value an inbound takes the average, or the last purchase price. Where the company has neither,
somebody must say what a piece is worth: a zero that was written down stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from api.kit import registry
from api.kit.context import GO_ON, Context
from api.kit.document import Bill
from api.kit.errors import Refusal, StockWarningAsk
from api.kit.fields import Field
from api.kit.posting import BillRef, Postings
from api.kit.projection import sees_all
from api.master.goods import CompanyGoods

SHOWN = 5
# Stock that is valued on its own, as three-guarantee goods are, may be worth nothing.
_COSTLESS = """
with own as (
    select l.* from stock_ledger l
    where l.bill_type = %s and l.bill_id = %s and l.reverses is null and l.pool_id = 0
        and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
)
select g.goods_id, g.goods_name, max(nullif(c.purchase_price, 0)) as purchase_price
from own l
join cost_balance b on b.company_id = l.company_id and b.goods_id = l.goods_id and b.pool_id = l.pool_id
join goods g on g.goods_id = l.goods_id
left join company_goods c on c.company_id = l.company_id and c.goods_id = l.goods_id
where l.line_id = any (%s::bigint[]) and l.basis = 'average' and l.unit_cost = 0 and b.last_unit_cost is null
    and b.quantity <= (
        select sum(o.quantity) from own o where o.company_id = l.company_id and o.goods_id = l.goods_id
    )
group by g.goods_id, g.goods_name
order by pinyin_key(g.goods_name)
"""


_UNUSED = """
select g.goods_name
from stock_ledger l
join unnest(%s::bigint[], %s::numeric[]) as t (line_id, told) using (line_id)
join goods g using (goods_id)
where l.bill_type = %s and l.bill_id = %s and l.basis = 'average' and l.reverses is null and l.unit_cost <> t.told
    and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
group by g.goods_name
order by pinyin_key(g.goods_name)
"""


def require_costs(ctx: Context, bill: BillRef, postings: Postings) -> None:
    """Refuse a posting that brought goods which the company never had at no cost; their purchase price is proposed.

    Asks where a cost was written down and the goods came in at another, as there was an average or a purchase price.
    Read after posting, while the goods are locked.
    """
    _ask_about_unused(ctx, bill, postings)
    open_ = [
        move.line_id
        for move in postings.stock
        if move.quantity > 0 and move.amount is None and move.fallback_unit_cost is None
    ]
    if not open_:
        return
    rows = ctx.conn.exec_driver_sql(_COSTLESS, (bill.bill_type, bill.bill_id, open_)).all()
    if not rows:
        return
    shown = sees_all(ctx.principal, (CompanyGoods, "purchase_price"))
    told = "、".join(
        f"{row.goods_name}（参考采购价 {row.purchase_price:,.2f}）"
        if row.purchase_price and shown
        else row.goods_name
        for row in rows[:SHOWN]
    )
    more = f"等{len(rows)}种商品" if len(rows) > SHOWN else ""
    raise Refusal(f"{told}{more}没有入库成本可依，{_missing(ctx, bill.bill_type)}")


def _ask_about_unused(ctx: Context, bill: BillRef, postings: Postings) -> None:
    told = {
        move.line_id: move.fallback_unit_cost
        for move in postings.stock
        if move.quantity > 0 and move.amount is None and move.fallback_unit_cost is not None
    }
    if not told:
        return
    values = (list(told), list(told.values()), bill.bill_type, bill.bill_id)
    names: Sequence[str] = ctx.conn.exec_driver_sql(_UNUSED, values).scalars().all()
    if names:
        goods = "、".join(names[:SHOWN]) + (f"等{len(names)}种商品" if len(names) > SHOWN else "")
        label = _fields(bill.bill_type)["unit_cost"].label
        ctx.ask(StockWarningAsk(f"{goods}有成本均价或最近进价，按它入库，录入的{label}不采用{GO_ON}"))


def _fields(prefix: str) -> dict[str, Field]:
    found = registry.prefixes()[prefix]
    assert issubclass(found, Bill) and found.bill is not None
    return {item.name: item for item in found.bill.blocks[0].cls.fields()}


def _missing(ctx: Context, prefix: str) -> str:
    """What the lines of a type of bills lack, by the name that its form shows."""
    fields = _fields(prefix)
    if "unit_cost" not in fields:
        return f"请在明细中录入{fields['price'].label}，确无价值的作为{fields['is_gift'].label}"
    label = fields["unit_cost"].label
    who = "" if ctx.principal.sees_cost else "由可查看成本的人员"
    return f"请{who}在明细中录入{label}，确无价值的录入0"
