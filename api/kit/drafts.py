"""Drafts (制单): a bill on its way from a payload into the database, unaudited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, partial
from typing import Any

from sqlalchemy import Connection, Row, func, select

from api.kit import ahead, attachments, blocks, business_log, links, numbering, packs, source_shares
from api.kit.context import Context
from api.kit.document import Bill, Block, Part
from api.kit.errors import Edited, NotFound, Refusal, Unread
from api.kit.flow import STATUSES, UNAUDITED
from api.kit.goods_bills import GoodsBill, GoodsLine, QuantityBill, QuantityLine
from api.kit.pricing import Priced, price_line
from api.kit.projection import MASK, in_yuan
from api.kit.records import refusing_duplicates, refusing_references
from api.kit.scope import Principal, within
from api.kit.typed import seen
from api.kit.validation import Problems, as_key, check_days, check_references, clean

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


def add(ctx: Context, cls: type[Bill], payload: Mapping[str, Any]) -> dict[str, Any]:
    """Save a new bill; answers its id and number."""
    draft = prepare(ctx, cls, payload)
    days = ahead.ask_about_days(ctx, cls, draft.header)
    ctx.settle_questions()
    assert cls.bill is not None
    number = numbering.draw(
        ctx.conn, cls.bill.prefix, draft.header["company_id"], draft.header["business_date"]
    )
    key = insert(ctx.conn, cls, draft, number, ctx.principal)
    cls.arrange(ctx, key, UNAUDITED)
    _log(ctx, cls, key, number, "add", draft)
    ahead.log_days(ctx, cls, key, number, draft.header["company_id"], days)
    return {"id": key, "bill_no": number}


def edit(ctx: Context, cls: type[Bill], key: int, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Replace an unaudited bill's content, unless somebody else saved or moved it meanwhile."""
    stored = locked(ctx, cls, key)
    if stored.status != UNAUDITED:
        raise Refusal(f"单据{STATUSES[stored.status]}，不能修改")
    if not payload.get("revision"):
        raise Unread()
    if str(payload["revision"]) != str(stored.revision):
        raise Edited()
    draft = prepare(ctx, cls, payload, before=stored)
    days = ahead.ask_about_days(ctx, cls, {**stored._mapping, **draft.header}, key)
    ctx.settle_questions()
    with refusing_duplicates(cls), refusing_references("修改"):
        values = {**draft.header, "revision": stored.revision + 1}
        ctx.conn.execute(cls.table().update().where(cls.key() == key).values(values))
        for block in _blocks(cls):
            blocks.replace(ctx.conn, block, key, draft.children[block.name])
    cls.arrange(ctx, key, UNAUDITED)
    before = {name: getattr(stored, name) for name in draft.header}
    draft.header.setdefault("company_id", stored.company_id)
    _log(ctx, cls, key, stored.bill_no, "edit", draft, before=before)
    ahead.log_days(ctx, cls, key, stored.bill_no, draft.header["company_id"], days)
    return {"id": key, "bill_no": stored.bill_no}


def delete(ctx: Context, cls: type[Bill], key: int) -> str:
    """Delete an unaudited bill; its number is never used again. Answers that number."""
    stored = locked(ctx, cls, key)
    if stored.status != UNAUDITED:
        raise Refusal(f"单据{STATUSES[stored.status]}，不能删除")
    cls.arrange(ctx, key, None)
    with refusing_references("删除"):
        ctx.conn.execute(cls.table().delete().where(cls.key() == key))
    no: str = stored.bill_no
    company = stored.company_id
    business_log.write(ctx.conn, ctx.principal, cls.name(), key, "del", bill_no=no, company_id=company)
    return no


def locked(ctx: Context, cls: type[Bill], key: int) -> Row[Any]:
    """The bill's header, locked; refused outside the principal's scope."""
    mine = (cls.key() == key) & within(cls.table(), ctx.principal)
    row = ctx.conn.execute(select(cls.table()).where(mine).with_for_update()).first()
    if row is None:
        raise NotFound(cls.declaration.label)
    return row


