"""Checks of a month close (结账检查) beyond the ledgers' own: undecided bills, negative stock, stale costs."""

from __future__ import annotations

from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.ledger.close_checks import CloseCheck, register_close_checks

_UNDECIDED = """
select '{resource}' as resource, bill_id as record_id, bill_no as serial, '{label}未审核' as msg
from {resource}
where company_id = :company_id and status = 1 and business_date between :first and :last
"""
_NEGATIVE = """
select w.warehouse_name as serial,
    concat(g.goods_name, ' 在 ', cast(:last as date), ' 结存 ', trim_scale(e.quantity)) as msg
from (
    select b.warehouse_id, b.goods_id, b.allocation_id, b.batch_id, b.quantity - coalesce(m.quantity, 0) as quantity
    from stock_balance b
    left join (
        select l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, sum(l.quantity) as quantity
        from stock_ledger l
        where l.company_id = :company_id and l.business_date > :last and l.quantity <> 0
        group by l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id
    ) m using (warehouse_id, goods_id, allocation_id, batch_id)
    where b.company_id = :company_id
) e
join warehouse w using (warehouse_id)
join goods g using (goods_id)
where e.quantity < 0
order by e.quantity, pinyin_key(w.warehouse_name), g.goods_num
"""
_NEGATIVE_DAYS = """
with moved as (
    select l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.business_date as day, l.quantity
    from stock_ledger l
    where l.company_id = :company_id and l.business_date >= :first and l.quantity <> 0
    union all
    select b.warehouse_id, b.goods_id, b.allocation_id, b.batch_id, cast(:first as date), 0
    from stock_balance b
    where b.company_id = :company_id and b.quantity < 0
),
began as (
    select m.* from moved m
    union all
    select distinct m.warehouse_id, m.goods_id, m.allocation_id, m.batch_id, cast(:first as date), 0 from moved m
),
ended as (
    select
        warehouse_id, goods_id, allocation_id, batch_id, e.day,
        b.quantity - sum(sum(e.quantity)) over spot + sum(e.quantity) as quantity
    from began e
    join stock_balance b using (warehouse_id, goods_id, allocation_id, batch_id)
    group by warehouse_id, goods_id, allocation_id, batch_id, e.day, b.quantity
    window spot as (partition by warehouse_id, goods_id, allocation_id, batch_id order by e.day desc)
),
negative as (
    select distinct on (warehouse_id, goods_id, allocation_id, batch_id) e.*, w.warehouse_name
    from ended e
    join warehouse w using (warehouse_id)
    where e.quantity < 0 and e.day <= :last and not w.allow_negative and e.day >= coalesce(w.strict_since, e.day)
    order by warehouse_id, goods_id, allocation_id, batch_id, e.day
)
select
    n.warehouse_name as serial,
    concat(g.goods_name, ' 在 ', n.day, ' 结存 ', trim_scale(n.quantity), '，单据 ' || u.bills) as msg
from negative n
join goods g using (goods_id)
cross join lateral (
    select string_agg(distinct l.bill_no, '、') as bills
    from stock_ledger l
    where l.company_id = :company_id and l.goods_id = n.goods_id and l.warehouse_id = n.warehouse_id
        and l.allocation_id = n.allocation_id and l.batch_id = n.batch_id and l.business_date = n.day
        and l.quantity < 0 and l.reverses is null
        and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
) u
order by n.day, pinyin_key(n.warehouse_name), g.goods_num
"""
_BACKDATED = """
select g.goods_num as serial,
    concat(g.goods_name, ' 有 ', count(distinct f.bill_no), ' 张单据的日期早于已过账的单据，如 ', min(f.bill_no)) as msg
from (
    select
        l.goods_id, l.bill_no, l.business_date, l.row_xid,
        max(l.business_date) filter (where l.basis is distinct from 'given') over (
            partition by l.goods_id, l.pool_id order by l.ledger_id rows between unbounded preceding and 1 preceding
        ) as latest
    from stock_ledger l
    where l.company_id = :company_id and l.business_date >= :first and l.corrects is null
) f
join goods g using (goods_id)
where f.business_date <= :last and f.business_date < f.latest
    and f.row_xid::text::bigint >= coalesce(
        (
            select max(r.horizon) from cost_recalculation r
            where r.company_id = :company_id and r.status = 2 and r.left_count = 0
                and r.period <= to_char(cast(:first as date), 'YYYY-MM')
        ), 0
    )
group by g.goods_id
order by g.goods_num
"""


def register_close_questions() -> None:
    """Register the checks over every declared bill; called once, when all are declared."""
    bills = [cls for cls in registry.list_resources() if issubclass(cls, Bill)]
    undecided = " union all ".join(
        _UNDECIDED.format(resource=cls.name(), label=cls.declaration.label) for cls in bills
    )
    register_close_checks(
        CloseCheck("bills_decided", "本期单据都已审核或作废", "请审核、作废或删除以下单据", undecided),
        CloseCheck(
            "stock_not_negative", "期末没有负库存", "建议补录入库单据，或盘点调整", _NEGATIVE, blocking=False
        ),
        CloseCheck(
            "stock_days_not_negative",
            "本期各日没有负库存（不允许负库存的仓库）",
            "请更正以下单据的日期，或补录入库单据",
            _NEGATIVE_DAYS,
        ),
        CloseCheck(
            "costs_recalculated", "成本已重算", "建议先作成本重算，再结账", _BACKDATED, blocking=False
        ),
    )
