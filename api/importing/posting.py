"""Posting an import's batches (过账): one is audited while the next is saved unaudited on another connection.

Each batch is one transaction, and they commit in their order: saving reads nothing that an audit writes,
audits follow one another. A batch that is refused, or loses a deadlock, is posted again with nothing
beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar, cast

from psycopg.errors import DeadlockDetected, SerializationFailure
from sqlalchemy import Table, text
from sqlalchemy.exc import OperationalError

from api.importing import bills
from api.importing.bills import SourceBill
from api.importing.import_result import ImportResult, Tick
from api.importing.line_checker import RefusedLine
from api.importing.masters import Masters
from api.kit.bills import bulk_posting
from api.kit.bills.bulk_posting import BulkBill
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.storage.database import retry_deadlocks
from api.master.goods.goods import parse_dot_week
from api.master.stock import bulk_balances
from api.master.stock.stock_lines import ensure_batches
from api.shell.operations.load_records import ImportedBill
from api.shell.operations.refresh_notifier import CHANNEL

T = TypeVar("T")
Batch = list[SourceBill]


@dataclass(slots=True)
class BatchPoster:
    """Poster of batches in turns on two contexts, each with its connection; records the outcome in the
    result."""

    contexts: tuple[Context, Context]
    known: Masters
    report: ImportResult
    tick: Tick
    skip_refused: bool
    refused_bills: int = 0
    sizes_known: bool = False

    def run(self, batches: Iterable[Batch]) -> None:
        """Post all batches, up to the first refused bill unless those are skipped."""
        audited: tuple[Batch, Future[None]] | None = None
        with ThreadPoolExecutor(1, "audit") as auditor:
            for number, batch in enumerate(batches):
                ctx = self.contexts[number % 2]
                entries = _none_if_refused(partial(self._save, ctx, batch))
                if audited and not self._await_audit(*audited):
                    # What is saved must not stand in the way of the batch before it.
                    ctx.conn.rollback()
                    if not self._post_alone(audited[0]):
                        return
                    entries = None
                audited = None
                if entries is not None:
                    audited = batch, auditor.submit(self._audit_concurrently, ctx, batch, entries)
                elif not self._post_alone(batch):
                    return
            if audited and not self._await_audit(*audited):
                self._post_alone(audited[0])

    def _await_audit(self, batch: Batch, audit: Future[None]) -> bool:
        """Wait for a batch's audit and return whether it went well."""
        if _none_if_refused(lambda: (audit.result(),)) is None:
            return False
        self._record_batch(batch)
        return True

    def _post_alone(self, batch: Batch) -> bool:
        """Post a batch, or its bills singly when one is refused; return False when the run must end."""
        ctx = self.contexts[0]
        for each in self.contexts:
            each.conn.rollback()
        try:
            retry_deadlocks(lambda: self._audit(ctx, batch, self._save(ctx, batch)))
        except Refusal as refusal:
            ctx.conn.rollback()
            if len(batch) > 1:
                return all(self._post_alone([bill]) for bill in batch)
            self.refused_bills += 1
            number = batch[0].lines[0].number
            self.report.refused.append(RefusedLine(number, "整张单据", refusal.msg))
            return self.skip_refused
        self._record_batch(batch)
        return True

    def _record_batch(self, batch: Batch) -> None:
        lines = sum(len(bill.lines) for bill in batch)
        self.report.posted_bills += len(batch)
        self.report.posted_lines += lines
        self.tick(lines)

    def _save(self, ctx: Context, batch: Batch) -> list[BulkBill]:
        ctx.conn.rollback()
        batches = self._resolve_batches(ctx, batch)
        entries = [bills.build_entry(bill, self.known, batches) for bill in batch]
        bulk_balances.save_bills(ctx, entries)
        return entries

    def _audit_concurrently(self, ctx: Context, batch: Batch, entries: list[BulkBill]) -> None:
        """Audit, and release at once the locks of a refused batch: the next one may be waiting for them."""
        try:
            self._audit(ctx, batch, entries)
        except BaseException:
            ctx.conn.rollback()
            raise

    def _audit(self, ctx: Context, batch: Batch, entries: list[BulkBill]) -> None:
        bulk_posting.audit_bills(ctx, entries)
        rows = [_build_imported_bill(bill, entry) for bill, entry in zip(batch, entries, strict=True)]
        bulk_posting.copy_rows(ctx.conn, cast(Table, ImportedBill.__table__), rows)
        ctx.conn.execute(text(f"notify {CHANNEL}"))
        ctx.conn.commit()
        if not self.sizes_known:
            bulk_balances.analyze_balances(ctx.conn)
            self.sizes_known = True

    def _resolve_batches(self, ctx: Context, batch: Batch) -> dict[tuple[int, str | None], int]:
        """Return the goods' batches that the bills name, inserted where new."""
        named = {
            (self.known.goods[line.goods].goods_id, line.batch): parse_dot_week(line.batch)
            for bill in batch
            for line in bill.lines
            if line.batch
        }
        return ensure_batches(ctx.conn, named)


def _none_if_refused(work: Callable[[], T]) -> T | None:
    """Return the result of `work`, or None when it was refused or lost a deadlock."""
    try:
        return work()
    except Refusal:
        return None
    except OperationalError as error:
        if not isinstance(error.orig, DeadlockDetected | SerializationFailure):
            raise
        return None


def _build_imported_bill(bill: SourceBill, entry: BulkBill) -> dict[str, object]:
    assert entry.cls.bill is not None
    return {
        "heading": bill.key,
        "content": bill.content,
        "bill_type": entry.cls.bill.prefix,
        "bill_id": entry.bill_id,
        "bill_no": entry.bill_no,
    }
