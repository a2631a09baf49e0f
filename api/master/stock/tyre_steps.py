"""Steps of tyre numbers (胎号履历): written with a bill's audit under the ledgers' locks, and reversed with it.

Numbers are locked after the ledgers, in their order. All conditions are checked again under the locks; an
audit of thousands of numbers takes as many statements as one of a single one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from api.kit.bills import source_links
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.posting import BillRef, Outside
from api.kit.errors import Refusal
from api.ledger.stock_holds import lock_goods
from api.ledger.tyre_journal import CUSTOMER, ISSUED, LOST, NOT_REVERSED, NOWHERE, SCRAPPED, STOCKED, SUPPLIER
from api.master.warehouses.warehouses import TRANSIT

SHOWN = 5


@dataclass(frozen=True, slots=True)
class NumberPlace:
    """Place of a number, as the journal keeps it."""

    place: int
    company_id: int
    warehouse_id: int | None = None
    allocation_id: int = 0
    batch_id: int = 0
    party_id: int | None = None


@dataclass(frozen=True, slots=True)
class NumberStep:
    """Step of one number; without a source it comes in from outside, `returned` where it had left before.

    `linked`: its bill names the line which moved it before.
    """

    number: str
    goods_id: int
    line_id: int
    source: NumberPlace | None
    target: NumberPlace
    outside: Outside
    returned: bool = False
    linked: bool = False


_KNOWN = f"""
select t.number, t.goods_id, t.place, t.company_id, t.warehouse_id, t.allocation_id, t.batch_id, t.party_id,
    g.goods_name, w.warehouse_name, w.type as warehouse_type, nullif(a.allocation_id, 0) as named_allocation,
    a.allocation_name, b.batch, b.production_date, coalesce(c.customer_name, p.supplier_name) as party_name, s.bill_no,
    d.business_date as last_date
from tire_number t
join goods g on g.goods_id = t.goods_id
left join warehouse w on w.warehouse_id = t.warehouse_id
left join allocation a on a.allocation_id = t.allocation_id
left join goods_batch b on b.batch_id = t.batch_id
left join customer c on t.place = 2 and c.customer_id = t.party_id
left join supplier p on t.place = 3 and p.supplier_id = t.party_id
left join lateral (
    select s.bill_no from tire_step s where s.number_id = t.number_id order by s.entry_id desc limit 1
) s on true
left join lateral (
    select max(s.business_date) as business_date from tire_step s where s.number_id = t.number_id and {NOT_REVERSED}
) d on true
where t.number = any (%s::text[])
order by t.number
"""
_MOVED_BY = f"""
select h.bill_id, h.bill_no, l.line_no, string_agg(t.number, '、' order by t.number) as numbers
from tire_number t
join lateral (
    select s.bill_type, s.line_id from tire_step s
    where s.number_id = t.number_id and s.bill_type in (%(type)s, %(source_type)s) and {NOT_REVERSED}
    order by s.entry_id desc
    limit 1
) s on s.bill_type = %(source_type)s
join {{source_line}} l on l.line_id = s.line_id
join {{source}} h on h.bill_id = l.bill_id
join {{bill}} o on o.bill_id = %(id)s and {{shared}}
where t.number = any (%(numbers)s::text[])
group by h.bill_id, h.bill_no, l.line_no
order by h.bill_no, l.line_no
limit 1
"""
_LOCK = "select from tire_number t where t.number = any (%s::text[]) order by t.number for update"
_NEW = """
insert into tire_number (number, goods_id, place, company_id)
select n.number, n.goods_id, 0, %s
from unnest(%s::text[], %s::bigint[]) as n (number, goods_id)
order by n.number
on conflict (number) do nothing
"""
_MOVE = """
with step as (
    insert into tire_step (
        number_id, goods_id, line_id, user_id, bill_type, bill_id, bill_no, business_date,
        from_place, from_company_id, from_warehouse_id, from_allocation_id, from_batch_id, from_party_id,
        place, company_id, warehouse_id, allocation_id, batch_id, party_id
    )
    select
        t.number_id, n.goods_id, n.line_id, %(user)s, %(type)s, %(id)s, %(no)s, %(day)s,
        t.place, t.company_id, t.warehouse_id, t.allocation_id, t.batch_id, t.party_id,
        n.place, n.company_id, n.warehouse_id, n.allocation_id, n.batch_id, n.party_id
    from unnest(
        %(number)s::text[], %(goods_id)s::bigint[], %(line_id)s::bigint[], %(place)s::smallint[],
        %(company_id)s::bigint[], %(warehouse_id)s::bigint[], %(allocation_id)s::bigint[], %(batch_id)s::bigint[],
        %(party_id)s::bigint[]
    ) as n (number, goods_id, line_id, place, company_id, warehouse_id, allocation_id, batch_id, party_id)
    join tire_number t on t.number = n.number
    order by n.number
    returning number_id, goods_id, place, company_id, warehouse_id, allocation_id, batch_id, party_id
)
update tire_number t set
    goods_id = s.goods_id, place = s.place, company_id = s.company_id, warehouse_id = s.warehouse_id,
    allocation_id = s.allocation_id, batch_id = s.batch_id, party_id = s.party_id
