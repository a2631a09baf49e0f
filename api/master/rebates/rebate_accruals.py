"""Rebate accruals (返利计提): the amount that each policy earned in each cycle that has begun, computed from
bills.

The base of a cycle is what the policy's goods came to on audited bills, tax included, less returns, each
on its own business date; gifts don't count. Cycles are whole months, quarters … of the calendar, cut to
the policy's days.

A return that is linked counts for the policies that its source counted for, and for no others. After a
policy's end such returns make cycles of their own, the first from the day after it, which only take back.

A cycle in which more came back than was traded takes back: each yuan or piece that its base is below zero
costs what one earned on average in the policy's cycles before, and where there are none, what the tier
from 0 earns.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import ClassVar

from sqlalchemy import Boolean, Connection, Row, text
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration import registry
from api.kit.declaration.fields import (
    date_field,
    enum_field,
    flag_field,
    goods_field,
    money_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.view import BillReferenceRow, Sql, Values, View, Whose
from api.kit.scope import Principal
from api.kit.storage.bill_visibility import bill_number_sql, bill_visible_sql
from api.kit.storage.database import today
from api.master.goods.goods_scope import IN_SCOPE, PARENT_TYPES
from api.master.rebates.rebate_policies import MEASURES, MODES, Direction
from api.master.settings.business_types import code_list_field

RUNNING, DUE, DRAFTED, CONFIRMED, MISSED = 1, 2, 3, 4, 5
STATES = {RUNNING: "进行中", DUE: "待确认", DRAFTED: "待审核", CONFIRMED: "已确认", MISSED: "未达标"}
POLICY_FACTOR, AFTER_END = 100_000, 50_000
"""An accrual's key is its policy's times the first, and the month its cycle begins in, counted from the year 0; more by
the second after the policy's end, as both may lie in one month."""

