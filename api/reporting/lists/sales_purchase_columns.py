"""Columns of list reports about sales and purchases (报表中的购销).

Returns are negative rows on their own date. Revenue is net of tax and discount, cost is the issue cost of
the ledger.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, MappedColumn, mapped_column

from api.kit.declaration.fields import (
    NO_RECORD,
    flag_field,
    goods_field,
    money_field,
    price_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.view import Paging
from api.reporting.lists.bill_columns import BillReportRow
from api.reporting.lists.list_report import ListReport
from api.reporting.lists.partner_columns import customer_column, supplier_column

SALES_DETAIL = "/report/salesdetrpt"
PURCHASE_DETAIL = "/report/purchasedetrpt"


class TradeRow(ListReport):
    """Base of report rows about sales and purchases; `maker_id` limits them to one's own documents."""

    __abstract__ = True

    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)
    department_id: Mapped[int | None] = reference_field(
        "department", "部门", within=("company_id",), none=NO_RECORD, search=True, sort=-57
    )
    warehouse_id: Mapped[int] = reference_field(
        "warehouse", "仓库", within=("company_id",), search=True, width=150, sort=-54
    )
    goods_id: Mapped[int] = goods_field(
        search=True, index=True, shows=("goods_num", "specification_type", "unit_id"), sort=-53
    )
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True, width=90, sort=-52)
    brand_id: Mapped[int] = reference_field("brand", "品牌", none=NO_RECORD, search=True, width=90, sort=-51)
    maker_id: Mapped[int] = mapped_column(BigInteger)


def employee_column(label: str) -> MappedColumn[int]:
    """Return the employee column of a row."""
    return reference_field(
        "employee", label, within=("company_id",), none=NO_RECORD, search=True, width=90, sort=-56
    )


class TradeLine(BillReportRow):
    """Base of report rows about one line of a bill."""

    __abstract__ = True
    paging = Paging(parts=("business_date",))

    bill_name: Mapped[str] = text_field("单据类型", width=100, sort=-50)
    is_gift: Mapped[bool] = flag_field("赠品", search=True, width=70, sort=-48)
    quantity: Mapped[Decimal] = quantity_field("数量", total=True, sort=-47)
    price: Mapped[Decimal] = price_field("含税单价", sort=-46)
    amount: Mapped[Decimal] = money_field("含税金额", total=True, sort=-45)


class SaleRow(TradeRow):
    """Base of report rows about sales."""

    __abstract__ = True

    employee_id: Mapped[int | None] = employee_column("业务员")
    customer_id: Mapped[int] = customer_column()


class PurchaseRow(TradeRow):
    """Base of report rows about purchases."""

    __abstract__ = True

    employee_id: Mapped[int | None] = employee_column("采购员")
    supplier_id: Mapped[int] = supplier_column()
