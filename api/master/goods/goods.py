"""Goods (商品): the group's goods with types, brands, units and batches, and each company's selection of them."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    Connection,
    ForeignKey,
    Index,
    Row,
    UniqueConstraint,
    func,
    literal_column,
    select,
)
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration.document import Block, ChildRow, Rows, Values
from api.kit.declaration.fields import (
    COST,
    NO_RECORD,
    date_field,
    declared_column,
    derived_field,
    enabled_field,
    flag_field,
    integer_field,
    key_field,
    price_field,
    quantity_field,
    rate_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import InvalidInput
from api.kit.storage.database import today
from api.kit.storage.initials import INITIALS_LENGTH
from api.kit.storage.validation import Problems
from api.master.goods import goods_codes
from api.master.goods.naming_rules import build_goods_name
from api.master.pricing import price_changes

MAX_LEVEL = 3


SIZES = (
    "translate({0}.specification_type, '/ -', '')",
    "translate(upper({0}.specification_type), '/ -RZ', '')",
)
"""205/55R16 is typed as 20555R16 or 2055516."""


def parse_dot_week(code: str) -> date | None:
    """Return the Monday of a tyre's DOT week code WWYY (week ≤ 53); None for anything else."""
    if len(code) != 4 or not (code.isascii() and code.isdigit()) or not 1 <= int(code[:2]) <= 53:
        return None
    first = date.fromisocalendar(2000 + int(code[2:]), 1, 1)
    return first + timedelta(weeks=int(code[:2]) - 1)


_SIZE = re.compile(
    r"(?<!\d)\d{1,3}(?:[./xX*]\d{1,3}(?:\.\d{1,2})?)?\s?-?Z?R\s?F?\d{2}(?!\d)"  # 205/55R16, 11R22.5, 7.50R16LT
    r"|(?<!\d)\d{1,2}\.\d{2}-\d{2}(?!\d)"  # 7.50-16
)


def is_tyre(numbered: bool, *names: str | None) -> bool:
    """Return whether goods are tyres: kept by tyre number, or with a tyre's size in their specification or
    name."""
    return numbered or any(_SIZE.search(name) for name in names if name)


def describe_batch_problem(code: str, tyre: bool) -> str | None:
    """Describe what is wrong with a new batch: a tyre's must be a DOT, and none lies in the future; else
    None."""
    week = parse_dot_week(code)
    if week is None:
        looks_dated = len(code) == 4 and code.isdecimal()
        return "批次(DOT)应为周数加年份，如 2326，周数为01到53" if tyre or looks_dated else None
    return f"批次(DOT) {code} 是 {week} 起的一周，还没有到" if week > today() else None


def describe_future_batch(code: str, on: date | None) -> str | None:
    """Describe a batch whose DOT week lies after its bill's day, though not after today; else None."""
    week = parse_dot_week(code)
    if week is None or on is None or not on < week <= today():
        return None
    return f"批次(DOT) {code} 是 {week} 起的一周，晚于业务日期 {on}，请核对批次或业务日期"


class GoodsType(Resource):
    """商品类型: a tree of three levels."""

    __tablename__ = "goods_type"
    declaration = Declaration(
        "商品类型",
        "v2/system/GoodsType",
        "goods_type_name",
        routes={"list": "/system/goodsattribute"},
        menu=Menu("系统管理", "商品设置", 30),
        distinguishing_fields=("p_id", "level"),
    )

    goods_type_id: Mapped[int] = key_field()
    goods_type_name: Mapped[str] = text_field("类型名称", required=True, search=True)
    p_id: Mapped[int | None] = reference_field("goods_type", "上级类型", search=True)
    level: Mapped[int] = integer_field("层级", default=1, rule="PositiveInt", fixed="always")

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if row["level"] > MAX_LEVEL:
            raise InvalidInput(f"商品类型最多{MAX_LEVEL}级")
        if (row["level"] == 1) == bool(row.get("p_id")):
            raise InvalidInput("一级类型没有上级，其他层级必须选择上级类型")

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        table = cls.table()
        query = select(table.c.level).where(table.c.goods_type_id == row.get("p_id"))
        if row.get("p_id") and ctx.conn.execute(query).scalar() != row["level"] - 1:
            raise InvalidInput("上级类型应比本类型高一级")


class Brand(Resource):
    """品牌"""

    __tablename__ = "brand"
    declaration = Declaration(
        "品牌",
        "v2/system/GoodsBrand",
        "brand_name",
        routes={"list": "/system/goodsbrand"},
        menu=Menu("系统管理", "商品设置", 40),
        lookup="open/GoodsBrand/getBrandList",
        distinguishing_fields=("goods_type_id",),
    )

    brand_id: Mapped[int] = key_field()
    brand_name: Mapped[str] = text_field("品牌名称", required=True, unique=True, search=True)
    goods_type_id: Mapped[int | None] = reference_field("goods_type", "商品类型", search=True)
    enabled: Mapped[bool] = enabled_field()


