"""Links (来源单据): a line that executes another bill's line — checked, counted, and offered as a draft.

An order line knows what was received or shipped, a delivery's line what was returned; neither ever passes its quantity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, or_, select, true

from api.kit import packs, registry, source_counts, source_shares
from api.kit.context import Context
from api.kit.database import today
from api.kit.document import Bill, Child, Link
from api.kit.errors import NotFound, Refusal
from api.kit.flow import AUDITED, LOCKED, UNAUDITED
from api.kit.projection import MASK, masked, masks, project
from api.kit.reasons import see_bill
from api.kit.resource import Resource
from api.kit.scope import Principal, within
from api.kit.validation import Problems, is_fitting

MONEY = frozenset({"price", "discount_amount", "tax_rate", "amount", "tax_amount"})
"""What a role must see of a line to be told how its source's money is shared."""
MOST_OPEN = 2000
"""So many open rows are offered at once, and told when there are more."""
_SIGNS = {1: "正", -1: "负"}


def check(
    ctx: Context,
    links: tuple[Link, ...],
    header: Mapping[str, Any],
    rows: list[dict[str, Any]],
    problems: Problems,
    named: Callable[[str], frozenset[Any]],
) -> None:
    """Each linked line must be of the same goods, on a bill of the same company and partner that the user may see,
    unless his bill was made of it: `named` are the values that the stored lines have.

    A line that names no goods has its source's.
    """
    needed = [link for link in links if link.required]
    if needed and any(sum(bool(row.get(link.column)) for link in needed) != 1 for row in rows):
        sources = "或".join(_label(link) for link in needed)
        problems.add(f"请从{sources}生成本单，每行都要有{'一个' if len(needed) > 1 else ''}来源")
    for link in links:
        wanted = sorted({row[link.column] for row in rows if row.get(link.column)})
        if not wanted:
            continue
        lines, bills = link.lines.table(), registry.get(link.bill).table()
        shared = [bills.c[theirs] for _, theirs in link.shared()]
        query = (
            select(lines.c.line_id, lines.c.goods_id, bills.c.bill_no, bills.c.business_date, *shared)
            .join_from(lines, bills, lines.c.bill_id == bills.c.bill_id)
            .where(
                lines.c.line_id.in_(wanted),
                _executed(link, bills),
                or_(
                    _seen(link, bills, ctx.principal),
                    lines.c.line_id.in_(sorted(named(link.column) - {None})),
                ),
            )
        )
        found = {row.line_id: row for row in ctx.conn.execute(query)}
        for row in rows:
            source = found.get(row.get(link.column))
            if not row.get(link.column):
                continue
            problems.place = f"第{row['line_no']}行"
            same = source is not None and source.goods_id == row.setdefault("goods_id", source.goods_id)
            if not same or any(getattr(source, theirs) != header.get(own) for own, theirs in link.shared()):
                problems.add(f"来源{_label(link)}与本单不匹配")
            if row[link.measure] * link.sign <= 0:
                problems.add(
                    f"{_label(link)}的{link.lines.field(link.measure).label}应为{_SIGNS[link.sign]}数"
                )
        problems.place = ""
        for msg in _too_early(link, found.values(), header["business_date"]):
            problems.add(msg)


def _too_early(link: Link, sources: Iterable[Row[Any]], on: date) -> list[str]:
    """Which sources a bill of a day would precede, in words."""
    later = {row.bill_no: row.business_date for row in sources if row.business_date > on}
    return [
        f"业务日期不能早于来源{_label(link)}{number}的业务日期 {day:%Y-%m-%d}"
        for number, day in sorted(later.items())
    ]


def _seen(link: Link, bills: Table, principal: Principal) -> ColumnElement[bool]:
    """Which bills of its source a user may draw on: of goods on their way those that come to his warehouse."""
    return within(bills, principal, dict(link.shared()).get("warehouse_id", "warehouse_id"))


def may_draw(ctx: Context, link: Link, key: int) -> bool:
    """Whether a user may see a bill of a link's source, and draw on it."""
    source = registry.get(link.bill)
    bills = source.table()
    query = select(bills.c.bill_id).where(bills.c.bill_id == key, _seen(link, bills, ctx.principal))
    return ctx.principal.may(source.right("list")) and ctx.conn.execute(query).first() is not None


def _executed(link: Link, bills: Table) -> ColumnElement[bool]:
    """Which bills of its source a link executes."""
    return bills.c[link.unless].is_(None) if link.unless else true()


