"""Loader of the demo group (载入演示集团): masters once, then each company's bills through the bulk posting
of bills."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Connection, insert, select, text, update

from api import catalogue
from api.demo import (
    claims,
    consignments,
    coupons,
    intercompany_trade,
    masters,
    other_bills,
    pledges,
    rebates,
    targets,
    timeline,
    users,
)
from api.demo.company_simulator import ItemOf, Portion
from api.demo.sizes import SIZES
from api.identity.sessions import read_principal
from api.identity.setup import ADMIN
from api.identity.tables import UserAccount
from api.kit.bills import transitions
from api.kit.bills.bulk_posting import BulkBill
from api.kit.context import Context
from api.kit.scope import Principal
from api.kit.storage.database import main_engine, today
from api.master.settlements.settlements import OffsettingBill, SettlingBill
from api.master.stock import bulk_balances
from api.master.stock.ledger_gateway import LedgerGateway
from api.money import month_close
from api.shell.operations.load_records import DemoLoad

assert catalogue.__all__

WRITE_OFFS = "write_offs"
SETTLING = (SettlingBill, OffsettingBill)


def load_group(size: str, until: date | None = None, tell: Callable[[str], None] = print) -> None:
    """Load the demo group of a size up to a day, today as a rule, or resume a load that was broken off.

    A loaded one stays. The database must have its administrator. Companies are loaded in parallel, one a
    processor; `tell` is called for each that is done. Then follows the trade between them, and their
    months are closed.
    """
    with main_engine().begin() as conn:
        insert_masters(conn, size, until or today())
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
    with main_engine().connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        conn.execute(text("analyze"))


def insert_masters(conn: Connection, size: str, today: date) -> None:
    """Insert masters, users and one progress row a company: all of them or none."""
    conn.execute(text("lock table demo_load in exclusive mode"))
    if conn.execute(select(DemoLoad.company_id).limit(1)).first() is None:
        masters.make_masters(conn, SIZES[size])
        users.make_users(conn)
        branches = masters.read_group(conn, SIZES[size]).branches
        rows = [{"company_id": branch.company_id, "size": size, "today": today} for branch in branches]
        conn.execute(insert(DemoLoad), rows)


def load_company(company_id: int) -> None:
    """Post what is left of a company's own bills, each portion in a transaction of its own."""
    transitions.set_ledgers(LedgerGateway())
    with main_engine().connect() as conn:
        state = conn.execute(select(DemoLoad.__table__).where(DemoLoad.company_id == company_id)).one()
        size = SIZES[state.size]
        group = masters.read_group(conn, size)
        [branch] = [branch for branch in group.branches if branch.company_id == company_id]
        ctx = Context(conn, _admin_principal(conn))
        conn.rollback()
        known = _PostedBills(conn, company_id) if state.portions else None
        number = 0
        for number, portion in enumerate(timeline.generate_portions(group, branch, size, state.today), 1):
            if known is not None and number <= state.portions:
                known.assign_keys(portion.entries)
                continue
            post_portion(ctx, portion)
            _record_progress(conn, company_id, portions=number)
            conn.commit()
        number += 1  # What is done at the end is one portion more.
        if number == state.portions:
            return
        rebates.make_rebates(ctx, company_id, state.today)
        other_bills.make_other_bills(ctx, company_id, state.today)
        consignments.collect_receipts(ctx, group, branch, state.today)
        pledges.make_pledges(ctx, branch, state.today)
        claims.make_claims(ctx, group, branch, state.today)
        coupons.make_coupons(ctx, branch, state.today)
        targets.make_targets(ctx, branch, state.today)
        _record_progress(conn, company_id, portions=number)
        conn.commit()


