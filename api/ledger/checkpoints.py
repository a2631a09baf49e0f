"""Stock checkpoints (库存检查点): stock at month ends, added up beforehand, so that any day is near one of them.

A checkpoint holds the ledger's rows up to its day that its snapshot shows. Rows stamped by other
transactions, a backdated bill or a correction say, are added by every reader, so a checkpoint is right
whenever it was made, and no posting has to know of it. `advance_checkpoints` takes what came since into
all of them, which keeps reading fast, nothing more.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from sqlalchemy import Connection

from api.kit.storage.database import today
from api.ledger.integrity_checks import Check, register_checks

FEW_ROWS = 20_000
"""So many rows are added up in no time: no checkpoint is made or brought up to date for less. Nor is one made for fewer
rows than the one before holds, so that all of them together hold no more than the ledger."""

INSTANCE = "erp_instance()"
_KEYS = "warehouse_id, goods_id, allocation_id, batch_id, company_id, pool_id"
_LOCK = "select pg_try_advisory_xact_lock(hashtextextended('stock_checkpoint', 0))"
_DELETE_FOREIGN = (
    f"delete from {{table}} where exists (select from stock_checkpoint c where c.instance <> {INSTANCE})"
)
NEW_SINCE = """{row}.row_xid >= pg_snapshot_xmin({seen}) and {row}.row_xid < '18446744073709551615'
    and not pg_visible_in_snapshot({row}.row_xid, {seen})"""
"""Rows that a snapshot does not show, found through the index of stamps; the upper bound tells the planner how few."""
_LATE = f"""
select count(*) from (
    select from stock_ledger l, (select seen from stock_checkpoint order by day limit 1) c
    where {NEW_SINCE.format(row="l", seen="c.seen")}
    limit %(few)s
) f
"""
_SUMS = """
    sum(l.quantity) as quantity, coalesce(sum(l.quantity) filter (where l.frozen), 0) as frozen,
    sum(l.amount) as amount
"""
_SHOWN = "pg_visible_in_snapshot(l.row_xid, %(seen)s::pg_snapshot)"
_TAKE_IN = f"""
insert into stock_checkpoint_row as r (day, {_KEYS}, quantity, frozen, amount)
select c.day, {_KEYS}, {_SUMS}
from stock_ledger l
join stock_checkpoint c on c.day >= l.business_date
where {NEW_SINCE.format(row="l", seen="c.seen")} and {_SHOWN}
group by c.day, {_KEYS}
on conflict (day, {_KEYS}) do update set
    quantity = r.quantity + excluded.quantity, frozen = r.frozen + excluded.frozen, amount = r.amount + excluded.amount
"""
_SEEN = "update stock_checkpoint set seen = %(seen)s::pg_snapshot"
_LAST = "select day, row_count from stock_checkpoint order by day desc limit 1"
_FIRST = "select business_date from stock_ledger order by ledger_id limit 1"
_MONTHS = f"""
select (date_trunc('month', l.business_date) + interval '1 month -1 day')::date as day, count(*) as moves
from stock_ledger l
where l.business_date > coalesce(%(last)s, '-infinity'::date) and l.business_date < %(until)s and {_SHOWN}
group by 1
order by 1
"""
_MAKE = f"""
insert into stock_checkpoint_row (day, {_KEYS}, quantity, frozen, amount)
select %(day)s::date, {_KEYS}, sum(quantity), sum(frozen), sum(amount)
from (
    select {_KEYS}, r.quantity, r.frozen, r.amount from stock_checkpoint_row r where r.day = %(last)s
    union all
    select {_KEYS}, {_SUMS}
    from stock_ledger l
    where l.business_date > coalesce(%(last)s, '-infinity'::date) and l.business_date <= %(day)s and {_SHOWN}
    group by {_KEYS}
) f
group by {_KEYS}
having sum(quantity) <> 0 or sum(frozen) <> 0 or sum(amount) <> 0
order by {_KEYS}
"""
_MARK = f"""
insert into stock_checkpoint (day, seen, instance, row_count)
values (%(day)s, %(seen)s::pg_snapshot, {INSTANCE}, %(count)s)
"""

# Each checkpoint less the one before is what the ledger moved between them: one pass over the ledger proves them all.
register_checks(
    Check(
        "stock_checkpoint_is_ledger",
        "月末库存检查点 = 库存流水合计",
        f"""with mark as (
            select c.day, c.seen, lag(c.day) over (partition by c.seen::text order by c.day) as before
            from stock_checkpoint c
            where c.instance = {INSTANCE}
        ), piece as (
            select m.day, {_KEYS}, r.quantity, r.frozen, r.amount
            from mark m join stock_checkpoint_row r on r.day = m.day
            union all
            select m.day, {_KEYS}, -r.quantity, -r.frozen, -r.amount
            from mark m join stock_checkpoint_row r on r.day = m.before
            union all
            select m.day, {_KEYS}, -l.quantity, case when l.frozen then -l.quantity else 0 end, -l.amount
            from mark m
            join stock_ledger l on l.business_date > coalesce(m.before, '-infinity') and l.business_date <= m.day
                and pg_visible_in_snapshot(l.row_xid, m.seen)
        )
        select day, {_KEYS}, sum(quantity) as quantity, sum(frozen) as frozen, sum(amount) as amount
        from piece
        group by day, {_KEYS}
        having sum(quantity) <> 0 or sum(frozen) <> 0 or sum(amount) <> 0""",
    )
)


def advance_checkpoints(conn: Connection, few: int = FEW_ROWS) -> bool:
    """Add new ledger rows to the checkpoints, and make the next one if it is due; returns whether it did
    anything.

    Call it in a transaction of its own until there is nothing to do. One that finds another at work does
    nothing.
    """
    if not conn.exec_driver_sql(_LOCK).scalar():
        return False
    for table in ("stock_checkpoint_row", "stock_checkpoint"):
        conn.exec_driver_sql(_DELETE_FOREIGN.format(table=table))
    newest = conn.exec_driver_sql(_LAST).first()
    last, row_count = (newest.day, newest.row_count) if newest else (None, 0)
    # Whatever the statements below see, all of them count the rows of this one snapshot.
    seen: str = conn.exec_driver_sql("select pg_current_snapshot()::text").scalar_one()
    known = {"seen": seen, "last": last, "few": few}
    due = _find_due_month(conn, known, max(few, row_count))
    if due is None and conn.exec_driver_sql(_LATE, known).scalar_one() < few:
        return False
    conn.exec_driver_sql(_TAKE_IN, known)
    conn.exec_driver_sql(_SEEN, known)
    if due is not None:
        made = conn.exec_driver_sql(_MAKE, {**known, "day": due}).rowcount
        conn.exec_driver_sql(_MARK, {**known, "day": due, "count": made})
    return True


def _find_due_month(conn: Connection, known: dict[str, Any], enough: int) -> date | None:
    """Return the first past month end with enough rows since the last checkpoint; near months are searched
    first."""
    over = today().replace(day=1)
    begin: date | None = known["last"] or conn.exec_driver_sql(_FIRST).scalar()
    if begin is None:
        return None
    near = (begin + timedelta(days=124)).replace(day=1)
    for until in (near, over) if near < over else (over,):
        moved = 0
        for row in conn.exec_driver_sql(_MONTHS, {**known, "until": until}):
            moved += row.moves
            if moved >= enough:
                found: date = row.day
                return found
    return None
