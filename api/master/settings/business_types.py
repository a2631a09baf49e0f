"""Business types (业务类型): short code lists that classify bills and partners.

Each has a screen of its own, and all of them are alike.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Mapped, MappedColumn

from api.kit.declaration.fields import (
    enabled_field,
    enum_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource, ScreenPlacement


class CodeListEntry(Resource):
    """Base of a code list's entries, kept by the group itself."""

    __abstract__ = True

    sort: Mapped[int] = integer_field("排序", rule="positiveInt", width=80)
    enabled: Mapped[bool] = enabled_field()
    remark: Mapped[str | None] = text_field("备注", free=True, max_length=200)


def _declare_code_list(
    name: str,
    label: str,
    route: str,
    group: str,
    sort: int,
    also: tuple[ScreenPlacement, ...] = (),
    **more: MappedColumn[Any],
) -> type[Resource]:
    """Declare the class of a code list: `<name>_id`, `<name>_name`, `more` columns, and the common ones."""
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
        f"{name}_id": key_field(),
        f"{name}_name": text_field(label, required=True, unique=True, search=True, max_length=50, width=200),
        **more,
    }
    return type(camel, (CodeListEntry,), members)


CYCLES = {1: "一个月", 2: "两个月", 3: "一季", 4: "四个月", 6: "半年", 12: "一年"}
"""Months of a rebate's cycle; each begins on the first day of one, counted from January."""
_BUSINESS, _PARTNERS = "业务类型", "往来类型"

InboundType = _declare_code_list("inbound_type", "入库类型", "/system/instoragetype", _BUSINESS, 10)
OutboundType = _declare_code_list("outbound_type", "出库类型", "/system/outstoragetype", _BUSINESS, 20)
SalesType = _declare_code_list("sales_type", "销售类型", "/system/salestype", _BUSINESS, 30)
DeliveryMode = _declare_code_list("delivery_mode", "配送方式", "/system/orderdelivemod", _BUSINESS, 40)
DeliveryTerm = _declare_code_list("delivery_term", "交货方式", "/system/orderdelive", _BUSINESS, 50)
DeliveryDemand = _declare_code_list("delivery_demand", "配送要求", "/system/orderdelivedem", _BUSINESS, 60)
HandoverType = _declare_code_list("handover_type", "交接方式", "/system/handover", _BUSINESS, 70)
PurchaseReturnReason = _declare_code_list(
    "purchase_return_reason", "采购退货原因", "/system/purchasereturnre", _BUSINESS, 80
)
SalesReturnReason = _declare_code_list(
    "sales_return_reason", "销售退货原因", "/system/salesretrunre", _BUSINESS, 90
)
SupplierType = _declare_code_list("supplier_type", "供应商类型", "/system/factorytype", _PARTNERS, 10)
CustomerType = _declare_code_list(
    "customer_type",
    "客户类别",
    "/system/customtype",
    _PARTNERS,
    20,
    (ScreenPlacement({"list": "/custom/customertype"}, Menu("客户管理", "客户资料", 5)),),
)
AccountType = _declare_code_list("account_type", "账户类型", "/system/accountype", _PARTNERS, 30)
RebateType = _declare_code_list("rebate_type", "返利类型", "/system/rebatetype", _BUSINESS, 100)
RebateCycle = _declare_code_list(
    "rebate_cycle",
    "返利周期",
    "/system/rebatecycle",
    _BUSINESS,
    110,
    months=enum_field("周期长度", CYCLES, default=1, search=True, width=100, fixed="named"),
)
PostageType = _declare_code_list("postage_type", "运费方式", "/system/postagetype", _BUSINESS, 75)


def code_list_field(name: str, label: str, *, sort: int = 0) -> MappedColumn[Any]:
    """Declare a reference to an entry of a code list; optional."""
    return reference_field(name, label, search=True, width=110, sort=sort)


CREDITED, PREPAID = 1, 2
DELIVERY_METHODS = {CREDITED: "先货后款", PREPAID: "先款后货"}


class DeliveryTermsMixin:
    """Columns of an order's delivery: mode, term, demands, and whether it is paid for before."""

    delivery_mode_id: Mapped[int | None] = code_list_field("delivery_mode", "配送方式", sort=-39)
    delivery_term_id: Mapped[int | None] = code_list_field("delivery_term", "交货方式", sort=-38)
    delivery_demand_id: Mapped[int | None] = code_list_field("delivery_demand", "配送要求", sort=-37)
    delivery_method: Mapped[int] = enum_field(
        "发货方式", DELIVERY_METHODS, default=CREDITED, search=True, extract=False, width=100, sort=-36
    )
