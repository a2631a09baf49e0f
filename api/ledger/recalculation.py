"""Cost recalculation (成本重算): corrects what issues cost by difference rows, under the locks of postings.

A posting values what it moves at the average of the moment; a bill with an earlier date comes too late for that. Here
the ledger is replayed in business order (`replay.py`) from a month's first day to its end, and each row whose amount
is another one then gets a row of quantity 0 that `corrects` it: same bill, line and date, so that an un-audit takes it
along, the cost of a line follows, and no closed month is touched. A second run finds nothing to write.

Goods that another company sent are taken at the value which left there, its own corrections included. Goods that
conversions make of each other are replayed together, so that what was made follows what it was made of at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import groupby
from typing import Any

from sqlalchemy import Connection

from api.ledger.posting import call_ledger
from api.ledger.replay import LANDED, CorrectionKey, CostPool, Issue, ReplayGoods, ReplayRow, replay_costs

BATCH = 50
"""Goods whose audits wait while they are replayed together."""

_NEXT = """
select distinct b.goods_id from cost_balance b
where b.company_id = %s and b.goods_id > %s and not b.goods_id = any (%s::bigint[])
order by b.goods_id
limit %s
"""
_COUNT = "select count(distinct b.goods_id) from cost_balance b where b.company_id = %s"
_JOINED = """
select distinct m.goods_id, o.goods_id as other
from stock_ledger m
join stock_ledger o
    on o.bill_type = m.bill_type and o.bill_id = m.bill_id and o.company_id = m.company_id and o.goods_id <> m.goods_id
where m.company_id = %s and m.basis = 'converted' and m.business_date >= %s
    and m.reverses is null and not exists (select from stock_ledger r where r.reverses = m.ledger_id)
"""
_LOCK = """
select b.goods_id, b.pool_id, (b.quantity * 1000)::bigint, (b.amount * 100)::bigint
from cost_balance b
where b.company_id = %s and b.goods_id = any (%s::bigint[])
order by b.company_id, b.goods_id, b.pool_id
for update
"""
_ROWS = """
select
    l.corrects, l.basis is not null as settles,
    l.goods_id, l.pool_id, l.ledger_id, l.business_date, l.bill_type, l.bill_id, l.line_id,
    (l.quantity * 1000)::bigint, (l.amount * 100)::bigint, (l.unit_cost * 1000000)::bigint,
    coalesce(
        l.basis,
        case
            when l.quantity < 0 then 'issue' when l.quantity = 0 then 'correction'
            when l.origin_line_id is not null then 'origin' else 'given'
        end
    ),
    l.origin_type, l.origin_line_id, (l.share * 1000000)::numeric(30)
from stock_ledger l
where l.company_id = %s and l.goods_id = any (%s::bigint[]) and l.business_date >= %s
    and l.reverses is null and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
order by l.goods_id, l.business_date, l.ledger_id
"""
_ISSUES = """
select
    o.goods_id, o.origin_type, o.origin_line_id, d.total, d.delivered, d.amount, b.quantity, b.amount
from unnest(%(goods)s::bigint[], %(types)s::text[], %(lines)s::bigint[])
    as o (goods_id, origin_type, origin_line_id)
cross join lateral (
    select
        coalesce(-sum(l.quantity) * 1000, 0)::bigint as total,
        coalesce(-sum(l.quantity) filter (where l.business_date < %(first)s) * 1000, 0)::bigint as delivered,
        coalesce(-sum(l.amount) filter (where l.business_date < %(first)s) * 100, 0)::bigint as amount
    from stock_ledger l
    where l.bill_type = o.origin_type and l.line_id = o.origin_line_id
        and l.company_id = %(company)s and l.goods_id = o.goods_id
) d
cross join lateral (
    select coalesce(sum(l.quantity) * 1000, 0)::bigint as quantity, coalesce(sum(l.amount) * 100, 0)::bigint as amount
    from stock_ledger l
    where l.origin_type = o.origin_type and l.origin_line_id = o.origin_line_id
        and l.company_id = %(company)s and l.goods_id = o.goods_id and l.business_date < %(first)s
) b
"""
_SENT = """
select l.goods_id, l.bill_type, l.line_id, (sum(l.amount) * 100)::bigint as cents
from unnest(%(goods)s::bigint[], %(types)s::text[], %(lines)s::bigint[]) as k (goods_id, bill_type, line_id)
join stock_ledger l on l.bill_type = k.bill_type and l.line_id = k.line_id and l.goods_id = k.goods_id
where l.company_id <> %(company)s and l.corrects is not null and l.reverses is null
    and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
