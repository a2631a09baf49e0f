"""Stock counts against the book (盘点与账面): the moment of the book, corrections since, and which count is later.

A count belongs to its stocktake's day: its book is the stock at the end of that day, whatever was posted
for later days, so the order of entry does not matter. Its audit brings the book of that day to the counted
quantity, whatever others have corrected since. Movements posted or reversed since and dated no later than
the count may have been counted: the auditor is asked, and uncounted movements come on top. If a count of a
later day, or a later one of the same day, is already audited, that one decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Row, select

from api.inventory import book_quantities
from api.kit.context import CONTINUE_SUFFIX, Context
from api.kit.declaration import registry
from api.kit.declaration.document import Document
from api.kit.declaration.flow import POSTED_SQL
from api.kit.errors import ConfirmationRequired, CountConfirmationRequired, Refusal
from api.kit.storage import business_log
from api.kit.storage.database import TIME_ZONE
from api.ledger import stock_holds
from api.ledger.integrity_checks import Check, register_checks

SHOWN = 5
CORRECTIONS = "('PYRK', 'PKCK', 'PYCK')"
"""Bill types that correct the book; the difference bills of a count are among them."""
LATE_BILLS = """
select 'PKCK' as bill_type, bill_id, bill_no, status, stock_take_id, late_type, late_bill_id, late_bill_no
from stock_loss where late_bill_id is not null
union all
select 'PYRK', bill_id, bill_no, status, stock_take_id, late_type, late_bill_id, late_bill_no
from stock_surplus where late_bill_id is not null
"""
"""Bills that keep the book of a counted day at the counted quantity, each for a late bill."""
NOT_REVERSED = "l.reverses is null and not exists (select from stock_ledger r where r.reverses = l.ledger_id)"

DIFFERENCE = (
    "(case when {table}.superseded_by is null then coalesce({table}.recount_quantity, {table}.counted_quantity)"
    " - {table}.book_quantity - {table}.late_quantity - {table}.corrected_quantity else 0.000 end)"
)
_SAME_SPOT = """o.goods_id = l.goods_id and coalesce(o.allocation_id, 0) = coalesce(l.allocation_id, 0)
    and coalesce(o.batch_id, 0) = coalesce(l.batch_id, 0)"""
_LATER = f"""
select distinct on (l.line_id) l.line_id, t.bill_id, t.bill_no, t.business_date
from stock_take_line l
join stock_take_line o on {_SAME_SPOT} and o.bill_id <> l.bill_id
join stock_take t on t.bill_id = o.bill_id
where l.bill_id = %(bill)s and t.warehouse_id = %(warehouse)s and t.status in {POSTED_SQL}
    and (t.business_date, o.counted_at) > (%(day)s, l.counted_at)
order by l.line_id, t.business_date desc, o.counted_at desc
"""
_STORE_CORRECTIONS = """
update stock_take_line l
set late_quantity = k.late, uncounted_quantity = k.uncounted, corrected_quantity = k.book - l.book_quantity - k.late
        - k.uncounted,
    superseded_by = k.superseded_by
