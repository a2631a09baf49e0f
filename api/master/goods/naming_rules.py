"""Naming rules (商品命名规则): the parts, and their order, of which names of a type's goods are made.

A type without a rule of its own goes by that of the type above it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Index, text
from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import enabled_field, enum_field, key_field, reference_field, text_field
from api.kit.declaration.resource import Declaration, Drill, Menu, Resource
from api.kit.declaration.view import Sql, Values, View
from api.kit.errors import InvalidInput
from api.kit.scope import Principal

MAX_NAME = 100
PARTS = {
    0: ("无", None),
    1: ("品牌", "b.brand_name"),
    2: ("规格型号", "g.specification_type"),
    3: ("花纹", "g.pattern"),
    4: ("载重指数", "g.load_index"),
    5: ("速度级别", "g.speed_index"),
    6: ("载重指数和速度级别", "nullif(concat(g.load_index, g.speed_index), '')"),
    7: ("商品类型", "t1.goods_type_name"),
    8: ("厂家编码", "g.factory_code"),
    9: ("简码", "g.shorthand_code"),
    10: ("商品编码", "g.goods_num"),
}
LABELS = {number: label for number, (label, _) in PARTS.items()}
SEPARATORS = {1: "空格", 2: "横线 -", 3: "斜线 /", 4: "不分隔"}
_SIGNS = {1: " ", 2: "-", 3: "/", 4: ""}
PART_COLUMNS = ("part1", "part2", "part3", "part4", "part5", "part6")


class NamingRule(Resource):
    """命名规则: a type has one that is enabled at most."""

    __tablename__ = "naming_rule"
    __table_args__ = (
        Index("uq_naming_rule_goods_type_id", "goods_type_id", unique=True, postgresql_where=text("enabled")),
    )
    declaration = Declaration(
        "命名规则",
        "v2/system/NamingRule",
        "naming_rule_name",
        routes={"list": "/system/namerule"},
        menu=Menu("系统管理", "商品设置", 35),
        drill=Drill("改名预览", "/system/namerulepreview", (("naming_rule_id", "naming_rule_id"),)),
    )

    naming_rule_id: Mapped[int] = key_field()
    naming_rule_name: Mapped[str] = text_field("规则名称", required=True, unique=True, search=True, width=160)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", required=True, search=True)
    part1: Mapped[int] = enum_field("第1部分", LABELS, default=1)
    part2: Mapped[int] = enum_field("第2部分", LABELS, default=2)
    part3: Mapped[int] = enum_field("第3部分", LABELS, default=3)
    part4: Mapped[int] = enum_field("第4部分", LABELS, default=6)
    part5: Mapped[int] = enum_field("第5部分", LABELS, default=0)
    part6: Mapped[int] = enum_field("第6部分", LABELS, default=0)
    separator: Mapped[int] = enum_field("分隔", SEPARATORS, default=1)
    enabled: Mapped[bool] = enabled_field()

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        named = [row[place] for place in PART_COLUMNS if row[place]]
        if not named:
            raise InvalidInput("请至少选择一个组成部分")
        if len(named) != len(set(named)):
            raise InvalidInput("组成部分不能重复")


def _name_part_sql(place: str) -> str:
    branches = " ".join(f"when {number} then {sql}" for number, (_, sql) in PARTS.items() if sql)
    return f"nullif(trim(case r.{place} {branches} end), '')"


_SIGN = " ".join(f"when {number} then '{sign}'" for number, sign in _SIGNS.items())
_NAME = f"left(concat_ws(case r.separator {_SIGN} end, {', '.join(map(_name_part_sql, PART_COLUMNS))}), {MAX_NAME})"
# The rule of the goods' own type, or else of the nearest above it.
_WITH_RULE = """
left join brand b on b.brand_id = g.brand_id
join goods_type t1 on t1.goods_type_id = g.goods_type_id
left join goods_type t2 on t2.goods_type_id = t1.p_id
left join naming_rule r1 on r1.goods_type_id = t1.goods_type_id and r1.enabled
left join naming_rule r2 on r2.goods_type_id = t2.goods_type_id and r2.enabled
left join naming_rule r3 on r3.goods_type_id = t2.p_id and r3.enabled
join naming_rule r on r.naming_rule_id =
    coalesce(r1.naming_rule_id, r2.naming_rule_id, r3.naming_rule_id)
"""
_TEXTS = (
    "specification_type",
    "pattern",
    "load_index",
    "speed_index",
    "factory_code",
    "shorthand_code",
    "goods_num",
)
_NAME_OF_VALUES = text(f"""
select {_NAME} as name
from (
    select cast(:goods_type_id as bigint) as goods_type_id, cast(:brand_id as bigint) as brand_id,
        {", ".join(f"cast(:{name} as text) as {name}" for name in _TEXTS)}
) g
{_WITH_RULE}
""")


def build_goods_name(conn: Connection, row: Mapping[str, Any]) -> str:
    """Build the name of a goods from its values by its type's rule.

    Raises Invalid where there is no rule, or no value for any of its parts.
    """
    values = {name: row.get(name) for name in ("goods_type_id", "brand_id", *_TEXTS)}
    found = conn.execute(_NAME_OF_VALUES, values).scalar()
    if found is None:
        raise InvalidInput("请输入商品名称，该商品类型没有命名规则")
    if not found:
        raise InvalidInput("请输入商品名称，命名规则的各组成部分都没有填写")
    name: str = found
    return name


class GoodsRenaming(View):
    """商品改名预览: goods whose names are not what their rules make of them; chosen ones can be renamed."""

    __tablename__ = "goods_renaming"
    declaration = Declaration(
        "商品改名预览",
        "v2/system/GoodsRenaming",
        "goods_num",
        routes={"list": "/system/namerulepreview"},
        menu=Menu("系统管理", "商品设置", 36),
        actions=("list", "rename", "export"),
        order_by=("goods_id", "asc"),
    )

    goods_id: Mapped[int] = key_field()
    goods_num: Mapped[str] = text_field("商品编码", search=True, width=140)
    goods_name: Mapped[str] = text_field("现名称", search=True, width=300)
    new_name: Mapped[str] = text_field("按规则的名称", search=True, width=300)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True)
    brand_id: Mapped[int | None] = reference_field("brand", "品牌", search=True)
    naming_rule_id: Mapped[int] = reference_field("naming_rule", "命名规则", search=True, width=160)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _RENAMINGS, {}


_RENAMINGS = f"""
select n.goods_id, n.goods_num, n.goods_name, n.new_name, n.goods_type_id, n.brand_id, n.naming_rule_id
from (
    select g.goods_id, g.goods_num, g.goods_name, g.goods_type_id, g.brand_id, r.naming_rule_id, {_NAME} as new_name
    from goods g {_WITH_RULE}
) n
where n.new_name <> '' and n.new_name <> n.goods_name
"""


def list_new_names(conn: Connection, keys: list[int]) -> dict[int, str]:
    """Return the names that the rules give goods, by goods id, where they differ from the present ones."""
    rows = conn.execute(
        text(f"select goods_id, new_name from ({_RENAMINGS}) as renamed where goods_id = any(:keys)"),
        {"keys": keys},
    )
    return {row.goods_id: row.new_name for row in rows}
