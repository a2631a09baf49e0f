"""Warehouses (仓库) and their locations (库位)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.fields import enum, flag, key, ref, text, textarea
from api.kit.resource import Declaration, Menu, Resource, refuse_move

WAREHOUSE_TYPES = {1: "正品仓", 2: "残次品仓", 3: "三包仓"}
WARNING_MODES = {0: "不预警", 1: "预警并禁止", 2: "预警后确认"}


class Warehouse(Resource):
    """仓库: belongs to a company; `document_warning` says what falling below safety stock does."""

    __tablename__ = "warehouse"
    declaration = Declaration(
        "仓库",
        "v2/system/Warehouse",
        "warehouse_name",
        routes={"list": "/system/repertorymanage"},
        menu=Menu("系统管理", "仓库设置", 10),
        lookup="open/Warehouse/getWarehouseList",
    )

    warehouse_id: Mapped[int] = key()
    warehouse_name: Mapped[str] = text("仓库名称", required=True, unique=True, search=True, width=180)
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True)
    type: Mapped[int] = enum("仓库类型", WAREHOUSE_TYPES, default=1, search=True)
    allow_negative: Mapped[bool] = flag("允许负库存")
    document_warning: Mapped[int] = enum("安全库存预警", WARNING_MODES, default=0)
    address: Mapped[str | None] = textarea("地址", max_length=200)
    enabled: Mapped[bool] = flag("启用", default=True)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        refuse_move(row, before, "company_id", "仓库的公司不能修改，请在新公司另建仓库")


class Allocation(Resource):
    """库位: a place inside a warehouse; a stock row without one lies in the warehouse at large."""

    __tablename__ = "allocation"
    declaration = Declaration(
        "库位",
        "v2/system/Allocation",
        "allocation_name",
        routes={"list": "/system/storagelocation"},
        menu=Menu("系统管理", "仓库设置", 20),
        lookup="open/Allocation/getAllocationList",
    )

    allocation_id: Mapped[int] = key()
    allocation_name: Mapped[str] = text("库位", required=True, search=True)
    warehouse_id: Mapped[int] = ref("warehouse", "仓库", required=True, search=True, index=True)
    enabled: Mapped[bool] = flag("启用", default=True)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        refuse_move(row, before, "warehouse_id", "库位的仓库不能修改，请在新仓库另建库位")