def draft(ctx: Context, cls: type[Bill], link: Link, key: int) -> dict[str, Any]:
    """What is left of a source bill, as the prefilled payload of a new one, labels included."""
    source = registry.get(link.bill)
    ctx.require(source.right("list"))
    table = source.table()
    header = ctx.conn.execute(
        project(source, source.fields())
        .select()
        .where(table.c.bill_id == key, _seen(link, table, ctx.principal))
    ).first()
    if header is None:
        raise NotFound(source.declaration.label)
    if header.status not in (AUDITED, LOCKED):
        raise Refusal(f"{source.declaration.label}{header.bill_no}不是已审核状态")
    taken = {item.name for item in cls.fields() if item.writable and item.copied} - {
        "business_date",
        "remark",
    }
    labels = {item.label_field for item in cls.fields() if item.ref and item.name in taken}
    shown = masked(header, masks(source, source.name(), ctx.principal))
    kept = {name: value for name, value in shown.items() if name in taken | labels}
    forget_past_days(cls, kept)
    for own, theirs in link.shared():
        if own != theirs:
            pair = zip(_names(cls, own), _names(source, theirs), strict=True)
            kept.update({mine: shown[name] for mine, name in pair})
    unfit = _forget_unfit(ctx, cls, kept)
    lines = [_placed(cls, link, unfit, line) for line in _rest(ctx, cls, link, key)]
    _tell_pieces(ctx, cls, link, lines)
    packs.carry(ctx.conn, lines)
    return {**kept, "lines": lines}


def _tell_pieces(ctx: Context, cls: type[Bill], link: Link, lines: Sequence[dict[str, Any]]) -> None:
    assert cls.bill is not None
    own = cls.bill.blocks[0].cls
    if issubclass(own, Child):
        own.tell_pieces(ctx, link, lines)


def forget_past_days(cls: type[Resource], kept: dict[str, Any]) -> None:
    """A day that may not be before the new bill's is left out where it is over."""
    for item in cls.fields():
        day = kept.get(item.name)
        if item.since == "business_date" and isinstance(day, date) and day < today():
            kept[item.name] = None


def _forget_unfit(ctx: Context, cls: type[Bill], kept: dict[str, Any]) -> set[str]:
    """Leave out what is of a kind that the new bill may not name, as a warehouse of the system's; answers its names."""
    kinds = [
        item for item in cls.fields() if item.ref and item.ref.only and isinstance(kept.get(item.name), int)
    ]
    unfit = [item for item in kinds if not is_fitting(ctx.conn, item, kept[item.name], ctx.principal)]
    for item in unfit:
        kept.update(dict.fromkeys(_names(cls, item.name)))
    return {item.name for item in unfit}


def _placed(cls: type[Bill], link: Link, unfit: set[str], line: dict[str, Any]) -> dict[str, Any]:
    """A source's line without what lies in the source's place: a location of another warehouse."""
    assert cls.bill is not None
    moved = {own for own, theirs in link.shared() if own != theirs} | unfit
    gone = [item for item in cls.bill.blocks[0].cls.fields() if item.ref and moved & set(item.ref.within)]
    names = {name for item in gone for name in (item.name, item.label_field)}
    return {name: value for name, value in line.items() if name not in names}


def _names(cls: type[Resource], name: str) -> tuple[str, ...]:
    """A field's name, and its label's where it refers to something."""
    item = cls.field(name)
    return (name, item.label_field) if item.ref and item.label_field else (name,)


def _rest(ctx: Context, cls: type[Bill], link: Link, key: int) -> list[dict[str, Any]]:
    assert cls.bill is not None
    lines = link.lines.table()
    rows = ctx.conn.execute(
        project(link.lines, link.lines.fields())
        .select()
        .where(lines.c.bill_id == key)
        .order_by(lines.c.line_no)
    )
    left = [row for row in rows if link.left(row) > 0]
    if not left:
        raise Refusal(f"{_label(link)}已全部执行")
    parts = cls.parts(ctx, link, left)
    drawing = _Drawing(ctx, cls, link, [row.line_id for row in left])
    return [
        line | more
        for row in left
        for line, more in (
            (drawing.line(row, rest), more)
            for rest, more in parts.get(row.line_id) or ((link.left(row), {}),)
        )
    ]


class _Drawing:
    """Turns lines of a source into lines of a bill that executes them, part by part."""

    def __init__(self, ctx: Context, cls: type[Bill], link: Link, keys: list[int]) -> None:
        self.link, self.hidden = link, masks(link.lines, link.lines.name(), ctx.principal)
        lines = source_shares.lines_of(cls)
        sharing = lines is not None and source_shares.is_sharing(link)
        self.sources = source_shares.read_sources(ctx.conn, link, keys) if sharing else {}
        self.described = _described(ctx, lines, link, self.sources) if lines is not None else {}

    def line(self, row: Row[Any], rest: Decimal) -> dict[str, Any]:
        """So much of a source's line as a line of who executes it, with the money that falls to it."""
        link, hidden = self.link, self.hidden
        changed = {link.measure: rest * link.sign, link.column: row.line_id, "remark": None}
        if rest != getattr(row, link.measure):
            # What tells the whole line's pieces apart does not say which of them are left.
            changed = {**_uncopied(link.lines), **changed}
        source = self.sources.get(row.line_id)
        if source is not None:
            part = source.take(rest)
            part = source.within_rest(part) if link.capped else part
            source.count({"amount": part.amount, "tax_amount": part.tax_amount})
            changed |= {
                "amount": part.amount,
                "discount_amount": part.discount_amount,
                "tax_amount": part.tax_amount,
                "no_tax_amount": part.amount - part.tax_amount,
            }
        line = {**masked(row, hidden), **{k: v for k, v in changed.items() if k not in hidden}}
        told = self.described.get(row.line_id)
        return line | {"drawn": _proposing(told, line)} if told else line