def trade_between(company_ids: Sequence[int]) -> None:
    """Post the trade between loaded companies; once, in one transaction."""
    transitions.set_ledgers(LedgerGateway())
    with main_engine().begin() as conn:
        state = conn.execute(select(DemoLoad.__table__).limit(1)).one()
        group = masters.read_group(conn, SIZES[state.size])
        branches = [branch for branch in group.branches if branch.company_id in company_ids]
        # The companies' stocktakes know nothing yet of what goes between them.
        intercompany_trade.make_intercompany_trade(
            Context(conn, _admin_principal(conn), counted=False), group, branches, state.today
        )


def close_company(company_id: int) -> None:
    """Close the months of a company, after which it is loaded."""
    transitions.set_ledgers(LedgerGateway())
    with main_engine().begin() as conn:
        until = select(DemoLoad.__table__.c.today).where(DemoLoad.company_id == company_id)
        conn.execute(_LIMITS, {"company": company_id})
        close_months(Context(conn, _admin_principal(conn)), company_id, conn.execute(until).scalar_one())
        _record_progress(conn, company_id, finished=True)


def _admin_principal(conn: Connection) -> Principal:
    return read_principal(
        conn, conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == ADMIN)).scalar_one()
    )


def _record_progress(conn: Connection, company_id: int, **values: Any) -> None:
    conn.execute(update(DemoLoad).where(DemoLoad.company_id == company_id).values(**values))


def close_months(ctx: Context, company_id: int, day: date) -> None:
    """Close the books of all months but the running one and the one before, which bookkeepers still work on."""
    month = timeline.first_day(day)
    before = min(day, today()).replace(day=1) - timedelta(days=1)
    while (month.year, month.month) < (before.year, before.month):
        month_close.close_month(ctx, company_id, f"{month:%Y-%m}")
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
    bulk_balances.post_bills(ctx, [entry for entry in portion.entries if not issubclass(entry.cls, SETTLING)])
    _name_items(ctx.conn, settling)
    bulk_balances.post_bills(ctx, settling)
    for action, entries in (("invalid", portion.voided), ("close", portion.closed)):
        for entry in entries:
            transitions.apply_transition(ctx, entry.cls, action, entry.bill_id)
    for step in portion.last_steps:
        step(ctx)


def _name_items(conn: Connection, entries: Iterable[BulkBill]) -> None:
    """Put the settlement items' keys into write-offs; their bills are posted."""
    rows = [row for entry in entries for row in entry.draft.children.get(WRITE_OFFS, ())]
    if not rows:
        return
    owners = [_item_key(row["settlement_id"]) for row in rows]
    found = conn.exec_driver_sql(
        "select i.bill_type, i.bill_id, i.settlement_id from settlement_item i"
        " join (select distinct * from unnest(%s::text[], %s::bigint[]) as w (bill_type, bill_id)) w"
        " using (bill_type, bill_id) where i.kind in ('bill', 'advance')",
        ([owner[0] for owner in owners], [owner[1] for owner in owners]),
    )
    keys = {(kind, bill): item for kind, bill, item in found}
    for row, owner in zip(rows, owners, strict=True):
        row["settlement_id"] = keys[owner]


def _item_key(item: ItemOf) -> tuple[str, int]:
    assert item.entry.cls.bill is not None
    return item.entry.cls.bill.prefix, item.entry.bill_id


class _PostedBills:
    """Bills that an earlier, broken load left of a company: its n-th of a type is the generator's n-th."""

    def __init__(self, conn: Connection, company_id: int) -> None:
        self.conn, self.company_id = conn, company_id
        self._bills: dict[type, Iterator[tuple[int, str]]] = {}
        self._lines: dict[type, dict[int, list[int]]] = {}

    def assign_keys(self, entries: Iterable[BulkBill]) -> None:
        """Give entries the keys of their posted bills."""
        for entry in entries:
            if entry.cls not in self._bills:
                self._read(entry)
            entry.bill_id, entry.bill_no = next(self._bills[entry.cls])
            entry.line_ids = self._lines[entry.cls].get(entry.bill_id, [])

    def _read(self, entry: BulkBill) -> None:
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
