"""Blocks (明细): the rows below a bill or record — read, taken from a payload, and written with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnDefault, Connection, Table, select

from api.kit.context import Context
from api.kit.document import MAX_LINES, Block
from api.kit.errors import Refusal
from api.kit.projection import masked, masks, project
from api.kit.resource import Resource
from api.kit.validation import Problems, as_key, clean


def read(
    ctx: Context, cls: type[Resource], key: int, most: int | None = None
) -> dict[str, list[dict[str, Any]]]:
    """The rows below a record by block, labels read along, hidden fields as 无权限; what a block shows, or `most`."""
    found = {}
    for block in cls.blocks():
        table, hidden = block.cls.table(), masks(block.cls, block.cls.name(), ctx.principal)
        rows = project(block.cls, block.cls.fields()).select().where(table.c[block.cls.owner] == key)
        ordered = rows.order_by(table.c.line_no).limit(most or block.shown)
        found[block.name] = [masked(row, hidden) for row in ctx.conn.execute(ordered)]
    return found


def in_words(ctx: Context, cls: type[Resource], key: int) -> dict[str, list[str]]:
    """The rows below a record by block, each as its values in words, for the log."""
    found = {}
    rows = read(ctx, cls, key)
    for block in cls.blocks():
        names = [item.label_field or item.name for item in block.cls.fields() if item.name != "line_no"]
        found[block.name] = [
            " ".join(str(row[name]) for name in names if row[name] is not None) for row in rows[block.name]
        ]
    return found


def stored(conn: Connection, block: Block, key: int) -> list[dict[str, Any]]:
    """The rows below a record as they are kept."""
    table = block.cls.table()
    query = select(table).where(table.c[block.cls.owner] == key).order_by(table.c.line_no)
    return [dict(row._mapping) for row in conn.execute(query)]


def taken(
    ctx: Context, block: Block, sent: Any, problems: Problems, key: int | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """What is sent for a block as rows of typed values, and where each stands in words.

    Those of the record `key` keep what the principal may not see.
    """
    rows = sent if isinstance(sent, list) else []
    if len(rows) > MAX_LINES:
        raise Refusal(f"{block.label}不能超过{MAX_LINES}行，请分成多张单据")
    if block.required and not rows:
        problems.add(f"请录入{block.label}")
    hidden = _hidden_values(ctx, block, key) if key is not None else {}
    cleaned, labels = [], []
    for number, row in enumerate(rows, 1):
        problems.place = f"第{number}行"
        if not isinstance(row, Mapping):
            raise Refusal(f"{block.label}第{number}行格式不正确")
        kept = hidden.get(as_key(row.get("line_id")) or 0, {})
        values = clean(block.cls, row, ctx.principal, block.cls.name(), problems, partial=False, kept=kept)
        cleaned.append({**values, "line_no": number})
        labels.append(problems.place)
    problems.place = ""
    return cleaned, labels


def _hidden_values(ctx: Context, block: Block, key: int) -> dict[int, Mapping[str, Any]]:
    """What the stored rows of a record hold in fields that the principal may not see, by line."""
    me, screen = ctx.principal, block.cls.name()
    hidden = [
        item.name
        for item in block.cls.fields()
        if item.writable and not me.sees(screen, item.name, item.permission)
    ]
    if not hidden:
        return {}
    return {row["line_id"]: {name: row[name] for name in hidden} for row in stored(ctx.conn, block, key)}


def named(cls: type[Resource], block: Block) -> str:
    """How the rows of a block are told from those of others: the first one's need no name."""
    return "" if block is cls.blocks()[0] else block.label


def insert(conn: Connection, block: Block, key: int, rows: list[dict[str, Any]]) -> None:
    """Write the rows of a new record; what only some of them tell has its default in the others."""
    if not rows:
        return
    table = block.cls.table()
    told = {name for row in rows for name in row}
    blank = {name: value for name, value in blank_row(table).items() if name in told}
    conn.execute(table.insert(), [{**blank, **row, block.cls.owner: key} for row in rows])


def blank_row(table: Table) -> dict[str, Any]:
    """What columns hold when a row doesn't name them."""
    return {
        column.key: column.default.arg if isinstance(column.default, ColumnDefault) else None
        for column in table.columns
    }


def replace(conn: Connection, block: Block, key: int, rows: list[dict[str, Any]]) -> None:
    """Write rows in the place of those below a record."""
    table = block.cls.table()
    conn.execute(table.delete().where(table.c[block.cls.owner] == key))
    insert(conn, block, key, rows)
