"""Source shares (来源分摊): the money that a line takes over from the line of another bill that it executes.

A line whose price and discount are its source's gets its part of the source's amount, discount and tax, so that the
parts sum to it; one of its own keeps to the cent what it tells, and has the rest of its source. Either way the line
remembers what of its source falls to it, which is what later parts count as given. The audit shares once more, under
the source's lock: drafts don't count each other. A `capped` source (what returns come back from) is not exceeded
without the right `beyondSource`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from sqlalchemy import Connection, select

from api.kit import amount_shares, business_log, registry
from api.kit.context import Context
from api.kit.document import Bill, Link
from api.kit.errors import Refusal, StockWarningAsk
from api.kit.flow import CLOSED, POSTED_SQL
from api.kit.goods_bills import DrawnLine, GoodsLine
from api.kit.pricing import Priced, price_line
from api.kit.projection import in_yuan
from api.kit.proration import ZERO, MoneyPart, SourceMoney, TakenParts, bound_part, prorate, take_part
from api.kit.resource import BEYOND_SOURCE

Line = dict[str, Any]
SHARED = ("source_amount", "source_discount", "source_tax")
TOLD = ("price", "discount_amount", "tax_rate", "is_gift")
"""What of its money a line may tell by itself."""
MONEY = (*TOLD, "amount", "tax_amount", "no_tax_amount")
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
    """A source line, what of it was given away so far, and what those who took it came to themselves."""

    line: Any
    taken: TakenParts
    own_amount: Decimal = ZERO
    own_tax: Decimal = ZERO

    @property
    def money(self) -> SourceMoney:
        line = self.line
        return SourceMoney(line.quantity, line.amount, line.discount_amount, line.tax_amount)

    def take(self, quantity: Decimal) -> MoneyPart:
        """The part of `quantity` more, which counts from now on."""
        part = take_part(self.money, self.taken, quantity)
        self.taken.add(quantity, part)
        return part

    def within_rest(self, part: MoneyPart) -> MoneyPart:
        """The part that was taken last, within what is left for it."""
        own = TakenParts(amount=self.own_amount, tax_amount=self.own_tax)
        return bound_part(self.money, own, part, self.limit())

    def limit(self) -> Decimal:
        """What is left for the part that was taken last, of what is due up to it."""
        due = prorate(self.line.amount, ZERO, self.taken.quantity, self.line.quantity)
        return max(due - self.own_amount, ZERO)

    def count(self, line: Line) -> None:
        """Count what a line that took a part comes to itself."""
        self.own_amount += line["amount"]
        self.own_tax += line["tax_amount"]

    def described(self) -> dict[str, Any]:
        """What the browser needs to share the line alike."""
        line, taken = self.line, self.taken
        told = {name: getattr(line, name) for name in _SOURCE if name != "line_id"}
        return {
            **told,
            "taken_quantity": taken.quantity,
            "taken_amount": taken.amount,
            "taken_discount": taken.discount_amount,
            "taken_tax": taken.tax_amount,
            "own_amount": self.own_amount,
            "own_tax": self.own_tax,
        }


Sources = dict[Link, dict[int, SharedSource]]


@dataclass(slots=True)
class ExecutingBill:
    """A bill on its way through its audit, with its lines as values that may be changed."""

    header: Any
    lines: list[Line]


def lines_of(cls: type[Bill]) -> type[DrawnLine] | None:
    """The class of a bill's lines, where they take money over from others."""
    first = cls.bill.blocks[0].cls if cls.bill and cls.bill.blocks else None
    return first if first is not None and issubclass(first, DrawnLine) else None


def is_sharing(link: Link) -> bool:
    """Whether lines take over the money of a link's source."""
    return link.shares and link.measure == "quantity" and issubclass(link.lines, GoodsLine)


def takes_discount(line: Mapping[str, Any]) -> bool:
    """Whether a line made in bulk leaves its discount to its source."""
    return "discount_amount" not in line


