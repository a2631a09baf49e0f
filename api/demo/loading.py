"""Loading the demo group (载入演示集团): masters once, then each company's bills through the bulk posting of bills."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Connection, insert, select, text, update

from api import catalogue
from api.demo import between, claims, consigning, coupons, papers, people, pledges, rebates, targets, trading
from api.demo import group as masters
from api.demo.desk import ItemOf, Portion
from api.demo.sizes import SIZES
from api.identity.sessions import principal_of
from api.identity.setup import ADMIN
from api.identity.tables import UserAccount
from api.kit import transitions
from api.kit.bulk import Entry
from api.kit.context import Context
from api.kit.database import engine, today
from api.kit.scope import Principal
from api.master import in_bulk
from api.master.ledgers import Books
from api.master.settlements import OffsettingBill, SettlingBill
from api.money import month_close
from api.shell.loads import DemoLoad

assert catalogue.__all__

WRITE_OFFS = "write_offs"
SETTLING = (SettlingBill, OffsettingBill)


def load(size: str, until: date | None = None, tell: Callable[[str], None] = print) -> None:
    """Load the demo group of a size up to a day, today as a rule, or go on with a load that was broken off.

    A loaded one stays. The database must have its administrator. Companies are loaded side by side, as many as there
    are processors; `tell` hears of each that is done. Then follows what they did with each other, and their months are
    closed.
    """
    with engine().begin() as conn:
        prepare(conn, size, until or today())
        open_ones = list(
            conn.execute(
                select(DemoLoad.company_id).where(~DemoLoad.finished).order_by(DemoLoad.company_id)
            ).scalars()
        )
    if not open_ones:
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count() or 1, mp_context=spawn) as pool:
        loading = [pool.submit(load_company, company_id) for company_id in open_ones]
        for done, company in enumerate(as_completed(loading), 1):
            company.result()
            tell(f"演示集团：{done}/{len(open_ones)} 家公司已载入")
        pool.submit(trade_between, open_ones).result()
        for closed in [pool.submit(close_company, company_id) for company_id in open_ones]:
            closed.result()
    with engine().connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        conn.execute(text("analyze"))


def prepare(conn: Connection, size: str, today: date) -> None:
    """Masters, users and one progress row a company: all of them or none."""
    conn.execute(text("lock table demo_load in exclusive mode"))
    if conn.execute(select(DemoLoad.company_id).limit(1)).first() is None:
        masters.make(conn, SIZES[size])
        people.make(conn)
        branches = masters.read(conn, SIZES[size]).branches
        rows = [{"company_id": branch.company_id, "size": size, "today": today} for branch in branches]
        conn.execute(insert(DemoLoad), rows)


def load_company(company_id: int) -> None:
    """Post what is left of a company's own bills, each portion in a transaction of its own."""
    transitions.set_ledgers(Books())
    with engine().connect() as conn:
        state = conn.execute(select(DemoLoad.__table__).where(DemoLoad.company_id == company_id)).one()
        size = SIZES[state.size]
        group = masters.read(conn, size)
        [branch] = [branch for branch in group.branches if branch.company_id == company_id]
        ctx = Context(conn, _admin(conn))
        conn.rollback()
        known = _Posted(conn, company_id) if state.portions else None
        number = 0
        for number, portion in enumerate(trading.portions(group, branch, size, state.today), 1):
            if known is not None and number <= state.portions:
                known.recognise(portion.entries)
                continue
            post_portion(ctx, portion)
            _progress(conn, company_id, portions=number)
            conn.commit()
        number += 1  # What is done at the end is one portion more.
        if number == state.portions:
            return
        rebates.make(ctx, company_id, state.today)
        papers.make(ctx, company_id, state.today)
        consigning.collect(ctx, group, branch, state.today)
        pledges.make(ctx, branch, state.today)
        claims.make(ctx, group, branch, state.today)
        coupons.make(ctx, branch, state.today)
        targets.make(ctx, branch, state.today)
        _progress(conn, company_id, portions=number)
        conn.commit()


def trade_between(company_ids: Sequence[int]) -> None:
    """What companies whose own bills are there did with each other; once, in one transaction."""
    transitions.set_ledgers(Books())
    with engine().begin() as conn:
        state = conn.execute(select(DemoLoad.__table__).limit(1)).one()
        group = masters.read(conn, SIZES[state.size])
        branches = [branch for branch in group.branches if branch.company_id in company_ids]
        # The companies' stocktakes know nothing yet of what goes between them.
        between.make(Context(conn, _admin(conn), counted=False), group, branches, state.today)


def close_company(company_id: int) -> None:
    """Close the months of a company, after which it is loaded."""
    transitions.set_ledgers(Books())
    with engine().begin() as conn:
        until = select(DemoLoad.__table__.c.today).where(DemoLoad.company_id == company_id)
        conn.execute(_LIMITS, {"company": company_id})
        close_months(Context(conn, _admin(conn)), company_id, conn.execute(until).scalar_one())
        _progress(conn, company_id, finished=True)