from step s
where t.number_id = s.number_id
"""
_MINE = f"""
select t.number
from tire_step s
join tire_number t on t.number_id = s.number_id
where s.bill_type = %s and s.bill_id = %s and {NOT_REVERSED}
"""
_LATER = f"""
select t.number, later.bill_no
from tire_step s
join tire_number t on t.number_id = s.number_id
join lateral (
    select l.bill_no from tire_step l
    where l.number_id = s.number_id and l.entry_id > s.entry_id and l.reverses is null
        and not exists (select from tire_step r where r.reverses = l.entry_id)
    order by l.entry_id
    limit 1
) later on true
where s.bill_type = %s and s.bill_id = %s and {NOT_REVERSED}
order by t.number
"""
_BACK = f"""
with standing as (
    select s.* from tire_step s where s.bill_type = %(type)s and s.bill_id = %(id)s and {NOT_REVERSED}
),
step as (
    insert into tire_step (
        number_id, goods_id, line_id, user_id, bill_type, bill_id, bill_no, business_date,
        from_place, from_company_id, from_warehouse_id, from_allocation_id, from_batch_id, from_party_id,
        place, company_id, warehouse_id, allocation_id, batch_id, party_id, reverses
    )
    select
        s.number_id, s.goods_id, s.line_id, %(user)s, s.bill_type, s.bill_id, s.bill_no, s.business_date,
        s.place, s.company_id, s.warehouse_id, s.allocation_id, s.batch_id, s.party_id,
        s.from_place, s.from_company_id, s.from_warehouse_id, s.from_allocation_id, s.from_batch_id,
        s.from_party_id, s.entry_id
    from standing s
    order by s.entry_id
    returning number_id, place, company_id, warehouse_id, allocation_id, batch_id, party_id
)
update tire_number t set
    place = s.place, company_id = s.company_id, warehouse_id = s.warehouse_id, allocation_id = s.allocation_id,
    batch_id = s.batch_id, party_id = s.party_id
from step s
where t.number_id = s.number_id
"""
_OVER = """
select w.warehouse_name, g.goods_name, a.allocation_name, b.batch, count(*) as numbers,
    coalesce(max(s.quantity), 0) as stock
from tire_number t
join goods g using (goods_id)
join warehouse w using (warehouse_id)
left join allocation a using (allocation_id)
left join goods_batch b on b.batch_id = t.batch_id
left join stock_balance s
    on s.warehouse_id = t.warehouse_id and s.goods_id = t.goods_id and s.allocation_id = t.allocation_id
    and s.batch_id = t.batch_id
where t.place = 1 and t.goods_id = any ({goods})
group by w.warehouse_name, g.goods_name, a.allocation_name, b.batch, t.warehouse_id, t.goods_id, t.allocation_id,
    t.batch_id
