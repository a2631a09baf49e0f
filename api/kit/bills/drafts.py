"""Drafts (制单): a bill on its way from a payload into the database, unaudited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, partial
from typing import Any

from sqlalchemy import Connection, Row, func, select

from api.kit.bills import future_dates, numbering, pack_units, source_links, source_proration
from api.kit.bills.pricing import PricedLine, price_line
from api.kit.context import Context
from api.kit.declaration.document import Bill, Block, ChildRow
from api.kit.declaration.flow import STATUSES, UNAUDITED
from api.kit.declaration.goods_bills import GoodsBill, GoodsLine, QuantityBill, QuantityLine
from api.kit.errors import EditConflict, NotFound, Refusal, RevisionRequired
from api.kit.scope import Principal, scope_condition
from api.kit.storage import attachments, business_log, child_rows
from api.kit.storage.projection import MASK, format_yuan
from api.kit.storage.records import duplicate_refusal, reference_refusal
from api.kit.storage.text_normalization import strip_invisible
from api.kit.storage.validation import Problems, clean_payload, parse_key, validate_dates, validate_references

TOTALS = (
    ("total_quantity", "quantity"),
    ("total_amount", "amount"),
    ("tax_amount", "tax_amount"),
    ("no_tax_amount", "no_tax_amount"),
)

PARTNERS = {"customer_id", "supplier_id"}
TRADED = PARTNERS | {"warehouse_id", "goods_id"}
"""With whom one trades, from where, and what."""


@dataclass(slots=True)
class Draft:
    """A checked bill: header values, and the rows of each block by its name."""

    header: dict[str, Any]
    children: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


def add_draft(ctx: Context, cls: type[Bill], payload: Mapping[str, Any]) -> dict[str, Any]:
    """Save a new bill; return its id and number."""
    draft = prepare_draft(ctx, cls, payload)
    days = future_dates.confirm_future_dates(ctx, cls, draft.header)
    ctx.raise_questions()
    assert cls.bill is not None
    number = numbering.draw_number(
        ctx.conn, cls.bill.prefix, draft.header["company_id"], draft.header["business_date"]
    )
    key = insert_draft(ctx.conn, cls, draft, number, ctx.principal)
    cls.sync_dependents(ctx, key, UNAUDITED)
    _log_change(ctx, cls, key, number, "add", draft)
    future_dates.log_future_dates(ctx, cls, key, number, draft.header["company_id"], days)
    return {"id": key, "bill_no": number}


def edit_draft(ctx: Context, cls: type[Bill], key: int, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Replace an unaudited bill's content, unless somebody else has saved or moved it meanwhile."""
    stored = lock_header(ctx, cls, key)
    if stored.status != UNAUDITED:
        raise Refusal(f"单据{STATUSES[stored.status]}，不能修改")
    if not payload.get("revision"):
        raise RevisionRequired()
    if str(payload["revision"]) != str(stored.revision):
        raise EditConflict()
    draft = prepare_draft(ctx, cls, payload, before=stored)
    days = future_dates.confirm_future_dates(ctx, cls, {**stored._mapping, **draft.header}, key)
    ctx.raise_questions()
    with duplicate_refusal(cls), reference_refusal("修改"):
        values = {**draft.header, "revision": stored.revision + 1}
        ctx.conn.execute(cls.table().update().where(cls.key() == key).values(values))
        for block in _list_blocks(cls):
            child_rows.replace_rows(ctx.conn, block, key, draft.children[block.name])
    cls.sync_dependents(ctx, key, UNAUDITED)
    before = {name: getattr(stored, name) for name in draft.header}
    draft.header.setdefault("company_id", stored.company_id)
    _log_change(ctx, cls, key, stored.bill_no, "edit", draft, before=before)
    future_dates.log_future_dates(ctx, cls, key, stored.bill_no, draft.header["company_id"], days)
    return {"id": key, "bill_no": stored.bill_no}


def delete_draft(ctx: Context, cls: type[Bill], key: int) -> str:
    """Delete an unaudited bill and return its number, which is never used again."""
    stored = lock_header(ctx, cls, key)
    if stored.status != UNAUDITED:
        raise Refusal(f"单据{STATUSES[stored.status]}，不能删除")
    cls.sync_dependents(ctx, key, None)
    with reference_refusal("删除"):
        ctx.conn.execute(cls.table().delete().where(cls.key() == key))
    no: str = stored.bill_no
    company = stored.company_id
    business_log.log_action(ctx.conn, ctx.principal, cls.name(), key, "del", bill_no=no, company_id=company)
    return no