def prepare(
    ctx: Context, cls: type[Bill], payload: Mapping[str, Any], before: Row[Any] | None = None
) -> Draft:
    """Check a payload whole, price it and total it; every mistake is told at once."""
    problems, screen = Problems(), cls.name()
    draft = Draft(clean(cls, payload, ctx.principal, screen, problems, partial=before is not None))
    tell_typed(cls, draft.header, payload, before)
    known: dict[str, Any] = {**(before._asdict() if before is not None else {}), **draft.header}
    places: list[tuple[Block, list[str]]] = []
    for block in _blocks(cls):
        told = any(item.writable for item in block.cls.fields())
        if told and before is not None and block.name not in payload:
            problems.add(f"修改单据时请一并提交{block.label}")
        owner = before.bill_id if before is not None else None
        sent = packs.filled(ctx.conn, block.cls, payload.get(block.name))
        with problems.of(blocks.named(cls, block)):
            rows, labels = blocks.taken(ctx, block, sent, problems, owner)
        draft.children[block.name] = rows
        places.append((block, labels))
    problems.settle()
    check_days(cls, known, problems)
    _in_scope(known, ctx.principal, problems)
    named = cache(partial(_named, ctx, cls, before))
    begins = partial(_begins, cls, draft, before, named)
    check_references(ctx.conn, cls, [known], ctx.principal, problems, [""], begins)
    held = before._asdict() if before is not None else {}
    attachments.check(ctx.conn, cls, known, held, ctx.principal, problems)
    for block, labels in places:
        merged = [{**known, **row} for row in draft.children[block.name]]
        with problems.of(blocks.named(cls, block)):
            check_references(ctx.conn, block.cls, merged, ctx.principal, problems, labels, begins)
    if cls.bill and cls.bill.links:
        links.check(ctx, cls.bill.links, known, draft.children["lines"], problems, named)
    for block in _blocks(cls):
        with problems.of(blocks.named(cls, block)):
            packs.check(ctx, block.cls, draft.children[block.name], problems)
    settle(cls, draft, problems)
    problems.settle()
    price(cls, draft, problems, ctx.principal)
    if source_shares.lines_of(cls) is not None:
        _share_sources(ctx, cls, draft, payload, before, problems)
    problems.settle()
    total(cls, draft)
    whole = {**known, **draft.header}
    cls.inspect(ctx, whole, draft.children, problems)
    problems.settle()
    stored = before._mapping if before is not None else {}
    draft.header = {
        name: value for name, value in whole.items() if name not in stored or value != stored[name]
    }
    return draft


def tell_typed(
    cls: type[Bill], header: dict[str, Any], payload: Mapping[str, Any], before: Row[Any] | None
) -> None:
    """Empty what was computed and not typed, so that it is computed again from what the bill now says.

    A value that is sent counts as typed, unless it is sent along that it wasn't; what isn't sent stays what it was.
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


def _begins(
    cls: type[Bill],
    draft: Draft,
    before: Row[Any] | None,
    named: Callable[[str], frozenset[Any]],
    row: Mapping[str, Any],
    name: str,
) -> bool:
    """Whether a bill begins to trade with what its header or a line names: neither its source nor itself did before."""
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


def _named(ctx: Context, cls: type[Bill], before: Row[Any] | None, name: str) -> frozenset[Any]:
    """What a stored bill's lines name."""
    assert cls.bill is not None
    if before is None:
        return frozenset()
    table = cls.bill.blocks[0].cls.table()
    query = select(table.c[name]).where(table.c.bill_id == before.bill_id)
    return frozenset(ctx.conn.execute(query).scalars())


def _in_scope(header: Mapping[str, Any], principal: Principal, problems: Problems) -> None:
    mine = principal.department_id
    if principal.own == "department" and (mine is None or header.get("department_id") != mine):
        problems.add("只能录入本部门的单据")


def _blocks(cls: type[Bill]) -> tuple[Block, ...]:
    assert cls.bill is not None
    return cls.bill.blocks


def settle(cls: type[Bill], draft: Draft, problems: Problems) -> None:
    """Have each block's class bring its rows into form."""
    for block in _blocks(cls):
        with problems.of(blocks.named(cls, block)):
            block.cls.settle(draft.children[block.name], problems)


def price(cls: type[Bill], draft: Draft, problems: Problems, principal: Principal | None = None) -> None:
    """Price goods lines to spec/3-rules.md 9; gifts cost nothing, and no discount is larger than its line.

    Lines that are drawn in a form, where a `principal` sits, are checked once they have what is their sources'.
    """
    zero = Decimal(0)
    for block in _blocks(cls):
        for row in draft.children[block.name] if issubclass(block.cls, GoodsLine) else ():
            if source_shares.takes_discount(row):
                row[source_shares.FOLLOWS] = True
            if row.get("is_gift"):
                row["price"] = row["discount_amount"] = zero
            unit, discount, tax_rate = (
                row.get(name) or zero for name in ("price", "discount_amount", "tax_rate")
            )
            priced = price_line(row["quantity"], unit, discount, tax_rate)
            row.update(price=unit, discount_amount=discount, tax_rate=tax_rate)
            if principal is None or not _is_drawn(cls, row):
                _refuse_priced(block.cls, principal, problems, row, priced)
            row.update(amount=priced.total, tax_amount=priced.tax, no_tax_amount=priced.no_tax)


def _refuse_priced(
    cls: type[Part],
    principal: Principal | None,
    problems: Problems,
    row: Mapping[str, Any],
    priced: Priced,
) -> None:
    """Tell of a line whose amount is too large, or smaller than its discount, in figures that its maker may see."""
    problems.place, discount = f"第{row.get('line_no', '')}行", row["discount_amount"]
    if priced.over_cap:
        problems.add("“金额”数值不能超过一亿")
    elif discount > priced.amount:
        much, most = (
            in_yuan(value, principal, (cls, name)) if principal else ""
            for name, value in (("discount_amount", discount), ("amount", priced.amount))
        )
        problems.add(f"优惠金额{much}大于金额{most}，请核对")
    problems.place = ""


