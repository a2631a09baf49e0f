"""Source proration (来源分摊): the money that a line takes over from the line that it executes.

A line whose price and discount are its source's gets its part of the source's amount, discount and tax, so
that the parts sum to it; one with its own values keeps them to the cent, and has the rest of its source.
Either way the line stores its part of the source, which later parts count as given. The audit prorates
once more, under the source's lock: drafts don't count each other. A `capped` source (what returns come
back from) is not exceeded without the right `beyondSource`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from sqlalchemy import Connection, select

from api.kit.bills import amount_proration
from api.kit.bills.pricing import PricedLine, price_line
from api.kit.bills.proration import (
    ZERO,
    MoneyPart,
    SourceMoney,
    TakenParts,
    bound_part,
    prorate_amount,
    take_part,
)
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, SourceLink
from api.kit.declaration.flow import CLOSED, POSTED_SQL
from api.kit.declaration.goods_bills import DrawnLine, GoodsLine
from api.kit.declaration.resource import BEYOND_SOURCE
from api.kit.errors import ConfirmationRequired, Refusal
from api.kit.storage import business_log
from api.kit.storage.projection import format_yuan

Line = dict[str, Any]
SOURCE_FIELDS = ("source_amount", "source_discount", "source_tax")
ENTERED_FIELDS = ("price", "discount_amount", "tax_rate", "is_gift")
"""Money fields that a line may enter itself."""
MONEY_FIELDS = (*ENTERED_FIELDS, "amount", "tax_amount", "no_tax_amount")
BOUNDED = "bounded"
"""Set on a line that follows its source, of which less was left than falls to it."""
FOLLOWS = "follows_source"
"""Set on a line in memory that was given no discount of its own."""
_SOURCE = ("line_id", "quantity", "price", "tax_rate", "is_gift", "amount", "discount_amount", "tax_amount")
_TAKEN = """
select x.{column} as line_id, {quantity} as quantity,
    round(x.source_amount * {quantity} / x.quantity, 2) as amount,
    round(x.source_discount * {quantity} / x.quantity, 2) as discount,
    round(x.source_tax * {quantity} / x.quantity, 2) as tax,
    round(x.amount * {quantity} / x.quantity, 2) as own_amount,
    round(x.tax_amount * {quantity} / x.quantity, 2) as own_tax
from {lines} x join {bills} h using (bill_id)
where x.{column} is not null and h.status in {posted} and x.source_amount is not null {named} {apart}
"""
# What a return gives back of its delivery's part of the order, to be taken again: just what it took over where the
# delivery followed the order, else so much of that part as comes back.
_REOPENED = """
select x.{column} as line_id, -x.quantity as quantity,
    -case when s.follows then x.source_amount else round(d.source_amount * x.quantity / d.quantity, 2) end as amount,
    -case when s.follows then x.source_discount else round(d.source_discount * x.quantity / d.quantity, 2) end
        as discount,
    -case when s.follows then x.source_tax else round(d.source_tax * x.quantity / d.quantity, 2) end as tax,
    -x.amount as own_amount, -x.tax_amount as own_tax