def lock_header(ctx: Context, cls: type[Bill], key: int) -> Row[Any]:
    """Lock and return the bill's header; NotFound outside the principal's scope."""
    mine = (cls.key() == key) & scope_condition(cls.table(), ctx.principal)
    row = ctx.conn.execute(select(cls.table()).where(mine).with_for_update()).first()
    if row is None:
        raise NotFound(cls.declaration.label)
    return row


def prepare_draft(
    ctx: Context, cls: type[Bill], payload: Mapping[str, Any], before: Row[Any] | None = None
) -> Draft:
    """Validate a payload whole, price it and total it; every mistake is reported at once."""
    problems, screen = Problems(), cls.name()
    draft = Draft(clean_payload(cls, payload, ctx.principal, screen, problems, partial=before is not None))
    clear_computed_values(cls, draft.header, payload, before)
    known: dict[str, Any] = {**(before._asdict() if before is not None else {}), **draft.header}
    places: list[tuple[Block, list[str]]] = []
    for block in _list_blocks(cls):
        is_writable = any(item.writable for item in block.cls.fields())
        if is_writable and before is not None and block.name not in payload:
            problems.add(f"修改单据时请一并提交{block.label}")
        owner = before.bill_id if before is not None else None
        sent = pack_units.fill_quantity(ctx.conn, block.cls, payload.get(block.name))
        with problems.in_block(child_rows.block_label(cls, block)):
            rows, labels = child_rows.parse_rows(ctx, block, sent, problems, owner)
        draft.children[block.name] = rows
        places.append((block, labels))
    problems.raise_if_any()
    validate_dates(cls, known, problems)
    _validate_department(known, ctx.principal, problems)
    named = cache(partial(_read_line_values, ctx, cls, before))
    begins = partial(_begins_trade, cls, draft, before, named)
    validate_references(ctx.conn, cls, [known], ctx.principal, problems, [""], begins)
    old_values = before._asdict() if before is not None else {}
    attachments.validate_attachments(ctx.conn, cls, known, old_values, ctx.principal, problems)
    for block, labels in places:
        merged = [{**known, **row} for row in draft.children[block.name]]
        with problems.in_block(child_rows.block_label(cls, block)):
            validate_references(ctx.conn, block.cls, merged, ctx.principal, problems, labels, begins)
    if cls.bill and cls.bill.links:
        source_links.validate_links(ctx, cls.bill.links, known, draft.children["lines"], problems, named)
    for block in _list_blocks(cls):
        with problems.in_block(child_rows.block_label(cls, block)):
            pack_units.validate_packs(ctx, block.cls, draft.children[block.name], problems)
    normalize_blocks(cls, draft, problems)
    problems.raise_if_any()
    price_lines(cls, draft, problems, ctx.principal)
    if source_proration.find_sharing_class(cls) is not None:
        _prorate_sources(ctx, cls, draft, payload, before, problems)
    problems.raise_if_any()
    total_lines(cls, draft)
    whole = {**known, **draft.header}
    cls.validate_record(ctx, whole, draft.children, problems)
    problems.raise_if_any()
    stored = before._mapping if before is not None else {}
    draft.header = {
        name: value for name, value in whole.items() if name not in stored or value != stored[name]
    }
    return draft


def clear_computed_values(
    cls: type[Bill], header: dict[str, Any], payload: Mapping[str, Any], before: Row[Any] | None
) -> None:
    """Clear computed values that were not typed in, so that they are computed again.

    A value that is sent counts as typed, unless the payload says it wasn't; what isn't sent keeps its
    flag.
    """
    for item in cls.fields():
        if not item.typed_in:
            continue
        flag = item.typed_in
        if before is None or item.name in header:
            untyped = flag in payload and header.get(flag) is False
            header[flag] = header.get(item.name) is not None and not untyped
        else:
            header[flag] = before._mapping[flag]
        if not header[flag]:
            header[item.name] = None


def _begins_trade(
    cls: type[Bill],
    draft: Draft,
    before: Row[Any] | None,
    named: Callable[[str], frozenset[Any]],
    row: Mapping[str, Any],
    name: str,
) -> bool:
    """Return whether a bill begins to trade with what its header or a line refers to.

    Neither its source nor the bill itself did so before.
    """
    assert cls.bill is not None
    if not issubclass(cls, GoodsBill) or name not in TRADED or PARTNERS.isdisjoint(cls.table().c.keys()):
        return False
    of_header = name in cls.table().c
    rows: Sequence[Mapping[str, Any]] = draft.children["lines"] if of_header else (row,)
    if all(any(one.get(link.column) for link in cls.bill.links) for one in rows):
        return False
    if of_header:
        return before is None or bool(getattr(before, name) != row[name])
    return row[name] not in named(name)