having count(*) > coalesce(max(s.quantity), 0)
limit 5
"""
_OF_BILL = "array(select distinct l.goods_id from stock_ledger l where l.bill_type = %s and l.bill_id = %s)"


def apply_steps(ctx: Context, bill: BillRef, steps: Sequence[NumberStep], numbered: Collection[int]) -> None:
    """Write the steps of numbers under the goods' locks; raises Refusal for any that is no longer valid.

    `numbered` are the bill's goods that are kept by number: what left without one may not have had one.
    """
    if steps:
        lock_goods(ctx.conn, bill.company_id, numbered)
        _take_steps(ctx, bill, steps)
    if numbered:
        _forbid_excess_numbers(ctx.conn, _OVER.format(goods="%s::bigint[]"), (sorted(numbered),))


def _take_steps(ctx: Context, bill: BillRef, steps: Sequence[NumberStep]) -> None:
    conn = ctx.conn
    numbers = sorted(step.number for step in steps)
    if len(set(numbers)) != len(numbers):
        raise Refusal("同一胎号在单据中出现了多次，请核对")
    coming = sorted((step.number, step.goods_id) for step in steps if step.source is None)
    if coming:
        keys, owners = zip(*coming, strict=True)
        conn.exec_driver_sql(_NEW, (bill.company_id, list(keys), list(owners)))
    conn.exec_driver_sql(_LOCK, (numbers,))
    validate_steps(ctx, bill, steps)
    conn.exec_driver_sql(_MOVE, {**_build_bill_params(ctx, bill), **_build_columns(steps)})


def validate_steps(ctx: Context, bill: BillRef, steps: Sequence[NumberStep]) -> None:
    """Raise Refusal for steps that don't start where their numbers are, or are dated before their last ones."""
    known = read_numbers(ctx.conn, (step.number for step in steps))
    _raise_first(
        reason for step in steps if (reason := _describe_objection(ctx, bill, step, known.get(step.number)))
    )
    _forbid_unlinked_return(ctx, bill, [step.number for step in steps if not step.linked])


def _forbid_unlinked_return(ctx: Context, bill: BillRef, numbers: list[str]) -> None:
    """Raise Refusal for pieces that go back without the line that moved them, where they are counted and
    paid."""
    cls = registry.map_prefixes().get(bill.bill_type)
    link = cls.bill.return_link if cls and cls.bill else None
    if cls is None or link is None or not numbers:
        return
    source = registry.get_resource(link.bill)
    assert source.bill is not None
    sql = _MOVED_BY.format(
        source_line=link.lines.name(),
        source=source.name(),
        bill=cls.name(),
        shared=" and ".join(f"o.{own} = h.{theirs}" for own, theirs in link.shared_columns()),
    )
    values = {
        "type": bill.bill_type,
        "id": bill.bill_id,
        "source_type": source.bill.prefix,
        "numbers": numbers,
    }
    row = ctx.conn.exec_driver_sql(sql, values).first()
    if row is not None:
        label, made = source.declaration.label, cls.declaration.label
        if source_links.can_draw_from(ctx, link, row.bill_id):
            advice = f"{label}{row.bill_no}第{row.line_no}行的，请从该{label}生成{made}"
        else:
            advice = f"您无权查看的{label}的，请该单的制单人或主管从该{label}生成{made}"
        raise Refusal(f"胎号 {row.numbers} 是{advice}")


def reverse_steps(ctx: Context, bill: BillRef) -> None:
    """Return numbers to where a bill took them from, by steps that name what they reverse."""
    conn, key = ctx.conn, (bill.bill_type, bill.bill_id)
    numbers: list[str] = sorted(conn.exec_driver_sql(_MINE, key).scalars())
    if numbers:
        conn.exec_driver_sql(_LOCK, (numbers,))
        later = conn.exec_driver_sql(_LATER, key).all()
        known = read_numbers(conn, (row.number for row in later))
        _raise_first(
            f"胎号 {row.number} 已由后续单据{row.bill_no}移动，"
            f"现{describe_place(ctx, known[row.number])}，不能反审核或作废"
            for row in later
        )
        conn.exec_driver_sql(_BACK, _build_bill_params(ctx, bill))
    _forbid_excess_numbers(conn, _OVER.format(goods=_OF_BILL), key)


def _build_bill_params(ctx: Context, bill: BillRef) -> dict[str, Any]:
    day = bill.business_date
    return {
        "user": ctx.principal.user_id,
        "type": bill.bill_type,
        "id": bill.bill_id,
        "no": bill.bill_no,
        "day": day,
    }