def sharing_link(cls: type[Bill], line: Mapping[str, Any]) -> Link | None:
    """Whose money a line takes over: that of the last source that it names."""
    links = reversed(cls.bill.links if cls.bill else ())
    return next((link for link in links if is_sharing(link) and line.get(link.column)), None)


@cache
def _takers(link: Link) -> tuple[tuple[type[Bill], Link], ...]:
    """All by which lines of the same source are taken out of one rest, or given back to it."""
    return tuple(
        (cls, other)
        for cls in registry.declared()
        if issubclass(cls, Bill) and lines_of(cls)
        for other in (cls.bill.links if cls.bill else ())
        if (is_sharing(other) or other.reopens)
        and (other.lines, other.money_pool) == (link.lines, link.money_pool)
    )


def read_sources(
    conn: Connection, link: Link, keys: Iterable[int], but: Sequence[int] = ()
) -> dict[int, SharedSource]:
    """Source lines by id, with what posted bills took of them; bills `but` of the link's own type don't count."""
    wanted = sorted(set(keys))
    if not wanted:
        return {}
    table = link.lines.table()
    query = select(*(table.c[name] for name in _SOURCE)).where(table.c.line_id.in_(wanted))
    found = {row.line_id: SharedSource(row, TakenParts()) for row in conn.execute(query)}
    named = "and x.{column} = any(%(keys)s::bigint[]) {others}"
    sums = taken_sql(link, named, "and not h.bill_id = any(%(but)s::bigint[])")
    for row in conn.exec_driver_sql(sums, {"keys": wanted, "but": list(but)}):
        found[row.line_id].taken = TakenParts(row.quantity, row.amount, row.discount, row.tax)
        found[row.line_id].own_amount, found[row.line_id].own_tax = row.own_amount, row.own_tax
    return found


def taken_sql(link: Link, named: str = "", others: str = "") -> str:
    """Select what posted bills have taken of each source line: line_id, quantity, amount, discount, tax."""
    parts = " union all ".join(
        _taken_by(cls, other, named.format(column=other.column, others=others if other == link else ""))
        for cls, other in _takers(link)
    )
    return f"""
        select t.line_id, sum(t.quantity) as quantity, sum(t.amount) as amount, sum(t.discount) as discount,
            sum(t.tax) as tax, sum(t.own_amount) as own_amount, sum(t.own_tax) as own_tax
        from ({parts}) t group by t.line_id
    """


def _taken_by(cls: type[Bill], link: Link, named: str) -> str:
    lines = lines_of(cls)
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


def sources_of(
    conn: Connection, cls: type[Bill], lines: Iterable[Mapping[str, Any]], but: Sequence[int] = ()
) -> Sources:
    """The sources whose money lines take over, by link and line."""
    if lines_of(cls) is None:
        return {}
    wanted: dict[Link, set[int]] = {}
    for line in lines:
        link = sharing_link(cls, line)
        if link is not None:
            wanted.setdefault(link, set()).add(line[link.column])
    return {link: read_sources(conn, link, keys, but) for link, keys in wanted.items()}


def share_money(
    cls: type[Bill],
    lines: Iterable[Line],
    sources: Sources,
    told: Mapping[int, frozenset[str]],
    refuse: Callable[[Line, Priced], None] | None = None,
) -> dict[int, Decimal]:
    """Give priced lines their parts of their sources; `told` are the fields that were filled in, by line number.

    What of price, discount, tax rate and gift a line does not tell is its source's. While a bill is drafted a line that
    leaves price and discount to its source takes no more than is left of it, nor does it once it was bounded so;
    `refuse` hears how others are priced.
    Answers the most that lines of a capped source may come to, by line number.
    """
    limits: dict[int, Decimal] = {}
    for line in lines:
        link = sharing_link(cls, line)
        source = sources.get(link, {}).get(line[link.column]) if link else None
        if link is None or source is None:
            if lines_of(cls) is not None:
                line.update(dict.fromkeys(SHARED) | {BOUNDED: False})
            continue
        part, own = source.take(line["quantity"]), told.get(line["line_no"], frozenset(TOLD))
        follows, within = _fill(line, link, source.line, part, own), part
        if follows:
            if (refuse or line.get(BOUNDED)) and link.capped and own.isdisjoint(("price", "discount_amount")):
                within = source.within_rest(part)
            _follow(line, source.line, within)
        elif refuse or link.capped or line.get(FOLLOWS):
            priced = _price_apart(line, source.line.tax_rate if link.capped else line["tax_rate"])
            if refuse:
                refuse(line, priced)
        line.update(zip(SHARED, (part.amount, part.discount_amount, part.tax_amount), strict=True))
        line[BOUNDED] = within != part
        if link.capped:
            limits[line["line_no"]] = source.limit()
            _keep_tax(line, source)
            source.count(line)
    return limits


