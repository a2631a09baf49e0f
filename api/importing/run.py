"""The import run (导入): read and check everything, then post bill after bill in date order, a batch a transaction.

What is posted is remembered in the same transaction, so that a killed or repeated run goes on where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, insert, select, text

from api.identity.sessions import principal_of
from api.identity.setup import ADMIN
from api.identity.tables import UserAccount
from api.importing import bills, files, masters
from api.importing.bills import SourceBill
from api.importing.checking import Checker, Refused
from api.importing.masters import Masters, Missing
from api.kit import transitions
from api.kit.bulk import Entry
from api.kit.context import Context
from api.kit.database import TIME_ZONE, engine, retrying
from api.kit.errors import Refusal
from api.master import in_bulk
from api.master.goods import dot_week
from api.master.ledgers import Books
from api.master.stock_lines import batch_keys
from api.shell.loads import ImportedBill
from api.shell.wake import CHANNEL

BATCH_LINES = 4000
"""Lines of one transaction, about; a larger bill is one of its own."""

Tick = Callable[[int], None]
"""Told how many lines were dealt with."""


@dataclass(slots=True)
class Report:
    """What a run came to; lines and bills by what became of them."""

    lines: int = 0
    bills: int = 0
    posted_lines: int = 0
    posted_bills: int = 0
    known_bills: int = 0
    waiting_bills: int = 0
    refused: list[Refused] = field(default_factory=list)
    missing: Missing = field(default_factory=Missing)


@dataclass(slots=True)
class Plan:
    """A checked file: the bills without any refused line, in posting order."""

    bills: list[SourceBill]
    report: Report


def check(path: Path, *, create_missing: bool) -> Plan:
    """Read and check a whole file against the database; writes nothing. Refuses a file that can't be read."""
    with engine().connect() as conn:
        checker = Checker(masters.read(conn), datetime.now(TIME_ZONE).date(), create_missing=create_missing)
        found = bills.group(checker.lines(files.rows(path)), checker)
        report = Report(sum(len(bill.lines) for bill in found), len(found))
        fresh = list(_fresh(conn, found, checker, report))
    report.refused, report.missing = sorted(checker.refused, key=lambda row: row.number), checker.missing
    return Plan([bill for bill in fresh if not checker.breaks(bill.lines)], report)


def _fresh(
    conn: Connection, found: list[SourceBill], checker: Checker, report: Report
) -> Iterator[SourceBill]:
    """The bills that were not imported before; one that was with other lines is refused."""
    query = select(ImportedBill.heading, ImportedBill.content, ImportedBill.bill_no)
    known = {row.heading: row for row in conn.execute(query)}
    for bill in found:
        row = known.get(bill.key)
        if row is None:
            yield bill
        elif row.content == bill.content:
            report.known_bills += 1
        else:
            reason = f"同样的单据已导入为 {row.bill_no}，但内容不同；若是另一张单据，请用“外部单号”列区分"
            checker.refuse_bill(bill.lines[0], "reference", reason)


def post(plan: Plan, *, skip_refused: bool, tick: Tick) -> None:
    """Post a plan's bills and note in its report what became of them.

    A bill that the ledgers refuse (too little stock, say) ends the run there, unless `skip_refused` passes over it.
    """
    transitions.set_ledgers(Books())
    with engine().connect() as conn:
        masters_known = masters.read(conn)
        if plan.report.missing.counts():
            masters.make(conn, plan.report.missing, masters_known)
            conn.commit()
            masters_known = masters.read(conn)
        admin = conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == ADMIN)).scalar_one()
        run = _Run(Context(conn, principal_of(conn, admin)), masters_known, plan.report, tick)
        conn.rollback()
        for number, batch in enumerate(_batches(plan.bills)):
            if not run.post(batch, skip_refused=skip_refused):
                break
            if number == 0:
                in_bulk.know_sizes(conn)
    report = plan.report
    report.waiting_bills = len(plan.bills) - report.posted_bills - run.refused_bills


def _batches(found: Sequence[SourceBill]) -> Iterator[list[SourceBill]]:
    batch: list[SourceBill] = []
    lines = 0
    for bill in found:
        if batch and lines + len(bill.lines) > BATCH_LINES:
            yield batch
            batch, lines = [], 0
        batch.append(bill)
        lines += len(bill.lines)
    if batch:
        yield batch


@dataclass(slots=True)
class _Run:
    ctx: Context
    known: Masters
    report: Report
    tick: Tick
    refused_bills: int = 0

    def post(self, batch: list[SourceBill], *, skip_refused: bool) -> bool:
        """Post a batch, or its bills singly when one is refused; False when the run must end."""
        try:
            retrying(lambda: self._commit(batch))
        except Refusal as refusal:
            self.ctx.conn.rollback()
            if len(batch) > 1:
                return all(self.post([bill], skip_refused=skip_refused) for bill in batch)
            self.refused_bills += 1
            number = batch[0].lines[0].number
            self.report.refused.append(Refused(number, "整张单据", refusal.msg))
            return skip_refused
        lines = sum(len(bill.lines) for bill in batch)
        self.report.posted_bills += len(batch)
        self.report.posted_lines += lines
        self.tick(lines)
        return True

    def _commit(self, batch: list[SourceBill]) -> None:
        conn = self.ctx.conn
        conn.rollback()
        entries = [bills.entry(bill, self.known, self._batches_of(batch)) for bill in batch]
        in_bulk.post(self.ctx, entries)
        rows = [_remembered(bill, entry) for bill, entry in zip(batch, entries, strict=True)]
        conn.execute(insert(ImportedBill), rows)
        conn.execute(text(f"notify {CHANNEL}"))
        conn.commit()

    def _batches_of(self, batch: list[SourceBill]) -> dict[tuple[int, str | None], int]:
        """The goods' batches that the bills name, made where new, as they may be brought and taken in one go."""
        named = {
            (self.known.goods[line.goods].goods_id, line.batch): dot_week(line.batch)
            for bill in batch
            for line in bill.lines
            if line.batch
        }
        return batch_keys(self.ctx.conn, named)


def _remembered(bill: SourceBill, entry: Entry) -> dict[str, object]:
    assert entry.cls.bill is not None
    return {
        "heading": bill.key,
        "content": bill.content,
        "bill_type": entry.cls.bill.prefix,
        "bill_id": entry.bill_id,
        "bill_no": entry.bill_no,
    }
