"""Transitions (审核、反审核、作废…): a guarded update of the status, and the ledgers in the same transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Protocol

from sqlalchemy import Connection, Row, Select, bindparam, func, select, true, update

from api.kit import ahead, amount_shares, business_log, drafts, idempotency, links, reasons, source_shares
from api.kit.context import Context
from api.kit.database import retrying, today
from api.kit.document import Bill, Document, Part
from api.kit.errors import Edited, Failure, NotFound, Refusal, Stale
from api.kit.flow import AUDITED, LOCKED, TRANSITIONS, Transition
from api.kit.posting import BillRef, Postings
from api.kit.records import settle_batch
from api.kit.scope import within


class Ledgers(Protocol):
    """What the kit needs of the ledgers; `api.ledger` supplies it."""

    def post(self, ctx: Context, bill: BillRef, postings: Postings) -> None: ...

    def post_all(self, ctx: Context, bills: Sequence[tuple[BillRef, Postings]]) -> None: ...

    def reverse(self, ctx: Context, bill: BillRef) -> None: ...


_ledgers: Ledgers | None = None
_woken: list[Callable[[], None]] = []


def set_ledgers(ledgers: Ledgers) -> None:
    """The ledgers say how postings are kept."""
    global _ledgers
    _ledgers = ledgers


def on_posted(wake: Callable[[], None]) -> None:
    """Have `wake` called after a commit that changed ledgers."""
    _woken.append(wake)


def move(
    ctx: Context,
    cls: type[Bill],
    action: str,
    key: int,
    reason: str | None = None,
    read_at: int | None = None,
) -> str:
    """Take one bill through one transition, all or nothing; answers its number. Who tells the revision that he has read
    doesn't pass what somebody changed since."""
    step = TRANSITIONS[action]
    assert cls.bill is not None
    if action not in cls.bill.transitions:
        raise Refusal("该单据没有此操作")
    if step.reason and not (reason or "").strip():
        raise Refusal("请填写驳回原因")
    before, header = _guarded_update(ctx, cls, step, key, reason, read_at)
    days = ahead.ask_about_days(ctx, cls, header._asdict(), key) if action == "auditorPass" else ""
    if step.effect != "none" and not (step.effect == "reverse" and before != AUDITED):
        doc = read(ctx.conn, cls, header)
        if step.effect == "post" or (step.effect == "open" and _takes_again(cls)):
            doc = hold_to_sources(ctx, cls, [doc])[0]
        cls.guard(ctx, doc, action)
        _apply(ctx, cls, doc, step)
        wake_after_commit(ctx)
    cls.arrange(ctx, key, step.target)
    no, company = header.bill_no, header.company_id
    ahead.log_days(ctx, cls, key, no, company, days)
    ctx.settle_questions()
    business_log.write(
        ctx.conn, ctx.principal, cls.name(), key, action, bill_no=no, company_id=company, reason=reason
    )
    return str(no)


def _guarded_update(
    ctx: Context, cls: type[Bill], step: Transition, key: int, reason: str | None, read_at: int | None
) -> tuple[int, Row[Any]]:
    table = cls.table()
    mine = (table.c.bill_id == key) & within(table, ctx.principal)
    if len(step.source) == 1:
        [before] = step.source
    else:
        before = (
            ctx.conn.execute(select(table.c.status).where(mine).with_for_update()).scalar_one_or_none() or 0
        )
    as_read = true() if read_at is None else table.c.revision == read_at
    statement = update(table).where(mine, table.c.status == before, table.c.status.in_(step.source), as_read)
    values = changes(ctx, cls, step, reason)
    if step.name == "auditorPass":
        values |= cls.audit_values()
    header = ctx.conn.execute(statement.values(values).returning(*table.columns)).first()
    if header is None:
        found = ctx.conn.execute(select(table.c.status, table.c.business_date).where(mine)).first()
        if found is None:
            raise NotFound(cls.declaration.label)
        # Without a revision told it is a bill that another command has put back since.
        if read_at is not None and found.status in step.source:
            raise Edited()
        if found.status == LOCKED:
            raise Refusal(f"会计期间 {found.business_date:%Y-%m} 已结账，单据已锁定，请先反结账")
        raise Stale()
    return before, header


def changes(ctx: Context, cls: type[Bill], step: Transition, reason: str | None = None) -> dict[str, Any]:
    """What a transition writes into a bill's header."""
    values: dict[str, Any] = {"status": step.target, "revision": cls.table().c.revision + 1}
    if step.name == "auditorPass":
        values |= {"auditor_id": ctx.principal.user_id, "audited_at": func.now(), "reject_reason": None}
    elif step.name == "antiAuditor":
        values |= {"auditor_id": None, "audited_at": None}
    elif step.name == "auditorNoPass":
        values["reject_reason"] = reason
    return values


def read(conn: Connection, cls: type[Bill], header: Row[Any]) -> Document:
    """The stored bill with its blocks."""
    assert cls.bill is not None
    children = {}
    for block in cls.bill.blocks:
        children[block.name] = conn.execute(_lines_of_bill(block.cls), {"bill": header.bill_id}).all()
    return Document(header, children)