def _keep_tax(line: Line, source: SharedSource) -> None:
    """Have a line within its limit take no more tax than is left of its source's."""
    left = max(source.line.tax_amount - source.own_tax, ZERO)
    if line["amount"] <= source.limit() and line["tax_amount"] > left:
        line.update(tax_amount=left, no_tax_amount=line["amount"] - left)


def _fill(line: Line, link: Link, source: Any, part: MoneyPart, told: frozenset[str]) -> bool:
    """Fill in of a source what a line doesn't tell; whether it has all its source's then.

    What comes back does so at the rate of its sale. A price of one's own tells that the line is no gift.
    """
    due = {
        "is_gift": source.is_gift,
        "price": source.price,
        "discount_amount": part.discount_amount,
        "tax_rate": source.tax_rate,
    }
    if link.capped:
        told -= {"tax_rate"}
    if "price" in told and line["price"] != source.price:
        told |= {"is_gift"}
    line.update({name: value for name, value in due.items() if name not in told})
    line["is_gift"] = bool(line.get("is_gift"))
    if line["is_gift"]:
        line["price"] = line["discount_amount"] = ZERO
    return all((line[name] or ZERO) == value for name, value in due.items())


def follow_source(line: Line, source: SharedSource) -> None:
    """Have a line take its part of a source, at its price."""
    _follow(line, source.line, source.take(Decimal(line["quantity"])))


def _follow(line: Line, source: Any, part: MoneyPart) -> None:
    line.update(
        price=source.price,
        discount_amount=part.discount_amount,
        tax_rate=source.tax_rate,
        is_gift=source.is_gift,
        amount=part.amount,
        tax_amount=part.tax_amount,
        no_tax_amount=part.amount - part.tax_amount,
    )


def _price_apart(line: Line, rate: Decimal) -> Priced:
    """Price a line on its own, at a tax rate."""
    priced = price_line(line["quantity"], line["price"], line["discount_amount"] or ZERO, rate)
    line.update(amount=priced.total, tax_rate=rate, tax_amount=priced.tax, no_tax_amount=priced.no_tax)
    return priced


def apply_shares(ctx: Context, cls: type[Bill], bills: Sequence[ExecutingBill]) -> list[int]:
    """Share anew what bills take over, as it stands under the locks of their sources; answers the ids of those changed.

    Raises: `Refusal` where a line exceeds a capped source and the principal has no right to it; asks who has.
    """
    if amount_shares.takes_amounts(cls):
        return amount_shares.apply_shares(
            ctx.conn, cls, [(bill.header.bill_id, bill.lines) for bill in bills]
        )
    lines_class = lines_of(cls)
    drawn = [bill for bill in bills if any(sharing_link(cls, line) for line in bill.lines)]
    if lines_class is None or not drawn:
        return []
    every = [line for bill in drawn for line in bill.lines]
    sources = sources_of(ctx.conn, cls, every, [bill.header.bill_id for bill in drawn])
    before = {line["line_id"]: _money_of(line) for line in every}
    limits = [
        share_money(cls, bill.lines, sources, {line["line_no"]: _told_by(line) for line in bill.lines})
        for bill in drawn
    ]
    changed = [
        line for line in every if _money_of(line) != before[line["line_id"]] or line.get("beyond_source")
    ]
    _write(ctx.conn, lines_class, changed)
    for bill, most in zip(drawn, limits, strict=True):
        _refuse_beyond(ctx, cls, bill, most)
    touched = {line["line_id"] for line in changed}
    return [bill.header.bill_id for bill in drawn if any(line["line_id"] in touched for line in bill.lines)]


