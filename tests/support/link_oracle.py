"""Oracle of source links, asked of the stored bills alone: none of the product's checks is used.

Each query returns the rows that violate it; `repriced` are the bills whose lines were given a price of
their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from sqlalchemy import Connection

from api.kit.declaration import registry
from api.kit.declaration.document import Bill, SourceLink
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.goods_bills import GoodsLine
from tests.support.database_state import execute_prepared

Linked = tuple[tuple[type[Bill], SourceLink], ...]
CAPPED = {("sales_return", "source_line_id"), ("purchase_return", "source_line_id")}
"""What comes back from a line is never more than that line came to."""
UNPRICED = {("purchase_order", "plan_line_id"), ("purchase_allocation", "plan_line_id")}
"""Plans are ordered at the supplier's price, and allotted at the receipt's."""

REOPENED = {
    f"{order}_line": f"not exists (select from {back}_line r where r.order_line_id = l.line_id)"
    for order, back in (("sales_order", "sales_return"), ("purchase_order", "purchase_return"))
}
"""What came back to be delivered again opens its order's line: more than was ordered may go out."""

_DATES = """
select '{bill} precedes {source_bill}' as broken, h.bill_no, s.bill_no as source_no
from {lines} x join {bill} h using (bill_id)
join {source} l on l.line_id = x.{column} join {source_bill} s on s.bill_id = l.bill_id
where h.status in {posted} and h.business_date < s.business_date
"""
_PARTS = """
select '{bill} is not the sum of {source}' as broken, l.line_id, l.amount, t.amount as parts, l.tax_amount, t.tax
from {source} l
join (
    select x.{column} as line_id, sum(x.quantity) as quantity, sum(x.amount) as amount, sum(x.tax_amount) as tax,
        sum(x.discount_amount) as discount, bool_or('{bill} ' || h.bill_id = any(%(repriced)s::text[])) as repriced
    from {lines} x join {bill} h using (bill_id)
    where h.status in {posted} and x.{column} is not null {apart}
    group by x.{column}
) t using (line_id)
where {opened} and (
    t.quantity > l.quantity
    or {capped} and (t.amount > l.amount or t.tax > l.tax_amount)
    or not t.repriced and t.quantity = l.quantity
        and (t.amount, t.tax, t.discount) <> (l.amount, l.tax_amount, l.discount_amount)
)
"""
_RETURNABLE = f"""
select 'more goes back than came' as broken, l.line_id, l.quantity, b.quantity as back
from purchase_inbound_line l
join (
    select r.line_id, sum(r.quantity) as quantity
    from (
        select x.source_line_id as line_id, x.quantity from purchase_return_line x join purchase_return h using (bill_id)
        where h.status in {POSTED_SQL} and x.refund_line_id is null
        union all
        select x.source_line_id,
            case when coalesce(h.locked_from, h.status) = 4 then x.executed_quantity else x.quantity end
        from return_request_line x join return_request h using (bill_id)
        where h.status in {POSTED_SQL}
    ) r group by r.line_id
) b using (line_id)
where b.quantity > l.quantity
"""
_NUMBERS = """
select '{bill} brings a number that {source} did not move' as broken, h.bill_no, x.tire_numbers, l.tire_numbers as moved
from {lines} x join {bill} h using (bill_id)
join {source} l on l.line_id = x.{column}
where h.status in {posted} and l.tire_numbers is not null
    and not string_to_array(x.tire_numbers, ' ') <@ string_to_array(l.tire_numbers, ' ')
"""

_BATCHES = """
select '{bill} brings batches that {source} did not move' as broken, r.line_id, min(r.rest) as beyond
from (
    select m.line_id, m.batch_id, sum(m.quantity) * w.direction as rest
    from (
        select g.line_id, g.batch_id, g.quantity from stock_ledger g where g.bill_type = '{source_prefix}'
        union all
        select x.{column}, g.batch_id, g.quantity
        from {lines} x join stock_ledger g on g.bill_type = '{prefix}' and g.line_id = x.line_id
        where x.{column} is not null
    ) m
    join (
        select g.line_id, sign(sum(g.quantity)) as direction from stock_ledger g
        where g.bill_type = '{source_prefix}' group by g.line_id having sum(g.quantity) <> 0
    ) w using (line_id)
    group by m.line_id, m.batch_id, w.direction
) r
group by r.line_id
having coalesce(sum(greatest(r.rest, 0)) filter (where r.batch_id = 0), 0) + sum(least(r.rest, 0)) < 0
"""


def find_link_violations(
    conn: Connection, linked: Linked, repriced: Iterable[tuple[str, int]]
) -> list[dict[str, Any]]:
    """Find all violations of bills against their sources."""
    own = [f"{name} {key}" for name, key in sorted(set(repriced))]
    return [row.told for row in execute_prepared(conn, _build_queries(linked), {"repriced": own})]


@cache
def _build_queries(linked: Linked) -> str:
    questions = [_RETURNABLE, *(sql for cls, link in linked for sql in _link_queries(cls, link))]
    return " union all ".join(f"select to_jsonb(q) as told from ({sql}) q" for sql in questions)


def _link_queries(cls: type[Bill], link: SourceLink) -> Iterator[str]:
    assert cls.bill is not None
    lines = cls.bill.blocks[0].cls
    told = {
        "bill": cls.name(),
        "lines": lines.name(),
        "column": link.column,
        "source": link.lines.name(),
        "source_bill": link.bill,
        "posted": POSTED_SQL,
        "capped": str((cls.name(), link.column) in CAPPED).lower(),
        "apart": "",
        "opened": REOPENED.get(link.lines.name(), "true"),
    }
    yield _DATES.format(**told)
    priced = issubclass(lines, GoodsLine) and issubclass(link.lines, GoodsLine)
    if priced and (cls.name(), link.column) not in UNPRICED:
        if cls.name() == "purchase_return" and link.bill == "purchase_inbound":
            # What goes back by way of a request shares the request's money; together they stay below the receipt.
            yield _PARTS.format(**told).replace("not t.repriced", "false")
        else:
            yield _PARTS.format(**told)
    if all("tire_numbers" in one.table().c for one in (lines, link.lines)):
        yield _NUMBERS.format(**told)
    if link.returns:
        source = registry.get_resource(link.bill).bill
        assert source is not None
        yield _BATCHES.format(**told, prefix=cls.bill.prefix, source_prefix=source.prefix)
