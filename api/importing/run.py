"""The import run (导入): read and check everything, then post bill after bill in date order, a batch a transaction.

What is posted is remembered in the same transaction, so that a killed or repeated run goes on where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from api.identity.sessions import principal_of
from api.identity.setup import ADMIN
from api.identity.tables import UserAccount
from api.importing import bills, files, masters
from api.importing.bills import SourceBill
from api.importing.checking import Checker
from api.importing.posting import Posting
from api.importing.report import Report, Tick
from api.kit import transitions
from api.kit.context import Context
from api.kit.database import engine, today
from api.master.ledgers import Books
from api.shell.loads import ImportedBill

BATCH_LINES = 4000
"""Lines of one transaction, about; a larger bill is one of its own."""


@dataclass(slots=True)
class Plan:
    """A checked file: the bills without any refused line, in posting order."""

    bills: list[SourceBill]
    report: Report


def check(path: Path, *, create_missing: bool) -> Plan:
    """Read and check a whole file against the database; writes nothing. Refuses a file that can't be read."""
    with engine().connect() as conn:
        checker = Checker(masters.read(conn), today(), create_missing=create_missing)
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
    with engine().connect() as conn, engine().connect() as second:
        masters_known = masters.read(conn)
        if plan.report.missing.counts():
            masters.make(conn, plan.report.missing, masters_known)
            conn.commit()
            masters_known = masters.read(conn)
        admin = conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == ADMIN)).scalar_one()
        principal = principal_of(conn, admin)
        conn.rollback()
        contexts = Context(conn, principal), Context(second, principal)
        posting = Posting(contexts, masters_known, plan.report, tick, skip_refused)
        posting.run(_batches(plan.bills))
    report = plan.report
    report.waiting_bills = len(plan.bills) - report.posted_bills - posting.refused_bills


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
