"""Source links (来源单据): a line that executes another bill's line, validated, counted, and drafted.

An order line knows what was received or shipped, a delivery's line what was returned; neither ever passes
its quantity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, or_, select, true

from api.kit.bills import executed_quantities, pack_units, source_proration
from api.kit.bills.refusal_causes import link_to_bill
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, BillLine, SourceLink
from api.kit.declaration.flow import AUDITED, LOCKED, UNAUDITED
from api.kit.declaration.resource import Resource
from api.kit.errors import NotFound, Refusal
from api.kit.scope import Principal, scope_condition
from api.kit.storage.database import today
from api.kit.storage.projection import MASK, build_projection, mask_row, masked_names
from api.kit.storage.validation import Problems, is_fitting

MONEY = frozenset({"price", "discount_amount", "tax_rate", "amount", "tax_amount"})
"""Fields that a role must see of a line to be shown the proration of its source's money."""
MOST_OPEN = 2000
"""Most open rows that are offered at once; the answer says whether there are more."""
_SIGNS = {1: "正", -1: "负"}


def validate_links(
    ctx: Context,
    links: tuple[SourceLink, ...],
    header: Mapping[str, Any],
    rows: list[dict[str, Any]],
    problems: Problems,
    named: Callable[[str], frozenset[Any]],
) -> None:
    """Validate that each linked line is of the same goods, company and partner as its source.

    The user must see the source, unless his bill was made of it: `named` returns the values that the
    stored lines have in a column. A line without goods takes its source's.
    """
    needed = [link for link in links if link.required]
    if needed and any(sum(bool(row.get(link.column)) for link in needed) != 1 for row in rows):
        sources = "或".join(_source_label(link) for link in needed)
        problems.add(f"请从{sources}生成本单，每行都要有{'一个' if len(needed) > 1 else ''}来源")
    for link in links:
        wanted = sorted({row[link.column] for row in rows if row.get(link.column)})
        if not wanted:
            continue
        lines, bills = link.lines.table(), registry.get_resource(link.bill).table()
        shared = [bills.c[theirs] for _, theirs in link.shared_columns()]
        query = (
            select(lines.c.line_id, lines.c.goods_id, bills.c.bill_no, bills.c.business_date, *shared)
            .join_from(lines, bills, lines.c.bill_id == bills.c.bill_id)
            .where(
                lines.c.line_id.in_(wanted),
                _executable_condition(link, bills),
                or_(
                    _visible_condition(link, bills, ctx.principal),
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
            if not same or any(
                getattr(source, theirs) != header.get(own) for own, theirs in link.shared_columns()
            ):
                problems.add(f"来源{_source_label(link)}与本单不匹配")
            if row[link.measure] * link.sign <= 0:
                problems.add(
                    f"{_source_label(link)}的{link.lines.field(link.measure).label}应为{_SIGNS[link.sign]}数"
                )
        problems.place = ""
        for msg in _describe_early_sources(link, found.values(), header["business_date"]):
            problems.add(msg)


def _describe_early_sources(link: SourceLink, sources: Iterable[Row[Any]], on: date) -> list[str]:
    """Describe the sources that a bill of a date would precede."""
    later = {row.bill_no: row.business_date for row in sources if row.business_date > on}
    return [
        f"业务日期不能早于来源{_source_label(link)}{number}的业务日期 {day:%Y-%m-%d}"
        for number, day in sorted(later.items())
    ]


def _visible_condition(link: SourceLink, bills: Table, principal: Principal) -> ColumnElement[bool]:
    """Build the condition of source bills that a user may execute.

    Of goods on their way it is the warehouse they are bound for that counts.
    """
    return scope_condition(bills, principal, dict(link.shared_columns()).get("warehouse_id", "warehouse_id"))


def can_draw_from(ctx: Context, link: SourceLink, key: int) -> bool:
    """Return whether a user may see a bill of a link's source and execute it."""
    source = registry.get_resource(link.bill)
    bills = source.table()
    query = select(bills.c.bill_id).where(
        bills.c.bill_id == key, _visible_condition(link, bills, ctx.principal)
    )
    return ctx.principal.has_right(source.right("list")) and ctx.conn.execute(query).first() is not None


def _executable_condition(link: SourceLink, bills: Table) -> ColumnElement[bool]:
    """Build the condition of source bills that a link executes."""
    return bills.c[link.excluded_if_set].is_(None) if link.excluded_if_set else true()


def draft_from_source(ctx: Context, cls: type[Bill], link: SourceLink, key: int) -> dict[str, Any]:
    """Build the prefilled payload of a new bill from what is left of a source bill, labels included."""
    source = registry.get_resource(link.bill)
    ctx.require_right(source.right("list"))
    table = source.table()
    header = ctx.conn.execute(
        build_projection(source, source.fields())
        .select()
        .where(table.c.bill_id == key, _visible_condition(link, table, ctx.principal))
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
    shown = mask_row(header, masked_names(source, source.name(), ctx.principal))
    kept = {name: value for name, value in shown.items() if name in taken | labels}
    clear_past_days(cls, kept)
    for own, theirs in link.shared_columns():
        if own != theirs:
            pair = zip(_field_names(cls, own), _field_names(source, theirs), strict=True)
            kept.update({mine: shown[name] for mine, name in pair})
    unfit = _clear_unfit_references(ctx, cls, kept)
    lines = [
        _drop_moved_places(cls, link, unfit, line) for line in _draft_remaining_lines(ctx, cls, link, key)
    ]
    _assign_pieces(ctx, cls, link, lines)
    pack_units.copy_packs(ctx.conn, lines)
    return {**kept, "lines": lines}


def _assign_pieces(ctx: Context, cls: type[Bill], link: SourceLink, lines: Sequence[dict[str, Any]]) -> None:
    assert cls.bill is not None
    own = cls.bill.blocks[0].cls
    if issubclass(own, BillLine):
        own.assign_pieces(ctx, link, lines)


def clear_past_days(cls: type[Resource], values: dict[str, Any]) -> None:
    """Clear dates that may not precede the new bill's and are over."""
    for item in cls.fields():
        day = values.get(item.name)
        if item.since == "business_date" and isinstance(day, date) and day < today():
            values[item.name] = None


def _clear_unfit_references(ctx: Context, cls: type[Bill], kept: dict[str, Any]) -> set[str]:
    """Clear references that the new bill may not have, as to a warehouse of the system's.

    Return their names.
    """
    kinds = [
        item for item in cls.fields() if item.ref and item.ref.only and isinstance(kept.get(item.name), int)
    ]
    unfit = [item for item in kinds if not is_fitting(ctx.conn, item, kept[item.name], ctx.principal)]
    for item in unfit:
        kept.update(dict.fromkeys(_field_names(cls, item.name)))
    return {item.name for item in unfit}


def _drop_moved_places(
    cls: type[Bill], link: SourceLink, unfit: set[str], line: dict[str, Any]
) -> dict[str, Any]:
    """Return a source's line without references that belong to the source's warehouse, as a location."""
    assert cls.bill is not None
    moved = {own for own, theirs in link.shared_columns() if own != theirs} | unfit
    gone = [item for item in cls.bill.blocks[0].cls.fields() if item.ref and moved & set(item.ref.within)]
    names = {name for item in gone for name in (item.name, item.label_field)}
    return {name: value for name, value in line.items() if name not in names}


def _field_names(cls: type[Resource], name: str) -> tuple[str, ...]:
    """Return a field's name, and its label's where it is a reference."""
    item = cls.field(name)
    return (name, item.label_field) if item.ref and item.label_field else (name,)


def _draft_remaining_lines(ctx: Context, cls: type[Bill], link: SourceLink, key: int) -> list[dict[str, Any]]:
    assert cls.bill is not None
    lines = link.lines.table()
    rows = ctx.conn.execute(
        build_projection(link.lines, link.lines.fields())
        .select()
        .where(lines.c.bill_id == key)
        .order_by(lines.c.line_no)
    )
    left = [row for row in rows if link.remaining(row) > 0]
    if not left:
        raise Refusal(f"{_source_label(link)}已全部执行")
    parts = cls.split_source_lines(ctx, link, left)
    drawing = _LineDrafter(ctx, cls, link, [row.line_id for row in left])
    return [
        line | more
        for row in left
        for line, more in (
            (drawing.line(row, rest), more)
            for rest, more in parts.get(row.line_id) or ((link.remaining(row), {}),)
        )
    ]


class _LineDrafter:
    """A builder of lines that execute a source's lines, part by part."""

    def __init__(self, ctx: Context, cls: type[Bill], link: SourceLink, keys: list[int]) -> None:
        self.link, self.hidden = link, masked_names(link.lines, link.lines.name(), ctx.principal)
        lines = source_proration.find_sharing_class(cls)
        sharing = lines is not None and source_proration.is_sharing_link(link)
        self.sources = source_proration.read_sources(ctx.conn, link, keys) if sharing else {}
        self.described = _describe_shares(ctx, lines, link, self.sources) if lines is not None else {}

    def line(self, row: Row[Any], rest: Decimal) -> dict[str, Any]:
        """Build the line that executes so much of a source's line, with its prorated money."""
        link, hidden = self.link, self.hidden
        changed = {link.measure: rest * link.sign, link.column: row.line_id, "remark": None}
        if rest != getattr(row, link.measure):
            # What tells the whole line's pieces apart does not say which of them are left.
            changed = {**_blank_uncopied(link.lines), **changed}
        source = self.sources.get(row.line_id)
        if source is not None:
            part = source.take(rest)
            part = source.bound_to_rest(part) if link.capped else part
            source.add_line({"amount": part.amount, "tax_amount": part.tax_amount})
            changed |= {
                "amount": part.amount,
                "discount_amount": part.discount_amount,
                "tax_amount": part.tax_amount,
                "no_tax_amount": part.amount - part.tax_amount,
            }
        line = {**mask_row(row, hidden), **{k: v for k, v in changed.items() if k not in hidden}}
        description = self.described.get(row.line_id)
        return line | {"drawn": _describe_proposal(description, line)} if description else line


def describe_sources(ctx: Context, cls: type[Bill], info: dict[str, Any]) -> None:
    """Add to the lines of an unaudited bill what the browser prorates their sources' money by."""
    own = source_proration.find_sharing_class(cls)
    if own is None or info["status"] != UNAUDITED:
        return
    table = own.table()
    stored = ctx.conn.execute(select(table).where(table.c.bill_id == info["bill_id"]))
    lines = {row.line_id: row._asdict() for row in stored}
    sources = source_proration.read_bill_sources(ctx.conn, cls, lines.values())
    described = {link: _describe_shares(ctx, own, link, found) for link, found in sources.items()}
    for row in info["lines"]:
        line = lines[row["line_id"]]
        link = source_proration.find_sharing_link(cls, line)
        if link is None:
            continue
        description = described[link].get(line[link.column])
        follows = source_proration.has_followed_source(line)
        row["drawn"] = description and (
            _describe_proposal(description, row) if follows else {**description, "follows": False}
        )


def _describe_shares(
    ctx: Context,
    lines: type[BillLine],
    link: SourceLink,
    sources: Mapping[int, source_proration.SharedSource],
) -> dict[int, dict[str, Any]]:
    """Describe sources for the browser's proration, by line.

    Without figures for who may not see all of them.
    """
    hidden = any(masked_names(one, one.name(), ctx.principal) & MONEY for one in (lines, link.lines))
    description = {"column": link.column, "capped": link.capped, "follows": True}
    return {key: description | ({} if hidden else source.describe()) for key, source in sources.items()}


def _describe_proposal(told: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """Add to a source's description the proposed price and discount, which the server recognizes."""
    proposed = {"price": shown["price"], "proposed_discount": shown["discount_amount"], **told}
    return {name: value for name, value in proposed.items() if value != MASK}


def list_offered_links(cls: type[Resource]) -> tuple[SourceLink, ...]:
    """Return the links by which a bill can be made from its sources."""
    return tuple(link for link in cls.bill.links if link.offered) if cls.bill else ()


def list_shared_columns(cls: type[Bill]) -> tuple[str, ...]:
    """Return the header columns by which the open lines of a bill's sources are found."""
    return tuple(dict.fromkeys(own for link in list_offered_links(cls) for own, _ in link.shared_columns()))


def limit_rows(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Cut open rows to the most that are offered, and note whether there are more."""
    return {"data": rows[:MOST_OPEN], "more": len(rows) > MOST_OPEN}


def list_open_lines(ctx: Context, cls: type[Bill], header: Mapping[str, int]) -> dict[str, Any]:
    """List what is left of all bills that a bill with this header may execute, as its lines, oldest first.

    `open_<measure>` is what is left; of each source only what the principal may see.
    """
    found: list[tuple[Any, dict[str, Any]]] = []
    for place, link in enumerate(list_offered_links(cls)):
        source = registry.get_resource(link.bill)
        if ctx.principal.has_right(source.right("list")):
            rows = _read_open_lines(ctx, cls, link, source, header)
            found += (((day, place), row) for day, row in rows)
    found.sort(key=lambda item: item[0])
    lines = [line for _, line in found]
    pack_units.copy_packs(ctx.conn, lines[:MOST_OPEN])
    return limit_rows(lines)


def _read_open_lines(
    ctx: Context, cls: type[Bill], link: SourceLink, source: type[Resource], header: Mapping[str, int]
) -> Iterator[tuple[date, dict[str, Any]]]:
    """Read the open lines of one source, each with the date that orders it."""
    assert cls.bill is not None
    bills, lines = source.table(), link.lines.table()
    fields = cls.bill.blocks[0].cls.fields()
    mine = {name for item in fields for name in (item.name, item.label_field)}
    kept = {link.measure, link.counter, link.rest, "remark"}
    projection = build_projection(
        link.lines, [item for item in link.lines.fields() if item.name in mine | kept]
    )
    shown = projection.select().add_columns(bills.c.bill_no, bills.c.business_date)
    rows = ctx.conn.execute(
        shown.join(bills, lines.c.bill_id == bills.c.bill_id)
        .where(bills.c.status.in_((AUDITED, LOCKED)), lines.c[link.measure] > lines.c[link.counter])
        .where(
            *(one.expression(lines) > 0 for one in link.lines.derived if one.field.name == link.rest),
            _visible_condition(link, bills, ctx.principal),
            _executable_condition(link, bills),
            *(bills.c[theirs] == header[own] for own, theirs in link.shared_columns()),
        )
        .order_by(bills.c.business_date, lines.c.line_id)
        .limit(MOST_OPEN + 1)
    ).all()
    drawing = _LineDrafter(ctx, cls, link, [row.line_id for row in rows])
    drawn = [drawing.line(row, link.remaining(row)) for row in rows]
    _assign_pieces(ctx, cls, link, drawn)
    unseen = masked_names(source, source.name(), ctx.principal)
    for row, line in zip(rows, drawn, strict=True):
        bill = mask_row(row, unseen)
        bill_values = {name: bill[name] for name in ("bill_no", "business_date")}
        line |= {
            **bill_values,
            "source_no": bill_values["bill_no"],
            "source_date": bill_values["business_date"],
        }
        line[f"source_{link.measure}"] = mask_row(row, drawing.hidden)[link.measure]
        yield row.business_date, {**line, f"open_{link.measure}": line[link.measure]}


def _blank_uncopied(lines: type[BillLine]) -> dict[str, Any]:
    return {item.name: None for item in lines.fields() if item.form and not item.copied and not item.hidden}


def lock_sources(ctx: Context, cls: type[Bill], bills: Iterable[tuple[date, Iterable[Any]]]) -> None:
    """Lock the headers of all sources of bills (date, lines), so that none is closed meanwhile.

    Raises: `Refusal` where one is not audited, or later than the bill that executes it.
    """
    assert cls.bill is not None
    known = [(on, list(lines)) for on, lines in bills]
    for link in cls.bill.links:
        named = [(on, {_read_value(line, link.column) for line in lines} - {None}) for on, lines in known]
        hint = "不能退回已执行数量，请先打开它，或改选退款" if link.reopens else "不能执行"
        found = _lock_headers(ctx.conn, link, {key for _, keys in named for key in keys}, hint)
        early = [
            msg
            for on, keys in named
            for msg in _describe_early_sources(link, (found[key] for key in keys), on)
        ]
        if early:
            raise Refusal(early[0])


def _read_value(line: Any, name: str) -> Any:
    return line.get(name) if isinstance(line, Mapping) else getattr(line, name)


def _lock_headers(conn: Connection, link: SourceLink, keys: Iterable[int], hint: str) -> dict[int, Row[Any]]:
    """Lock the headers of a link's source lines in order of their keys; return them by line."""
    wanted = sorted(set(keys))
    if not wanted:
        return {}
    lines, headers = link.lines.table(), registry.get_resource(link.bill).table()
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
            way = link_to_bill(registry.get_resource(link.bill), row.bill_id, row.bill_no)
            raise Refusal(f"{_source_label(link)}{row.bill_no}不是已审核状态，{hint}", remedies=[way])
    return {row.line_id: row for row in rows}


def consume_source_lines(ctx: Context, cls: type[Bill], executing: Sequence[Any]) -> None:
    """Count what lines execute of their sources, whose headers are locked.

    Never past those lines' own quantity.
    """
    assert cls.bill is not None
    for link in cls.bill.links:
        executed_quantities.count_executed(ctx, link, _sum_quantities(executing, link, Decimal(1)))
    for link in cls.bill.links:
        executed_quantities.require_remaining(ctx, link, _sum_quantities(executing, link, Decimal(1)))


def return_source_lines(
    ctx: Context, link: SourceLink, executing: Iterable[Any], sign: int = -1, *, left: bool = False
) -> None:
    """Take back what lines have executed of a source, or with `left` what is left of themselves to execute.

    A `sign` of 1 takes it again.
    """
    wanted = _sum_quantities(executing, link, Decimal(sign), left=left)
    hint = "不能执行" if sign > 0 else "不能退回已执行数量，请先打开它"
    _lock_headers(ctx.conn, link, wanted, hint)
    executed_quantities.count_executed(ctx, link, wanted)
    if sign > 0:
        executed_quantities.require_remaining(ctx, link, wanted)


def _sum_quantities(
    executing: Iterable[Any], link: SourceLink, sign: Decimal, *, left: bool = False
) -> dict[int, Decimal]:
    wanted: dict[int, Decimal] = {}
    sign = -sign if link.reopens else sign
    for line in executing:
        source = getattr(line, link.column)
        if source is not None:
            taken = abs(getattr(line, link.measure)) - (line.executed_quantity if left else 0)
            wanted[source] = wanted.get(source, Decimal(0)) + taken * sign
    return wanted


def _source_label(link: SourceLink) -> str:
    return registry.get_resource(link.bill).declaration.label