def _read_line_values(ctx: Context, cls: type[Bill], before: Row[Any] | None, name: str) -> frozenset[Any]:
    """Read the values that a stored bill's lines have in a column."""
    assert cls.bill is not None
    if before is None:
        return frozenset()
    table = cls.bill.blocks[0].cls.table()
    query = select(table.c[name]).where(table.c.bill_id == before.bill_id)
    return frozenset(ctx.conn.execute(query).scalars())


def _validate_department(header: Mapping[str, Any], principal: Principal, problems: Problems) -> None:
    mine = principal.department_id
    if principal.own == "department" and (mine is None or header.get("department_id") != mine):
        problems.add("只能录入本部门的单据")


def _list_blocks(cls: type[Bill]) -> tuple[Block, ...]:
    assert cls.bill is not None
    return cls.bill.blocks


def normalize_blocks(cls: type[Bill], draft: Draft, problems: Problems) -> None:
    """Have each block's class normalize its rows."""
    for block in _list_blocks(cls):
        with problems.in_block(child_rows.block_label(cls, block)):
            block.cls.normalize_rows(draft.children[block.name], problems)


def price_lines(
    cls: type[Bill], draft: Draft, problems: Problems, principal: Principal | None = None
) -> None:
    """Price goods lines to spec/3-rules.md 9; gifts cost nothing, and no discount is larger than its line.

    Lines made from a source in a form, where a `principal` sits, are checked once their source's money is
    prorated.
    """
    zero = Decimal(0)
    for block in _list_blocks(cls):
        for row in draft.children[block.name] if issubclass(block.cls, GoodsLine) else ():
            if source_proration.leaves_discount_to_source(row):
                row[source_proration.FOLLOWS] = True
            if row.get("is_gift"):
                row["price"] = row["discount_amount"] = zero
            unit, discount, tax_rate = (
                row.get(name) or zero for name in ("price", "discount_amount", "tax_rate")
            )
            priced = price_line(row["quantity"], unit, discount, tax_rate)
            row.update(price=unit, discount_amount=discount, tax_rate=tax_rate)
            if principal is None or not _has_money_source(cls, row):
                _add_price_problem(block.cls, principal, problems, row, priced)
            row.update(amount=priced.total, tax_amount=priced.tax, no_tax_amount=priced.no_tax)


def _add_price_problem(
    cls: type[ChildRow],
    principal: Principal | None,
    problems: Problems,
    row: Mapping[str, Any],
    priced: PricedLine,
) -> None:
    """Add a problem of a line whose amount is too large or below its discount, in visible figures."""
    problems.place, discount = f"第{row.get('line_no', '')}行", row["discount_amount"]
    if priced.exceeds_cap:
        problems.add("“金额”数值不能超过一亿")
    elif discount > priced.amount:
        much, most = (
            format_yuan(value, principal, (cls, name)) if principal else ""
            for name, value in (("discount_amount", discount), ("amount", priced.amount))
        )
        problems.add(f"优惠金额{much}大于金额{most}，请核对")
    problems.place = ""


def _has_money_source(cls: type[Bill], row: Mapping[str, Any]) -> bool:
    return (
        source_proration.find_sharing_class(cls) is not None
        and source_proration.find_sharing_link(cls, row) is not None
    )


def _prorate_sources(
    ctx: Context,
    cls: type[Bill],
    draft: Draft,
    payload: Mapping[str, Any],
    before: Row[Any] | None,
    problems: Problems,
) -> None:
    """Prorate the money of sources to the lines made from them, except for the fields they enter."""
    rows, block = draft.children["lines"], _list_blocks(cls)[0]
    sources = source_proration.read_bill_sources(ctx.conn, cls, rows)
    if not sources:
        source_proration.prorate_money(cls, rows, sources, {})
        return
    sent = payload.get("lines") or []
    open_ = {name for name in source_proration.ENTERED_FIELDS if _can_write(ctx.principal, block.cls, name)}
    kept = frozenset(source_proration.ENTERED_FIELDS) - open_
    own = _read_repriced_lines(ctx, block, before) if kept and before is not None else frozenset()
    shares = {}
    for row in rows:
        line = sent[row["line_no"] - 1]
        stays = kept if parse_key(line.get("line_id")) in own else frozenset()
        shares[row["line_no"]] = _entered_money(line, open_) | stays
    refuse = partial(_add_price_problem, block.cls, ctx.principal, problems)
    source_proration.prorate_money(cls, rows, sources, shares, refuse)


