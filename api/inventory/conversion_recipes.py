"""Recipes of conversions (形态转换配方): which goods one set takes and makes, and how its cost is shared out.

A conversion names a recipe and how many sets; its form has the lines proposed that it lacks.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any

from pydantic import BaseModel, Field
from sqlalchemy import ForeignKey, select
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from api.kit.context import Context
from api.kit.document import MAX_LINES, Block, Part
from api.kit.errors import NotFound
from api.kit.fields import enabled, enum, goods, key, quantity, rate, text, textarea
from api.kit.resource import Declaration, Menu, Resource
from api.kit.schemas import Key, Payload
from api.kit.told import of
from api.kit.validation import Problems
from api.master.goods import Goods, Unit
from api.master.goods_columns import GoodsName, GoodsNum, Pattern, Specification, UnitName

ASSEMBLY, DISASSEMBLY, CHANGE = 1, 2, 3
KINDS = {ASSEMBLY: "组装", DISASSEMBLY: "拆卸", CHANGE: "形态转换"}
WHOLE = Decimal(100)
MILLI = Decimal("0.001")


class RecipePart(Part):
    """Goods of one set."""

    __abstract__ = True
    owner = "conversion_recipe_id"

    @declared_attr
    @classmethod
    def conversion_recipe_id(cls) -> Mapped[int]:
        recipe = ForeignKey("conversion_recipe.conversion_recipe_id", ondelete="cascade")
        return mapped_column(recipe, index=True, sort_order=-95)

    goods_id: Mapped[int] = goods(required=True, sort=-80)
    quantity: Mapped[Decimal] = quantity("每套数量", required=True, rule="positive", width=90, sort=10)
    remark: Mapped[str | None] = text("备注", free=True, max_length=200, width=140, sort=70)


class RecipeInput(RecipePart):
    __tablename__ = "conversion_recipe_input"


class RecipeOutput(RecipePart):
    __tablename__ = "conversion_recipe_output"

    share: Mapped[Decimal | None] = rate("分摊比例%", rule="Positive", default=None, width=90, sort=20)


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
        tells=("kind",),
    )
    below = (Block("inputs", "投入商品", RecipeInput), Block("outputs", "产出商品", RecipeOutput))

    conversion_recipe_id: Mapped[int] = key()
    recipe_name: Mapped[str] = text("配方名称", required=True, unique=True, search=True, width=220)
    kind: Mapped[int] = enum("类型", KINDS, default=ASSEMBLY, search=True, width=90)
    enabled: Mapped[bool] = enabled()
    remark: Mapped[str | None] = textarea("备注", max_length=200)

    @classmethod
    def inspect(
        cls, ctx: Context, row: dict[str, Any], children: dict[str, list[dict[str, Any]]], problems: Problems
    ) -> None:
        inspect_kind(row["kind"], children["inputs"], children["outputs"], problems)
        inspect_shares(children["outputs"], problems)


def inspect_kind(
    kind: int, inputs: list[dict[str, Any]], outputs: list[dict[str, Any]], problems: Problems
) -> None:
    """An assembly makes one goods, a disassembly takes one, and neither makes what it takes."""
    taken, made = ({line["goods_id"] for line in lines} for lines in (inputs, outputs))
    name = KINDS[kind]
    if kind == ASSEMBLY and len(made) > 1:
        problems.add(f"{name}只产出一种商品，产出几种请选择{KINDS[CHANGE]}")
    if kind == DISASSEMBLY and len(taken) > 1:
        problems.add(f"{name}只投入一种商品，投入几种请选择{KINDS[CHANGE]}")
    if kind != CHANGE and taken & made:
        problems.add(f"{name}的产出商品不能同时是投入商品")


def inspect_shares(outputs: list[dict[str, Any]], problems: Problems) -> None:
    """All of what is made has a share, 100 together, or nothing has one."""
    told = [line["share"] for line in outputs if line.get("share") is not None]
    if not told:
        return
    label = RecipeOutput.field("share").label
    if len(told) < len(outputs):
        problems.add(f"{label}请全部录入，或全部不录入（按价值分摊）")
    elif sum(told) != WHOLE:
        problems.add(f"{label}合计应为100，现为{sum(told).normalize():f}")


class HeldLine(BaseModel):
    goods_id: Key | None = None
    quantity: Annotated[Decimal, Field(ge=0, le=10**11, allow_inf_nan=False)] | None = None


class WantedSets(Payload):
    """A conversion as far as it is keyed in."""

    recipe_id: Key = Field(description="配方")
    recipe_quantity: Annotated[Decimal, Field(gt=0, lt=10**8, allow_inf_nan=False)] = Field(
        description="套数"
    )
    lines: Annotated[list[HeldLine], Field(max_length=MAX_LINES)] = Field(default=[], description="已有明细")


class RecipeLine(BaseModel):
    """Goods that a conversion lacks of its recipe."""

    goods_id: Annotated[int, of("conversion_recipe_input.goods_id", "conversion_recipe_output.goods_id")]
    goods_name: GoodsName
    goods_num: GoodsNum
    specification_type: Specification
    pattern: Pattern
    unit_name: UnitName
    quantity: Annotated[str, of("conversion_recipe_input.quantity", "conversion_recipe_output.quantity")]
    share: Annotated[str | None, of("conversion_recipe_output.share")] = None


def lacking(ctx: Context, part: type[RecipePart], wanted: WantedSets) -> list[dict[str, Any]]:
    """What so many sets of a recipe take or make beyond the lines that are there."""
    recipe, lines, g, u = ConversionRecipe.table(), part.table(), Goods.table(), Unit.table()
    query = select(recipe.c.enabled).where(recipe.c.conversion_recipe_id == wanted.recipe_id)
    if ctx.conn.execute(query).first() is None:
        raise NotFound("配方")
    held: defaultdict[int, Decimal] = defaultdict(Decimal)
    for line in wanted.lines:
        if line.goods_id and line.quantity:
            held[line.goods_id] += line.quantity
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
        there = min(held[row["goods_id"]], whole)
        held[row["goods_id"]] -= there
        if whole > there:
            found.append({**row, "quantity": whole - there})
    return found