from unnest(
    %(lines)s::bigint[], %(late)s::numeric[], %(uncounted)s::numeric[], %(book)s::numeric[], %(superseded)s::bigint[]
) as k (line_id, late, uncounted, book, superseded_by)
where l.line_id = k.line_id
"""
# All that a bill and what keeps its effect off the books did since: taken back and audited again as it was, it moved
# nothing. `listed` is none of a place that the count covers without a line, as nothing lay there.
_LATE = f"""
with line as (
    select t.line_id, t.goods_id, coalesce(t.allocation_id, 0) as allocation_id, coalesce(t.batch_id, 0) as batch_id,
        t.counted_at, t.counted_upto, h.business_date, h.warehouse_id, h.company_id, h.allocation_id as within
    from stock_take_line t
    join stock_take h using (bill_id)
    where t.bill_id = %s and t.counted_at is not null
),
counted as (
    select distinct on (goods_id) * from line order by goods_id, counted_upto
),
posted as (
    select t.line_id as counted_line, true as listed, t.counted_at, t.business_date as taken_on, l.*
    from line t
    join stock_ledger l
        on l.goods_id = t.goods_id and l.warehouse_id = t.warehouse_id and l.allocation_id = t.allocation_id
        and l.batch_id = t.batch_id and l.ledger_id > t.counted_upto and l.business_date <= t.business_date
        and l.company_id = t.company_id
    union all
    select t.line_id as counted_line, false, t.counted_at, t.business_date, l.*
    from counted t
    join stock_ledger l
        on l.goods_id = t.goods_id and l.warehouse_id = t.warehouse_id and l.ledger_id > t.counted_upto
        and l.business_date <= t.business_date and l.company_id = t.company_id
        and (t.within is null or l.allocation_id = t.within)
    where not exists (
        select from line o
        where o.goods_id = l.goods_id and o.allocation_id = l.allocation_id and o.batch_id = l.batch_id
    )
    and not exists (
        select from stock_ledger b
        where b.goods_id = t.goods_id and b.warehouse_id = t.warehouse_id and b.ledger_id <= t.counted_upto
            and b.business_date <= t.business_date and (t.within is null or b.allocation_id = t.within)
            and not exists (
                select from line o
                where o.goods_id = b.goods_id and o.allocation_id = b.allocation_id and o.batch_id = b.batch_id
            )
        group by b.allocation_id, b.batch_id
        having sum(b.quantity) <> 0
    )
),
moved as (
    select r.counted_line as line_id, r.listed, r.counted_at, r.taken_on, r.goods_id, r.warehouse_id, r.allocation_id,
        r.batch_id,
        coalesce(d.late_type, r.bill_type) as bill_type, coalesce(d.late_bill_id, r.bill_id) as bill_id,
        max(coalesce(d.late_bill_no, r.bill_no)) as bill_no, sum(r.quantity) as quantity
    from posted r
    left join ({LATE_BILLS}) d on d.bill_type = r.bill_type and d.bill_id = r.bill_id
    where r.quantity <> 0 and coalesce(d.late_type, r.bill_type) not in {CORRECTIONS}
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    having sum(r.quantity) <> 0
)
select m.line_id, m.listed, m.counted_at, m.taken_on, m.bill_type, m.bill_id, m.bill_no, m.goods_id, m.quantity,
    g.goods_name,
    (
        select max(l.business_date) from stock_ledger l
        where l.bill_type = m.bill_type and l.bill_id = m.bill_id and l.goods_id = m.goods_id
            and l.warehouse_id = m.warehouse_id and l.allocation_id = m.allocation_id and l.batch_id = m.batch_id
            and l.quantity <> 0 and l.business_date <= m.taken_on and {NOT_REVERSED}
    ) as business_date
from moved m
join goods g using (goods_id)
order by m.bill_no, m.line_id
"""
_LATER_TAKES = f"""
select distinct t.bill_no, coalesce(o.superseded_by = l.bill_id, false) as gave_way
from stock_take_line l
join stock_take h on h.bill_id = l.bill_id
join stock_take_line o on {_SAME_SPOT} and o.bill_id <> l.bill_id
join stock_take t on t.bill_id = o.bill_id
where l.bill_id = %s and t.warehouse_id = h.warehouse_id and t.status in {POSTED_SQL}
    and (
        o.superseded_by = l.bill_id
        or t.business_date >= h.business_date and o.superseded_by is null and (
            t.ledger_upto >= h.ledger_upto and {DIFFERENCE.format(table="l")} <> 0
            or exists (
                select from ({LATE_BILLS}) d
                join stock_ledger s on s.bill_type = d.bill_type and s.bill_id = d.bill_id
                where d.stock_take_id = h.bill_id and d.status in {POSTED_SQL}
                    and s.goods_id = l.goods_id and s.allocation_id = coalesce(l.allocation_id, 0)
                    and s.batch_id = coalesce(l.batch_id, 0)
            )
        )
    )
order by t.bill_no
"""
_TAKES_SINCE = f"""
select distinct t.bill_no
from stock_ledger l
join stock_take_line o
    on o.goods_id = l.goods_id and coalesce(o.allocation_id, 0) = l.allocation_id
    and coalesce(o.batch_id, 0) = l.batch_id
join stock_take t on t.bill_id = o.bill_id and t.warehouse_id = l.warehouse_id
where l.bill_type = %s and l.bill_id = %s and {NOT_REVERSED}
    and t.status in {POSTED_SQL} and t.ledger_upto >= l.ledger_id
    and t.business_date >= l.business_date
