"""Sheets (版面): a bill as its reader may see it, laid out by a template, as the data that the press sets.

Only what `bill_info` answers is printed, under the same scope and masks: a masked field says 无权限, and a cost that
the reader may not see has no place on the sheet at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select

from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.document import MAX_LINES, Bill, Block
from api.kit.endpoints import bill_info
from api.kit.errors import Refusal
from api.kit.fields import COST, Field
from api.kit.named_bills import hide_closed
from api.kit.projection import MASK, masks, shown_fields
from api.kit.resource import Declared
from api.kit.scope import Principal
from api.master.organisation import GroupInfo
from api.printing.capitals import capitals
from api.printing.papers import PrintColumn, PrintLayout, PrintSignature
from api.printing.wording import DECIMALS, grouped, told
from api.shell.upload_file import place_of

SERIAL = Field("line_no", "序号", "text", width=50)
PRICED = frozenset({"money", "price", "rate"})
NOT_DELIVERED = frozenset(
    {"status", "company_id", "reject_reason", "maker_id", "made_at", "auditor_id", "audited_at"}
)
"""Header fields that paper has no use for, or that stand elsewhere on it."""
PEOPLE = (("制单", "maker_id"), ("审核", "auditor_id"), ("经手", "employee_id"), ("签收", ""))
NOTHING = frozenset({"", "0", "0.00", "否"})
PIXELS_PER_MM = 5
MOST_ROWS = 50_000
"""So many rows of a bill are printed as a task; while one waits, as many as are keyed in at most."""
PIECE = 2500
"""So many rows are set together, which takes the press half a gigabyte."""


def headers(cls: type[Bill]) -> list[Field]:
    """Header fields that a template may choose."""
    return [item for item in shown_fields(cls) if not item.hidden and item.kind != "password"]


def line_fields(block: Block) -> list[Field]:
    """Columns of a block that a template may choose, the serial number first; what tells one names it."""
    labels = {item.name: item.label for item in block.cls.fields()}
    return [
        SERIAL,
        *(
            replace(item, label=labels[item.told_by]) if item.told_by else item
            for item in shown_fields(block.cls)
            if not item.hidden and item.kind != "password" and item.name != SERIAL.name
        ),
    ]


def delivered(cls: type[Bill]) -> PrintLayout:
    """The template a bill type comes with: what was keyed in and what it amounts to, never cost.

    Of a bill whose rows are read from the books it is the figures that were read.
    """
    assert cls.bill is not None
    read = any(_is_read(block) for block in cls.bill.blocks)
    heading = [
        item.name for item in headers(cls) if item.name not in NOT_DELIVERED and _heads(item, read=read)
    ]
    columns = {
        block.name: [
            PrintColumn(name=item.name, width=max(8, round(item.width / PIXELS_PER_MM)))
            for item in line_fields(block)
            if _is_delivered(item, read=_is_read(block))
        ]
        for block in cls.bill.blocks
    }
    signatures = [PrintSignature(label=label, name=name) for label, name in PEOPLE]
    return PrintLayout(heading=heading, columns=columns, signatures=signatures)


def _heads(item: Field, *, read: bool) -> bool:
    """Of figures what was keyed in or read; a rate alone amounts to nothing, and cost is not for every reader."""
    if not item.is_number:
        return item.form or item.name == "bill_no"
    return item.permission != COST and (read or (item.form and item.kind != "rate"))


def _is_read(block: Block) -> bool:
    """Whether nothing of a block's rows is keyed in."""
    return not any(item.form for item in line_fields(block) if item is not SERIAL)


def _is_delivered(item: Field, *, read: bool) -> bool:
    if item is SERIAL:
        return True
    keyed = item.form or not item.is_number or item.name == "amount"
    return item.list and item.permission != COST and (read or keyed)


