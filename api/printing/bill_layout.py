"""Bill layout (版面): a bill as its reader may see it, laid out by a template, as the data that Typst renders.

Only what `read_bill` answers is printed, under the same scope and masks: a masked field says 无权限, and
a cost that the reader may not see has no place on the sheet at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select

from api.kit.context import Context
from api.kit.declaration.document import MAX_LINES, Bill, Block
from api.kit.declaration.fields import COST, Field
from api.kit.declaration.resource import Declared
from api.kit.errors import Refusal
from api.kit.http.endpoints import read_bill
from api.kit.scope import Principal
from api.kit.storage.bill_visibility import mask_hidden_bills
from api.kit.storage.database import TIME_ZONE
from api.kit.storage.projection import MASK, masked_names, shown_fields
from api.master.organization.companies import GroupInfo
from api.printing.capitals import format_capitals
from api.printing.field_format import DECIMALS, format_field, format_number
from api.printing.print_layout import PrintColumn, PrintLayout, PrintSignature
from api.shell.files.upload_file import upload_path

SERIAL = Field("line_no", "序号", "text", width=50)
PRICE_KINDS = frozenset({"money", "price", "rate"})
NOT_IN_HEADING = frozenset(
    {"status", "company_id", "reject_reason", "maker_id", "made_at", "auditor_id", "audited_at"}
)
"""Header fields that paper has no use for, or that stand elsewhere on it."""
PEOPLE = (("制单", "maker_id"), ("审核", "auditor_id"), ("经手", "employee_id"), ("签收", ""))
EMPTY_TEXTS = frozenset({"", "0", "0.00", "否"})
PIXELS_PER_MM = 5
MOST_ROWS = 50_000
"""So many rows of a bill are printed as a task; while one waits, as many as are keyed in at most."""
PIECE = 2500
"""So many rows are set together, which takes the press half a gigabyte."""


def header_fields(cls: type[Bill]) -> list[Field]:
    """Return the header fields that a template may choose."""
    return [item for item in shown_fields(cls) if not item.hidden and item.kind != "password"]


def line_fields(block: Block) -> list[Field]:
    """Return the columns of a block that a template may choose, the serial number first."""
    labels = {item.name: item.label for item in block.cls.fields()}
    return [
        SERIAL,
        *(
            replace(item, label=labels[item.told_by]) if item.told_by else item
            for item in shown_fields(block.cls)
            if not item.hidden and item.kind != "password" and item.name != SERIAL.name
        ),
    ]


def build_factory_layout(cls: type[Bill]) -> PrintLayout:
    """Build the factory template of a bill type: what was keyed in and its amounts, never cost.

    Of a bill whose rows are read from the ledgers it has the figures that were read.
    """
    assert cls.bill is not None
    read = any(_is_read_only(block) for block in cls.bill.blocks)
    heading = [
        item.name
        for item in header_fields(cls)
        if item.name not in NOT_IN_HEADING and _is_factory_heading(item, read=read)
    ]
    columns = {
        block.name: [
            PrintColumn(name=item.name, width=max(8, round(item.width / PIXELS_PER_MM)))
            for item in line_fields(block)
            if _is_factory_column(item, read=_is_read_only(block))
        ]
        for block in cls.bill.blocks
    }
    signatures = [PrintSignature(label=label, name=name) for label, name in PEOPLE]
    return PrintLayout(heading=heading, columns=columns, signatures=signatures)


def _is_factory_heading(item: Field, *, read: bool) -> bool:
    """Return whether a header field is in the factory template: of figures those keyed in or read, no cost,
    no lone rate."""
    if not item.is_number:
        return item.form or item.name == "bill_no"
    return item.permission != COST and (read or (item.form and item.kind != "rate"))


def _is_read_only(block: Block) -> bool:
    """Return whether nothing of a block's rows is keyed in."""
    return not any(item.form for item in line_fields(block) if item is not SERIAL)


def _is_factory_column(item: Field, *, read: bool) -> bool:
    if item is SERIAL:
        return True
    keyed = item.form or not item.is_number or item.name == "amount"
    return item.list and item.permission != COST and (read or keyed)


def build_sheets(
    ctx: Context, cls: type[Bill], key: int, layout: PrintLayout, most: int = MAX_LINES
) -> list[dict[str, Any]]:
    """Build a bill's sheet, once a copy. Raises where it is out of scope, or a block has more rows than
    `most`."""
    row = mask_hidden_bills(ctx.conn, ctx.principal, read_bill(ctx, cls, key, most + 1))
    _forbid_long(ctx, cls, row, most)
    sheet = _build_sheet(ctx.principal, cls, row, layout)
    sheet["logo"] = _find_logo(ctx) if layout.logo else ""
    return [sheet] * layout.copies


