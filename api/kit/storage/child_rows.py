"""Blocks (明细): rows below a bill or record, read, parsed from a payload, and written with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnDefault, Connection, Table, select

from api.kit.context import Context
from api.kit.declaration.document import MAX_LINES, Block
from api.kit.declaration.resource import Resource
from api.kit.errors import Refusal
from api.kit.storage.projection import build_projection, mask_row, masked_names
from api.kit.storage.validation import Problems, clean_payload, parse_key


def read_blocks(
    ctx: Context, cls: type[Resource], key: int, most: int | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Read the rows below a record by block with labels, hidden fields as 无权限.

    `most` rows, or those a block shows.
    """
    found = {}
    for block in cls.blocks():
        table, hidden = block.cls.table(), masked_names(block.cls, block.cls.name(), ctx.principal)
        rows = build_projection(block.cls, block.cls.fields()).select().where(table.c[block.cls.owner] == key)
        ordered = rows.order_by(table.c.line_no).limit(most or block.shown)
        found[block.name] = [mask_row(row, hidden) for row in ctx.conn.execute(ordered)]
    return found


def format_block_rows(ctx: Context, cls: type[Resource], key: int) -> dict[str, list[str]]:
    """Read the rows below a record by block, each as one text of its values, for the log."""
    found = {}
    rows = read_blocks(ctx, cls, key)
    for block in cls.blocks():
        names = [item.label_field or item.name for item in block.cls.fields() if item.name != "line_no"]
        found[block.name] = [
            " ".join(str(row[name]) for name in names if row[name] is not None) for row in rows[block.name]
        ]
    return found


def read_stored_rows(conn: Connection, block: Block, key: int) -> list[dict[str, Any]]:
    """Read the rows below a record as they are stored."""
    table = block.cls.table()
    query = select(table).where(table.c[block.cls.owner] == key).order_by(table.c.line_no)
    return [dict(row._mapping) for row in conn.execute(query)]


def parse_rows(
    ctx: Context, block: Block, sent: Any, problems: Problems, key: int | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """Parse a block of a payload into typed rows, and return them with their places in words.

    Rows of the record `key` keep the values that the principal may not see.
    """
    rows = sent if isinstance(sent, list) else []
    if len(rows) > MAX_LINES:
        raise Refusal(f"{block.label}不能超过{MAX_LINES}行，请分成多张单据")
    if block.required and not rows:
        problems.add(f"请录入{block.label}")
    hidden = _read_hidden_values(ctx, block, key) if key is not None else {}
    cleaned, labels = [], []
    for number, row in enumerate(rows, 1):
        problems.place = f"第{number}行"
        if not isinstance(row, Mapping):
            raise Refusal(f"{block.label}第{number}行格式不正确")
        kept = hidden.get(parse_key(row.get("line_id")) or 0, {})
        values = clean_payload(
            block.cls, row, ctx.principal, block.cls.name(), problems, partial=False, kept=kept
        )
        cleaned.append({**values, "line_no": number})
        labels.append(problems.place)
    problems.place = ""
    return cleaned, labels


def _read_hidden_values(ctx: Context, block: Block, key: int) -> dict[int, Mapping[str, Any]]:
    """Read the values of a record's rows that the principal may not see, by line."""
    me, screen = ctx.principal, block.cls.name()
    hidden = [
        item.name
        for item in block.cls.fields()
        if item.writable and not me.can_see(screen, item.name, item.permission)
    ]
    if not hidden:
        return {}
    return {
        row["line_id"]: {name: row[name] for name in hidden} for row in read_stored_rows(ctx.conn, block, key)
    }


def block_label(cls: type[Resource], block: Block) -> str:
    """Return the label that tells a block's rows from others'; empty for the first block."""
    return "" if block is cls.blocks()[0] else block.label


def insert_rows(conn: Connection, block: Block, key: int, rows: list[dict[str, Any]]) -> None:
    """Insert the rows of a new record; a column that only some rows have gets its default in the others."""
    if not rows:
        return
    table = block.cls.table()
    names = {name for row in rows for name in row}
    blank = {name: value for name, value in build_blank_row(table).items() if name in names}
    conn.execute(table.insert(), [{**blank, **row, block.cls.owner: key} for row in rows])


def build_blank_row(table: Table) -> dict[str, Any]:
    """Build a row of a table's default values."""
    return {
        column.key: column.default.arg if isinstance(column.default, ColumnDefault) else None
        for column in table.columns
    }


def replace_rows(conn: Connection, block: Block, key: int, rows: list[dict[str, Any]]) -> None:
    """Replace the rows below a record."""
    table = block.cls.table()
    conn.execute(table.delete().where(table.c[block.cls.owner] == key))
    insert_rows(conn, block, key, rows)