class Unit(Resource):
    """计量单位"""

    __tablename__ = "unit"
    declaration = Declaration(
        "计量单位",
        "v2/system/Unit",
        "unit_name",
        routes={"list": "/system/unit"},
        menu=Menu("系统管理", "商品设置", 50),
        lookup="open/unit/getUnitList",
        at_once=True,
    )

    unit_id: Mapped[int] = key_field()
    unit_name: Mapped[str] = text_field(
        "单位名称", required=True, unique=True, search=True, max_length=20, fixed="named"
    )

    @classmethod
    def describe_dependents(cls, ctx: Context, key: int, name: str) -> list[str]:
        """List the goods that are counted in the unit: renaming it would change their quantities' meaning."""
        table = Goods.table()
        query = select(table.c.goods_name).where(table.c.unit_id == key).order_by(table.c.goods_id).limit(1)
        return [f"商品{row.goods_name}" for row in ctx.conn.execute(query)]


PACKS = """(
    select string_agg(u.unit_name || '=' || trim_scale(n.factor), '、' order by n.line_no)
    from goods_unit n join unit u using (unit_id)
    where n.goods_id = {table}.goods_id)"""
"""The packs of a goods in words, say 箱=12."""


class GoodsUnit(ChildRow):
    """辅助单位: packs of a goods that bills may count by, and what a scanner reads off one."""

    __tablename__ = "goods_unit"
    __table_args__ = (
        UniqueConstraint("goods_id", "unit_id"),
        CheckConstraint("factor > 0", name="factor"),
        Index("ix_goods_unit_folded_barcode", sql("lower(barcode)")),
    )
    owner = "goods_id"

    goods_id: Mapped[int] = mapped_column(ForeignKey("goods.goods_id", ondelete="cascade"), sort_order=-95)
    unit_id: Mapped[int] = reference_field("unit", "辅单位", required=True, width=120)
    factor: Mapped[Decimal] = declared_column("quantity", "换算率", required=True, rule="positive")
    barcode: Mapped[str | None] = text_field("条形码", unique=True, max_length=60, width=180)

    @classmethod
    def normalize_rows(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        seen: dict[tuple[str, Any], int] = {}
        for row in rows:
            problems.place = f"第{row['line_no']}行"
            for name in ("unit_id", "barcode"):
                first = seen.setdefault((name, row[name]), row["line_no"]) if row[name] else row["line_no"]
                if first != row["line_no"]:
                    problems.add(f"“{cls.field(name).label}”与第{first}行重复")
        problems.place = ""


class Goods(Resource):
    """集团商品: found by code, name, size, factory code, shorthand, pinyin initials or barcode."""

    __tablename__ = "goods"
    __table_args__ = (
        Index("ix_goods_barcode", "barcode"),
        Index("ix_goods_folded_barcode", sql("lower(barcode)")),
        Index("ix_goods_folded_num", sql("lower(goods_num)")),
        Index("ix_goods_numbered", "goods_id", postgresql_where="is_numbered"),
        Index("ix_goods_pinyin", sql("pinyin_key(goods_name)"), "goods_id"),
    )
    declaration = Declaration(
        "商品",
        "v2/system/Goods",
        "goods_name",
        routes={
            "list": "/system/goodsbase",
            "add": "/system/goodsbaseAdd",
            "edit": "/system/goodsbaseAmend",
            "see": "/system/goodsbaseSee",
        },
        menu=Menu("系统管理", "商品设置", 10),
        lookup="open/Goods/getGoodsListDropdown",
        distinguishing_fields=(
            *(
                "goods_num",
                "goods_type_id",
                "brand_id",
                "unit_id",
                "specification_type",
                "pattern",
                "load_index",
            ),
            *("speed_index", "factory_code", "shorthand_code", "barcode"),
        ),
    )
    child_tables = (Block("units", "辅助单位", GoodsUnit, required=False),)
    derived = (derived_field("packs", "辅助单位", "text", PACKS, width=110),)

    goods_id: Mapped[int] = key_field()
    goods_num: Mapped[str] = text_field(
        "商品编码", required=True, unique=True, search=True, max_length=50, width=130
    )
    goods_name: Mapped[str] = declared_column(
        "text", "商品名称", column={"nullable": False}, search=True, max_length=100, width=260
    )
    goods_type_id: Mapped[int] = reference_field(
        "goods_type", "商品类型", required=True, search=True, index=True
    )
    brand_id: Mapped[int | None] = reference_field("brand", "品牌", search=True, index=True, none=NO_RECORD)
    unit_id: Mapped[int] = reference_field("unit", "单位", required=True, width=70, fixed="named")
    specification_type: Mapped[str | None] = text_field("规格型号", search=True, max_length=60, width=140)
    pattern: Mapped[str | None] = text_field("花纹", search=True, max_length=60)
    load_index: Mapped[str | None] = text_field("载重指数", max_length=10, width=90)
    speed_index: Mapped[str | None] = text_field("速度级别", max_length=10, width=90)
    factory_code: Mapped[str | None] = text_field("厂家编码", search=True, max_length=60)
    shorthand_code: Mapped[str | None] = text_field("简码", search=True, max_length=60)
    logogram: Mapped[str | None] = text_field(
        "拼音首字母", search=True, list=False, initials_of="goods_name", max_length=INITIALS_LENGTH
    )
    barcode: Mapped[str | None] = text_field("条形码", search=True, max_length=60, width=140)
    is_batch: Mapped[bool] = flag_field("按批次管理", fixed="held")
    is_numbered: Mapped[bool] = flag_field("按胎号管理")
    tax_rate: Mapped[Decimal] = rate_field("税率%", rule="Positive", default=13, width=80)
    enabled: Mapped[bool] = enabled_field()

    @classmethod
    def search_texts(cls, apart: bool) -> tuple[ColumnElement[str], ...]:
        sizes: tuple[ColumnElement[str], ...] = tuple(
            literal_column(size.format(cls.name())) for size in SIZES
        )
        if apart:
            return sizes
        pack = GoodsUnit.table()
        packs = select(func.string_agg(pack.c.barcode, " ")).where(pack.c.goods_id == cls.table().c.goods_id)
        return (*sizes, packs.scalar_subquery())

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        if not row.get("goods_name"):
            row["goods_name"] = build_goods_name(ctx.conn, row)
            cls.fill_defaults(row)
        if before is not None and before.is_numbered and not row["is_numbered"]:
            lying = "select from tire_number where goods_id = %s and place = 1 limit 1"
            if ctx.conn.exec_driver_sql(lying, (before.goods_id,)).first() is not None:
                raise InvalidInput("该商品还有在库的胎号，不能取消按胎号管理")

    @classmethod
    def describe_dependents(cls, ctx: Context, key: int, name: str) -> list[str]:
        query = "select sum(quantity) from stock_balance where goods_id = %s and quantity <> 0"
        stocks = ctx.conn.exec_driver_sql(query, (key,)).scalar()
        return [] if stocks is None else [f"库存 {stocks.normalize():f}"]

    @classmethod
    def validate_record(cls, ctx: Context, row: Values, children: Rows, problems: Problems) -> None:
        for unit in children["units"]:
            if unit["unit_id"] == row["unit_id"]:
                problems.place = f"第{unit['line_no']}行"
                problems.add(f"“{GoodsUnit.field('unit_id').label}”不能是商品自己的单位")
        problems.place = ""
        goods_codes.forbid_taken_codes(ctx.conn, row, children["units"], problems)


class GoodsBatch(Resource):
    """商品批次: for tyres its text is the DOT code (week, then year), which dates its production."""

    __tablename__ = "goods_batch"
    __table_args__ = (UniqueConstraint("goods_id", "batch"),)
    declaration = Declaration(
        "批次",
        "v2/system/GoodsBatch",
        "batch",
        actions=("list",),
        lookup="open/GoodsBatch/getGoodsBatch",
        distinguishing_fields=("goods_id",),
    )

    batch_id: Mapped[int] = key_field()
    goods_id: Mapped[int] = reference_field("goods", "商品", required=True, search=True)
    batch: Mapped[str] = text_field("批次", required=True, search=True, max_length=30)
    production_date: Mapped[date | None] = date_field("生产日期")


class CompanyGoods(Resource):
    """公司商品: a company's selection of group goods, with its own prices and safety stock."""

    __tablename__ = "company_goods"
    __table_args__ = (UniqueConstraint("company_id", "goods_id"),)
    declaration = Declaration(
        "公司商品",
        "v2/system/CompanyGoods",
        "goods_id",
        routes={
            "list": "/system/companygoods",
            "add": "/system/companygoods_add",
            "edit": "/system/companygoods_amend",
            "see": "/system/companygoods_examine",
        },
        menu=Menu("系统管理", "商品设置", 20),
    )

    company_goods_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    goods_id: Mapped[int] = reference_field(
        "goods",
        "商品",
        required=True,
        search=True,
        index=True,
        width=240,
        shows=("goods_num", "specification_type", "brand_id"),
    )
    sale_price: Mapped[Decimal] = price_field("销售价", rule="Positive")
    purchase_price: Mapped[Decimal] = price_field("采购价", rule="Positive", permission=COST)
    lowest_price: Mapped[Decimal] = price_field("最低售价", rule="Positive")
    safety_stock: Mapped[Decimal] = quantity_field("安全库存", rule="Positive")
    enabled: Mapped[bool] = enabled_field()

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        price_changes.sign_price_changes(ctx)


def read_goods_names(conn: Connection, keys: Collection[int]) -> dict[int, str]:
    """Return the names of goods by their ids."""
    table = Goods.table()
    rows = conn.execute(select(table.c.goods_id, table.c.goods_name).where(table.c.goods_id.in_(keys)))
    return {row.goods_id: row.goods_name for row in rows}