from {lines} x join {bills} h using (bill_id)
join {delivered} d on d.line_id = x.{origin}
cross join lateral (
    select (d.amount, d.discount_amount, d.tax_amount) = (d.source_amount, d.source_discount, d.source_tax)
        and x.source_amount is not null as follows
) s
where x.{column} is not null and h.status in {posted} and d.source_amount is not null {named}
"""
_EXECUTED = (
    f"case when coalesce(h.locked_from, h.status) = {CLOSED} then x.executed_quantity else x.quantity end"
)


@dataclass(slots=True)
class SharedSource:
    """A source line, the parts taken of it so far, and the own amounts of the lines that took them."""

    line: Any
    taken: TakenParts
    own_amount: Decimal = ZERO
    own_tax: Decimal = ZERO

    @property
    def money(self) -> SourceMoney:
        line = self.line
        return SourceMoney(line.quantity, line.amount, line.discount_amount, line.tax_amount)

    def take(self, quantity: Decimal) -> MoneyPart:
        """Take the part of `quantity` more, and count it."""
        part = take_part(self.money, self.taken, quantity)
        self.taken.add(quantity, part)
        return part

    def bound_to_rest(self, part: MoneyPart) -> MoneyPart:
        """Limit the part that was taken last to what is left for it."""
        own = TakenParts(amount=self.own_amount, tax_amount=self.own_tax)
        return bound_part(self.money, own, part, self.limit())

    def limit(self) -> Decimal:
        """Return what is left for the part that was taken last, of what is due up to it."""
        due = prorate_amount(self.line.amount, ZERO, self.taken.quantity, self.line.quantity)
        return max(due - self.own_amount, ZERO)

    def add_line(self, line: Line) -> None:
        """Count the own amounts of a line that took a part."""
        self.own_amount += line["amount"]
        self.own_tax += line["tax_amount"]

    def describe(self) -> dict[str, Any]:
        """Return the figures by which the browser prorates the line."""
        line, taken = self.line, self.taken
        source_values = {name: getattr(line, name) for name in _SOURCE if name != "line_id"}
        return {
            **source_values,
            "taken_quantity": taken.quantity,
            "taken_amount": taken.amount,
            "taken_discount": taken.discount_amount,
            "taken_tax": taken.tax_amount,
            "own_amount": self.own_amount,
            "own_tax": self.own_tax,
        }


Sources = dict[SourceLink, dict[int, SharedSource]]


@dataclass(slots=True)
class ExecutingBill:
    """A bill on its way through its audit, with its lines as values that may be changed."""

    header: Any
    lines: list[Line]


def find_sharing_class(cls: type[Bill]) -> type[DrawnLine] | None:
    """Return the class of a bill's lines, where they take money over from others."""
    first = cls.bill.blocks[0].cls if cls.bill and cls.bill.blocks else None
    return first if first is not None and issubclass(first, DrawnLine) else None


def is_sharing_link(link: SourceLink) -> bool:
    """Return whether lines take over the money of a link's source."""
    return link.shares and link.measure == "quantity" and issubclass(link.lines, GoodsLine)


def leaves_discount_to_source(line: Mapping[str, Any]) -> bool:
    """Return whether a line made in bulk leaves its discount to its source."""
    return "discount_amount" not in line


def find_sharing_link(cls: type[Bill], line: Mapping[str, Any]) -> SourceLink | None:
    """Find the link whose source's money a line takes over: the last that it names."""
    links = reversed(cls.bill.links if cls.bill else ())
    return next((link for link in links if is_sharing_link(link) and line.get(link.column)), None)


@cache
def _list_takers(link: SourceLink) -> tuple[tuple[type[Bill], SourceLink], ...]:
    """List all types and links whose lines are taken out of the same rest, or given back to it."""
    return tuple(
        (cls, other)
        for cls in registry.list_resources()
        if issubclass(cls, Bill) and find_sharing_class(cls)
        for other in (cls.bill.links if cls.bill else ())
        if (is_sharing_link(other) or other.reopens)
        and (other.lines, other.money_pool) == (link.lines, link.money_pool)
    )


def read_sources(
    conn: Connection, link: SourceLink, keys: Iterable[int], but: Sequence[int] = ()
) -> dict[int, SharedSource]:
    """Read source lines by id, with what posted bills took.

    Bills `but` of the link's own type don't count.
    """
    wanted = sorted(set(keys))
    if not wanted:
        return {}
    table = link.lines.table()
    query = select(*(table.c[name] for name in _SOURCE)).where(table.c.line_id.in_(wanted))
    found = {row.line_id: SharedSource(row, TakenParts()) for row in conn.execute(query)}
    named = "and x.{column} = any(%(keys)s::bigint[]) {others}"
    sums = taken_money_sql(link, named, "and not h.bill_id = any(%(but)s::bigint[])")
    for row in conn.exec_driver_sql(sums, {"keys": wanted, "but": list(but)}):
        found[row.line_id].taken = TakenParts(row.quantity, row.amount, row.discount, row.tax)
        found[row.line_id].own_amount, found[row.line_id].own_tax = row.own_amount, row.own_tax
    return found