def describe_sources(ctx: Context, cls: type[Bill], info: dict[str, Any]) -> None:
    """Tell with the lines of an unaudited bill what the browser shares their sources' money by."""
    own = source_shares.lines_of(cls)
    if own is None or info["status"] != UNAUDITED:
        return
    table = own.table()
    stored = ctx.conn.execute(select(table).where(table.c.bill_id == info["bill_id"]))
    lines = {row.line_id: row._asdict() for row in stored}
    sources = source_shares.sources_of(ctx.conn, cls, lines.values())
    described = {link: _described(ctx, own, link, found) for link, found in sources.items()}
    for row in info["lines"]:
        line = lines[row["line_id"]]
        link = source_shares.sharing_link(cls, line)
        if link is None:
            continue
        told = described[link].get(line[link.column])
        follows = source_shares.has_followed(line)
        row["drawn"] = told and (_proposing(told, row) if follows else {**told, "follows": False})


def _described(
    ctx: Context, lines: type[Child], link: Link, sources: Mapping[int, source_shares.SharedSource]
) -> dict[int, dict[str, Any]]:
    """What the browser shares sources' money by, by line; without the figures for who may not see all of them."""
    hidden = any(masks(one, one.name(), ctx.principal) & MONEY for one in (lines, link.lines))
    told = {"column": link.column, "capped": link.capped, "follows": True}
    return {key: told | ({} if hidden else source.described()) for key, source in sources.items()}


