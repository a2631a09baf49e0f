"""Stock upload (库存初始化): stock by location, as audited opening stock bills, one a warehouse and portion.

A row is told from others by warehouse, location, goods and batch. One that an audited opening bill holds
already is passed over when it says the same, and refused when it does not: stock is never entered twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import text

from api.importing import cells, files
from api.importing.cells import SheetRow
from api.importing.opening_rows import (
    REMARK,
    OpeningOutcome,
    OpeningUpload,
    TemplateColumn,
    build_refused_row,
)
from api.inventory.opening_stock import OpeningStock, OpeningStockLine
from api.kit.bills.bulk_posting import BulkBill
from api.kit.bills.drafts import Draft
from api.kit.context import Context
from api.kit.declaration.fields import Field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.errors import Forbidden
from api.kit.storage.projection import can_see_all
from api.master.stock import bulk_balances
from api.master.stock.stock_lines import read_batch_rules

EXAMPLES = {
    "warehouse_id": ("一号仓", "先在仓库设置里建好"),
    "goods_id": ("00012345", "商品编码或条形码"),
    "allocation_id": ("", "该仓库的库位，可不填"),
    "batch": ("2326", "轮胎写 DOT：周数加年份；按批次管理的商品必填"),
    "quantity": ("100", ""),
    "price": ("1130", "含税单价；库存价值按未税金额入账"),
    "tax_rate": ("13", "不填按商品的税率"),
    "is_gift": ("否", "没有进价的填“是”"),
    "remark": ("", ""),
}
Key = tuple[int, int, int, str]

_STORED = text(f"""
select b.warehouse_id, coalesce(l.allocation_id, 0) as allocation_id, l.goods_id, coalesce(l.batch, '') as batch,
    l.quantity, l.price, b.bill_no
from opening_stock b
join opening_stock_line l on l.bill_id = b.bill_id
where b.company_id = :company and b.status in {POSTED_SQL} and l.goods_id = any(cast(:goods as bigint[]))
""")
_GOODS = text("""
select goods_id, is_numbered, tax_rate from goods where goods_id = any(cast(:goods as bigint[]))
""")


class OpeningStocks(OpeningUpload):
    """库存"""

    label = "库存"
    portion = 4000

    def examples(self, ctx: Context) -> list[TemplateColumn]:
        items = {item.name: item for item in OpeningStockLine.fields()}
        items["warehouse_id"] = OpeningStock.field("warehouse_id")
        items["goods_id"] = replace(items["goods_id"], label="商品编码")
        items["price"] = replace(items["price"], required=True)
        return [TemplateColumn(items[name], *EXAMPLES[name]) for name in EXAMPLES if name in items]

    def prepare(self, ctx: Context) -> None:
        if not ctx.principal.sees_cost:
            raise Forbidden("库存初始化要录入成本，您没有查看成本的权限")
        self.refuse_closed(ctx, "期初库存")

    def read(self, ctx: Context, places: Mapping[Field, int], rows: Sequence[files.Row]) -> list[SheetRow]:
        lines = cells.read_cells(ctx, places, rows, {"company_id": self.company_id})
        items = {item.name: item for item in places}
        known = _select_goods(ctx, lines)
        named = [line.values for line in lines if "goods_id" in line.values]
        kept = read_batch_rules(ctx.conn, [(values["goods_id"], values.get("batch")) for values in named])
        for line in lines:
            goods = known.get(line.values.get("goods_id", 0))
            batch = line.values.get("batch") or ""
            if goods is not None:
                line.values.setdefault("tax_rate", goods.tax_rate)
                if goods.is_numbered:
                    line.add_error(items["goods_id"], "按胎号管理的商品请在期初库存单里录入")
                if problem := kept[goods.goods_id].describe_problem(batch):
                    line.add_error(items.get("batch", items["goods_id"]), problem)
            line.values.setdefault("price", Decimal(0))
            if line.values.get("quantity") is not None and line.values["quantity"] <= 0:
                line.add_error(items["quantity"], "请输入大于零的数")
            if not line.errors:
                self.refuse_duplicate(line, items["goods_id"], *_stock_key(line))
        return lines

    def import_rows(self, ctx: Context, lines: list[SheetRow]) -> OpeningOutcome:
        outcome = OpeningOutcome()
        there = self._stored_rows(ctx, lines)
        by_warehouse: dict[int, list[dict[str, Any]]] = {}
        item = next(one.item for one in self.examples(ctx) if one.item.name == "quantity")
        for line in lines:
            stored = there.get(_stock_key(line))
            if stored is None:
                outcome.taken += 1
                by_warehouse.setdefault(line.values["warehouse_id"], []).append(_build_row(line))
            elif (stored.quantity, stored.price) == (line.values["quantity"], line.values["price"]):
                outcome.known += 1
            else:
                stock_text = f"{stored.quantity.normalize():f}"
                if can_see_all(ctx.principal, (OpeningStockLine, "price")):
                    stock_text += f" × {stored.price.normalize():f}"
                line.add_error(item, f"期初库存单 {stored.bill_no} 已录入 {stock_text}，要改请先反审核该单")
                outcome.refused.append(build_refused_row(line))
        entries = [
            BulkBill(OpeningStock, Draft(self._build_header(warehouse), {"lines": rows}))
            for warehouse, rows in by_warehouse.items()
        ]
        if entries:
            bulk_balances.post_bills(ctx, entries)
        return outcome

    def _build_header(self, warehouse: int) -> dict[str, Any]:
        return {
            "company_id": self.company_id,
            "business_date": self.today,
            "warehouse_id": warehouse,
            "remark": REMARK,
        }

    def _stored_rows(self, ctx: Context, lines: list[SheetRow]) -> dict[Key, Any]:
        goods = sorted({line.values["goods_id"] for line in lines})
        rows = ctx.conn.execute(_STORED, {"company": self.company_id, "goods": goods})
        return {(row.warehouse_id, row.allocation_id, row.goods_id, row.batch): row for row in rows}


def _select_goods(ctx: Context, lines: list[SheetRow]) -> dict[int, Any]:
    keys = sorted({line.values["goods_id"] for line in lines if "goods_id" in line.values})
    return {row.goods_id: row for row in ctx.conn.execute(_GOODS, {"goods": keys})}


def _stock_key(line: SheetRow) -> Key:
    values = line.values
    return (
        values["warehouse_id"],
        values.get("allocation_id") or 0,
        values["goods_id"],
        values.get("batch") or "",
    )


def _build_row(line: SheetRow) -> dict[str, Any]:
    values = line.values
    return {
        "goods_id": values["goods_id"],
        "allocation_id": values.get("allocation_id"),
        "batch": values.get("batch") or None,
        "quantity": values["quantity"],
        "price": values["price"],
        "discount_amount": Decimal(0),
        "tax_rate": values["tax_rate"],
        "is_gift": values.get("is_gift", False),
        "remark": values.get("remark"),
    }