def taken_money_sql(link: SourceLink, named: str = "", others: str = "") -> str:
    """Build SQL of what posted bills took of source lines: line_id, quantity, amount, discount, tax."""
    parts = " union all ".join(
        _taken_by_link_sql(
            cls, other, named.format(column=other.column, others=others if other == link else "")
        )
        for cls, other in _list_takers(link)
    )
    return f"""
        select t.line_id, sum(t.quantity) as quantity, sum(t.amount) as amount, sum(t.discount) as discount,
            sum(t.tax) as tax, sum(t.own_amount) as own_amount, sum(t.own_tax) as own_tax
        from ({parts}) t group by t.line_id
    """


def _taken_by_link_sql(cls: type[Bill], link: SourceLink, named: str) -> str:
    lines = find_sharing_class(cls)
    assert lines is not None and cls.bill is not None
    if link.reopens:
        origin = cls.bill.links[0]
        return _REOPENED.format(
            column=link.column,
            lines=lines.name(),
            bills=cls.name(),
            delivered=origin.lines.name(),
            origin=origin.column,
            posted=POSTED_SQL,
            named=named,
        )
    return _TAKEN.format(
        column=link.column,
        lines=lines.name(),
        bills=cls.name(),
        posted=POSTED_SQL,
        quantity=_EXECUTED if link.gives_back else "x.quantity",
        named=named,
        apart=f"and x.{link.superseded_by} is null" if link.superseded_by else "",
    )


def read_bill_sources(
    conn: Connection, cls: type[Bill], lines: Iterable[Mapping[str, Any]], but: Sequence[int] = ()
) -> Sources:
    """Read the sources whose money lines take over, by link and line."""
    if find_sharing_class(cls) is None:
        return {}
    wanted: dict[SourceLink, set[int]] = {}
    for line in lines:
        link = find_sharing_link(cls, line)
        if link is not None:
            wanted.setdefault(link, set()).add(line[link.column])
    return {link: read_sources(conn, link, keys, but) for link, keys in wanted.items()}


def prorate_money(
    cls: type[Bill],
    lines: Iterable[Line],
    sources: Sources,
    entered: Mapping[int, frozenset[str]],
    refuse: Callable[[Line, PricedLine], None] | None = None,
) -> dict[int, Decimal]:
    """Prorate the money of sources to priced lines.

    `entered` are the fields that were filled in, by line number. Price, discount, tax rate and gift that a
    line doesn't enter are its source's. While a bill is drafted a line that leaves price and discount to
    its source takes no more than is left of it, nor does it once it was bounded so; `refuse` is called
    with the price of others. Returns the most that lines of a capped source may come to, by line number.
    """
    limits: dict[int, Decimal] = {}
    for line in lines:
        link = find_sharing_link(cls, line)
        source = sources.get(link, {}).get(line[link.column]) if link else None
        if link is None or source is None:
            if find_sharing_class(cls) is not None:
                line.update(dict.fromkeys(SOURCE_FIELDS) | {BOUNDED: False})
            continue
        part, own = source.take(line["quantity"]), entered.get(line["line_no"], frozenset(ENTERED_FIELDS))
        follows, within = _fill_from_source(line, link, source.line, part, own), part
        if follows:
            if (refuse or line.get(BOUNDED)) and link.capped and own.isdisjoint(("price", "discount_amount")):
                within = source.bound_to_rest(part)
            _copy_source_money(line, source.line, within)
        elif refuse or link.capped or line.get(FOLLOWS):
            priced = _price_alone(line, source.line.tax_rate if link.capped else line["tax_rate"])
            if refuse:
                refuse(line, priced)
        line.update(zip(SOURCE_FIELDS, (part.amount, part.discount_amount, part.tax_amount), strict=True))
        line[BOUNDED] = within != part
        if link.capped:
            limits[line["line_no"]] = source.limit()
            _cap_tax(line, source)
            source.add_line(line)
    return limits


def _cap_tax(line: Line, source: SharedSource) -> None:
    """Limit the tax of a line within its limit to what is left of its source's."""
    left = max(source.line.tax_amount - source.own_tax, ZERO)
    if line["amount"] <= source.limit() and line["tax_amount"] > left:
        line.update(tax_amount=left, no_tax_amount=line["amount"] - left)