group by l.goods_id, l.bill_type, l.line_id
"""
_BEFORE = """
select (l.unit_cost * 1000000)::bigint, l.bill_type = 'CGRK'
from stock_ledger l
where l.company_id = %s and l.goods_id = %s and l.pool_id = %s and l.business_date < %s
    and l.quantity > 0 and l.unit_cost > 0
    and l.reverses is null and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
order by l.bill_type = 'CGRK' desc, l.business_date desc, l.ledger_id desc
limit 1
"""
_ENTER = """
select erp_enter_period(('', 0, '', %(company)s::bigint, m.month)::erp_bill)
from (
    select %(first)s::date as month
    union
    select date_trunc('month', l.business_date)::date from stock_ledger l where l.ledger_id = any (%(ids)s::bigint[])
) m
"""
_WRITE = """
with difference as (
    select d.ledger_id, d.settles, d.cents / 100.0 as amount
    from unnest(%(ids)s::bigint[], %(settles)s::boolean[], %(cents)s::bigint[]) as d (ledger_id, settles, cents)
),
written as (
    insert into stock_ledger (
        company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
        bill_type, bill_id, bill_no, line_id, business_date, origin_type, origin_line_id, pool_id, frozen, first_date,
        basis, corrects
    )
    select
        l.company_id, l.warehouse_id, l.allocation_id, l.goods_id, l.batch_id, 0, 0, d.amount,
        l.bill_type, l.bill_id, l.bill_no, l.line_id, l.business_date, l.origin_type, l.origin_line_id, l.pool_id,
        l.frozen, l.first_date, case when d.settles then 'correction' end, l.ledger_id
    from difference d
    join stock_ledger l on l.ledger_id = d.ledger_id
    order by l.ledger_id
    returning company_id, goods_id, pool_id, amount
)
update cost_balance b set amount = b.amount + w.amount
from (
    select w.company_id, w.goods_id, w.pool_id, sum(w.amount) as amount from written w group by 1, 2, 3
) w
where b.company_id = w.company_id and b.goods_id = w.goods_id and b.pool_id = w.pool_id and w.amount <> 0
"""


Prepared = dict[int, tuple[ReplayGoods, list[ReplayRow]]]
"""Each goods at the start, and its rows since."""


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """Result of one batch.

    Goods and rows read, differences written, their absolute sum in cents, and the goods left alone because
    their months before, or those of goods that conversions join to them, are not in order (stock of
    negative value).
    """

    goods: int
    rows: int
    differences: int
    cents: int
    left: tuple[int, ...]


def list_next_goods(
    conn: Connection, company_id: int, first: date, after: int, limit: int = BATCH
) -> list[int]:
    """Return the company's goods with cost that follow `after`, by id, without those replayed with an earlier
    one."""
    joined = _read_joined_goods(conn, company_id, first)
    later = [goods_id for goods_id, group in joined.items() if goods_id != min(group)]
    return list(conn.exec_driver_sql(_NEXT, (company_id, after, later, limit)).scalars())


def count_goods(conn: Connection, company_id: int) -> int:
    return int(conn.exec_driver_sql(_COUNT, (company_id,)).scalar_one())


def recalculate_costs(
    conn: Connection, company_id: int, first: date, goods_ids: Sequence[int]
) -> ReplayResult:
    """Correct the costs of goods from the day `first`, a month's first, on; within the caller's transaction.

    Raises `PeriodClosed` or `PeriodClosing` when that month, or one that would be corrected, is closed; then the
    transaction must be rolled back.
    """
    balances, joined = _lock_goods(conn, company_id, first, goods_ids)
    keys = sorted({row.goods_id for row in balances})
    rows = conn.exec_driver_sql(_ROWS, (company_id, keys, first)).all()
    prepared = _prepare_replay(conn, company_id, first, balances, rows)
    found: dict[CorrectionKey, int] = {}
    left: list[int] = []
    for group in dict.fromkeys(joined.get(key, frozenset({key})) for key in keys):
        books = {key: prepared[key] for key in sorted(group)}
        differences = replay_costs(books)
        if all(goods.is_sound for goods, _ in books.values()):
            found.update(differences)
        else:
            left += books
    ids = [ledger_id for ledger_id, _ in found]
    call_ledger(conn, _ENTER, {"company": company_id, "first": first, "ids": ids})
    if found:
        settles = [one for _, one in found]
        conn.exec_driver_sql(_WRITE, {"ids": ids, "settles": settles, "cents": list(found.values())})
    return ReplayResult(len(keys), len(rows), len(found), sum(map(abs, found.values())), tuple(left))


def _lock_goods(
    conn: Connection, company_id: int, first: date, goods_ids: Sequence[int]
) -> tuple[Sequence[Any], Mapping[int, frozenset[int]]]:
    """Lock the cost rows of goods and of all that conversions join to them; returns them, and which go
    together."""
    joined, wanted = _read_joined_goods(conn, company_id, first), set(goods_ids)
    while True:
        wanted |= {other for key in wanted for other in joined.get(key, ())}
        balances = conn.exec_driver_sql(_LOCK, (company_id, sorted(wanted))).all()
        # Under the locks nobody joins more to them; somebody may have done so before.
        joined = _read_joined_goods(conn, company_id, first)
        if wanted.issuperset(other for key in wanted for other in joined.get(key, ())):
            return balances, joined


def _read_joined_goods(conn: Connection, company_id: int, first: date) -> Mapping[int, frozenset[int]]:
    """Return groups of goods that conversions since a day make of each other, by goods; replayed together."""
    groups: dict[int, frozenset[int]] = {}
    for row in conn.exec_driver_sql(_JOINED, (company_id, first)):
        pair = (row.goods_id, row.other)
        group = frozenset(pair).union(*(groups.get(key, ()) for key in pair))
        groups.update(dict.fromkeys(group, group))
    return groups


def _prepare_replay(
    conn: Connection, company_id: int, first: date, balances: Sequence[Any], rows: Sequence[Any]
) -> Prepared:
    """Build each goods' state before the first day, and its rows since: the present state less these rows."""

    def read_before(goods_id: int, pool_id: int) -> tuple[int, bool]:
        row = conn.exec_driver_sql(_BEFORE, (company_id, goods_id, pool_id, first)).first()
        return (row[0], row[1]) if row else (0, False)

    prepared: Prepared = {}
    for goods_id, pool_id, quantity, amount in balances:
        if goods_id not in prepared:
            prepared[goods_id] = ReplayGoods({}, partial(read_before, goods_id)), []
        prepared[goods_id][0].pools[pool_id] = CostPool(quantity, amount)
    for goods_id, group in groupby(rows, key=lambda row: row.goods_id):
        goods, moves = prepared[goods_id]
        for corrects, settles, *values, share in group:
            row = ReplayRow._make([*values, share and int(share)])
            pool = goods.pools[row.pool_id]
            pool.quantity -= row.quantity
            pool.amount -= row.amount
            if corrects is None:
                moves.append(row)
            else:
                key = (corrects, settles)
                goods.written[key] = goods.written.get(key, 0) + row.amount
    _add_issues(conn, company_id, first, prepared)
    _add_sent(conn, company_id, prepared)
    return prepared


