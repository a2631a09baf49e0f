"""Executed quantities (已执行) of a source's lines: counted, never beyond their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, literal, select

from api.kit.bills.refusal_causes import link_to_bill
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import SourceLink
from api.kit.errors import Refusal, Remedy
from api.kit.storage.projection import can_see_all


def count_executed(ctx: Context, link: SourceLink, wanted: Mapping[int, Decimal]) -> None:
    """Add executed quantities to source lines, whose headers are locked, by their ids.

    Negative ones are given back.

    Raises: `Refusal` where a line has not so much left, with its figures and how to reach its bill.
    """
    if not wanted:
        return
    lines, counter = link.lines.name(), link.counter
    statement = f"""
        with executed as (select * from unnest(%s::bigint[], %s::numeric[]) as e (line_id, quantity))
        update {lines} as l set {counter} = l.{counter} + e.quantity
        from executed e
        where l.line_id = e.line_id and l.{counter} + e.quantity between 0 and l.{link.measure}
        returning l.line_id
    """
    keys = sorted(wanted)
    done = ctx.conn.exec_driver_sql(statement, (keys, [wanted[key] for key in keys])).all()
    if len(done) == len(keys):
        return
    table = link.lines.table()
    executed = table.c[link.counter]
    rows = _read_source_lines(
        ctx.conn, link, set(keys) - {row[0] for row in done}, executed, table.c[link.measure] - executed
    )
    if link.reopens:
        raise Refusal(
            f"{_format_places(link, rows)}重新打开的数量已再次执行，请先处理后续单据",
            remedies=_list_remedies(link, rows),
        )
    measure = link.lines.field(link.measure).label
    causes = "；".join(
        _format_figures(
            link,
            row,
            wanted,
            f"，已执行{_format_value(link, row.executed)}",
            f"可执行{_format_value(link, row.left)}",
        )
        for row in rows
    )
    raise _build_refusal(ctx, link, rows, f"可执行{measure}", causes)


def require_remaining(ctx: Context, link: SourceLink, wanted: Mapping[int, Decimal]) -> None:
    """Refuse what takes more of a source than all that executes it, by whatever path, has left.

    `wanted` was counted before, by the ids of the source's lines.
    """
    if not link.rest or not wanted:
        return
    table = link.lines.table()
    [rest] = (one for one in link.lines.derived if one.field.name == link.rest)
    left = rest.expression(table)
    rows = [row for row in _read_source_lines(ctx.conn, link, wanted, literal(0), left) if row.left < 0]
    if not rows:
        return
    causes = "；".join(
        _format_figures(
            link, row, wanted, "", f"{rest.field.label}{_format_value(link, row.left + wanted[row.line_id])}"
        )
        for row in rows
    )
    raise _build_refusal(ctx, link, rows, rest.field.label, causes)


def _read_source_lines(
    conn: Connection,
    link: SourceLink,
    keys: Iterable[int],
    executed: ColumnElement[Any],
    left: ColumnElement[Any],
) -> list[Row[Any]]:
    """Read source lines as refusals describe them, by the numbers of their bills."""
    lines, bills = link.lines.table(), registry.get_resource(link.bill).table()
    query = (
        select(
            lines.c.line_id,
            lines.c.line_no,
            bills.c.bill_id,
            bills.c.bill_no,
            lines.c[link.measure].label("whole"),
            executed.label("executed"),
            left.label("left"),
        )
        .join_from(lines, bills, lines.c.bill_id == bills.c.bill_id)
        .where(lines.c.line_id.in_(sorted(keys)))
        .order_by(bills.c.bill_no, lines.c.line_no)
    )
    return list(conn.execute(query).all())


def _build_refusal(
    ctx: Context, link: SourceLink, rows: list[Row[Any]], what: str, figures_text: str
) -> Refusal:
    figures = f"（{figures_text}）" if can_see_all(ctx.principal, (link.lines, link.measure)) else ""
    measure = link.lines.field(link.measure).label
    return Refusal(
        f"超过{_format_places(link, rows)}的{what}{figures}，请核对{measure}",
        remedies=_list_remedies(link, rows),
    )


def _format_figures(
    link: SourceLink, row: Row[Any], wanted: Mapping[int, Decimal], executed: str, left: str
) -> str:
    """Format a line's quantity, executed, remaining and requested figures."""
    whole = f"{link.lines.field(link.measure).label}{_format_value(link, row.whole)}"
    return f"{whole}{executed}，{left}，本次{_format_value(link, wanted[row.line_id])}"


def _format_value(link: SourceLink, value: Decimal) -> str:
    """Format a figure with a blank before it, an amount as it is stripped from messages."""
    money = link.lines.field(link.measure).kind == "money"
    return f" {value:,.2f} 元" if money else f" {value.normalize():f}"


def _format_places(link: SourceLink, rows: list[Row[Any]]) -> str:
    """Format source lines in words, by their bills' numbers and theirs."""
    label = registry.get_resource(link.bill).declaration.label
    return "、".join(
        f"{label}{number}第{'、'.join(str(row.line_no) for row in some)}行"
        for number, some in groupby(rows, key=lambda row: row.bill_no)
    )


def _list_remedies(link: SourceLink, rows: list[Row[Any]]) -> list[Remedy]:
    """Return the remedies that lead to these lines' bills."""
    numbers = {row.bill_id: row.bill_no for row in rows}
    return [link_to_bill(registry.get_resource(link.bill), key, number) for key, number in numbers.items()]
