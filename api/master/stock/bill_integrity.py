"""Integrity checks of bills (单据与账簿核对): the ledgers hold what each declared bill says, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from api.kit.bills import amount_proration, source_proration
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, BillLine, Block, SourceLink
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.resource import Resource
from api.ledger.integrity_checks import (
    Check,
    build_negative_days_check,
    build_negative_stock_check,
    register_checks,
)
from api.master.rebates.rebates import Rebate
from api.master.settlements.freight import FreightBill
from api.master.settlements.settlements import OffsettingBill, SettlingBill, WriteOffLine

_MOVED = """
select h.bill_no, l.line_no, l.quantity, coalesce(s.quantity, 0) as moved
from {line} l
join {bill} h using (bill_id)
left join (select line_id, sum(quantity) as quantity from stock_ledger where bill_type = '{prefix}' group by line_id) s
    using (line_id)
where coalesce(s.quantity, 0) <> case when h.status in {posted} then {sign} * l.quantity else 0 end
"""
_TRAVELLED = """
select h.bill_no, l.line_no, l.quantity, coalesce(s.left_place, 0) as left_place, coalesce(s.landed, 0) as landed
from {line} l
join {bill} h using (bill_id)
left join (
    select
        s.line_id, -sum(s.quantity) filter (where s.quantity < 0) as left_place,
        sum(s.quantity) filter (where s.quantity > 0) as landed
    from stock_ledger s
    where s.bill_type = '{prefix}' and s.reverses is null
        and not exists (select from stock_ledger r where r.reverses = s.ledger_id)
    group by s.line_id
) s using (line_id)
where coalesce(s.left_place, 0) <> case when h.status in {posted} then {through} else 0 end
    or coalesce(s.landed, 0) <> case when h.status in {posted} and {lands} then {through} else 0 end
"""
_STRAY = """
select s.bill_type, s.bill_no, s.quantity
from stock_ledger s
where s.bill_type = '{prefix}' and not exists (select from ({lines}) l where l.line_id = s.line_id)
    and s.reverses is null and not exists (select from stock_ledger r where r.reverses = s.ledger_id)
"""
_NUMBERED = """
select coalesce(l.bill_id, s.bill_id) as bill_id, line_id, l.numbers, s.numbers as steps
from (
    select l.bill_id, l.line_id, cardinality(string_to_array(l.tire_numbers, ' ')) as numbers
    from ({lines}) l join {bill} h using (bill_id)
    where h.status in {posted} and l.tire_numbers is not null
) l
full join (
    select s.bill_id, s.line_id, count(*) as numbers
    from tire_step s
    where s.bill_type = '{prefix}' and s.reverses is null
        and not exists (select from tire_step r where r.reverses = s.entry_id)
    group by s.bill_id, s.line_id
) s using (line_id)
where l.numbers is distinct from s.numbers
"""
_COUNTED = """
select l.line_id, l.{counter} as counted, coalesce(e.quantity, 0) as executed
from {source} l
left join (select x.line_id, sum(x.quantity) as quantity from ({executing}) x group by x.line_id) e using (line_id)
where l.{counter} <> coalesce(e.quantity, 0)
"""
_EXECUTING = """
select x.{column} as line_id, {taken} as quantity
from {line} x join {bill} h using (bill_id)
where h.status in {posted} and x.{column} is not null
"""
_OF_CLOSED = "case when coalesce(h.locked_from, h.status) = 4 then x.executed_quantity else x.quantity end"
_RECEIVED = """
select h.bill_no, h.amount, coalesce(m.amount, 0) as moved
from {bill} h
left join (select bill_id, sum(amount) as amount from money_ledger where bill_type = '{prefix}' group by bill_id) m
    using (bill_id)
where {flow} * coalesce(m.amount, 0) <> case when h.status in {posted} then h.amount else 0 end
"""
_WAIVED = """
select h.bill_no, h.waived_amount, coalesce(w.amount, 0) as waived
from {bill} h
left join (
    select bill_id, -sum(amount) as amount from settlement_ledger
    where waived and bill_type = '{prefix}' group by bill_id
) w using (bill_id)
where coalesce(w.amount, 0) <> case when h.status in {posted} then h.waived_amount else 0 end
"""
_FREIGHT = """
select h.bill_no, h.freight_payable, coalesce(f.amount, 0) as owed
from {bill} h
left join (
    select l.bill_id, l.party_id, sum(l.amount) as amount
    from settlement_ledger l join settlement_item i using (settlement_id)
    where l.bill_type = '{prefix}' and i.bill_type = '{prefix}' and i.kind = 'freight'
    group by l.bill_id, l.party_id
    having sum(l.amount) <> 0
) f using (bill_id)
where coalesce(f.amount, 0) <> case when h.status in {posted} then h.freight_payable else 0 end
    or f.party_id <> h.carrier_id