def sheets_of(
    ctx: Context, cls: type[Bill], key: int, layout: PrintLayout, most: int = MAX_LINES
) -> list[dict[str, Any]]:
    """A bill's sheet, once a copy; refuses what lies outside the user's scope, and more rows of a block than `most`."""
    row = hide_closed(ctx.conn, ctx.principal, bill_info(ctx, cls, key, most + 1))
    _refuse_long(ctx, cls, row, most)
    sheet = _sheet(ctx.principal, cls, row, layout)
    sheet["logo"] = _logo(ctx) if layout.logo else ""
    return [sheet] * layout.copies


def pieces_of(sheet: dict[str, Any]) -> list[dict[str, Any]]:
    """A long sheet as several that follow each other; their place among the pages is told once all are set."""
    slices = [
        part
        | {
            "rows": part["rows"][at : at + PIECE],
            "label": "" if at else part["label"],
            "totals": part["totals"] if at + PIECE >= len(part["rows"]) else [],
        }
        for part in sheet["parts"]
        for at in range(0, len(part["rows"]) or 1, PIECE)
    ]
    return [
        sheet
        | {"parts": [part], "piece": {"opens": at == 1, "closes": at == len(slices), "before": 0, "pages": 0}}
        for at, part in enumerate(slices, 1)
    ]


def rows_of(sheet: dict[str, Any]) -> int:
    return sum(len(part["rows"]) for part in sheet["parts"])


def _refuse_long(ctx: Context, cls: type[Bill], row: dict[str, Any], most: int) -> None:
    assert cls.bill is not None
    for block in cls.bill.blocks:
        if len(row[block.name]) <= most:
            continue
        table = block.cls.table()
        mine = table.c[block.cls.owner] == row["bill_id"]
        rows = ctx.conn.execute(select(func.count()).select_from(table).where(mine)).scalar_one()
        if rows <= MOST_ROWS:
            msg = f"{row['bill_no']}的{block.label}有{rows}行，请用“后台生成PDF”，完成后在导出任务中下载"
            raise Refusal(msg, data={"as_task": True})
        where = f"，请在“{cls.bill.detail.label}”查出该单据并导出" if cls.bill.detail else ""
        raise Refusal(f"{row['bill_no']}的{block.label}超过{MOST_ROWS}行，不能打印{where}")


def _logo(ctx: Context) -> str:
    """Where the group's logo lies; it heads bills, whoever prints them, and is looked for once."""
    place = ("group_logo", 0)
    if place not in ctx.known:
        found = ctx.conn.execute(select(GroupInfo.logo)).scalar()
        path = place_of(found) if found else None
        ctx.known[place] = str(path) if path and path.is_file() else ""
    told: str = ctx.known[place]
    return told


def _sheet(principal: Principal, cls: type[Bill], row: dict[str, Any], layout: PrintLayout) -> dict[str, Any]:
    assert cls.bill is not None
    width, height = layout.size
    known = {item.name: item for item in _readable(cls, headers(cls), principal)}
    total = _total(row) if layout.prices and layout.capitals else None
    return {
        "width": width,
        "height": height,
        "margin": layout.margin.model_dump(),
        "font_size": layout.font_size,
        "company": layout.company or str(row.get("company_name") or ""),
        "title": layout.title or cls.declaration.label,
        "heading": _heading((known[name] for name in layout.heading if name in known), row, layout),
        "heading_columns": layout.heading_columns,
        "heading_each": layout.heading_each,
        "parts": _parts(principal, cls.bill.blocks, row, layout),
        "capitals": "" if total is None else capitals(total),
        "figure": "" if total is None else f"￥{grouped(total, 2)}",
        "remark": layout.remark,
        "signatures": [
            {"label": item.label, "value": told(known[item.name], row) if item.name in known else ""}
            for item in layout.signatures
        ],
        "piece": None,
        "foot": f"{principal.realname} {datetime.now(TIME_ZONE):%Y-%m-%d %H:%M} 打印",
    }


