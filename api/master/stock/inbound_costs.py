"""Inbound costs (首次入库成本): goods that a company never had come in at a price, not at nothing.

Without a given value an inbound takes the average, or the last purchase price. Where the company has
neither, somebody must enter a unit cost; a zero that was entered is accepted.
"""

from __future__ import annotations

from collections.abc import Sequence

from api.kit.context import CONTINUE_SUFFIX, Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.fields import Field
from api.kit.declaration.posting import BillRef, Postings
from api.kit.errors import ConfirmationRequired, Refusal
from api.kit.storage.projection import can_see_all
from api.master.goods.goods import CompanyGoods

SHOWN = 5
# Stock that is valued on its own, as three-guarantee goods are, may be worth nothing.
_WITHOUT_COST = """
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


_UNUSED_COSTS = """
select g.goods_name
from stock_ledger l
join unnest(%s::bigint[], %s::numeric[]) as t (line_id, told) using (line_id)
join goods g using (goods_id)
where l.bill_type = %s and l.bill_id = %s and l.basis = 'average' and l.reverses is null and l.unit_cost <> t.told
    and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
group by g.goods_name
order by pinyin_key(g.goods_name)
"""


def require_inbound_costs(ctx: Context, bill: BillRef, postings: Postings) -> None:
    """Raise Refusal where a posting brought goods that the company never had, at no cost; proposes a price.

    Asks for confirmation where an entered cost was not used, as there was an average or a purchase price.
    Call it after posting, while the goods are locked.
    """
    _confirm_unused_costs(ctx, bill, postings)
    open_ = [
        move.line_id
        for move in postings.stock
        if move.quantity > 0 and move.amount is None and move.fallback_unit_cost is None
    ]
    if not open_:
        return
    rows = ctx.conn.exec_driver_sql(_WITHOUT_COST, (bill.bill_type, bill.bill_id, open_)).all()
    if not rows:
        return
    shown = can_see_all(ctx.principal, (CompanyGoods, "purchase_price"))
    lines_text = "、".join(
        f"{row.goods_name}（参考采购价 {row.purchase_price:,.2f}）"
        if row.purchase_price and shown
        else row.goods_name
        for row in rows[:SHOWN]
    )
    more = f"等{len(rows)}种商品" if len(rows) > SHOWN else ""
    raise Refusal(f"{lines_text}{more}没有入库成本可依，{_describe_missing_cost(ctx, bill.bill_type)}")


def _confirm_unused_costs(ctx: Context, bill: BillRef, postings: Postings) -> None:
    costs = {
        move.line_id: move.fallback_unit_cost
        for move in postings.stock
        if move.quantity > 0 and move.amount is None and move.fallback_unit_cost is not None
    }
    if not costs:
        return
    values = (list(costs), list(costs.values()), bill.bill_type, bill.bill_id)
    names: Sequence[str] = ctx.conn.exec_driver_sql(_UNUSED_COSTS, values).scalars().all()
    if names:
        goods = "、".join(names[:SHOWN]) + (f"等{len(names)}种商品" if len(names) > SHOWN else "")
        label = _list_line_fields(bill.bill_type)["unit_cost"].label
        ctx.ask_confirmation(
            ConfirmationRequired(
                f"{goods}有成本均价或最近进价，按它入库，录入的{label}不采用{CONTINUE_SUFFIX}"
            )
        )


def _list_line_fields(prefix: str) -> dict[str, Field]:
    found = registry.map_prefixes()[prefix]
    assert issubclass(found, Bill) and found.bill is not None
    return {item.name: item for item in found.bill.blocks[0].cls.fields()}


def _describe_missing_cost(ctx: Context, prefix: str) -> str:
    """Describe which field of a bill type's lines is to be filled in, by the name on its form."""
    fields = _list_line_fields(prefix)
    if "unit_cost" not in fields:
        return f"请在明细中录入{fields['price'].label}，确无价值的作为{fields['is_gift'].label}"
    label = fields["unit_cost"].label
    who = "" if ctx.principal.sees_cost else "由可查看成本的人员"
    return f"请{who}在明细中录入{label}，确无价值的录入0"