"""
_CREDITED = """
select h.bill_no, h.amount, coalesce(s.amount, 0) as opened
from {bill} h
left join (
    select bill_id, sum(amount) as amount from settlement_ledger where bill_type = '{prefix}' group by bill_id
) s using (bill_id)
where coalesce(s.amount, 0) <> case when h.status in {posted} then -h.amount else 0 end
"""
_WRITTEN_OFF = """
select bill_id, settlement_id, coalesce(w.amount, 0) as told, coalesce(s.amount, 0) as written
from (
    select w.bill_id, w.settlement_id, w.amount
    from {line} w join {bill} h using (bill_id)
    where h.status in {posted}
) w
full join (
    select l.bill_id, l.settlement_id, -sum(l.amount) as amount
    from settlement_ledger l join settlement_item i using (settlement_id)
    where l.bill_type = '{prefix}' and (i.bill_type, i.bill_id) <> (l.bill_type, l.bill_id)
    group by l.bill_id, l.settlement_id
) s using (bill_id, settlement_id)
where coalesce(w.amount, 0) <> coalesce(s.amount, 0)
"""
_PRECEDES = """
select h.bill_no, h.business_date, s.bill_no as source_no, s.business_date as source_date
from {line} x
join {bill} h using (bill_id)
join {source} l on l.line_id = x.{column}
join {source_bill} s on s.bill_id = l.bill_id
where h.status in {posted} and h.business_date < s.business_date
"""
_SHARED = """
select l.line_id, l.quantity, l.amount, l.discount_amount, l.tax_amount, t.quantity as taken, t.amount as taken_amount,
    t.discount as taken_discount, t.tax as taken_tax
from {source} l
join ({taken}) t using (line_id)
where t.amount > l.amount or t.discount > l.discount_amount or t.tax > l.tax_amount
    or t.quantity = l.quantity and (t.amount, t.discount, t.tax) <> (l.amount, l.discount_amount, l.tax_amount)
"""
_INVOICED = """
select l.line_id, l.quantity, l.amount, l.tax_amount, t.quantity as taken, t.amount as taken_amount, t.tax as taken_tax
from {source} l
join ({taken}) t using (line_id)
where t.amount > l.amount or t.quantity > l.quantity or t.tax > l.tax_amount
    or t.amount = l.amount and (t.quantity, t.tax) <> (l.quantity, l.tax_amount)
"""
_OVER_RETURNED = """
select l.line_id, l.amount, sum(round(x.amount * {taken} / x.quantity, 2)) as returned
from {line} x
join {bill} h using (bill_id)
join {source} l on l.line_id = x.{column}
where h.status in {posted} {apart}
group by l.line_id, l.amount
having bool_or(x.source_amount is null)
    or sum(round(x.amount * {taken} / x.quantity, 2)) > l.amount and not bool_or(x.beyond_source)
"""
_FOREIGN_NUMBERS = """
select h.bill_no, x.line_no, t.number
from {line} x
join {bill} h using (bill_id)
join tire_step s on s.bill_type = '{prefix}' and s.bill_id = x.bill_id and s.line_id = x.line_id
join tire_number t on t.number_id = s.number_id
join {source} l on l.line_id = x.{column}
where h.status in {posted} and s.reverses is null and not exists (select from tire_step r where r.reverses = s.entry_id)
    and exists (
        select from tire_step o
        where o.bill_type = '{source_prefix}' and o.bill_id = l.bill_id and o.line_id = l.line_id
            and o.entry_id < s.entry_id
    )
    and not exists (
        select from tire_step o
        where o.number_id = s.number_id and o.bill_type = '{source_prefix}' and o.bill_id = l.bill_id
            and o.line_id = l.line_id and o.reverses is null and o.entry_id < s.entry_id
    )