def _fill_from_source(
    line: Line, link: SourceLink, source: Any, part: MoneyPart, entered: frozenset[str]
) -> bool:
    """Fill the fields that a line doesn't enter from its source; return whether it then equals its source.

    A return has the tax rate of its sale. A line with a price of its own is no gift.
    """
    due = {
        "is_gift": source.is_gift,
        "price": source.price,
        "discount_amount": part.discount_amount,
        "tax_rate": source.tax_rate,
    }
    if link.capped:
        entered -= {"tax_rate"}
    if "price" in entered and line["price"] != source.price:
        entered |= {"is_gift"}
    line.update({name: value for name, value in due.items() if name not in entered})
    line["is_gift"] = bool(line.get("is_gift"))
    if line["is_gift"]:
        line["price"] = line["discount_amount"] = ZERO
    return all((line[name] or ZERO) == value for name, value in due.items())


def follow_source(line: Line, source: SharedSource) -> None:
    """Take a line's part of a source, at the source's price."""
    _copy_source_money(line, source.line, source.take(Decimal(line["quantity"])))


def _copy_source_money(line: Line, source: Any, part: MoneyPart) -> None:
    line.update(
        price=source.price,
        discount_amount=part.discount_amount,
        tax_rate=source.tax_rate,
        is_gift=source.is_gift,
        amount=part.amount,
        tax_amount=part.tax_amount,
        no_tax_amount=part.amount - part.tax_amount,
    )


def _price_alone(line: Line, rate: Decimal) -> PricedLine:
    """Price a line on its own, at a tax rate."""
    priced = price_line(line["quantity"], line["price"], line["discount_amount"] or ZERO, rate)
    line.update(amount=priced.total, tax_rate=rate, tax_amount=priced.tax, no_tax_amount=priced.no_tax)
    return priced


def update_source_shares(ctx: Context, cls: type[Bill], bills: Sequence[ExecutingBill]) -> list[int]:
    """Prorate bills anew under the locks of their sources; return the ids of changed bills.

    Raises: `Refusal` where a line exceeds a capped source and the principal has no right to it; asks who has.
    """
    if amount_proration.has_amount_links(cls):
        return amount_proration.update_amount_shares(
            ctx.conn, cls, [(bill.header.bill_id, bill.lines) for bill in bills]
        )
    lines_class = find_sharing_class(cls)
    drawn = [bill for bill in bills if any(find_sharing_link(cls, line) for line in bill.lines)]
    if lines_class is None or not drawn:
        return []
    every = [line for bill in drawn for line in bill.lines]
    sources = read_bill_sources(ctx.conn, cls, every, [bill.header.bill_id for bill in drawn])
    before = {line["line_id"]: _money_values(line) for line in every}
    limits = [
        prorate_money(
            cls, bill.lines, sources, {line["line_no"]: _entered_fields(line) for line in bill.lines}
        )
        for bill in drawn
    ]
    changed = [
        line for line in every if _money_values(line) != before[line["line_id"]] or line.get("beyond_source")
    ]
    _write_lines(ctx.conn, lines_class, changed)
    for bill, most in zip(drawn, limits, strict=True):
        _require_within_limit(ctx, cls, bill, most)
    touched = {line["line_id"] for line in changed}
    return [bill.header.bill_id for bill in drawn if any(line["line_id"] in touched for line in bill.lines)]


def _entered_fields(line: Line) -> frozenset[str]:
    """Return the fields that a stored line entered itself: none where it followed its source when saved."""
    if has_followed_source(line):
        return frozenset()
    return frozenset(ENTERED_FIELDS) - {"discount_amount"} if line.get(FOLLOWS) else frozenset(ENTERED_FIELDS)


def has_followed_source(line: Mapping[str, Any]) -> bool:
    """Return whether a stored line has just its prorated part, or what was left of it."""
    if line.get(BOUNDED):
        return True
    saved = (line["amount"], line["discount_amount"], line["tax_amount"])
    return line.get("source_amount") is not None and saved == tuple(line[name] for name in SOURCE_FIELDS)