order by t.bill_no
"""
_POSTED_OF = """
select m.stock_take_id, m.goods_id, m.allocation_id, m.batch_id, sum(m.quantity) as quantity
from (
    select d.stock_take_id, l.goods_id, l.allocation_id, l.batch_id, l.quantity
    from stock_surplus d join stock_ledger l on l.bill_type = 'PYRK' and l.bill_id = d.bill_id
    where d.late_bill_id is null and d.stock_take_id is not null
    union all
    select d.stock_take_id, l.goods_id, l.allocation_id, l.batch_id, l.quantity
    from stock_loss d join stock_ledger l on l.bill_type = 'PKCK' and l.bill_id = d.bill_id
    where d.late_bill_id is null and d.stock_take_id is not null
) m
group by 1, 2, 3, 4
"""
register_checks(
    Check(
        "stock_takes_set_the_book",
        "盘点审核后，当日账面 = 实盘 + 未盘在内",
        f"""select t.bill_no, l.line_no, coalesce(l.recount_quantity, l.counted_quantity) as counted,
            l.uncounted_quantity as uncounted, coalesce(b.quantity, 0) as book
        from stock_take t
        join stock_take_line l using (bill_id)
        left join lateral (
            select sum(s.quantity) as quantity
            from stock_ledger s
            where s.warehouse_id = t.warehouse_id and s.goods_id = l.goods_id
                and s.allocation_id = coalesce(l.allocation_id, 0) and s.batch_id = coalesce(l.batch_id, 0)
                and s.business_date <= t.business_date and s.ledger_id <= t.ledger_upto
        ) b on true
        where t.status in {POSTED_SQL} and t.ledger_upto is not null and l.superseded_by is null
            and coalesce(b.quantity, 0) <> coalesce(l.recount_quantity, l.counted_quantity) + l.uncounted_quantity""",
    ),
    Check(
        "stock_take_differences_are_posted",
        "盘点单的差异等于其差异单的库存流水，未审核与作废的为零",
        f"""select t.bill_no, l.line_no, d.difference, coalesce(p.quantity, 0) as posted
        from stock_take t
        join stock_take_line l using (bill_id)
        cross join lateral (
            select case when t.status in {POSTED_SQL} then {DIFFERENCE.format(table="l")} else 0 end as difference
        ) d
        left join ({_POSTED_OF}) p
            on p.stock_take_id = t.bill_id and p.goods_id = l.goods_id
            and p.allocation_id = coalesce(l.allocation_id, 0) and p.batch_id = coalesce(l.batch_id, 0)
        where d.difference <> coalesce(p.quantity, 0)""",
    ),
)


class SpotMovement(NamedTuple):
    """Movements at a spot since its count, of bills dated no later: the counted part and the uncounted one."""

    late: Decimal = Decimal(0)
    uncounted: Decimal = Decimal(0)


def find_differences(ctx: Context, doc: Document) -> list[tuple[Any, Decimal]]:
    """Return (line, difference to the present book of its day) for each line of a stocktake.

    Asks about movements since the count, of bills dated no later. Locks the goods.
    """
    header, goods = doc.header, {line.goods_id for line in doc.lines}
    stock_holds.lock_goods(ctx.conn, header.company_id, goods)
    of = {"bill": header.bill_id, "warehouse": header.warehouse_id, "day": header.business_date}
    later = {row.line_id: row for row in ctx.conn.exec_driver_sql(_LATER, of)}
    moved = _find_movements(ctx, doc, decided=later)
    book = book_quantities.read_book_quantities(ctx, header.warehouse_id, header.business_date, goods)
    found = {}
    for line in doc.lines:
        counted = line.counted_quantity if line.recount_quantity is None else line.recount_quantity
        there = book.get((line.goods_id, line.allocation_id or 0, line.batch_id or 0), Decimal(0))
        found[line.line_id] = (there, counted + moved[line.line_id].uncounted - there)
    superseded = {
        key: later[key]
        for key, (_, difference) in found.items()
        if key in later and (difference or any(moved[key]))
    }
    ctx.conn.exec_driver_sql(
        _STORE_CORRECTIONS,
        {
            "lines": list(found),
            "late": [moved[key].late for key in found],
            "uncounted": [moved[key].uncounted for key in found],
            "book": [there for there, _ in found.values()],
            "superseded": [superseded[key].bill_id if key in superseded else None for key in found],
        },
    )
    _ask_about_later_days(ctx, doc, {key: row for key, row in superseded.items() if found[key][1]})
    return [
        (line, Decimal(0) if line.line_id in superseded else found[line.line_id][1]) for line in doc.lines
    ]


def _ask_about_later_days(ctx: Context, doc: Document, superseded: Mapping[int, Row[Any]]) -> None:
    """Ask for confirmation where lines differ from their book but a stocktake of a later day decides.

    The book of their own day is not corrected then. Within a day the last count decides.
    """
    day = doc.header.business_date
    later = {key: row for key, row in superseded.items() if row.business_date > day}
    if not later:
        return
    numbers = join_numbers(sorted({row.bill_no for row in later.values()}))
    lines = [str(line.line_no) for line in doc.lines if line.line_id in later]
    places = "、".join(lines[:SHOWN]) + ("等" if len(lines) > SHOWN else "")
    message = (
        f"第{places}行在 {day} 之后已由盘点单{numbers}盘点并审核，以后盘为准，本单不改变账面；"
        f"要更正 {day} 的账面，请先反审核后盘的盘点单，审核本单后再审核它"
    )
    ctx.ask_confirmation(ConfirmationRequired(f"{message}{CONTINUE_SUFFIX}"))
    business_log.log_confirmation(
        ctx.conn,
        ctx.principal,
        "stock_take",
        doc.header.bill_id,
        message,
        bill_no=doc.header.bill_no,
        company_id=doc.header.company_id,
    )


def record_ledger_position(ctx: Context, bill_id: int) -> None:
    """Store the last ledger id at which the book of a stocktake was right; its goods are still locked."""
    upto = "(select max(l.ledger_id) from stock_ledger l)"
    ctx.conn.exec_driver_sql(
        f"update stock_take set ledger_upto = coalesce({upto}, 0) where bill_id = %s", (bill_id,)
    )


def clear_corrections(ctx: Context, bill_id: int) -> None:
    """Clear the recorded corrections of a stocktake that is reversed."""
    ctx.conn.exec_driver_sql("update stock_take set ledger_upto = null where bill_id = %s", (bill_id,))
    ctx.conn.exec_driver_sql(
        "update stock_take_line set corrected_quantity = 0, late_quantity = 0, uncounted_quantity = 0,"
        " superseded_by = null"
        " where bill_id = %s",
        (bill_id,),
    )


def forbid_reversal_if_relied_on(ctx: Context, doc: Document) -> None:
    """Raise Refusal if a later stocktake has this one in its book, or an earlier one was superseded by it."""
    stock_holds.lock_goods(ctx.conn, doc.header.company_id, {line.goods_id for line in doc.lines})
    rows = ctx.conn.exec_driver_sql(_LATER_TAKES, (doc.header.bill_id,)).all()
    _forbid_if_any([row.bill_no for row in rows if not row.gave_way], "已按本单更正后的账面盘点")
    _forbid_if_any([row.bill_no for row in rows if row.gave_way], "以本单为准，没有改变账面")


def forbid_reversal_if_counted(ctx: Context, prefix: str, doc: Document) -> None:
    """Raise Refusal if a stocktake has since counted on a manual correction that is to be reversed."""
    stock_holds.lock_goods(ctx.conn, doc.header.company_id, {line.goods_id for line in doc.lines})
    numbers: Sequence[str] = (
        ctx.conn.exec_driver_sql(_TAKES_SINCE, (prefix, doc.header.bill_id)).scalars().all()
    )
    _forbid_if_any(numbers, "已按本单更正后的账面盘点")


def _forbid_if_any(numbers: Collection[str], why: str) -> None:
    if numbers:
        numbers_text = "、".join(list(numbers)[:SHOWN]) + ("等" if len(numbers) > SHOWN else "")
        raise Refusal(f"盘点单{numbers_text}{why}，请先反审核或作废它")


def _find_movements(ctx: Context, doc: Document, decided: Collection[int]) -> dict[int, SpotMovement]:
    """Return by line the movements since the count of bills dated no later, as the user says they were
    counted.

    Nobody is asked about `decided` lines, which a later count has corrected: they move nothing. Bills
    entered on the same day after the count are certainly uncounted; reversed bills moved no goods, so they
    count as counted.
    """
    header = doc.header
    rows = ctx.conn.exec_driver_sql(_LATE, (header.bill_id,)).all()
    made = read_entry_times(
        ctx, {(row.bill_type, row.bill_id) for row in rows if row.business_date == row.taken_on}
    )
    late_rows = [
        row
        for row in rows
        if row.business_date is not None
        and not (row.listed and row.line_id in decided)
        and (
            row.business_date < row.taken_on
            or _can_be_counted(made[row.bill_type, row.bill_id], row.counted_at, row.taken_on)
        )
    ]
    counting = CountQuestions(ctx, header, "stock_take", "盘点录入后又审核了日期不晚于盘点单的")
    counted: set[int] = set()
    for _, moves in groupby(
        sorted(late_rows, key=lambda row: (row.bill_no, row.goods_name, row.goods_id)),
        key=lambda row: (row.bill_type, row.bill_id, row.goods_id),
    ):
        rows_of = list(moves)
        if counting.get_answer(_describe_movement(rows_of), rows_of):
            counted |= {id(row) for row in rows_of}
    counting.raise_if_open()
    if unlisted := [row for row in late_rows if id(row) in counted and not row.listed]:
        movements = "、".join(dict.fromkeys(_describe_movement([row]) for row in unlisted))
        raise Refusal(f"{movements}所在的库位、批次不在盘点明细中，请添加该行并录入实盘数量")
    found: dict[int, SpotMovement] = {line.line_id: SpotMovement() for line in doc.lines}
    for row in rows:
        late, uncounted = found[row.line_id]
        if not row.listed:
            continue
        if row.business_date is None or row.line_id in decided or id(row) in counted:
            found[row.line_id] = SpotMovement(late + row.quantity, uncounted)
        else:
            found[row.line_id] = SpotMovement(late, uncounted + row.quantity)
    return found


def _describe_movement(rows: Sequence[Any]) -> str:
    """Describe which bill moved how much: rows of `bill_no`, `business_date`, `goods_name` and `quantity`."""
    moved = sum((row.quantity for row in rows), Decimal(0))
    return f"{rows[0].bill_no}（{rows[0].business_date}，{rows[0].goods_name} {moved.normalize():+f}）"


def _can_be_counted(made: datetime, counted: datetime, day: date) -> bool:
    """Return whether a bill of a count's own day may have happened before it."""
    return made < counted or is_entered_late(made, day)