def _readable(cls: type[Declared], fields: Iterable[Field], principal: Principal) -> list[Field]:
    """Fields without those that a principal may not see."""
    hidden = masks(cls, cls.name(), principal)
    return [item for item in fields if item.name not in hidden]


def _heading(fields: Iterable[Field], row: dict[str, Any], layout: PrintLayout) -> list[dict[str, Any]]:
    """Header fields with their texts; long ones have a line of their own, below the others."""
    items = ((item, told(item, row)) for item in fields if layout.prices or item.kind not in PRICED)
    found = [
        {"label": item.label, "value": value, "whole": item.kind == "textarea"}
        for item, value in items
        if not layout.skip_empty or (value and not (item.form and item.is_number and value in NOTHING))
    ]
    return sorted(found, key=lambda item: item["whole"])


def _total(row: dict[str, Any]) -> Decimal | None:
    """What the bill amounts to, where it has an amount and the reader may see it."""
    amount = row.get("total_amount", row.get("amount"))
    return amount if isinstance(amount, Decimal) else None


def _parts(
    principal: Principal, blocks: Sequence[Block], row: dict[str, Any], layout: PrintLayout
) -> list[dict[str, Any]]:
    """The tables; each is named where there are several."""
    found = [
        part
        for at, block in enumerate(blocks)
        if (part := _part(principal, block, row[block.name], layout, first=at == 0))
    ]
    return found if len(found) > 1 else [part | {"label": ""} for part in found]


def _part(
    principal: Principal, block: Block, rows: Sequence[dict[str, Any]], layout: PrintLayout, *, first: bool
) -> dict[str, Any] | None:
    known = {item.name: item for item in _readable(block.cls, line_fields(block), principal)}
    chosen = [
        (known[column.name], column) for column in layout.columns.get(block.name, ()) if column.name in known
    ]
    chosen = [
        (item, column)
        for item, column in chosen
        if (layout.prices or item.kind not in PRICED)
        and (not layout.skip_empty or item is SERIAL or item.required or _is_used(item, rows))
    ]
    if not chosen or (not rows and not first):
        return None
    numbered = [{**row, SERIAL.name: at} for at, row in enumerate(rows, 1)]
    summed = [item.total and not any(row.get(item.name) == MASK for row in rows) for item, _ in chosen]
    any_sum = any(summed)
    return {
        "label": block.label,
        "columns": [
            {
                "label": column.label or item.label,
                "width": column.width,
                "align": "center" if item is SERIAL else ("right" if item.is_number else "left"),
                "sum": sum_up,
                "decimals": DECIMALS.get(item.kind, 0),
            }
            for (item, column), sum_up in zip(chosen, summed, strict=True)
        ],
        "rows": [_line([item for item, _ in chosen], summed, row) for row in numbered],
        "totals": _totals([item for item, _ in chosen], summed, rows) if layout.totals and any_sum else [],
        "subtotals": layout.subtotals and any_sum,
    }


def _is_used(item: Field, rows: Sequence[dict[str, Any]]) -> bool:
    """A column that says the same nothing on every line costs paper."""
    return any(told(item, row) not in NOTHING for row in rows)


def _line(fields: Sequence[Field], summed: Sequence[bool], row: dict[str, Any]) -> dict[str, Any]:
    figures = {
        str(at): f"{row.get(item.name) or 0:f}"
        for at, (item, sum_up) in enumerate(zip(fields, summed, strict=True))
        if sum_up
    }
    return {"cells": [told(item, row) for item in fields], "sums": figures}


def _totals(fields: Sequence[Field], summed: Sequence[bool], rows: Sequence[dict[str, Any]]) -> list[str]:
    return [
        grouped(
            sum((row.get(item.name) or Decimal(0) for row in rows), Decimal(0)), DECIMALS.get(item.kind, 0)
        )
        if sum_up
        else (MASK if item.total else "")
        for item, sum_up in zip(fields, summed, strict=True)
    ]
