"""Conversion (形态转换、组装、拆卸), XTZH: goods become others, worth the cost of the inputs and the labour.

Inputs leave at the moving average. Their cost is divided over the outputs by the given shares, or by the
value of the outputs at their present cost, to the cent; goods without a cost are weighed by their
reference price.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Identity, select
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from api.inventory.conversion_recipes import (
    KINDS,
    RecipeInput,
    RecipeLine,
    RecipeOutput,
    WantedSets,
    list_missing_lines,
    validate_kind,
    validate_shares,
)
from api.kit.context import Context
from api.kit.declaration.document import (
    Bill,
    BillLine,
    BillType,
    Block,
    Document,
    Proposal,
    Rows,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import (
    COST,
    derived_field,
    enum_field,
    money_field,
    price_field,
    quantity_field,
    rate_field,
    reference_field,
    text_field,
)
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.posting import Conversion, Postings, StockMove
from api.kit.declaration.resource import Menu
from api.kit.http.routing import build_router, call
from api.kit.storage.validation import Problems
from api.ledger.integrity_checks import Check, register_checks
from api.master.goods.goods import CompanyGoods
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import (
    IssueLine,
    ReceiptLine,
    WarehouseMixin,
    line_cost_column,
    resolve_batches,
)
from api.master.stock.tyre_numbers import split_numbers
from api.master.warehouses.warehouses import GOOD, warehouse_field

PREFIX = "XTZH"
API = "inventory/Conversions"
RENAMED_ACTIONS = ("add", "edit", "del", "auditorPass", "antiAuditor", "invalid")
"""Actions whose calls have names of their own in the specification: `addOrder`, `auditorPassOrder` and so on."""
NOT_REVERSED = "s.reverses is null and not exists (select from stock_ledger r where r.reverses = s.ledger_id)"

register_checks(
    Check(
        "conversions_keep_value",
        "形态转换产出的成本 = 投入的成本 + 工费",
        f"""select h.bill_no, h.labour_amount, s.input_amount, s.output_amount
        from stock_conversion h
        left join (
            select
                s.bill_id, -coalesce(sum(s.amount) filter (where i.line_id is not null), 0) as input_amount,
                coalesce(sum(s.amount) filter (where i.line_id is null), 0) as output_amount
            from stock_ledger s
            left join conversion_input i on i.line_id = s.line_id
            where s.bill_type = '{PREFIX}' and s.basis is distinct from 'correction' and {NOT_REVERSED}
            group by s.bill_id
        ) s using (bill_id)
        where h.status in {POSTED_SQL}
            and (s.bill_id is null or s.output_amount <> s.input_amount + h.labour_amount)""",
    )
)


class ConversionInput(IssueLine):
    """投入: goods that are consumed."""

    __tablename__ = "conversion_input"
    bill_table = "stock_conversion"
    derived = (line_cost_column(PREFIX), *picked_columns(PREFIX))

    # The ledger knows a line by its bill's type and its id: those of the two kinds of lines never meet.
    line_id: Mapped[int] = mapped_column(
        BigInteger, Identity(start=1, increment=2), primary_key=True, sort_order=-100
    )


class ConversionOutput(ReceiptLine):
    """产出: goods that are produced."""

    __tablename__ = "conversion_output"
    bill_table = "stock_conversion"
    derived = (line_cost_column(PREFIX, sign=""),)

    line_id: Mapped[int] = mapped_column(
        BigInteger, Identity(start=2, increment=2), primary_key=True, sort_order=-100
    )
    share: Mapped[Decimal | None] = rate_field("分摊比例%", rule="Positive", default=None, width=90, sort=20)
    unit_value: Mapped[Decimal | None] = price_field(
        "参考单价", rule="Positive", default=None, permission=COST, width=100, sort=21
    )
    """Weight of a piece where neither stock nor a receipt has a cost; the purchase price by default."""


def _total_quantity_sql(lines: type[BillLine]) -> str:
    return f"(select coalesce(sum(l.quantity), 0) from {lines.name()} l where l.bill_id = {{table}}.bill_id)"


def _total_cost_sql(lines: type[BillLine], sign: str) -> str:
    return (
        f"(select coalesce({sign}sum(s.amount), 0) from {lines.name()} l"
        f" join stock_ledger s on s.bill_type = '{PREFIX}' and s.line_id = l.line_id"
        " where l.bill_id = {table}.bill_id)"
    )


class StockConversion(WarehouseMixin, Bill):
    """形态转换"""

    __tablename__ = "stock_conversion"
    declaration = declare_bill(
        "形态转换",
        API,
        routes={
            "list": "/inventory/conversions",
            "add": "/inventory/conversionsAdd",
            "see": "/inventory/conversionsSee",
        },
        menu=Menu("库存管理", "出入库", 60),
        also_called={name: f"{name}Order" for name in RENAMED_ACTIONS},
    )
    bill = BillType(
        PREFIX,
        (
            Block(
                "inputs",
                "投入明细",
                ConversionInput,
                proposals=(
                    Proposal(
                        "按配方带出投入",
                        f"{API}/getRecipeInputs",
                        ("recipe_id", "recipe_quantity"),
                        ("goods_id", "quantity"),
                    ),
                ),
            ),
            Block(
                "outputs",
                "产出明细",
                ConversionOutput,
                proposals=(
                    Proposal(
                        "按配方带出产出",
                        f"{API}/getRecipeOutputs",
                        ("recipe_id", "recipe_quantity"),
                        ("goods_id", "quantity"),
                    ),
                ),
            ),
        ),
        moves=True,
    )
    pinned_columns = (
        *("bill_no", "business_date", "status", "kind", "warehouse_id"),
        *("input_quantity", "output_quantity", "labour_amount", "output_amount"),
    )
    derived = (
        derived_field(
            "input_quantity", "投入数量", "quantity", _total_quantity_sql(ConversionInput), width=90
        ),
        derived_field(
            "output_quantity", "产出数量", "quantity", _total_quantity_sql(ConversionOutput), width=90
        ),
        derived_field(
            "input_amount",
            "投入成本",
            "money",
            _total_cost_sql(ConversionInput, "-"),
            permission=COST,
            width=110,
        ),
        derived_field(
            "output_amount",
            "产出成本",
            "money",
            _total_cost_sql(ConversionOutput, ""),
            permission=COST,
            width=110,
        ),
    )

    kind: Mapped[int] = enum_field("类型", KINDS, default=1, required=True, search=True, width=90, sort=-62)
    warehouse_id: Mapped[int] = warehouse_field(GOOD, required=True)
    recipe_id: Mapped[int | None] = reference_field(
        "conversion_recipe", "配方", target="conversion_recipe_id", search=True, width=180, sort=-55
    )
    recipe_quantity: Mapped[Decimal | None] = quantity_field(
        "套数", default=None, rule="positive", width=80, sort=-54
    )
    labour_amount: Mapped[Decimal] = money_field("工费", rule="Positive", total=True, width=100, sort=-50)
    reason: Mapped[str | None] = text_field("原因", free=True, search=True, sort=-49)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        return (*super().__table_args__, CheckConstraint("labour_amount >= 0", name="labour_amount"))

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        inputs, outputs = children["inputs"], children["outputs"]
        validate_kind(header["kind"], inputs, outputs, problems)
        validate_shares(outputs, problems)
        problems.raise_if_any()
        with problems.in_block("产出明细"):
            resolve_batches(ctx, outputs, problems, header["business_date"])
        _fill_unit_value(ctx, header["company_id"], outputs)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        place = doc.header.warehouse_id
        taken = (
            StockMove(
                line_id=line.line_id,
                warehouse_id=place,
                goods_id=line.goods_id,
                quantity=-line.quantity,
                allocation_id=line.allocation_id,
                batch_id=line.batch_id,
                tire_numbers=split_numbers(line),
            )
            for line in doc.children["inputs"]
        )
        made = (
            StockMove(
                line_id=line.line_id,
                warehouse_id=place,
                goods_id=line.goods_id,
                quantity=line.quantity,
                allocation_id=line.allocation_id,
                batch_id=line.batch_id,
                fallback_unit_cost=line.unit_value,
                production_date=line.production_date,
                tire_numbers=split_numbers(line),
                share=line.share,
            )
            for line in doc.children["outputs"]
        )
        return Postings(stock=(*taken, *made), conversion=Conversion(doc.header.labour_amount))


def _fill_unit_value(ctx: Context, company_id: int, outputs: list[dict[str, Any]]) -> None:
    """Fill the purchase price as reference price in outputs without a share or a reference price."""
    unknown = [line for line in outputs if line.get("share") is None and line.get("unit_value") is None]
    table = CompanyGoods.table()
    goods = sorted({line["goods_id"] for line in unknown})
    query = select(table.c.goods_id, table.c.purchase_price).where(
        table.c.company_id == company_id, table.c.goods_id.in_(goods), table.c.purchase_price > 0
    )
    prices = {row.goods_id: row.purchase_price for row in ctx.conn.execute(query)} if goods else {}
    for line in unknown:
        line["unit_value"] = prices.get(line["goods_id"])


api = build_router()


@call(api, "POST", f"{API}/getRecipeInputs", right=StockConversion.right("add"), returns=list[RecipeLine])
def get_recipe_inputs(ctx: Context, payload: WantedSets) -> Any:
    """按配方带出投入: what a conversion lacks of what its sets take."""
    return list_missing_lines(ctx, RecipeInput, payload)


@call(api, "POST", f"{API}/getRecipeOutputs", right=StockConversion.right("add"), returns=list[RecipeLine])
def get_recipe_outputs(ctx: Context, payload: WantedSets) -> Any:
    """按配方带出产出: what a conversion lacks of what its sets make."""
    return list_missing_lines(ctx, RecipeOutput, payload)