def _add_issues(conn: Connection, company_id: int, first: date, prepared: Prepared) -> None:
    """Add the issues that linked returns come back from."""
    wanted = {
        (goods_id, *row.origin)
        for goods_id, (_, moves) in prepared.items()
        for row in moves
        if row.basis == "origin"
    }
    if not wanted:
        return
    values = {"company": company_id, "first": first, **_build_columns(wanted, "goods", "types", "lines")}
    for row in conn.exec_driver_sql(_ISSUES, values):
        issues = prepared[row.goods_id][0].issues
        issues[(row.origin_type, row.origin_line_id)] = Issue(*row[3:])


def _add_sent(conn: Connection, company_id: int, prepared: Prepared) -> None:
    """Add by how much other companies corrected what they sent here."""
    wanted = {
        (goods_id, *row.line)
        for goods_id, (_, moves) in prepared.items()
        for row in moves
        if row.basis == LANDED
    }
    if not wanted:
        return
    values = {"company": company_id, **_build_columns(wanted, "goods", "types", "lines")}
    for row in conn.exec_driver_sql(_SENT, values):
        prepared[row.goods_id][0].sent[(row.bill_type, row.line_id)] = row.cents


def _build_columns(keys: set[Any], *names: str) -> dict[str, list[Any]]:
    return dict(zip(names, map(list, zip(*sorted(keys), strict=True)), strict=True))