def _is_drawn(cls: type[Bill], row: Mapping[str, Any]) -> bool:
    return source_shares.lines_of(cls) is not None and source_shares.sharing_link(cls, row) is not None


def _share_sources(
    ctx: Context,
    cls: type[Bill],
    draft: Draft,
    payload: Mapping[str, Any],
    before: Row[Any] | None,
    problems: Problems,
) -> None:
    """Have drawn lines take over what falls to them of their sources, but for what they tell of their own."""
    rows, block = draft.children["lines"], _blocks(cls)[0]
    sources = source_shares.sources_of(ctx.conn, cls, rows)
    if not sources:
        source_shares.share_money(cls, rows, sources, {})
        return
    sent = payload.get("lines") or []
    open_ = {name for name in source_shares.TOLD if _writes(ctx.principal, block.cls, name)}
    kept = frozenset(source_shares.TOLD) - open_
    own = _own_lines(ctx, block, before) if kept and before is not None else frozenset()
    told = {}
    for row in rows:
        line = sent[row["line_no"] - 1]
        stays = kept if as_key(line.get("line_id")) in own else frozenset()
        told[row["line_no"]] = _told_money(line, open_) | stays
    refuse = partial(_refuse_priced, block.cls, ctx.principal, problems)
    source_shares.share_money(cls, rows, sources, told, refuse)


def _writes(principal: Principal, cls: type[Part], name: str) -> bool:
    item = cls.field(name)
    return item.writable and principal.sees(cls.name(), name, item.permission)


def _own_lines(ctx: Context, block: Block, before: Row[Any]) -> frozenset[int]:
    """The stored lines that have not just what falls to them of their sources: what is hidden of them stays."""
    stored = blocks.stored(ctx.conn, block, before.bill_id)
    return frozenset(row["line_id"] for row in stored if not source_shares.has_followed(row))


def _told_money(sent: Mapping[str, Any], open_: Iterable[str]) -> frozenset[str]:
    """What of its money a line tells by itself: neither what was left out, nor its discount and price as proposed."""
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
    return (seen(sent) if isinstance(sent, str) else sent) not in (None, "", MASK)


def total(cls: type[Bill], draft: Draft) -> None:
    """Total priced lines in the header."""
    for block in _blocks(cls):
        rows = draft.children[block.name]
        if issubclass(cls, QuantityBill) and issubclass(block.cls, QuantityLine):
            draft.header.update(
                {name: sum((row[of] for row in rows), Decimal(0)) for name, of in _totals(cls)}
            )


def _totals(cls: type[Bill]) -> tuple[tuple[str, str], ...]:
    return tuple((name, of) for name, of in TOTALS if name in cls.table().c)


def totals_in(cls: type[Bill], header: Row[Any]) -> dict[str, Any]:
    """The totals that a stored header has."""
    return {name: getattr(header, name) for name, _ in _totals(cls)}


def total_again(conn: Connection, cls: type[Bill], keys: Iterable[int]) -> dict[int, Row[Any]]:
    """Total stored bills whose lines have changed; answers their headers by id."""
    wanted = sorted(keys)
    if not wanted:
        return {}
    assert cls.bill is not None
    table, lines = cls.table(), cls.bill.blocks[0].cls.table()
    sums = (
        select(lines.c.bill_id, *(func.sum(lines.c[of]).label(name) for name, of in _totals(cls)))
        .where(lines.c.bill_id.in_(wanted))
        .group_by(lines.c.bill_id)
        .subquery()
    )
    statement = (
        table.update()
        .where(table.c.bill_id == sums.c.bill_id)
        .values({name: sums.c[name] for name, _ in _totals(cls)})
        .returning(*table.columns)
    )
    return {row.bill_id: row for row in conn.execute(statement)}


def insert(conn: Connection, cls: type[Bill], draft: Draft, bill_no: str, principal: Principal) -> int:
    """Write a draft; answers the bill's id."""
    table = cls.table()
    values = {**draft.header, "bill_no": bill_no, "maker_id": principal.user_id}
    with refusing_duplicates(cls):
        key: int = conn.execute(table.insert().values(values).returning(table.c.bill_id)).scalar_one()
        for block in _blocks(cls):
            blocks.insert(conn, block, key, draft.children[block.name])
    return key


def _log(
    ctx: Context, cls: type[Bill], key: int, number: str, action: str, draft: Draft, before: Any = None
) -> None:
    after = {**draft.header, **{name: len(rows) for name, rows in draft.children.items()}}
    company = draft.header.get("company_id") or (before or {}).get("company_id")
    business_log.write(
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