def split_sheet(sheet: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a long sheet into consecutive ones; their page numbers are filled in once all are rendered."""
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


def count_rows(sheet: dict[str, Any]) -> int:
    return sum(len(part["rows"]) for part in sheet["parts"])


def _forbid_long(ctx: Context, cls: type[Bill], row: dict[str, Any], most: int) -> None:
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


def _find_logo(ctx: Context) -> str:
    """Return the path of the group's logo, empty where there is none; looked up once a request."""
    place = ("group_logo", 0)
    if place not in ctx.lookup_cache:
        found = ctx.conn.execute(select(GroupInfo.logo)).scalar()
        path = upload_path(found) if found else None
        ctx.lookup_cache[place] = str(path) if path and path.is_file() else ""
    logo: str = ctx.lookup_cache[place]
    return logo


def _build_sheet(
    principal: Principal, cls: type[Bill], row: dict[str, Any], layout: PrintLayout
) -> dict[str, Any]:
    assert cls.bill is not None
    width, height = layout.size
    known = {item.name: item for item in _visible_fields(cls, header_fields(cls), principal)}
    total = _total_amount(row) if layout.prices and layout.capitals else None
    return {
        "width": width,
        "height": height,
        "margin": layout.margin.model_dump(),
        "font_size": layout.font_size,
        "company": layout.company or str(row.get("company_name") or ""),
        "title": layout.title or cls.declaration.label,
        "heading": _build_heading((known[name] for name in layout.heading if name in known), row, layout),
        "heading_columns": layout.heading_columns,
        "heading_each": layout.heading_each,
        "parts": _build_parts(principal, cls.bill.blocks, row, layout),
        "capitals": "" if total is None else format_capitals(total),
        "figure": "" if total is None else f"￥{format_number(total, 2)}",
        "remark": layout.remark,
        "signatures": [
            {"label": item.label, "value": format_field(known[item.name], row) if item.name in known else ""}
            for item in layout.signatures
        ],
        "piece": None,
        "foot": f"{principal.realname} {datetime.now(TIME_ZONE):%Y-%m-%d %H:%M} 打印",
    }


def _visible_fields(cls: type[Declared], fields: Iterable[Field], principal: Principal) -> list[Field]:
    """Return the fields that a principal may see."""
    hidden = masked_names(cls, cls.name(), principal)
    return [item for item in fields if item.name not in hidden]


def _build_heading(fields: Iterable[Field], row: dict[str, Any], layout: PrintLayout) -> list[dict[str, Any]]:
    """Return header fields with their texts; long ones have a line of their own, below the others."""
    items = (
        (item, format_field(item, row)) for item in fields if layout.prices or item.kind not in PRICE_KINDS
    )
    found = [
        {"label": item.label, "value": value, "whole": item.kind == "textarea"}
        for item, value in items
        if not layout.skip_empty or (value and not (item.form and item.is_number and value in EMPTY_TEXTS))
    ]
    return sorted(found, key=lambda item: item["whole"])


def _total_amount(row: dict[str, Any]) -> Decimal | None:
    """Return the bill's amount, where it has one and the reader may see it."""
    amount = row.get("total_amount", row.get("amount"))
    return amount if isinstance(amount, Decimal) else None


def _build_parts(
    principal: Principal, blocks: Sequence[Block], row: dict[str, Any], layout: PrintLayout
) -> list[dict[str, Any]]:
    """Return the tables; each is named where there are several."""
    found = [
        part
        for at, block in enumerate(blocks)
        if (part := _build_part(principal, block, row[block.name], layout, first=at == 0))
    ]
    return found if len(found) > 1 else [part | {"label": ""} for part in found]


def _build_part(
    principal: Principal, block: Block, rows: Sequence[dict[str, Any]], layout: PrintLayout, *, first: bool
) -> dict[str, Any] | None:
    known = {item.name: item for item in _visible_fields(block.cls, line_fields(block), principal)}
    chosen = [
        (known[column.name], column) for column in layout.columns.get(block.name, ()) if column.name in known
    ]
    chosen = [
        (item, column)
        for item, column in chosen
        if (layout.prices or item.kind not in PRICE_KINDS)
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
        "rows": [_build_line([item for item, _ in chosen], summed, row) for row in numbered],
        "totals": _format_totals([item for item, _ in chosen], summed, rows)
        if layout.totals and any_sum
        else [],
        "subtotals": layout.subtotals and any_sum,
    }


def _is_used(item: Field, rows: Sequence[dict[str, Any]]) -> bool:
    """Return whether a column says anything on any line; one that says nothing costs paper."""
    return any(format_field(item, row) not in EMPTY_TEXTS for row in rows)


def _build_line(fields: Sequence[Field], summed: Sequence[bool], row: dict[str, Any]) -> dict[str, Any]:
    figures = {
        str(at): f"{row.get(item.name) or 0:f}"
        for at, (item, sum_up) in enumerate(zip(fields, summed, strict=True))
        if sum_up
    }
    return {"cells": [format_field(item, row) for item in fields], "sums": figures}


def _format_totals(
    fields: Sequence[Field], summed: Sequence[bool], rows: Sequence[dict[str, Any]]
) -> list[str]:
    return [
        format_number(
            sum((row.get(item.name) or Decimal(0) for row in rows), Decimal(0)), DECIMALS.get(item.kind, 0)
        )
        if sum_up
        else (MASK if item.total else "")
        for item, sum_up in zip(fields, summed, strict=True)
    ]
