"""Posting an import's batches (过账): one is audited while the next is saved unaudited on a connection of its own.

Each batch is one transaction, and they commit in their order: saving reads nothing that an audit writes, audits follow
one another. A batch that is refused, or loses a deadlock, is posted again with nothing beside it.
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
from api.importing.checking import Refused
from api.importing.masters import Masters
from api.importing.report import Report, Tick
from api.kit import bulk
from api.kit.bulk import Entry
from api.kit.context import Context
from api.kit.database import retrying
from api.kit.errors import Refusal
from api.master import in_bulk
from api.master.goods import dot_week
from api.master.stock_lines import batch_keys
from api.shell.loads import ImportedBill
from api.shell.wake import CHANNEL

T = TypeVar("T")
Batch = list[SourceBill]


@dataclass(slots=True)
class Posting:
    """Posts batches in turns on two contexts, each with its connection, and notes in the report what became of them."""

    contexts: tuple[Context, Context]
    known: Masters
    report: Report
    tick: Tick
    skip_refused: bool
    refused_bills: int = 0
    sizes_known: bool = False

    def run(self, batches: Iterable[Batch]) -> None:
        """Post all batches, up to the first refused bill unless those are passed over."""
        audited: tuple[Batch, Future[None]] | None = None
        with ThreadPoolExecutor(1, "audit") as auditor:
            for number, batch in enumerate(batches):
                ctx = self.contexts[number % 2]
                entries = _unless_refused(partial(self._save, ctx, batch))
                if audited and not self._settled(*audited):
                    # What is saved must not stand in the way of the batch before it.
                    ctx.conn.rollback()
                    if not self._post_alone(audited[0]):
                        return
                    entries = None
                audited = None
                if entries is not None:
                    audited = batch, auditor.submit(self._audit_beside, ctx, batch, entries)
                elif not self._post_alone(batch):
                    return
            if audited and not self._settled(*audited):
                self._post_alone(audited[0])

    def _settled(self, batch: Batch, audit: Future[None]) -> bool:
        """Whether the batch's audit, which is waited for, went well."""
        if _unless_refused(lambda: (audit.result(),)) is None:
            return False
        self._note(batch)
        return True

    def _post_alone(self, batch: Batch) -> bool:
        """Post a batch, or its bills singly when one is refused; False when the run must end."""
        ctx = self.contexts[0]
        for each in self.contexts:
            each.conn.rollback()
        try:
            retrying(lambda: self._audit(ctx, batch, self._save(ctx, batch)))
        except Refusal as refusal:
            ctx.conn.rollback()
            if len(batch) > 1:
                return all(self._post_alone([bill]) for bill in batch)
            self.refused_bills += 1
            number = batch[0].lines[0].number
            self.report.refused.append(Refused(number, "整张单据", refusal.msg))
            return self.skip_refused
        self._note(batch)
        return True

    def _note(self, batch: Batch) -> None:
        lines = sum(len(bill.lines) for bill in batch)
        self.report.posted_bills += len(batch)
        self.report.posted_lines += lines
        self.tick(lines)

    def _save(self, ctx: Context, batch: Batch) -> list[Entry]:
        ctx.conn.rollback()
        batches = self._batches_of(ctx, batch)
        entries = [bills.entry(bill, self.known, batches) for bill in batch]
        in_bulk.save(ctx, entries)
        return entries

    def _audit_beside(self, ctx: Context, batch: Batch, entries: list[Entry]) -> None:
        """Audit, and let go at once of what a refused batch holds: the next one may be waiting for it."""
        try:
            self._audit(ctx, batch, entries)
        except BaseException:
            ctx.conn.rollback()
            raise

    def _audit(self, ctx: Context, batch: Batch, entries: list[Entry]) -> None:
        bulk.audit(ctx, entries)
        rows = [_remembered(bill, entry) for bill, entry in zip(batch, entries, strict=True)]
        bulk.copy(ctx.conn, cast(Table, ImportedBill.__table__), rows)
        ctx.conn.execute(text(f"notify {CHANNEL}"))
        ctx.conn.commit()
        if not self.sizes_known:
            in_bulk.know_sizes(ctx.conn)
            self.sizes_known = True

    def _batches_of(self, ctx: Context, batch: Batch) -> dict[tuple[int, str | None], int]:
        """The goods' batches that the bills name, made where new, as they may be brought and taken in one go."""
        named = {
            (self.known.goods[line.goods].goods_id, line.batch): dot_week(line.batch)
            for bill in batch
            for line in bill.lines
            if line.batch
        }
        return batch_keys(ctx.conn, named)


def _unless_refused(work: Callable[[], T]) -> T | None:
    """What `work` answers, or None when it was refused or lost a deadlock."""
    try:
        return work()
    except Refusal:
        return None
    except OperationalError as error:
        if not isinstance(error.orig, DeadlockDetected | SerializationFailure):
            raise
        return None


def _remembered(bill: SourceBill, entry: Entry) -> dict[str, object]:
    assert entry.cls.bill is not None
    return {
        "heading": bill.key,
        "content": bill.content,
        "bill_type": entry.cls.bill.prefix,
        "bill_id": entry.bill_id,
        "bill_no": entry.bill_no,
    }
