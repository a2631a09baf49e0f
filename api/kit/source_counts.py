"""What was executed of a source's lines (已执行): counted, never past what they have, and refused with the figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, literal, select

from api.kit import registry
from api.kit.context import Context
from api.kit.document import Link
from api.kit.errors import Refusal, Way
from api.kit.projection import sees_all
from api.kit.reasons import see_bill


def count(ctx: Context, link: Link, wanted: Mapping[int, Decimal]) -> None:
    """Count what is executed of source lines, whose headers are locked, by their ids; less is given back.

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
    rows = _find(
        ctx.conn, link, set(keys) - {row[0] for row in done}, executed, table.c[link.measure] - executed
    )
    if link.reopens:
        raise Refusal(
            f"{_places(link, rows)}重新打开的数量已再次执行，请先处理后续单据", ways=_ways(link, rows)
        )
    measure = link.lines.field(link.measure).label
    told = "；".join(
        _figures(
            link, row, wanted, f"，已执行{_plain(link, row.executed)}", f"可执行{_plain(link, row.left)}"
        )
        for row in rows
    )
    raise _beyond(ctx, link, rows, f"可执行{measure}", told)


def refuse_beyond_rest(ctx: Context, link: Link, wanted: Mapping[int, Decimal]) -> None:
    """Refuse what takes more of a source than all that executes it, by whatever path, has left.

    `wanted` was counted before, by the ids of the source's lines.
    """
    if not link.rest or not wanted:
        return
    table = link.lines.table()
    [rest] = (one for one in link.lines.derived if one.field.name == link.rest)
    left = rest.expression(table)
    rows = [row for row in _find(ctx.conn, link, wanted, literal(0), left) if row.left < 0]
    if not rows:
        return
    told = "；".join(
        _figures(link, row, wanted, "", f"{rest.field.label}{_plain(link, row.left + wanted[row.line_id])}")
        for row in rows
    )
    raise _beyond(ctx, link, rows, rest.field.label, told)


def _find(
    conn: Connection, link: Link, keys: Iterable[int], executed: ColumnElement[Any], left: ColumnElement[Any]
) -> list[Row[Any]]:
    """Source lines as their refusals tell them, by the numbers of their bills."""
    lines, bills = link.lines.table(), registry.get(link.bill).table()
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


def _beyond(ctx: Context, link: Link, rows: list[Row[Any]], what: str, told: str) -> Refusal:
    figures = f"（{told}）" if sees_all(ctx.principal, (link.lines, link.measure)) else ""
    measure = link.lines.field(link.measure).label
    return Refusal(f"超过{_places(link, rows)}的{what}{figures}，请核对{measure}", ways=_ways(link, rows))


def _figures(link: Link, row: Row[Any], wanted: Mapping[int, Decimal], executed: str, left: str) -> str:
    """What a line has, of that was executed, what is left, and what is asked for now."""
    whole = f"{link.lines.field(link.measure).label}{_plain(link, row.whole)}"
    return f"{whole}{executed}，{left}，本次{_plain(link, wanted[row.line_id])}"


def _plain(link: Link, value: Decimal) -> str:
    """A figure with a blank before it, an amount as it is masked in messages."""
    money = link.lines.field(link.measure).kind == "money"
    return f" {value:,.2f} 元" if money else f" {value.normalize():f}"


def _places(link: Link, rows: list[Row[Any]]) -> str:
    """Source lines in words, by their bills' numbers and theirs."""
    label = registry.get(link.bill).declaration.label
    return "、".join(
        f"{label}{number}第{'、'.join(str(row.line_no) for row in some)}行"
        for number, some in groupby(rows, key=lambda row: row.bill_no)
    )


def _ways(link: Link, rows: list[Row[Any]]) -> list[Way]:
    """The ways to these lines' bills."""
    numbers = {row.bill_id: row.bill_no for row in rows}
    return [see_bill(registry.get(link.bill), key, number) for key, number in numbers.items()]
