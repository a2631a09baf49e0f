"""Business types (业务类型): short lists of names by which bills and partners are told apart.

Each has a screen of its own, and all of them are alike.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Mapped, MappedColumn

from api.kit.fields import enabled, enum, integer, key, ref, text
from api.kit.resource import Declaration, Menu, Place, Resource


class Listed(Resource):
    """A name in a list that a group keeps for itself."""

    __abstract__ = True

    sort: Mapped[int] = integer("排序", rule="positiveInt", width=80)
    enabled: Mapped[bool] = enabled()
    remark: Mapped[str | None] = text("备注", free=True, max_length=200)


def _listed(
    name: str,
    label: str,
    route: str,
    group: str,
    sort: int,
    also: tuple[Place, ...] = (),
    **more: MappedColumn[Any],
) -> type[Resource]:
    """The class of a list: `<name>_id`, `<name>_name`, `more` columns, and what all of them have."""
    camel = "".join(part.capitalize() for part in name.split("_"))
    members: dict[str, Any] = {
        "__doc__": label,
        "__module__": __name__,
        "__tablename__": name,
        "declaration": Declaration(
            label,
            f"v2/system/{camel}",
            f"{name}_name",
            routes={"list": route},
            menu=Menu("系统管理", group, sort),
            order_by=("sort", "asc"),
            lookup=f"open/{camel}/get{camel}List",
            also=also,
        ),
        f"{name}_id": key(),
        f"{name}_name": text(label, required=True, unique=True, search=True, max_length=50, width=200),
        **more,
    }
    return type(camel, (Listed,), members)


CYCLES = {1: "一个月", 2: "两个月", 3: "一季", 4: "四个月", 6: "半年", 12: "一年"}
"""Months of a rebate's cycle; each begins on the first day of one, counted from January."""
_BUSINESS, _PARTNERS = "业务类型", "往来类型"

InboundType = _listed("inbound_type", "入库类型", "/system/instoragetype", _BUSINESS, 10)
OutboundType = _listed("outbound_type", "出库类型", "/system/outstoragetype", _BUSINESS, 20)
SalesType = _listed("sales_type", "销售类型", "/system/salestype", _BUSINESS, 30)
DeliveryMode = _listed("delivery_mode", "配送方式", "/system/orderdelivemod", _BUSINESS, 40)
DeliveryTerm = _listed("delivery_term", "交货方式", "/system/orderdelive", _BUSINESS, 50)
DeliveryDemand = _listed("delivery_demand", "配送要求", "/system/orderdelivedem", _BUSINESS, 60)
HandoverType = _listed("handover_type", "交接方式", "/system/handover", _BUSINESS, 70)
PurchaseReturnReason = _listed(
    "purchase_return_reason", "采购退货原因", "/system/purchasereturnre", _BUSINESS, 80
)
SalesReturnReason = _listed("sales_return_reason", "销售退货原因", "/system/salesretrunre", _BUSINESS, 90)
SupplierType = _listed("supplier_type", "供应商类型", "/system/factorytype", _PARTNERS, 10)
CustomerType = _listed(
    "customer_type",
    "客户类别",
    "/system/customtype",
    _PARTNERS,
    20,
    (Place({"list": "/custom/customertype"}, Menu("客户管理", "客户资料", 5)),),
)
AccountType = _listed("account_type", "账户类型", "/system/accountype", _PARTNERS, 30)
RebateType = _listed("rebate_type", "返利类型", "/system/rebatetype", _BUSINESS, 100)
RebateCycle = _listed(
    "rebate_cycle",
    "返利周期",
    "/system/rebatecycle",
    _BUSINESS,
    110,
    months=enum("周期长度", CYCLES, default=1, search=True, width=100, fixed="named"),
)
PostageType = _listed("postage_type", "运费方式", "/system/postagetype", _BUSINESS, 75)


def classified(name: str, label: str, *, sort: int = 0) -> MappedColumn[Any]:
    """What a bill or partner is told apart by: a name of one of these lists, or none."""
    return ref(name, label, search=True, width=110, sort=sort)


CREDITED, PREPAID = 1, 2
DELIVERY_METHODS = {CREDITED: "先货后款", PREPAID: "先款后货"}


class Delivered:
    """An order: how, on which terms, and with which wishes it is to be delivered; whether it is paid for before."""

    delivery_mode_id: Mapped[int | None] = classified("delivery_mode", "配送方式", sort=-39)
    delivery_term_id: Mapped[int | None] = classified("delivery_term", "交货方式", sort=-38)
    delivery_demand_id: Mapped[int | None] = classified("delivery_demand", "配送要求", sort=-37)
    delivery_method: Mapped[int] = enum(
        "发货方式", DELIVERY_METHODS, default=CREDITED, search=True, extract=False, width=100, sort=-36
    )