"""
_UNLINKED_NUMBERS = """
select h.bill_no, x.line_no, t.number, o.bill_no as moved_by
from {line} x
join {bill} h using (bill_id)
join tire_step s on s.bill_type = '{prefix}' and s.bill_id = x.bill_id and s.line_id = x.line_id
join tire_number t on t.number_id = s.number_id
join lateral (
    select o.bill_type, o.bill_id, o.bill_no
    from tire_step o
    where o.number_id = s.number_id and o.bill_type in ('{prefix}', '{source_prefix}') and o.entry_id < s.entry_id
        and o.reverses is null and not exists (select from tire_step r where r.reverses = o.entry_id)
    order by o.entry_id desc
    limit 1
) o on o.bill_type = '{source_prefix}'
join {source_bill} b on b.bill_id = o.bill_id and {shared}
where x.{column} is null and h.status in {posted}
    and s.reverses is null and not exists (select from tire_step r where r.reverses = s.entry_id)
"""
_TOTALLED = """
select h.bill_no, {shown}
from {bill} h join {line} l using (bill_id)
group by h.bill_id having {differs}
"""


def _build_bill_checks(cls: type[Bill]) -> Iterator[Check]:
    assert cls.bill is not None
    label, prefix = cls.declaration.label, cls.bill.prefix
    common = {"bill": cls.name(), "prefix": prefix, "posted": POSTED_SQL}
    for block in cls.bill.blocks:
        yield from _build_block_checks(cls, block, label, common)
    yield from _build_line_checks(cls, label, common)
    if issubclass(cls, SettlingBill):
        yield Check(
            f"{cls.name()}_money", f"{label}的金额等于资金流水", _RECEIVED.format(**common, flow=cls.flow())
        )
        yield Check(f"{cls.name()}_waived", f"{label}的抹零等于往来流水的抹零", _WAIVED.format(**common))
    if issubclass(cls, FreightBill):
        yield Check(f"{cls.name()}_freight", f"{label}的应付运费等于承运商的应付", _FREIGHT.format(**common))
    if issubclass(cls, Rebate):
        yield Check(f"{cls.name()}_account", f"{label}的金额等于返利账户", _CREDITED.format(**common))


def _build_block_checks(cls: type[Bill], block: Block, label: str, common: dict[str, str]) -> Iterator[Check]:
    assert issubclass(block.cls, BillLine) and cls.bill is not None
    line = block.cls.name()
    if block.cls.stock_direction:
        if block.cls.stock_direction == "through":
            moved = _TRAVELLED.format(
                **common, line=line, lands=block.cls.landing_condition, through=block.cls.landing_quantity_sql
            )
        else:
            moved = _MOVED.format(
                **common, line=line, sign="1" if block.cls.stock_direction == "in" else "-1"
            )
        alone = (
            len([one for one in cls.bill.blocks if issubclass(one.cls, BillLine) and one.cls.stock_direction])
            == 1
        )
        name, title = (cls.name(), label) if alone else (line, f"{label}{block.label}")
        yield Check(f"{name}_moves", f"{title}各行数量等于库存流水，未审核与作废的为零", moved)
    if issubclass(cls, SettlingBill | OffsettingBill) and issubclass(block.cls, WriteOffLine):
        written = _WRITTEN_OFF.format(**common, line=line)
        yield Check(f"{cls.name()}_write_offs", f"{label}各行核销等于往来流水", written)
    sums = [name for name in ("amount", "quantity") if f"total_{name}" in cls.table().c]
    if sums:
        shown = ", ".join(f"h.total_{name}, sum(l.{name}) as {name}" for name in sums)
        differs = " or ".join(f"h.total_{name} <> sum(l.{name})" for name in sums)
        totalled = _TOTALLED.format(**common, line=line, shown=shown, differs=differs)
        yield Check(f"{cls.name()}_totals", f"{label}表头合计等于明细之和", totalled)


def _build_line_checks(cls: type[Bill], label: str, common: dict[str, str]) -> Iterator[Check]:
    """Build the checks of all rows of a bill against the stock and the tyre numbers that it moved."""
    assert cls.bill is not None
    lines = [block.cls for block in cls.bill.blocks if issubclass(block.cls, BillLine)]
    if moving := [line.name() for line in lines if line.stock_direction]:
        stray = _STRAY.format(**common, lines=_union_all_sql(moving, "line_id"))
        yield Check(f"{cls.name()}_stray", f"没有无单据的{label}库存流水", stray)
    if named := [
        line.name() for line in lines if "tire_numbers" in line.table().c and line.moves_tire_numbers
    ]:
        numbered = _NUMBERED.format(**common, lines=_union_all_sql(named, "bill_id, line_id, tire_numbers"))
        yield Check(f"{cls.name()}_tire_numbers", f"{label}各行胎号个数等于其有效履历", numbered)


def _union_all_sql(tables: Sequence[str], columns: str) -> str:
    return " union all ".join(f"select {columns} from {table}" for table in tables)


def _build_link_checks(cls: type[Bill], link: SourceLink) -> Iterator[Check]:
    """Build the checks of a bill's lines against the lines that they execute."""
    assert cls.bill is not None
    source: type[Resource] = registry.get_resource(link.bill)
    lines, label = cls.bill.blocks[0].cls, f"{cls.declaration.label}的{source.declaration.label}"
    name = f"{lines.name()}_{link.column}"
    parts = {
        "bill": cls.name(),
        "line": lines.name(),
        "column": link.column,
        "posted": POSTED_SQL,
        "source": link.lines.name(),
        "source_bill": link.bill,
        "apart": f"and x.{link.superseded_by} is null" if link.superseded_by else "",
    }
    yield Check(f"{name}_dates", f"{label}不晚于它", _PRECEDES.format(**parts))
    if source_proration.find_sharing_class(cls) and source_proration.is_sharing_link(link):
        if link.capped:
            taken = _OF_CLOSED if link.gives_back else "x.quantity"
            capped = _OVER_RETURNED.format(**parts, taken=taken)
            yield Check(f"{name}_capped", f"{label}的金额不被超过，放行的除外", capped)
        shared = _SHARED.format(**parts, taken=source_proration.taken_money_sql(link))
        yield Check(f"{name}_shares", f"{label}的金额、优惠和税额等于分摊之和", shared)
    if link.measure == "amount":
        invoiced = _INVOICED.format(**parts, taken=amount_proration.taken_amounts_sql(cls, link))
        yield Check(f"{name}_shares", f"{label}的数量和税额等于按金额分摊之和", invoiced)
    numbered = all("tire_numbers" in one.table().c for one in (lines, link.lines))
    if numbered and issubclass(lines, BillLine) and lines.moves_tire_numbers and source.bill:
        prefixes = {"prefix": cls.bill.prefix, "source_prefix": source.bill.prefix}
        strange = _FOREIGN_NUMBERS.format(**parts, **prefixes)
        yield Check(f"{name}_tire_numbers", f"{label}的胎号包含本单的胎号", strange)
        if link.returns:
            shared = " and ".join(f"h.{own} = b.{theirs}" for own, theirs in link.shared_columns())
            apart = _UNLINKED_NUMBERS.format(**parts, **prefixes, shared=shared)
            yield Check(f"{name}_apart", f"{label}出入的胎号都从它退回", apart)