def _build_columns(steps: Sequence[NumberStep]) -> dict[str, list[Any]]:
    own = {name: [getattr(step, name) for step in steps] for name in ("number", "goods_id", "line_id")}
    return own | {name: [getattr(step.target, name) for step in steps] for name in NumberPlace.__slots__}


def read_numbers(conn: Connection, numbers: Iterable[str]) -> dict[str, Row[Any]]:
    wanted = sorted(set(numbers))
    return {row.number: row for row in conn.exec_driver_sql(_KNOWN, (wanted,))} if wanted else {}


def _raise_first(reasons: Iterable[str]) -> None:
    """Raise Refusal with the first reasons, saying how many there are; nothing without any."""
    found = list(reasons)
    if found:
        more = f"（共{len(found)}个胎号）" if len(found) > SHOWN else ""
        raise Refusal("；".join(found[:SHOWN]) + more)


def _describe_objection(ctx: Context, bill: BillRef, step: NumberStep, row: Row[Any] | None) -> str | None:
    """Describe why a step can't be taken from where its number is; None when it can."""
    head = f"胎号 {step.number} "
    if row is None:
        return f"{head}没有登记过"
    if row.goods_id != step.goods_id and row.place != NOWHERE:
        return f"{head}是{row.goods_name}的，与本行商品不符"
    if row.last_date is not None and row.last_date > bill.business_date:
        return f"{head}{row.last_date:%Y-%m-%d} {describe_place(ctx, row)}，本单日期不能早于它"
    if step.source is None:
        return _describe_inbound_objection(ctx, step, row, head)
    if row.place != STOCKED or row.warehouse_id != step.source.warehouse_id:
        return f"{head}不在出库仓库，{describe_place(ctx, row)}"
    if (row.allocation_id, row.batch_id) != (step.source.allocation_id, step.source.batch_id):
        return f"{head}{describe_place(ctx, row)}，批次{row.batch or '无'}，与本行的库位或批次不符"
    return None


def _describe_inbound_objection(ctx: Context, step: NumberStep, row: Row[Any], head: str) -> str | None:
    if row.place == STOCKED:
        return f"{head}已{describe_place(ctx, row)}，不能再入库"
    if step.returned and row.place == NOWHERE:
        return f"{head}没有售出过，不能退回"
    if step.outside.kind == "customer":
        theirs = row.place == CUSTOMER and step.outside.party_id in (None, row.party_id)
        if not theirs and row.place != NOWHERE:
            return f"{head}{describe_place(ctx, row)}，不能由该客户退回"
    elif row.place == CUSTOMER:
        return f"{head}{describe_place(ctx, row)}，请用退货单入库"
    if row.place != NOWHERE and row.batch_id and row.batch_id != step.target.batch_id:
        return f"{head}的批次是{row.batch}，与本行批次不符"
    return None


def describe_place(ctx: Context, row: Row[Any] | None) -> str:
    """Describe the place of a number; places of companies out of reach are not named."""
    if row is None:
        return "没有登记过"
    if row.place != NOWHERE and not ctx.principal.covers_company(row.company_id):
        return "在其他公司"
    if row.place == STOCKED:
        shelf = f"库位{row.allocation_name}" if row.named_allocation else ""
        place = "在调拨途中" if row.warehouse_type == TRANSIT else f"在{row.warehouse_name}{shelf}"
    else:
        place = {
            NOWHERE: "未入库",
            CUSTOMER: f"已售给{row.party_name or '客户'}",
            SUPPLIER: f"已退给{row.party_name or '供应商'}",
            SCRAPPED: "已报废",
            LOST: "已盘亏",
            ISSUED: "已领用出库",
        }[row.place]
    return f"{place}（{row.bill_no}）" if row.bill_no else place


def _forbid_excess_numbers(conn: Connection, sql: str, values: tuple[Any, ...]) -> None:
    """Raise Refusal when more numbers would lie at a place than there is stock."""
    found = conn.exec_driver_sql(sql, values).all()
    if found:
        raise Refusal(
            "在库胎号多于库存："
            + "；".join(
                f"{row.goods_name}在{row.warehouse_name}{row.allocation_name or ''} 批次{row.batch or '无'}"
                f"库存{row.stock.normalize():f}，胎号{row.numbers}个"
                for row in found
            )
            + "；出库请录入胎号"
        )
