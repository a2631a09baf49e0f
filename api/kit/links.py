"""Links (来源单据): a line that executes another bill's line — checked, counted, and offered as a draft.

An order line knows what was received or shipped, a delivery's line what was returned; neither ever passes its quantity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, or_, select, true

from api.kit import packs, registry
from api.kit.context import Context
from api.kit.document import Bill, Child, GoodsLine, Link, Parts
from api.kit.errors import NotFound, Refusal
from api.kit.flow import AUDITED, LOCKED
from api.kit.pricing import share
from api.kit.projection import masked, masks, project
from api.kit.resource import Resource
from api.kit.scope import Principal, within
from api.kit.validation import Problems

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
            select(lines.c.line_id, lines.c.goods_id, *shared)
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


def _seen(link: Link, bills: Table, principal: Principal) -> ColumnElement[bool]:
    """Which bills of its source a user may draw on: of goods on their way those that come to his warehouse."""
    return within(bills, principal, dict(link.shared()).get("warehouse_id", "warehouse_id"))


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
        "due_date",
        "remark",
    }
    labels = {item.label_field for item in cls.fields() if item.ref and item.name in taken}
    shown = masked(header, masks(source, source.name(), ctx.principal))
    kept = {name: value for name, value in shown.items() if name in taken | labels}
    for own, theirs in link.shared():
        if own != theirs:
            pair = zip(_names(cls, own), _names(source, theirs), strict=True)
            kept.update({mine: shown[name] for mine, name in pair})
    lines = [_placed(cls, link, line) for line in _rest(ctx, cls, link, key)]
    packs.carry(ctx.conn, lines)
    return {**kept, "lines": lines}


def _placed(cls: type[Bill], link: Link, line: dict[str, Any]) -> dict[str, Any]:
    """A source's line without what lies in the source's place: a location of another warehouse."""
    assert cls.bill is not None
    moved = {own for own, theirs in link.shared() if own != theirs}
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
    hidden = masks(link.lines, link.lines.name(), ctx.principal)
    left = [row for row in rows if link.left(row) > 0]
    if not left:
        raise Refusal(f"{_label(link)}已全部执行")
    parts = cls.parts(ctx, link, left)
    return [line for row in left for line in _apart(link, row, hidden, parts.get(row.line_id, ()))]


def _apart(link: Link, row: Row[Any], hidden: frozenset[str], parts: Parts) -> Iterator[dict[str, Any]]:
    before = Decimal(0)
    for rest, more in parts or ((link.left(row), {}),):
        yield _left(link, row, hidden, rest, before) | more
        before += rest


def _left(
    link: Link, row: Row[Any], hidden: frozenset[str], rest: Decimal, before: Decimal = Decimal(0)
) -> dict[str, Any]:
    """A source's line with what is left of it, or the part of that after `before`, as a line of who executes it."""
    whole = getattr(row, link.measure)
    changed = {link.measure: rest * link.sign, link.column: row.line_id, "remark": None}
    if issubclass(link.lines, GoodsLine) and link.measure == "quantity":
        # Running totals are rounded, so that the parts' discounts add up.
        upto, from_ = (share(row.discount_amount, part, whole) for part in (before + rest, before))
        changed["discount_amount"] = upto - from_
    if rest != whole:
        # What tells the whole line's pieces apart does not say which of them are left.
        changed = {**_uncopied(link.lines), **changed}
    return {**masked(row, hidden), **{k: v for k, v in changed.items() if k not in hidden}}


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
            found += (((row["source_date"], place), row) for row in rows)
    found.sort(key=lambda item: item[0])
    lines = [line for _, line in found]
    packs.carry(ctx.conn, lines[:MOST_OPEN])
    return oldest(lines)


def _open_of(
    ctx: Context, cls: type[Bill], link: Link, source: type[Resource], header: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    assert cls.bill is not None
    bills, lines = source.table(), link.lines.table()
    fields = cls.bill.blocks[0].cls.fields()
    mine = {name for item in fields for name in (item.name, item.label_field)}
    kept = {link.measure, link.counter, link.rest, "remark", "discount_amount"}
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
    )
    hidden = masks(link.lines, link.lines.name(), ctx.principal)
    for row in rows:
        line = _left(link, row, hidden, link.left(row))
        line |= {"source_no": row.bill_no, "source_date": row.business_date}
        line[f"source_{link.measure}"] = masked(row, hidden)[link.measure]
        yield {**line, f"open_{link.measure}": line[link.measure]}


def _uncopied(lines: type[Child]) -> dict[str, Any]:
    return {item.name: None for item in lines.fields() if item.form and not item.copied and not item.hidden}


def execute(
    ctx: Context, executing: Iterable[Row[Any]], link: Link, sign: Decimal, *, left: bool = False
) -> None:
    """Add the executing lines' quantities to what their source lines have executed; never past those lines' own.

    With `left` only what the executing lines have left to be executed themselves.
    The sources' headers are locked first, so that none is closed or un-audited meanwhile.
    """
    wanted: dict[int, Decimal] = {}
    for line in executing:
        source = getattr(line, link.column)
        if source is not None:
            taken = abs(getattr(line, link.measure)) - (line.executed_quantity if left else 0)
            wanted[source] = wanted.get(source, Decimal(0)) + taken * sign
    if not wanted:
        return
    lines = link.lines.table()
    headers = next(iter(lines.c.bill_id.foreign_keys)).column.table
    owners = select(lines.c.bill_id).where(lines.c.line_id.in_(sorted(wanted)))
    locked = ctx.conn.execute(
        select(headers.c.bill_no, headers.c.status)
        .where(headers.c.bill_id.in_(owners))
        .order_by(headers.c.bill_id)
        .with_for_update()
    ).all()
    for row in locked:
        if row.status not in (AUDITED, LOCKED):
            hint = "不能执行" if sign > 0 else "不能退回已执行数量，请先打开它"
            raise Refusal(f"{_label(link)}{row.bill_no}不是已审核状态，{hint}")
    _count(ctx.conn, link, wanted)


def _label(link: Link) -> str:
    return registry.get(link.bill).declaration.label


def _count(conn: Connection, link: Link, wanted: dict[int, Decimal]) -> None:
    lines, counter = link.lines.name(), link.counter
    statement = f"""
        with executed as (select * from unnest(%s::bigint[], %s::numeric[]) as e (line_id, quantity))
        update {lines} as l set {counter} = l.{counter} + e.quantity
        from executed e
        where l.line_id = e.line_id and l.{counter} + e.quantity between 0 and l.{link.measure}
        returning l.line_id
    """
    keys = sorted(wanted)
    done = conn.exec_driver_sql(statement, (keys, [wanted[key] for key in keys])).all()
    if len(done) != len(keys):
        table = link.lines.table()
        missed: Iterable[int] = conn.execute(
            select(table.c.line_no).where(table.c.line_id.in_(set(keys) - {row[0] for row in done}))
        ).scalars()
        numbers = "、".join(str(number) for number in sorted(missed))
        measure = link.lines.field(link.measure).label
        raise Refusal(f"超过{_label(link)}第{numbers}行的可执行{measure}，请核对{measure}")