def _can_write(principal: Principal, cls: type[ChildRow], name: str) -> bool:
    item = cls.field(name)
    return item.writable and principal.can_see(cls.name(), name, item.permission)


def _read_repriced_lines(ctx: Context, block: Block, before: Row[Any]) -> frozenset[int]:
    """Read the stored lines that deviate from their sources' prorated money; their hidden values stay."""
    stored = child_rows.read_stored_rows(ctx.conn, block, before.bill_id)
    return frozenset(row["line_id"] for row in stored if not source_proration.has_followed_source(row))


def _entered_money(sent: Mapping[str, Any], open_: Iterable[str]) -> frozenset[str]:
    """Return the money fields that a line enters itself: neither omitted nor as proposed."""
    named = frozenset(name for name in open_ if _is_filled(sent.get(name)))
    drawn = sent.get("drawn")
    if not isinstance(drawn, Mapping) or drawn.get("follows") is not True:
        return named
    proposed = drawn.get("proposed_discount")
    if proposed is not None and str(proposed) == str(sent.get("discount_amount")):
        named -= {"discount_amount"}
    as_offered = "discount_amount" not in named and str(drawn.get("price")) == str(sent.get("price"))
    return named - {"price"} if as_offered else named


def _is_filled(sent: Any) -> bool:
    return (strip_invisible(sent) if isinstance(sent, str) else sent) not in (None, "", MASK)


def total_lines(cls: type[Bill], draft: Draft) -> None:
    """Total priced lines in the header."""
    for block in _list_blocks(cls):
        rows = draft.children[block.name]
        if issubclass(cls, QuantityBill) and issubclass(block.cls, QuantityLine):
            draft.header.update(
                {name: sum((row[of] for row in rows), Decimal(0)) for name, of in _list_totals(cls)}
            )


def _list_totals(cls: type[Bill]) -> tuple[tuple[str, str], ...]:
    return tuple((name, of) for name, of in TOTALS if name in cls.table().c)


def header_totals(cls: type[Bill], header: Row[Any]) -> dict[str, Any]:
    """Return the totals of a stored header."""
    return {name: getattr(header, name) for name, _ in _list_totals(cls)}


def retotal_bills(conn: Connection, cls: type[Bill], keys: Iterable[int]) -> dict[int, Row[Any]]:
    """Total stored bills whose lines have changed; return their headers by id."""
    wanted = sorted(keys)
    if not wanted:
        return {}
    assert cls.bill is not None
    table, lines = cls.table(), cls.bill.blocks[0].cls.table()
    sums = (
        select(lines.c.bill_id, *(func.sum(lines.c[of]).label(name) for name, of in _list_totals(cls)))
        .where(lines.c.bill_id.in_(wanted))
        .group_by(lines.c.bill_id)
        .subquery()
    )
    statement = (
        table.update()
        .where(table.c.bill_id == sums.c.bill_id)
        .values({name: sums.c[name] for name, _ in _list_totals(cls)})
        .returning(*table.columns)
    )
    return {row.bill_id: row for row in conn.execute(statement)}


def insert_draft(conn: Connection, cls: type[Bill], draft: Draft, bill_no: str, principal: Principal) -> int:
    """Insert a draft and return the bill's id."""
    table = cls.table()
    values = {**draft.header, "bill_no": bill_no, "maker_id": principal.user_id}
    with duplicate_refusal(cls):
        key: int = conn.execute(table.insert().values(values).returning(table.c.bill_id)).scalar_one()
        for block in _list_blocks(cls):
            child_rows.insert_rows(conn, block, key, draft.children[block.name])
    return key


def _log_change(
    ctx: Context, cls: type[Bill], key: int, number: str, action: str, draft: Draft, before: Any = None
) -> None:
    after = {**draft.header, **{name: len(rows) for name, rows in draft.children.items()}}
    company = draft.header.get("company_id") or (before or {}).get("company_id")
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        cls.name(),
        key,
        action,
        bill_no=number,
        company_id=company,
        before=before,
        after=after,
    )