@cache
def _lines_of_bill(part: type[Part]) -> Select[Any]:
    """All lines of the bill `bill`, in order; made once, as every audit reads them."""
    table = part.table()
    return select(table).where(table.c.bill_id == bindparam("bill")).order_by(table.c.line_no)


def _takes_again(cls: type[Bill]) -> bool:
    """Whether a bill that is opened takes what its closing gave back to its sources."""
    return any(link.gives_back for link in cls.bill.links) if cls.bill else False


def hold_to_sources(ctx: Context, cls: type[Bill], docs: Sequence[Document]) -> list[Document]:
    """Lock what bills execute, hold them to it, and answer them with the money that falls to them now."""
    assert cls.bill is not None
    columns = [link.column for link in cls.bill.links]
    if not any(getattr(line, name) is not None for doc in docs for line in doc.lines for name in columns):
        return list(docs)
    links.lock_sources(ctx, cls, [(doc.header.business_date, doc.lines) for doc in docs])
    if source_shares.lines_of(cls) is None and not amount_shares.takes_amounts(cls):
        return list(docs)
    bills = [
        source_shares.ExecutingBill(doc.header, [dict(line._mapping) for line in doc.lines]) for doc in docs
    ]
    changed = set(source_shares.apply_shares(ctx, cls, bills))
    totals = drafts.total_again(ctx.conn, cls, changed)
    return [
        read(ctx.conn, cls, totals[doc.header.bill_id]) if doc.header.bill_id in changed else doc
        for doc in docs
    ]


def wake_after_commit(ctx: Context) -> None:
    """Have the readers of the ledgers woken once the present transaction is committed."""
    ctx.after_commit.extend(wake for wake in _woken if wake not in ctx.after_commit)


def ledgers() -> Ledgers:
    """The ledgers that were set."""
    assert _ledgers is not None
    return _ledgers


def _apply(ctx: Context, cls: type[Bill], doc: Document, step: Transition) -> None:
    assert cls.bill is not None
    if step.effect == "post":
        links.execute(ctx, cls, doc.lines)
    elif step.effect == "reverse":
        for link in cls.bill.links:
            links.give_back(ctx, link, doc.lines)
    if step.effect == "post":
        cls.precede(ctx, doc)
        ledgers().post(ctx, cls.reference(doc.header), cls.require_postings(doc))
    elif step.effect == "reverse":
        ledgers().reverse(ctx, cls.reference(doc.header))
    elif step.effect in ("close", "open"):
        for link in cls.bill.links:
            if link.gives_back:
                links.give_back(ctx, link, doc.lines, -1 if step.effect == "close" else 1, left=True)
        closing = cls.closing(doc)
        if closing != Postings():
            # Today, not on the order's date: its month may be closed by now.
            bill = replace(cls.reference(doc.header), business_date=today())
            ledgers().post(ctx, bill, closing if step.effect == "close" else negated(closing))
    cls.follow(ctx, doc, step.effect)


def negated(postings: Postings) -> Postings:
    """Reservations the other way round, for reopening what was closed."""
    return replace(
        postings, reservations=tuple(replace(item, quantity=-item.quantity) for item in postings.reservations)
    )


def batch(
    ctx: Context, cls: type[Bill], keys: list[int], verb: str, one: Callable[[int], str]
) -> dict[str, Any]:
    """Act on each bill in a transaction of its own, and answer who failed and why.

    A single bill's refusal is the request's refusal; each bill's success is remembered under the idempotency key.
    """
    conn, done, failures = ctx.conn, [], []
    notes: list[str] = []
    keys = list(dict.fromkeys(keys))
    for index, key in enumerate(keys, 1):
        try:
            retrying(lambda key=key: _once(ctx, key, one))  # type: ignore[misc]
            done.append(key)
            notes += ctx.notes
        except Refusal as error:
            conn.rollback()
            refusal = reasons.join(ctx, reasons.find_causes(ctx, error, lambda key=key: one(key)))  # type: ignore[misc]
            if len(keys) == 1:
                raise refusal from None
            failures.append(
                Failure(
                    index,
                    _serial(ctx, cls, key),
                    refusal.msg,
                    refusal.code,
                    refusal.asks,
                    refusal.questions,
                    reasons.reasons_of(refusal),
                )
            )
    if failures and done:
        idempotency.spend(conn, ctx)
    return settle_batch(keys, done, failures, verb, notes)


def _once(ctx: Context, key: int, one: Callable[[int], str]) -> None:
    conn = ctx.conn
    try:
        ctx.questions.clear()
        ctx.notes.clear()
        fresh, _ = idempotency.claim(ctx, key)
        if fresh:
            number = one(key)
            idempotency.store(ctx, {"bill_no": number}, key)
        conn.commit()
    except BaseException:
        conn.rollback()
        raise


def _serial(ctx: Context, cls: type[Bill], key: int) -> str:
    """The number of a bill that failed, or what was sent when it isn't the principal's to know."""
    table = cls.table()
    number = ctx.conn.execute(
        select(table.c.bill_no).where(table.c.bill_id == key, within(table, ctx.principal))
    ).scalar()
    ctx.conn.rollback()
    return str(number or key)
