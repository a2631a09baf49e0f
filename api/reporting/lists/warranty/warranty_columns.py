"""Warranty columns of list reports (报表中的三包).

The factory and the symptom of a piece are known once it was registered. Compensation to customers and
factory settlement are both positive; the company bears their difference.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration.fields import (
    NO_RECORD,
    goods_field,
    money_field,
    quantity_field,
    rate_field,
    reference_field,
    text_field,
)
from api.reporting.lists.bill_columns import BillReportRow
from api.reporting.lists.sales_purchase_columns import employee_column

LINES_ROUTE = "/report/aftersalesdetrpt"


class WarrantyRow(BillReportRow):
    """Base of report rows about warranty goods; `maker_id` limits them to one's own documents."""

    __abstract__ = True

    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)
    department_id: Mapped[int | None] = reference_field(
        "department", "部门", within=("company_id",), none=NO_RECORD, search=True, list=False, sort=-57
    )
    employee_id: Mapped[int | None] = employee_column("经手人")
    warehouse_id: Mapped[int | None] = reference_field(
        "warehouse", "三包仓", within=("company_id",), none=NO_RECORD, search=True, width=130, sort=-48
    )
    customer_id: Mapped[int | None] = reference_field(
        "customer", "客户", within=("company_id",), none=NO_RECORD, search=True, width=180, sort=-55
    )
    supplier_id: Mapped[int | None] = reference_field(
        "supplier", "厂家", none=NO_RECORD, search=True, width=160, sort=-54
    )
    goods_id: Mapped[int] = goods_field(search=True, shows=("goods_num", "specification_type"), sort=-53)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True, width=90, sort=-52)
    brand_id: Mapped[int | None] = reference_field(
        "brand", "品牌", none=NO_RECORD, search=True, width=90, sort=-51
    )
    symptom_id: Mapped[int | None] = reference_field(
        "symptom", "三包症状", none=NO_RECORD, search=True, width=110, sort=-47
    )
    tire_number: Mapped[str | None] = text_field("胎号", search=True, width=130, sort=-46)
    reason: Mapped[str | None] = text_field("三包原因", free=True, search=True, width=140, sort=-45)
    judged_rate: Mapped[Decimal | None] = rate_field("鉴定赔付比例%", default=None, width=120, sort=-44)
    compensated_quantity: Mapped[Decimal] = quantity_field("赔付数量", total=True, width=90, sort=20)
    compensation_amount: Mapped[Decimal] = money_field("赔付金额", total=True, sort=21)
    factory_quantity: Mapped[Decimal] = quantity_field("厂家结算数量", total=True, width=110, sort=30)
    factory_amount: Mapped[Decimal] = money_field("厂家结算金额", total=True, sort=31)
    net_amount: Mapped[Decimal] = money_field("理赔净支出", total=True, sort=32)
    maker_id: Mapped[int] = mapped_column(BigInteger)