_TRADED = """
select '{earning[1]}' as bill_type, h.bill_id, h.bill_no, h.company_id, h.{party}_id as party_id, h.business_date,
    h.business_date as traded_on, x.line_id, x.goods_id, x.quantity, x.amount
from {earning[0]} h join {earning[0]}_line x using (bill_id)
where h.status in {posted} and not x.is_gift
union all
select '{returning[1]}', h.bill_id, h.bill_no, h.company_id, h.{party}_id, h.business_date,
    least(h.business_date, o.business_date), x.line_id, x.goods_id, -x.quantity, -x.amount
from {returning[0]} h
join {returning[0]}_line x using (bill_id)
left join {earning[0]}_line s on s.line_id = x.source_line_id
left join {earning[0]} o on o.bill_id = s.bill_id
where h.status in {posted} and not x.is_gift
"""
# Lines that count for policy `p`, also those that come back after its end.
_COUNTED = """
({traded}) b
join goods g using (goods_id)
{types}
where b.company_id = p.company_id and b.party_id = p.{party}_id and b.traded_on between p.starts_on and p.ends_on
    and (
        not exists (select from {policy}_goods l where l.bill_id = p.bill_id)
        or exists (select from {policy}_goods l where l.bill_id = p.bill_id and {meant})
    )
"""
_LINES = """
select (p.bill_id * 2 + cast(l.quantity < 0 as integer)) * 4294967296 + l.line_id as {rebate}_line_id,
    p.company_id, p.{party}_id, p.bill_id as policy_id, l.business_date, l.bill_no, l.goods_id, l.quantity, l.amount,
    {{route}}
from {policy} p
cross join lateral (select b.* from {counted}) l
where p.status in {posted}
"""
# Every cycle that has begun, after the policy's end those in which something came back or is confirmed; its base in the
# policy's measure, and what that earns by the tier it reaches; below zero by the one that starts from 0.
_CYCLES = """
select p.*, c.starts_on as cycle_start, c.ends_on as cycle_end, base.quantity as base_quantity,
    base.amount as base_amount, measured.base, tier.earned
from {policy} p
cross join lateral (
    select date_trunc('month', cast(p.starts_on as timestamp))
        - make_interval(months => (cast(extract(month from p.starts_on) as integer) - 1) % p.cycle_months) as day,
        make_interval(months => p.cycle_months) as length
) first
cross join lateral (
    select greatest(cast(d as date), p.starts_on) as starts_on,
        least(cast(d + first.length as date) - 1, p.ends_on) as ends_on
    from generate_series(first.day, cast(least(p.ends_on, :today) as timestamp), first.length) d
    union
    select greatest(cast(d as date), p.ends_on + 1), cast(d + first.length as date) - 1
    from (
        select b.business_date as day from {counted} and b.business_date > p.ends_on
        union
        select f.cycle_start from {rebate} f
        where f.policy_id = p.bill_id and f.status <> 3 and f.cycle_start > p.ends_on
    ) late
    join generate_series(first.day, cast(:today as timestamp), first.length) d
        on late.day >= d and late.day < d + first.length
) c
cross join lateral (
    select coalesce(sum(b.quantity), 0.000) as quantity, coalesce(sum(b.amount), 0.00) as amount
    from {counted} and b.business_date between c.starts_on and c.ends_on
) base
cross join lateral (select case p.measure when 1 then base.quantity else base.amount end as base) measured
left join lateral (
    select measured.base * case p.measure when 1 then t.unit_rebate else t.rate / 100 end - t.quick_deduction as earned
    from {policy}_tier t
    where t.bill_id = p.bill_id and t.starts_from <= greatest(measured.base, 0)
    order by t.starts_from desc
    limit 1
) tier on true
where p.status in {posted} and c.starts_on <= :today
"""
_ACCRUALS = """
select a.bill_id * {places} + cast(
        extract(year from a.cycle_start) * 12 + extract(month from a.cycle_start) as bigint
    ) + case when a.cycle_start > a.ends_on then {after} else 0 end as {rebate}_accrual_id,
    a.company_id, a.{party}_id, a.bill_id as policy_id, a.bill_no, a.rebate_type_id, a.measure, a.rebate_mode,
    a.cycle_start, a.cycle_end, a.base_quantity, a.base_amount, a.accrued, coalesce(r.confirmed, 0.00) as confirmed,
    case when r.confirmed is null then 0.00 else a.accrued - r.confirmed end as difference,
    coalesce(r.confirmed is not null and r.accrued_amount <> a.accrued, false) as outdated,
    r.bill_no as rebate_no, r.bill_id as rebate_id,
    case when r.status in {posted} then {CONFIRMED} when r.bill_no is not null then {DRAFTED}
        when a.cycle_end >= :today then {RUNNING} when a.accrued = 0 then {MISSED} else {DUE} end as state
from (
    select e.*, round(
        case when e.base < 0 and e.earlier_base > 0 then e.base * e.earlier_earned / e.earlier_base
            else coalesce(e.earned, 0) end, 2
    ) as accrued
    from (
        select c.*, sum(c.base) filter (where c.base > 0) over earlier as earlier_base,
            coalesce(sum(c.earned) filter (where c.base > 0) over earlier, 0) as earlier_earned
        from ({cycles}) c
        window earlier as (
            partition by c.bill_id order by c.cycle_start rows between unbounded preceding and 1 preceding
        )
    ) e
) a
left join lateral (
    select f.bill_id, f.bill_no, f.status, f.accrued_amount,
        case when f.status in {posted} then f.amount end as confirmed
    from {rebate} f
    where f.policy_id = a.bill_id and f.cycle_start = a.cycle_start and f.status <> 3
) r on true
"""


def _format_sql(sql: str, of: Direction) -> str:
    names = {"party": of.party, "policy": of.policy, "rebate": of.rebate, "posted": POSTED_SQL}
    traded = _TRADED.format(**names, earning=of.traded, returning=of.returned)
    counted = _COUNTED.format(**names, traded=traded, types=PARENT_TYPES, meant=IN_SCOPE)
    states = {"CONFIRMED": CONFIRMED, "DRAFTED": DRAFTED, "RUNNING": RUNNING, "MISSED": MISSED, "DUE": DUE}
    cycles = _CYCLES.format(**names, counted=counted)
    return sql.format(
        **names, **states, counted=counted, cycles=cycles, places=POLICY_FACTOR, after=AFTER_END
    )