def is_entered_late(made: datetime, day: date) -> bool:
    """Return whether a bill was entered after its day (补录); its time on that day is unknown."""
    return made.astimezone(TIME_ZONE).date() > day


def join_numbers(numbers: list[str]) -> str:
    """Join bill numbers for a sentence, the first few of many."""
    return "、".join(numbers[:SHOWN]) + (f"等{len(numbers)}张单据" if len(numbers) > SHOWN else "")


@dataclass
class CountQuestions:
    """Questions of one action whether goods were counted, asked all at once, each with its own answer."""

    ctx: Context
    header: Any
    resource: str
    about: str
    open: dict[str, str] = field(default_factory=dict)

    def get_answer(self, what: str, rows: Iterable[Any]) -> bool | None:
        """Return and log the user's answer whether it was counted; None if there is none yet.

        `rows` are the subject of the question: if they changed since it was asked, it is asked again.
        """
        question = sha256(repr(sorted(map(tuple, rows), key=repr)).encode()).hexdigest()[:16]
        answer = self.ctx.answers.get(question, self.ctx.counted)
        if answer is None:
            self.open[question] = what
            return None
        business_log.log_confirmation(
            self.ctx.conn,
            self.ctx.principal,
            self.resource,
            self.header.bill_id,
            f"{self.about}{what}：{'已盘在内' if answer else '未盘在内'}",
            bill_no=self.header.bill_no,
            company_id=self.header.company_id,
        )
        return answer

    def raise_if_open(self) -> None:
        """Raise CountedAsk if a question has no answer yet."""
        if self.open:
            raise CountConfirmationRequired(self.about, self.open)


def read_entry_times(ctx: Context, bills: Collection[tuple[str, int]]) -> dict[tuple[str, int], datetime]:
    """Read the entry times of bills (prefix, id)."""
    found: dict[tuple[str, int], datetime] = {}
    for prefix in {prefix for prefix, _ in bills}:
        table = registry.map_prefixes()[prefix].table()
        keys = [key for kind, key in bills if kind == prefix]
        query = select(table.c.bill_id, table.c.made_at).where(table.c.bill_id.in_(keys))
        found |= {(prefix, row.bill_id): row.made_at for row in ctx.conn.execute(query)}
    return found
