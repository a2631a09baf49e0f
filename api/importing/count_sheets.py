"""Count sheets (盘点表): a stocktake's lines to Excel, and the counts of a filled sheet back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Form

from api.importing import files, sheet_upload
from api.inventory.stock_take import StockTake
from api.kit.bills import drafts
from api.kit.context import Context
from api.kit.declaration.document import MAX_LINES
from api.kit.declaration.fields import Field
from api.kit.errors import Refusal
from api.kit.http.endpoints import read_bill
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key, Saved
from api.kit.storage.bill_visibility import mask_hidden_bills
from api.kit.storage.validation import Problems

api = build_router()
NUMBER, CODE = "序号", "商品编码"
COUNTS = {"初盘数量": "counted_quantity", "复盘数量": "recount_quantity", "备注": "remark"}
COLUMNS = (
    Field("line_no", NUMBER, "integer", width=60),
    Field("goods_num", CODE, "text", width=130),
    Field("goods_name", "商品名称", "text", width=240),
    Field("specification_type", "规格型号", "text", width=140),
    Field("unit_name", "单位", "text", width=60),
    Field("allocation_name", "库位", "text", width=100),
    Field("batch", "批次", "text", width=80),
    Field("book_quantity", "账面数量", "quantity", width=90),
    Field("counted_quantity", "初盘数量", "quantity", width=90),
    Field("recount_quantity", "复盘数量", "quantity", width=90),
    Field("remark", "备注", "text", width=160),
)


@call(api, "GET", "v2/inventory/StockTaking/getCountSheet", right=StockTake.right("list"))
def get_count_sheet(ctx: Context, id: Key, blind: int = 0) -> Any:
    """盘点表: the lines of a stocktake, for a blind count without what the book says."""
    info = mask_hidden_bills(ctx.conn, ctx.principal, read_bill(ctx, StockTake, id))
    columns = [item for item in COLUMNS if not (blind and item.name == "book_quantity")]
    return sheet_upload.build_workbook_response(f"{info['bill_no']}.xlsx", "盘点表", columns, info["lines"])


@call(
    api,
    "POST",
    "v2/inventory/StockTaking/importCountSheet",
    right=StockTake.right("edit"),
    returns=Saved,
    write=True,
    turns=sheet_upload.TURNS,
)
def import_count_sheet(
    ctx: Context, id: Annotated[int, Form(ge=0, le=2**62)], excel: sheet_upload.Sent
) -> Any:
    """导入盘点表: counts and remarks of a filled sheet; blank cells leave a line as it is."""
    info = read_bill(ctx, StockTake, id)
    with sheet_upload.receive_sheet(ctx, "导入盘点表", excel, company_id=info["company_id"]) as sheet:
        _fill_counts(info["lines"], sheet.read(MAX_LINES, f"盘点表不能超过{MAX_LINES}行，请使用导出的盘点表"))
    return drafts.edit_draft(ctx, StockTake, id, info)


def _fill_counts(lines: list[dict[str, Any]], rows: Sequence[files.Row]) -> None:
    """Put a sheet's counts into the lines that it names. Raises Refusal with all mistakes at once."""
    head = rows[0][1] if rows else []
    if NUMBER not in head or CODE not in head or not COUNTS.keys() & set(head):
        raise Refusal(f"请使用导出的盘点表，表头应有“{NUMBER}”“{CODE}”“初盘数量”")
    by_number, problems = {str(line["line_no"]): line for line in lines}, Problems()
    for number, cells in rows[1:]:
        row = dict(zip(head, cells, strict=False))
        line = by_number.get(row[NUMBER].strip())
        if line is None or line["goods_num"] != row.get(CODE, "").strip():
            problems.place = f"表格第{number}行"
            problems.add("序号与商品编码和盘点单不一致")
            continue
        line.update({name: row[label] for label, name in COUNTS.items() if row.get(label, "").strip()})
    problems.raise_if_any()
