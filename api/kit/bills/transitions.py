"""Transitions (审核、反审核、作废…): a guarded update of the status, and the ledgers in the same transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Protocol

from sqlalchemy import Connection, Row, Select, bindparam, func, select, true, update

from api.kit.bills import (
    amount_proration,
    drafts,
    future_dates,
    refusal_causes,
    source_links,
    source_proration,
)
from api.kit.context import Context
from api.kit.declaration.document import Bill, ChildRow, Document
from api.kit.declaration.flow import AUDITED, LOCKED, TRANSITIONS, Transition
from api.kit.declaration.posting import BillRef, Postings
from api.kit.errors import EditConflict, NotFound, Refusal, RowFailure, TransitionConflict
from api.kit.scope import scope_condition
from api.kit.storage import business_log, idempotency
from api.kit.storage.database import retry_deadlocks, today
from api.kit.storage.records import batch_result


class LedgerProtocol(Protocol):
    """The protocol by which the kit posts; `api.ledger` supplies it."""

    def post(self, ctx: Context, bill: BillRef, postings: Postings) -> None: ...

    def post_all(self, ctx: Context, bills: Sequence[tuple[BillRef, Postings]]) -> None: ...

    def reverse(self, ctx: Context, bill: BillRef) -> None: ...


_ledgers: LedgerProtocol | None = None
_wakers: list[Callable[[], None]] = []


def set_ledgers(ledgers: LedgerProtocol) -> None:
    """Register the ledgers."""
    global _ledgers
    _ledgers = ledgers


def register_waker(wake: Callable[[], None]) -> None:
    """Register a function to be called after a commit that changed ledgers."""
    _wakers.append(wake)


def apply_transition(
    ctx: Context,
    cls: type[Bill],
    action: str,
    key: int,
    reason: str | None = None,
    read_at: int | None = None,
) -> str:
    """Take one bill through one transition, all or nothing, and return its number.

    With the revision that was read, it is refused if somebody has changed the bill since.
    """
    step = TRANSITIONS[action]
    assert cls.bill is not None
    if action not in cls.bill.transitions:
        raise Refusal("该单据没有此操作")
    if step.reason and not (reason or "").strip():
        raise Refusal("请填写驳回原因")
    before, header = _set_status(ctx, cls, step, key, reason, read_at)
    days = (
        future_dates.confirm_future_dates(ctx, cls, header._asdict(), key) if action == "auditorPass" else ""
    )
    if step.effect != "none" and not (step.effect == "reverse" and before != AUDITED):
        doc = read_document(ctx.conn, cls, header)
        if step.effect == "post" or (step.effect == "open" and _retakes_when_opened(cls)):
            doc = apply_source_shares(ctx, cls, [doc])[0]
        cls.check_transition(ctx, doc, action)
        _apply_effect(ctx, cls, doc, step)
        wake_after_commit(ctx)
    cls.sync_dependents(ctx, key, step.target)
    no, company = header.bill_no, header.company_id
    future_dates.log_future_dates(ctx, cls, key, no, company, days)
    ctx.raise_questions()
    business_log.log_action(
        ctx.conn, ctx.principal, cls.name(), key, action, bill_no=no, company_id=company, reason=reason
    )
    return str(no)


def _set_status(
    ctx: Context, cls: type[Bill], step: Transition, key: int, reason: str | None, read_at: int | None
) -> tuple[int, Row[Any]]:
    table = cls.table()
    mine = (table.c.bill_id == key) & scope_condition(table, ctx.principal)
    if len(step.source) == 1:
        [before] = step.source
    else:
        before = (
            ctx.conn.execute(select(table.c.status).where(mine).with_for_update()).scalar_one_or_none() or 0
        )
    as_read = true() if read_at is None else table.c.revision == read_at
    statement = update(table).where(mine, table.c.status == before, table.c.status.in_(step.source), as_read)
    values = transition_values(ctx, cls, step, reason)
    if step.name == "auditorPass":
        values |= cls.audit_values()
    header = ctx.conn.execute(statement.values(values).returning(*table.columns)).first()
    if header is None:
        found = ctx.conn.execute(select(table.c.status, table.c.business_date).where(mine)).first()
        if found is None:
            raise NotFound(cls.declaration.label)
        # Without a revision told it is a bill that another command has put back since.
        if read_at is not None and found.status in step.source:
            raise EditConflict()
        if found.status == LOCKED:
            raise Refusal(f"会计期间 {found.business_date:%Y-%m} 已结账，单据已锁定，请先反结账")
        raise TransitionConflict()
    return before, header


def transition_values(
    ctx: Context, cls: type[Bill], step: Transition, reason: str | None = None
) -> dict[str, Any]:
    """Return the header columns that a transition writes."""
    values: dict[str, Any] = {"status": step.target, "revision": cls.table().c.revision + 1}
    if step.name == "auditorPass":
        values |= {"auditor_id": ctx.principal.user_id, "audited_at": func.now(), "reject_reason": None}
    elif step.name == "antiAuditor":
        values |= {"auditor_id": None, "audited_at": None}
    elif step.name == "auditorNoPass":
        values["reject_reason"] = reason
    return values


def read_document(conn: Connection, cls: type[Bill], header: Row[Any]) -> Document:
    """Return the stored bill with its blocks."""
    assert cls.bill is not None
    children = {}
    for block in cls.bill.blocks:
        children[block.name] = conn.execute(_lines_of_bill(block.cls), {"bill": header.bill_id}).all()
    return Document(header, children)


@cache
def _lines_of_bill(part: type[ChildRow]) -> Select[Any]:
    """Build the query of all lines of the bill `bill`, in order; cached, as every audit reads them."""
    table = part.table()
    return select(table).where(table.c.bill_id == bindparam("bill")).order_by(table.c.line_no)


def _retakes_when_opened(cls: type[Bill]) -> bool:
    """Return whether opening a bill takes back what its closing gave to its sources."""
    return any(link.gives_back for link in cls.bill.links) if cls.bill else False


def apply_source_shares(ctx: Context, cls: type[Bill], docs: Sequence[Document]) -> list[Document]:
    """Lock the sources of bills and prorate their money anew; return the bills as they then are."""
    assert cls.bill is not None
    columns = [link.column for link in cls.bill.links]
    if not any(getattr(line, name) is not None for doc in docs for line in doc.lines for name in columns):
        return list(docs)
    source_links.lock_sources(ctx, cls, [(doc.header.business_date, doc.lines) for doc in docs])
    if source_proration.find_sharing_class(cls) is None and not amount_proration.has_amount_links(cls):
        return list(docs)
    bills = [
        source_proration.ExecutingBill(doc.header, [dict(line._mapping) for line in doc.lines])
        for doc in docs
    ]
    changed = set(source_proration.update_source_shares(ctx, cls, bills))
    totals = drafts.retotal_bills(ctx.conn, cls, changed)
    return [
        read_document(ctx.conn, cls, totals[doc.header.bill_id]) if doc.header.bill_id in changed else doc
        for doc in docs
    ]


def wake_after_commit(ctx: Context) -> None:
    """Have the readers of the ledgers woken once the present transaction is committed."""
    ctx.after_commit.extend(wake for wake in _wakers if wake not in ctx.after_commit)


def get_ledgers() -> LedgerProtocol:
    """Return the registered ledgers."""
    assert _ledgers is not None
    return _ledgers


def _apply_effect(ctx: Context, cls: type[Bill], doc: Document, step: Transition) -> None:
    assert cls.bill is not None
    if step.effect == "post":
        source_links.consume_source_lines(ctx, cls, doc.lines)
    elif step.effect == "reverse":
        for link in cls.bill.links:
            source_links.return_source_lines(ctx, link, doc.lines)
    if step.effect == "post":
        cls.before_posting(ctx, doc)
        get_ledgers().post(ctx, cls.reference(doc.header), cls.require_postings(doc))
    elif step.effect == "reverse":
        get_ledgers().reverse(ctx, cls.reference(doc.header))
    elif step.effect in ("close", "open"):
        for link in cls.bill.links:
            if link.gives_back:
                source_links.return_source_lines(
                    ctx, link, doc.lines, -1 if step.effect == "close" else 1, left=True
                )
        closing = cls.closing_postings(doc)
        if closing != Postings():
            # Today, not on the order's date: its month may be closed by now.
            bill = replace(cls.reference(doc.header), business_date=today())
            get_ledgers().post(ctx, bill, closing if step.effect == "close" else negate_reservations(closing))
    cls.after_transition(ctx, doc, step.effect)


def negate_reservations(postings: Postings) -> Postings:
    """Negate reservations, for reopening what was closed."""
    return replace(
        postings, reservations=tuple(replace(item, quantity=-item.quantity) for item in postings.reservations)
    )


def run_batch(
    ctx: Context, cls: type[Bill], keys: list[int], verb: str, one: Callable[[int], str]
) -> dict[str, Any]:
    """Act on each bill in a transaction of its own, and report who failed and why.

    A single bill's refusal is the request's refusal; each bill's success is stored under the idempotency
    key.
    """
    conn, done, failures = ctx.conn, [], []
    notes: list[str] = []
    keys = list(dict.fromkeys(keys))
    for index, key in enumerate(keys, 1):
        try:
            retry_deadlocks(lambda key=key: _run_once(ctx, key, one))  # type: ignore[misc]
            done.append(key)
            notes += ctx.notes
        except Refusal as error:
            conn.rollback()
            refusal = refusal_causes.join_causes(
                ctx,
                refusal_causes.find_all_causes(ctx, error, lambda key=key: one(key)),  # type: ignore[misc]
            )
            if len(keys) == 1:
                raise refusal from None
            failures.append(
                RowFailure(
                    index,
                    _failure_label(ctx, cls, key),
                    refusal.msg,
                    refusal.code,
                    refusal.asks,
                    refusal.questions,
                    refusal_causes.reasons_of(refusal),
                )
            )
    if failures and done:
        idempotency.spend_signature(conn, ctx)
    return batch_result(keys, done, failures, verb, notes)


def _run_once(ctx: Context, key: int, one: Callable[[int], str]) -> None:
    conn = ctx.conn
    try:
        ctx.questions.clear()
        ctx.notes.clear()
        fresh, _ = idempotency.claim_part(ctx, key)
        if fresh:
            number = one(key)
            idempotency.store_answer(ctx, {"bill_no": number}, key)
        conn.commit()
    except BaseException:
        conn.rollback()
        raise


def _failure_label(ctx: Context, cls: type[Bill], key: int) -> str:
    """Return the number of a bill that failed, or its key when the principal may not know the number."""
    table = cls.table()
    number = ctx.conn.execute(
        select(table.c.bill_no).where(table.c.bill_id == key, scope_condition(table, ctx.principal))
    ).scalar()
    ctx.conn.rollback()
    return str(number or key)