def _told_by(line: Line) -> frozenset[str]:
    """What a stored line has of its own: nothing where it followed its source when it was saved."""
    if has_followed(line):
        return frozenset()
    return frozenset(TOLD) - {"discount_amount"} if line.get(FOLLOWS) else frozenset(TOLD)


def has_followed(line: Mapping[str, Any]) -> bool:
    """Whether a stored line has just what falls to it of its source, or what was left of that."""
    if line.get(BOUNDED):
        return True
    saved = (line["amount"], line["discount_amount"], line["tax_amount"])
    return line.get("source_amount") is not None and saved == tuple(line[name] for name in SHARED)


def _money_of(line: Line) -> tuple[Any, ...]:
    return (*(line.get(name) for name in (*MONEY, *SHARED)), bool(line.get(BOUNDED)))


_WRITTEN = (*MONEY, *SHARED, "beyond_source", BOUNDED)
_TYPES = {"is_gift": "boolean", "beyond_source": "boolean", BOUNDED: "boolean"}


def _write(conn: Connection, lines: type[DrawnLine], changed: Sequence[Line]) -> None:
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


def _name_sources(conn: Connection, cls: type[Bill], lines: Iterable[Line]) -> dict[int, str]:
    """The bills whose money lines take over, in words, by line number."""
    drawn: dict[Link, dict[int, int]] = {}
    for line in lines:
        link = sharing_link(cls, line)
        assert link is not None
        drawn.setdefault(link, {})[line["line_no"]] = line[link.column]
    found: dict[int, str] = {}
    for link, keys in drawn.items():
        source, rows = registry.get(link.bill), link.lines.table()
        bills = source.table()
        query = (
            select(rows.c.line_id, bills.c.bill_no)
            .join_from(bills, rows, rows.c.bill_id == bills.c.bill_id)
            .where(rows.c.line_id.in_(sorted(keys.values())))
        )
        numbers = {row.line_id: row.bill_no for row in conn.execute(query)}
        found |= {place: f"{source.declaration.label}{numbers[key]}" for place, key in keys.items()}
    return found


def _refuse_beyond(ctx: Context, cls: type[Bill], bill: ExecutingBill, limits: Mapping[int, Decimal]) -> None:
    """Refuse lines that come to more than is left for them of a capped source, or ask whoever may let them pass."""
    beyond = [line for line in bill.lines if line["amount"] > limits.get(line["line_no"], line["amount"])]
    if not beyond:
        return
    names = _name_sources(ctx.conn, cls, beyond)
    told = "；".join(
        _tell_beyond(ctx, cls, line, names[line["line_no"]], limits[line["line_no"]]) for line in beyond
    )
    if not ctx.principal.may(cls.right(BEYOND_SOURCE)):
        ctx.refuse([Refusal(told, lifted_by=cls.right(BEYOND_SOURCE))])
        return
    ctx.ask(StockWarningAsk(f"{told}，是否继续？"))
    lines = lines_of(cls)
    assert lines is not None
    table, keys = lines.table(), [line["line_id"] for line in beyond]
    ctx.conn.execute(table.update().where(table.c.line_id.in_(keys)).values(beyond_source=True))
    header = bill.header
    business_log.write_confirmed(
        ctx.conn,
        ctx.principal,
        cls.name(),
        header.bill_id,
        told,
        bill_no=header.bill_no,
        company_id=header.company_id,
    )


def _tell_beyond(ctx: Context, cls: type[Bill], line: Line, source: str, limit: Decimal) -> str:
    """What a line comes to and what is left of its source, in figures as far as the principal sees them."""
    lines, link = lines_of(cls), sharing_link(cls, line)
    assert lines is not None and link is not None
    amount = in_yuan(line["amount"], ctx.principal, (lines, "amount"))
    left = in_yuan(limit, ctx.principal, (link.lines, "amount"))
    return f"第{line['line_no']}行金额{amount}超过{source}可退的金额{left}"