def _proposing(told: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """A source's description with what of it a line that follows it shows, by which the server knows it again."""
    proposed = {"price": shown["price"], "proposed_discount": shown["discount_amount"], **told}
    return {name: value for name, value in proposed.items() if value != MASK}


def offered(cls: type[Resource]) -> tuple[Link, ...]:
    """The links by which a bill can be drawn from its sources."""
    return tuple(link for link in cls.bill.links if link.offered) if cls.bill else ()


def shared(cls: type[Bill]) -> tuple[str, ...]:
    """The header's columns by which the open lines of a bill's sources are found."""
    return tuple(dict.fromkeys(own for link in offered(cls) for own, _ in link.shared()))


def oldest(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The most of open rows that are offered, of one more than that where there are more."""
    return {"data": rows[:MOST_OPEN], "more": len(rows) > MOST_OPEN}


def open_lines(ctx: Context, cls: type[Bill], header: Mapping[str, int]) -> dict[str, Any]:
    """What is left of all bills that a bill with this header may execute, as lines of it, oldest first.

    `open_<measure>` is what is left; of each source only what the principal may see.
    """
    found: list[tuple[Any, dict[str, Any]]] = []
    for place, link in enumerate(offered(cls)):
        source = registry.get(link.bill)
        if ctx.principal.may(source.right("list")):
            rows = _open_of(ctx, cls, link, source, header)
            found += (((day, place), row) for day, row in rows)
    found.sort(key=lambda item: item[0])
    lines = [line for _, line in found]
    packs.carry(ctx.conn, lines[:MOST_OPEN])
    return oldest(lines)


def _open_of(
    ctx: Context, cls: type[Bill], link: Link, source: type[Resource], header: Mapping[str, int]
) -> Iterator[tuple[date, dict[str, Any]]]:
    """The open lines of one source, each with the day that orders it."""
    assert cls.bill is not None
    bills, lines = source.table(), link.lines.table()
    fields = cls.bill.blocks[0].cls.fields()
    mine = {name for item in fields for name in (item.name, item.label_field)}
    kept = {link.measure, link.counter, link.rest, "remark"}
    projection = project(link.lines, [item for item in link.lines.fields() if item.name in mine | kept])
    shown = projection.select().add_columns(bills.c.bill_no, bills.c.business_date)
    rows = ctx.conn.execute(
        shown.join(bills, lines.c.bill_id == bills.c.bill_id)
        .where(bills.c.status.in_((AUDITED, LOCKED)), lines.c[link.measure] > lines.c[link.counter])
        .where(
            *(one.expression(lines) > 0 for one in link.lines.derived if one.field.name == link.rest),
            _seen(link, bills, ctx.principal),
            _executed(link, bills),
            *(bills.c[theirs] == header[own] for own, theirs in link.shared()),
        )
        .order_by(bills.c.business_date, lines.c.line_id)
        .limit(MOST_OPEN + 1)
    ).all()
    drawing = _Drawing(ctx, cls, link, [row.line_id for row in rows])
    drawn = [drawing.line(row, link.left(row)) for row in rows]
    _tell_pieces(ctx, cls, link, drawn)
    unseen = masks(source, source.name(), ctx.principal)
    for row, line in zip(rows, drawn, strict=True):
        bill = masked(row, unseen)
        told = {name: bill[name] for name in ("bill_no", "business_date")}
        line |= {**told, "source_no": told["bill_no"], "source_date": told["business_date"]}
        line[f"source_{link.measure}"] = masked(row, drawing.hidden)[link.measure]
        yield row.business_date, {**line, f"open_{link.measure}": line[link.measure]}


def _uncopied(lines: type[Child]) -> dict[str, Any]:
    return {item.name: None for item in lines.fields() if item.form and not item.copied and not item.hidden}


def lock_sources(ctx: Context, cls: type[Bill], bills: Iterable[tuple[date, Iterable[Any]]]) -> None:
    """Lock the headers of all that bills (date, lines) execute, so that none is closed or un-audited meanwhile.

    Raises: `Refusal` where one is not audited, or later than who executes it.
    """
    assert cls.bill is not None
    known = [(on, list(lines)) for on, lines in bills]
    for link in cls.bill.links:
        named = [(on, {_of(line, link.column) for line in lines} - {None}) for on, lines in known]
        hint = "不能退回已执行数量，请先打开它，或改选退款" if link.reopens else "不能执行"
        found = _locked(ctx.conn, link, {key for _, keys in named for key in keys}, hint)
        early = [msg for on, keys in named for msg in _too_early(link, (found[key] for key in keys), on)]
        if early:
            raise Refusal(early[0])


def _of(line: Any, name: str) -> Any:
    return line.get(name) if isinstance(line, Mapping) else getattr(line, name)


def _locked(conn: Connection, link: Link, keys: Iterable[int], hint: str) -> dict[int, Row[Any]]:
    """The headers of a link's source lines, by line, locked in order of their keys."""
    wanted = sorted(set(keys))
    if not wanted:
        return {}
    lines, headers = link.lines.table(), registry.get(link.bill).table()
    rows = conn.execute(
        select(
            lines.c.line_id, headers.c.bill_id, headers.c.bill_no, headers.c.status, headers.c.business_date
        )
        .join_from(lines, headers, lines.c.bill_id == headers.c.bill_id)
        .where(lines.c.line_id.in_(wanted))
        .order_by(headers.c.bill_id)
        .with_for_update(of=headers)
    ).all()
    for row in rows:
        if row.status not in (AUDITED, LOCKED):
            way = see_bill(registry.get(link.bill), row.bill_id, row.bill_no)
            raise Refusal(f"{_label(link)}{row.bill_no}不是已审核状态，{hint}", ways=[way])
    return {row.line_id: row for row in rows}


def execute(ctx: Context, cls: type[Bill], executing: Sequence[Any]) -> None:
    """Count what lines execute of their sources, whose headers are locked; never past those lines' own."""
    assert cls.bill is not None
    for link in cls.bill.links:
        source_counts.count(ctx, link, _quantities(executing, link, Decimal(1)))
    for link in cls.bill.links:
        source_counts.refuse_beyond_rest(ctx, link, _quantities(executing, link, Decimal(1)))


def give_back(
    ctx: Context, link: Link, executing: Iterable[Any], sign: int = -1, *, left: bool = False
) -> None:
    """Take back what lines have executed of a source, or with `left` what they have left to be executed themselves.

    A `sign` of 1 takes it again.
    """
    wanted = _quantities(executing, link, Decimal(sign), left=left)
    hint = "不能执行" if sign > 0 else "不能退回已执行数量，请先打开它"
    _locked(ctx.conn, link, wanted, hint)
    source_counts.count(ctx, link, wanted)
    if sign > 0:
        source_counts.refuse_beyond_rest(ctx, link, wanted)


def _quantities(
    executing: Iterable[Any], link: Link, sign: Decimal, *, left: bool = False
) -> dict[int, Decimal]:
    wanted: dict[int, Decimal] = {}
    sign = -sign if link.reopens else sign
    for line in executing:
        source = getattr(line, link.column)
        if source is not None:
            taken = abs(getattr(line, link.measure)) - (line.executed_quantity if left else 0)
            wanted[source] = wanted.get(source, Decimal(0)) + taken * sign
    return wanted


def _label(link: Link) -> str:
    return registry.get(link.bill).declaration.label
