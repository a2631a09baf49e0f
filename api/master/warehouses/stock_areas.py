"""Stock areas (库存区域): companies of one area see each other's stock quantities where that is granted."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import Row, UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import enabled_field, key_field, quantity_field, reference_field, text_field
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.errors import Forbidden
from api.kit.scope import Principal


class StockArea(Resource):
    """库存区域"""

    __tablename__ = "stock_area"
    declaration = Declaration(
        "库存区域",
        "v2/system/StockArea",
        "stock_area_name",
        routes={"list": "/system/stockarea"},
        menu=Menu("系统管理", "仓库设置", 30),
    )

    stock_area_id: Mapped[int] = key_field()
    stock_area_name: Mapped[str] = text_field("区域名称", required=True, unique=True, search=True, width=200)
    enabled: Mapped[bool] = enabled_field()

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        _require_all_companies(ctx)


class StockAreaMember(Resource):
    """区域公司: a company of an area shows its quantities to the others of it, and sees theirs."""

    __tablename__ = "stock_area_member"
    __table_args__ = (UniqueConstraint("stock_area_id", "member_id"),)
    declaration = Declaration(
        "区域公司",
        "v2/system/StockAreaMember",
        "member_id",
        routes={"list": "/system/stockareamember"},
        menu=Menu("系统管理", "仓库设置", 40),
    )

    stock_area_member_id: Mapped[int] = key_field()
    stock_area_id: Mapped[int] = reference_field(
        "stock_area", "库存区域", required=True, search=True, width=200
    )
    member_id: Mapped[int] = reference_field(
        "company", "公司", target="company_id", required=True, search=True, width=220
    )

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        _require_all_companies(ctx)


def _require_all_companies(ctx: Context) -> None:
    """Raise Forbidden unless the role reaches all companies: others would grant themselves a view of foreign
    stock."""
    if ctx.principal.companies is not None:
        raise Forbidden("库存区域由可管理全部公司的角色设置")


class AreaStock(View):
    """区域库存: stock of the companies that share an area with one's own, by goods, in warehouses of good stock."""

    __tablename__ = "area_stock"
    declaration = Declaration(
        "区域库存",
        "v2/system/AreaStock",
        "goods_id",
        routes={"list": "/system/areastocklist"},
        menu=Menu("系统管理", "仓库设置", 50),
        actions=READ_ONLY,
        order_by=("area_stock_id", "asc"),
    )
    keyword_reference = "goods_id"

    area_stock_id: Mapped[int] = key_field()
    member_id: Mapped[int] = reference_field("company", "公司", target="company_id", search=True, width=220)
    goods_id: Mapped[int] = reference_field(
        "goods",
        "商品",
        search=True,
        width=260,
        shows=("goods_num", "specification_type", "pattern", "unit_id"),
    )
    stocks: Mapped[Decimal] = quantity_field("库存", total=True)
    available_stocks: Mapped[Decimal] = quantity_field("可用库存", total=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        mine = None if principal.companies is None else sorted(principal.companies)
        return _STOCK, {"mine": mine}


_STOCK = """
with shown as (
    select distinct other.member_id
    from stock_area_member own
    join stock_area a on a.stock_area_id = own.stock_area_id and a.enabled
    join stock_area_member other on other.stock_area_id = own.stock_area_id and other.member_id <> own.member_id
    where cast(:mine as bigint[]) is null or own.member_id = any(cast(:mine as bigint[]))
)
select
    row_number() over (order by t.goods_id, t.company_id) as area_stock_id, t.company_id as member_id, t.goods_id,
    sum(t.quantity) as stocks, sum(t.quantity - t.reserved - t.frozen) as available_stocks
from stock_total t
join shown s on s.member_id = t.company_id
join warehouse w on w.warehouse_id = t.warehouse_id and w.type = 1
group by t.goods_id, t.company_id
having sum(t.quantity) <> 0
"""