def _money_values(line: Line) -> tuple[Any, ...]:
    return (*(line.get(name) for name in (*MONEY_FIELDS, *SOURCE_FIELDS)), bool(line.get(BOUNDED)))


_WRITTEN = (*MONEY_FIELDS, *SOURCE_FIELDS, "beyond_source", BOUNDED)
_TYPES = {"is_gift": "boolean", "beyond_source": "boolean", BOUNDED: "boolean"}


def _write_lines(conn: Connection, lines: type[DrawnLine], changed: Sequence[Line]) -> None:
    if not changed:
        return
    taken = ", ".join(f"%({name})s::{_TYPES.get(name, 'numeric')}[]" for name in _WRITTEN)
    conn.exec_driver_sql(
        f"update {lines.name()} l set {', '.join(f'{name} = n.{name}' for name in _WRITTEN)}"
        f" from unnest(%(line_id)s::bigint[], {taken}) as n (line_id, {', '.join(_WRITTEN)})"
        " where l.line_id = n.line_id",
        {name: [line.get(name) for line in changed] for name in ("line_id", *_WRITTEN)}
        | {
            "beyond_source": [False for _ in changed],
            **{name: [bool(line.get(name)) for line in changed] for name in ("is_gift", BOUNDED)},
        },
    )


def _describe_sources(conn: Connection, cls: type[Bill], lines: Iterable[Line]) -> dict[int, str]:
    """Describe the bills whose money lines take over, by line number."""
    drawn: dict[SourceLink, dict[int, int]] = {}
    for line in lines:
        link = find_sharing_link(cls, line)
        assert link is not None
        drawn.setdefault(link, {})[line["line_no"]] = line[link.column]
    found: dict[int, str] = {}
    for link, keys in drawn.items():
        source, rows = registry.get_resource(link.bill), link.lines.table()
        bills = source.table()
        query = (
            select(rows.c.line_id, bills.c.bill_no)
            .join_from(bills, rows, rows.c.bill_id == bills.c.bill_id)
            .where(rows.c.line_id.in_(sorted(keys.values())))
        )
        numbers = {row.line_id: row.bill_no for row in conn.execute(query)}
        found |= {place: f"{source.declaration.label}{numbers[key]}" for place, key in keys.items()}
    return found


def _require_within_limit(
    ctx: Context, cls: type[Bill], bill: ExecutingBill, limits: Mapping[int, Decimal]
) -> None:
    """Refuse lines beyond what is left for them of a capped source, or ask whoever may let them pass."""
    beyond = [line for line in bill.lines if line["amount"] > limits.get(line["line_no"], line["amount"])]
    if not beyond:
        return
    names = _describe_sources(ctx.conn, cls, beyond)
    causes = "；".join(
        _describe_excess(ctx, cls, line, names[line["line_no"]], limits[line["line_no"]]) for line in beyond
    )
    if not ctx.principal.has_right(cls.right(BEYOND_SOURCE)):
        ctx.raise_refusals([Refusal(causes, override_right=cls.right(BEYOND_SOURCE))])
        return
    ctx.ask_confirmation(ConfirmationRequired(f"{causes}，是否继续？"))
    lines = find_sharing_class(cls)
    assert lines is not None
    table, keys = lines.table(), [line["line_id"] for line in beyond]
    ctx.conn.execute(table.update().where(table.c.line_id.in_(keys)).values(beyond_source=True))
    header = bill.header
    business_log.log_confirmation(
        ctx.conn,
        ctx.principal,
        cls.name(),
        header.bill_id,
        causes,
        bill_no=header.bill_no,
        company_id=header.company_id,
    )


def _describe_excess(ctx: Context, cls: type[Bill], line: Line, source: str, limit: Decimal) -> str:
    """Describe a line's amount and what is left of its source, in figures that the principal sees."""
    lines, link = find_sharing_class(cls), find_sharing_link(cls, line)
    assert lines is not None and link is not None
    amount = format_yuan(line["amount"], ctx.principal, (lines, "amount"))
    left = format_yuan(limit, ctx.principal, (link.lines, "amount"))
    return f"第{line['line_no']}行金额{amount}超过{source}可退的金额{left}"
