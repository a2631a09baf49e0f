"""The import run (导入): read and check everything, then post bill after bill in date order, a batch a
transaction.

Posted bills are recorded in the same transaction, so that a killed or repeated run continues where it
stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from api.identity.sessions import read_principal
from api.identity.setup import ADMIN
from api.identity.tables import UserAccount
from api.importing import bills, files, masters
from api.importing.bills import SourceBill
from api.importing.import_result import ImportResult, Tick
from api.importing.line_checker import LineChecker
from api.importing.posting import BatchPoster
from api.kit.bills import transitions
from api.kit.context import Context
from api.kit.storage.database import main_engine, today
from api.master.stock.ledger_gateway import LedgerGateway
from api.shell.operations.load_records import ImportedBill

BATCH_LINES = 4000
"""Lines of one transaction, about; a larger bill is one of its own."""


@dataclass(slots=True)
class ImportPlan:
    """A checked file: the bills without any refused line, in posting order."""

    bills: list[SourceBill]
    result: ImportResult


def check_file(path: Path, *, create_missing: bool) -> ImportPlan:
    """Read and check a whole file against the database; writes nothing. Raises Refusal for an unreadable
    file."""
    with main_engine().connect() as conn:
        checker = LineChecker(masters.read_masters(conn), today(), create_missing=create_missing)
        found = bills.group_bills(checker.lines(files.read_rows(path)), checker)
        report = ImportResult(sum(len(bill.lines) for bill in found), len(found))
        fresh = list(_skip_known(conn, found, checker, report))
    report.refused, report.missing = sorted(checker.refused, key=lambda row: row.number), checker.missing
    return ImportPlan([bill for bill in fresh if not checker.has_refused_bill(bill.lines)], report)


def _skip_known(
    conn: Connection, found: list[SourceBill], checker: LineChecker, report: ImportResult
) -> Iterator[SourceBill]:
    """Yield the bills that were not imported before; one that was, with other lines, is refused."""
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


def post_plan(plan: ImportPlan, *, skip_refused: bool, tick: Tick) -> None:
    """Post a plan's bills and record the outcome in its result.

    A bill that the ledgers refuse (too little stock, say) ends the run there, unless `skip_refused` skips
    it.
    """
    transitions.set_ledgers(LedgerGateway())
    with main_engine().connect() as conn, main_engine().connect() as second:
        masters_known = masters.read_masters(conn)
        if plan.result.missing.counts():
            masters.insert_missing(conn, plan.result.missing, masters_known)
            conn.commit()
            masters_known = masters.read_masters(conn)
        admin = conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == ADMIN)).scalar_one()
        principal = read_principal(conn, admin)
        conn.rollback()
        contexts = Context(conn, principal), Context(second, principal)
        posting = BatchPoster(contexts, masters_known, plan.result, tick, skip_refused)
        posting.run(_split_batches(plan.bills))
    report = plan.result
    report.waiting_bills = len(plan.bills) - report.posted_bills - posting.refused_bills


def _split_batches(found: Sequence[SourceBill]) -> Iterator[list[SourceBill]]:
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