def rebate_accruals_sql(of: Direction) -> str:
    """Return the SQL of `RebateAccrual` rows as of `:today`."""
    return _format_sql(_ACCRUALS, of)


def rebate_lines_sql(of: Direction) -> str:
    """Return the SQL of `RebateLine` rows."""
    return _format_sql(_LINES, of)


def find_accrual(conn: Connection, of: Direction, policy_id: int, on: date) -> Row[tuple[object, ...]] | None:
    """Return the accrual of a policy in the cycle of a day; None where it has none."""
    cycle = text(
        f"select * from ({rebate_accruals_sql(of)}) a where a.policy_id = :policy"
        " and :day between a.cycle_start and a.cycle_end"
    )
    return conn.execute(cycle, {"today": today(), "policy": policy_id, "day": on}).first()


class RebateAccrual(View):
    """返利查询: a policy's cycle, its base, what that earned, and the rebate that confirmed it."""

    __abstract__ = True
    whose: ClassVar[Whose] = "bill"

    direction: ClassVar[Direction]

    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-30)
    bill_no: Mapped[str] = text_field("政策单号", search=True, width=190, sort=-28)
    rebate_type_id: Mapped[int] = code_list_field("rebate_type", "返利类型", sort=-20)
    measure: Mapped[int] = enum_field("计算依据", MEASURES, default=1, search=True, width=90, sort=-19)
    rebate_mode: Mapped[int] = enum_field("返利方式", MODES, default=1, search=True, width=100, sort=-18)
    cycle_start: Mapped[date] = date_field("周期开始", search=True, width=110, sort=-29)
    cycle_end: Mapped[date] = date_field("周期结束", search=True, width=110, sort=-29)
    base_quantity: Mapped[Decimal] = quantity_field("计返数量", total=True, width=110, sort=10)
    base_amount: Mapped[Decimal] = money_field("计返金额", total=True, width=130, sort=11)
    accrued: Mapped[Decimal] = money_field("应计返利", total=True, width=120, sort=12)
    confirmed: Mapped[Decimal] = money_field("已确认返利", total=True, width=120, sort=13)
    difference: Mapped[Decimal] = money_field("应计与确认差额", total=True, width=120, sort=14)
    outdated: Mapped[bool] = flag_field("确认后有变", search=True, width=100, sort=14)
    state: Mapped[int] = enum_field("状态", STATES, default=RUNNING, search=True, width=90, sort=14)
    rebate_no: Mapped[str | None] = text_field("返利单号", search=True, width=190, bill=True, sort=15)
    is_opened: Mapped[bool] = mapped_column(Boolean)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        of = cls.direction
        policy = registry.get_resource(of.policy).bill
        assert policy
        told = {
            "rebate_no": bill_number_sql(principal, "a", of.prefix, "rebate_id", "rebate_no"),
            "is_opened": bill_visible_sql(principal, "a", policy.prefix, "policy_id"),
        }
        columns = (f"{told.get(one.name, f'a.{one.name}')} as {one.name}" for one in cls.table().columns)
        return f"select {', '.join(columns)} from ({rebate_accruals_sql(of)}) a", {"today": today()}


class RebateLine(BillReferenceRow):
    """返利计返明细: a line of a bill that counts for a policy; those of a cycle's days add up to its base."""

    __abstract__ = True

    business_date: Mapped[date] = date_field("业务日期", search=True, width=110, sort=-30)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190, sort=-29)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-20)
    goods_id: Mapped[int] = goods_field(search=True, sort=9)
    quantity: Mapped[Decimal] = quantity_field("数量", total=True, width=100, sort=10)
    amount: Mapped[Decimal] = money_field("金额", total=True, width=130, sort=11)
