"""Conversion recipes (形态转换配方): inputs and outputs of one set, and the shares that divide its cost.

A conversion names a recipe and a number of sets; its form proposes the missing lines.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any

from pydantic import BaseModel, Field
from sqlalchemy import ForeignKey, select
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from api.kit.context import Context
from api.kit.declaration.document import MAX_LINES, Block, ChildRow
from api.kit.declaration.field_sources import from_fields
from api.kit.declaration.fields import (
    enabled_field,
    enum_field,
    goods_field,
    key_field,
    quantity_field,
    rate_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import NotFound
from api.kit.http.schemas import Key, Payload
from api.kit.storage.validation import Problems
from api.master.goods.goods import Goods, Unit
from api.master.goods.goods_columns import GoodsName, GoodsNum, Pattern, Specification, UnitName

ASSEMBLY, DISASSEMBLY, CHANGE = 1, 2, 3
KINDS = {ASSEMBLY: "组装", DISASSEMBLY: "拆卸", CHANGE: "形态转换"}
WHOLE = Decimal(100)
MILLI = Decimal("0.001")


class RecipePart(ChildRow):
    """Goods of one set of a recipe."""

    __abstract__ = True
    owner = "conversion_recipe_id"

    @declared_attr
    @classmethod
    def conversion_recipe_id(cls) -> Mapped[int]:
        recipe = ForeignKey("conversion_recipe.conversion_recipe_id", ondelete="cascade")
        return mapped_column(recipe, index=True, sort_order=-95)

    goods_id: Mapped[int] = goods_field(required=True, sort=-80)
    quantity: Mapped[Decimal] = quantity_field("每套数量", required=True, rule="positive", width=90, sort=10)
    remark: Mapped[str | None] = text_field("备注", free=True, max_length=200, width=140, sort=70)


class RecipeInput(RecipePart):
    __tablename__ = "conversion_recipe_input"


class RecipeOutput(RecipePart):
    __tablename__ = "conversion_recipe_output"

    share: Mapped[Decimal | None] = rate_field("分摊比例%", rule="Positive", default=None, width=90, sort=20)


class ConversionRecipe(Resource):
    """形态转换配方"""

    __tablename__ = "conversion_recipe"
    declaration = Declaration(
        "形态转换配方",
        "inventory/ConversionRecipe",
        "recipe_name",
        routes={
            "list": "/inventory/conversionrecipe",
            "add": "/inventory/conversionrecipe/add",
            "edit": "/inventory/conversionrecipe/edit",
            "see": "/inventory/conversionrecipe/see",
        },
        menu=Menu("库存管理", "出入库", 61),
        distinguishing_fields=("kind",),
    )
    child_tables = (Block("inputs", "投入商品", RecipeInput), Block("outputs", "产出商品", RecipeOutput))

    conversion_recipe_id: Mapped[int] = key_field()
    recipe_name: Mapped[str] = text_field("配方名称", required=True, unique=True, search=True, width=220)
    kind: Mapped[int] = enum_field("类型", KINDS, default=ASSEMBLY, search=True, width=90)
    enabled: Mapped[bool] = enabled_field()
    remark: Mapped[str | None] = textarea_field("备注", max_length=200)

    @classmethod
    def validate_record(
        cls, ctx: Context, row: dict[str, Any], children: dict[str, list[dict[str, Any]]], problems: Problems
    ) -> None:
        validate_kind(row["kind"], children["inputs"], children["outputs"], problems)
        validate_shares(children["outputs"], problems)


def validate_kind(
    kind: int, inputs: list[dict[str, Any]], outputs: list[dict[str, Any]], problems: Problems
) -> None:
    """Add a problem unless the goods fit the kind.

    An assembly makes one goods, a disassembly takes one, and neither makes goods that it takes.
    """
    taken, made = ({line["goods_id"] for line in lines} for lines in (inputs, outputs))
    name = KINDS[kind]
    if kind == ASSEMBLY and len(made) > 1:
        problems.add(f"{name}只产出一种商品，产出几种请选择{KINDS[CHANGE]}")
    if kind == DISASSEMBLY and len(taken) > 1:
        problems.add(f"{name}只投入一种商品，投入几种请选择{KINDS[CHANGE]}")
    if kind != CHANGE and taken & made:
        problems.add(f"{name}的产出商品不能同时是投入商品")


def validate_shares(outputs: list[dict[str, Any]], problems: Problems) -> None:
    """Add a problem unless all outputs have a share and the shares sum to 100, or none has one."""
    shares = [line["share"] for line in outputs if line.get("share") is not None]
    if not shares:
        return
    label = RecipeOutput.field("share").label
    if len(shares) < len(outputs):
        problems.add(f"{label}请全部录入，或全部不录入（按价值分摊）")
    elif sum(shares) != WHOLE:
        problems.add(f"{label}合计应为100，现为{sum(shares).normalize():f}")


class ExistingLine(BaseModel):
    goods_id: Key | None = None
    quantity: Annotated[Decimal, Field(ge=0, le=10**11, allow_inf_nan=False)] | None = None


class WantedSets(Payload):
    """A conversion as entered so far."""

    recipe_id: Key = Field(description="配方")
    recipe_quantity: Annotated[Decimal, Field(gt=0, lt=10**8, allow_inf_nan=False)] = Field(
        description="套数"
    )
    lines: Annotated[list[ExistingLine], Field(max_length=MAX_LINES)] = Field(
        default=[], description="已有明细"
    )


class RecipeLine(BaseModel):
    """Goods of the recipe that a conversion lacks."""

    goods_id: Annotated[
        int, from_fields("conversion_recipe_input.goods_id", "conversion_recipe_output.goods_id")
    ]
    goods_name: GoodsName
    goods_num: GoodsNum
    specification_type: Specification
    pattern: Pattern
    unit_name: UnitName
    quantity: Annotated[
        str, from_fields("conversion_recipe_input.quantity", "conversion_recipe_output.quantity")
    ]
    share: Annotated[str | None, from_fields("conversion_recipe_output.share")] = None


def list_missing_lines(ctx: Context, part: type[RecipePart], wanted: WantedSets) -> list[dict[str, Any]]:
    """List the goods of so many sets of a recipe beyond the lines that are present."""
    recipe, lines, g, u = ConversionRecipe.table(), part.table(), Goods.table(), Unit.table()
    query = select(recipe.c.enabled).where(recipe.c.conversion_recipe_id == wanted.recipe_id)
    if ctx.conn.execute(query).first() is None:
        raise NotFound("配方")
    quantities: defaultdict[int, Decimal] = defaultdict(Decimal)
    for line in wanted.lines:
        if line.goods_id and line.quantity:
            quantities[line.goods_id] += line.quantity
    rows = ctx.conn.execute(
        select(
            *(g.c[name] for name in ("goods_id", "goods_name", "goods_num", "specification_type", "pattern")),
            u.c.unit_name,
            *(lines.c[name] for name in ("quantity", "share") if name in lines.c),
        )
        .join_from(lines, g, g.c.goods_id == lines.c.goods_id)
        .join(u, u.c.unit_id == g.c.unit_id)
        .where(lines.c.conversion_recipe_id == wanted.recipe_id)
        .order_by(lines.c.line_no)
    )
    found = []
    for row in rows.mappings():
        whole = (row["quantity"] * wanted.recipe_quantity).quantize(MILLI, ROUND_HALF_UP)
        there = min(quantities[row["goods_id"]], whole)
        quantities[row["goods_id"]] -= there
        if whole > there:
            found.append({**row, "quantity": whole - there})
    return found