def _admin(conn: Connection) -> Principal:
    return principal_of(
        conn, conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == ADMIN)).scalar_one()
    )


def _progress(conn: Connection, company_id: int, **values: Any) -> None:
    conn.execute(update(DemoLoad).where(DemoLoad.company_id == company_id).values(**values))


def close_months(ctx: Context, company_id: int, day: date) -> None:
    """Close the books of all months but the running one and the one before, which bookkeepers still work on."""
    month = trading.begins_on(day)
    before = min(day, today()).replace(day=1) - timedelta(days=1)
    while (month.year, month.month) < (before.year, before.month):
        month_close.close(ctx, company_id, f"{month:%Y-%m}")
        month = month.replace(day=28) + timedelta(days=4)


# Nobody begins beyond his credit: limits come after the bills, with room above what is owed.
_LIMITS = text("""
update customer c
set credit_limit = greatest(50000 * (1 + c.payment_days / 15), ceil(i.owed * 1.25 / 10000) * 10000)
from (
    select c.customer_id, coalesce(sum(i.open_amount), 0) as owed
    from customer c
    left join settlement_item i on i.party_type = 'customer' and i.party_id = c.customer_id and i.open_amount <> 0
    where c.company_id = :company
    group by c.customer_id
) i
where i.customer_id = c.customer_id
""")


def post_portion(ctx: Context, portion: Portion) -> None:
    settling = [entry for entry in portion.entries if issubclass(entry.cls, SETTLING)]
    in_bulk.post(ctx, [entry for entry in portion.entries if not issubclass(entry.cls, SETTLING)])
    _name_items(ctx.conn, settling)
    in_bulk.post(ctx, settling)
    for action, entries in (("invalid", portion.voided), ("close", portion.closed)):
        for entry in entries:
            transitions.move(ctx, entry.cls, action, entry.bill_id)
    for step in portion.finally_:
        step(ctx)


def _name_items(conn: Connection, entries: Iterable[Entry]) -> None:
    """Put the settlement items' keys into write-offs; their bills are posted."""
    rows = [row for entry in entries for row in entry.draft.children.get(WRITE_OFFS, ())]
    if not rows:
        return
    owners = [_identity(row["settlement_id"]) for row in rows]
    found = conn.exec_driver_sql(
        "select i.bill_type, i.bill_id, i.settlement_id from settlement_item i"
        " join (select distinct * from unnest(%s::text[], %s::bigint[]) as w (bill_type, bill_id)) w"
        " using (bill_type, bill_id) where i.kind in ('bill', 'advance')",
        ([owner[0] for owner in owners], [owner[1] for owner in owners]),
    )
    keys = {(kind, bill): item for kind, bill, item in found}
    for row, owner in zip(rows, owners, strict=True):
        row["settlement_id"] = keys[owner]


def _identity(item: ItemOf) -> tuple[str, int]:
    assert item.entry.cls.bill is not None
    return item.entry.cls.bill.prefix, item.entry.bill_id


class _Posted:
    """The bills that an earlier, broken load left of a company: its n-th of a type is the generator's n-th."""

    def __init__(self, conn: Connection, company_id: int) -> None:
        self.conn, self.company_id = conn, company_id
        self._bills: dict[type, Iterator[tuple[int, str]]] = {}
        self._lines: dict[type, dict[int, list[int]]] = {}

    def recognise(self, entries: Iterable[Entry]) -> None:
        """Give entries the keys they have."""
        for entry in entries:
            if entry.cls not in self._bills:
                self._read(entry)
            entry.bill_id, entry.bill_no = next(self._bills[entry.cls])
            entry.line_ids = self._lines[entry.cls].get(entry.bill_id, [])

    def _read(self, entry: Entry) -> None:
        cls, table = entry.cls, entry.cls.table()
        bills = select(table.c.bill_id, table.c.bill_no).where(table.c.company_id == self.company_id)
        if "settlement_id" in table.c:
            # What a consignment's settlement sold is its bill, not the generator's.
            bills = bills.where(table.c.settlement_id.is_(None))
        self._bills[cls] = iter(self.conn.execute(bills.order_by(table.c.bill_id)).tuples().all())
        assert cls.bill is not None
        lines = cls.bill.blocks[0].cls.table()
        query = select(lines.c.bill_id, lines.c.line_id).join(table, table.c.bill_id == lines.c.bill_id)
        found: dict[int, list[int]] = {}
        mine = query.where(table.c.company_id == self.company_id)
        for row in self.conn.execute(mine.order_by(lines.c.bill_id, lines.c.line_no)):
            found.setdefault(row.bill_id, []).append(row.line_id)
        self._lines[cls] = found
