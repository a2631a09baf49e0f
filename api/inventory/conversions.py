"""Conversion (形态转换、组装、拆卸), XTZH: goods become others; what left, and the labour, is what they are worth.

What is taken leaves at the present average. It falls to what is made by the shares that are told, or by what as many
are worth at what they cost now, to the cent; goods without a cost are weighed by their reference price.
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
    inspect_kind,
    inspect_shares,
    lacking,
)
from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.document import Bill, BillType, Block, Child, Document, Proposal, Rows, Values, declare
from api.kit.fields import COST, derived, enum, money, price, quantity, rate, ref, text
from api.kit.flow import POSTED_SQL
from api.kit.posting import Conversion, Postings, StockMove
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.ledger.checks import Check, register
from api.master.goods import CompanyGoods
from api.master.picks import picked
from api.master.stock_lines import IssueLine, OfWarehouse, ReceiptLine, cost_of_line, settle_batches
from api.master.tire_numbers import stored
from api.master.warehouses import GOOD, warehouse

PREFIX = "XTZH"
API = "inventory/Conversions"
NAMED = ("add", "edit", "del", "auditorPass", "antiAuditor", "invalid")
"""Actions that the specification calls by names of their own: `addOrder`, `auditorPassOrder` and so on."""
STANDS = "s.reverses is null and not exists (select from stock_ledger r where r.reverses = s.ledger_id)"

register(
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
            where s.bill_type = '{PREFIX}' and s.basis is distinct from 'correction' and {STANDS}
            group by s.bill_id
        ) s using (bill_id)
        where h.status in {POSTED_SQL}
            and (s.bill_id is null or s.output_amount <> s.input_amount + h.labour_amount)""",
    )
)


class ConversionInput(IssueLine):
    """投入: goods that are taken."""

    __tablename__ = "conversion_input"
    bill_table = "stock_conversion"
    derived = (cost_of_line(PREFIX), *picked(PREFIX))

    # The ledger knows a line by its bill's type and its id: those of the two kinds of lines never meet.
    line_id: Mapped[int] = mapped_column(
        BigInteger, Identity(start=1, increment=2), primary_key=True, sort_order=-100
    )


class ConversionOutput(ReceiptLine):
    """产出: goods that are made."""

    __tablename__ = "conversion_output"
    bill_table = "stock_conversion"
    derived = (cost_of_line(PREFIX, sign=""),)

    line_id: Mapped[int] = mapped_column(
        BigInteger, Identity(start=2, increment=2), primary_key=True, sort_order=-100
    )
    share: Mapped[Decimal | None] = rate("分摊比例%", rule="Positive", default=None, width=90, sort=20)
    unit_value: Mapped[Decimal | None] = price(
        "参考单价", rule="Positive", default=None, permission=COST, width=100, sort=21
    )
    """What one is worth beside the others where neither stock nor a receipt tells: the purchase price unless typed."""


def _added_up(lines: type[Child]) -> str:
    return f"(select coalesce(sum(l.quantity), 0) from {lines.name()} l where l.bill_id = {{table}}.bill_id)"


def _cost_of(lines: type[Child], sign: str) -> str:
    return (
        f"(select coalesce({sign}sum(s.amount), 0) from {lines.name()} l"
        f" join stock_ledger s on s.bill_type = '{PREFIX}' and s.line_id = l.line_id"
        " where l.bill_id = {table}.bill_id)"
    )


class StockConversion(OfWarehouse, Bill):
    """形态转换"""

    __tablename__ = "stock_conversion"
    declaration = declare(
        "形态转换",
        API,
        routes={
            "list": "/inventory/conversions",
            "add": "/inventory/conversionsAdd",
            "see": "/inventory/conversionsSee",
        },
        menu=Menu("库存管理", "出入库", 60),
        also_called={name: f"{name}Order" for name in NAMED},
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
    leading = (
        *("bill_no", "business_date", "status", "kind", "warehouse_id"),
        *("input_quantity", "output_quantity", "labour_amount", "output_amount"),
    )
    derived = (
        derived("input_quantity", "投入数量", "quantity", _added_up(ConversionInput), width=90),
        derived("output_quantity", "产出数量", "quantity", _added_up(ConversionOutput), width=90),
        derived(
            "input_amount", "投入成本", "money", _cost_of(ConversionInput, "-"), permission=COST, width=110
        ),
        derived(
            "output_amount", "产出成本", "money", _cost_of(ConversionOutput, ""), permission=COST, width=110
        ),
    )

    kind: Mapped[int] = enum("类型", KINDS, default=1, required=True, search=True, width=90, sort=-62)
    warehouse_id: Mapped[int] = warehouse(GOOD, required=True)
    recipe_id: Mapped[int | None] = ref(
        "conversion_recipe", "配方", target="conversion_recipe_id", search=True, width=180, sort=-55
    )
    recipe_quantity: Mapped[Decimal | None] = quantity(
        "套数", default=None, rule="positive", width=80, sort=-54
    )
    labour_amount: Mapped[Decimal] = money("工费", rule="Positive", total=True, width=100, sort=-50)
    reason: Mapped[str | None] = text("原因", free=True, search=True, sort=-49)

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        return (*super().__table_args__, CheckConstraint("labour_amount >= 0", name="labour_amount"))

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        inputs, outputs = children["inputs"], children["outputs"]
        inspect_kind(header["kind"], inputs, outputs, problems)
        inspect_shares(outputs, problems)
        problems.settle()
        with problems.of("产出明细"):
            settle_batches(ctx, outputs, problems, header["business_date"])
        _weigh(ctx, header["company_id"], outputs)

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
                tire_numbers=stored(line),
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
                tire_numbers=stored(line),
                share=line.share,
            )
            for line in doc.children["outputs"]
        )
        return Postings(stock=(*taken, *made), conversion=Conversion(doc.header.labour_amount))


def _weigh(ctx: Context, company_id: int, outputs: list[dict[str, Any]]) -> None:
    """Give what is made without a share or a reference price the purchase price."""
    unknown = [line for line in outputs if line.get("share") is None and line.get("unit_value") is None]
    table = CompanyGoods.table()
    goods = sorted({line["goods_id"] for line in unknown})
    query = select(table.c.goods_id, table.c.purchase_price).where(
        table.c.company_id == company_id, table.c.goods_id.in_(goods), table.c.purchase_price > 0
    )
    prices = {row.goods_id: row.purchase_price for row in ctx.conn.execute(query)} if goods else {}
    for line in unknown:
        line["unit_value"] = prices.get(line["goods_id"])


api = router()


@call(api, "POST", f"{API}/getRecipeInputs", right=StockConversion.right("add"), returns=list[RecipeLine])
def get_recipe_inputs(ctx: Context, payload: WantedSets) -> Any:
    """按配方带出投入: what a conversion lacks of what its sets take."""
    return lacking(ctx, RecipeInput, payload)


@call(api, "POST", f"{API}/getRecipeOutputs", right=StockConversion.right("add"), returns=list[RecipeLine])
def get_recipe_outputs(ctx: Context, payload: WantedSets) -> Any:
    """按配方带出产出: what a conversion lacks of what its sets make."""
    return lacking(ctx, RecipeOutput, payload)