def _build_counter_check(executed: Sequence[tuple[type[Bill], SourceLink]]) -> Check:
    """Build the check that a line's counter equals the sum of all lines, of any bill type, that execute it."""
    link = executed[0][1]
    executing = " union all ".join(
        _EXECUTING.format(
            column=own.column,
            taken=_OF_CLOSED if own.gives_back else f"{'-' if own.reopens else ''}abs(x.{own.measure})",
            line=cls.bill.blocks[0].cls.name(),
            bill=cls.name(),
            posted=POSTED_SQL,
        )
        for cls, own in executed
        if cls.bill
    )
    counted = _COUNTED.format(counter=link.counter, source=link.lines.name(), executing=executing)
    source: type[Resource] = registry.get_resource(link.bill)
    done, undone = (
        "、".join(cls.declaration.label for cls, own in executed if own.reopens is reopens)
        for reopens in (False, True)
    )
    less = f"减去重新打开它的{undone}" if undone else ""
    title = f"{source.declaration.label}的{link.lines.field(link.counter).label}等于已审核{done}之和{less}"
    return Check(f"{link.lines.name()}_{link.counter}", title, counted)


def register_bill_checks() -> None:
    """Register the checks of every declared bill. Call it once, when all are declared."""
    negative = "select w.warehouse_id from warehouse w where w.allow_negative"
    strict = "select w.warehouse_id, w.strict_since as day from warehouse w where not w.allow_negative"
    register_checks(build_negative_stock_check(negative), build_negative_days_check(negative, strict))
    counters: dict[tuple[str, str], list[tuple[type[Bill], SourceLink]]] = {}
    for cls in registry.list_resources():
        if issubclass(cls, Bill):
            register_checks(*_build_bill_checks(cls))
            for link in cls.bill.links if cls.bill else ():
                register_checks(*_build_link_checks(cls, link))
                counters.setdefault((link.lines.name(), link.counter), []).append((cls, link))
    for executed in counters.values():
        register_checks(_build_counter_check(executed))
