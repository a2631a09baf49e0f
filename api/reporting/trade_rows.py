"""Sales and purchases in reports (报表中的购销): the columns by which every report of their lines is looked at.

Returns are negative rows on their own date. Revenue is net of tax and discount, cost is what the ledger issued.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, MappedColumn, mapped_column

from api.kit.fields import NO_RECORD, flag, goods, money, price, quantity, ref, text
from api.kit.view import Paging
from api.reporting.bills import BilledRow
from api.reporting.party_rows import customer_column, supplier_column
from api.reporting.published import Published

SALES_DETAIL = "/report/salesdetrpt"
PURCHASE_DETAIL = "/report/purchasedetrpt"


class TradeRow(Published):
    """A report row about what was traded; `maker_id` limits it to one's own documents."""

    __abstract__ = True

    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-58)
    department_id: Mapped[int | None] = ref(
        "department", "部门", within=("company_id",), none=NO_RECORD, search=True, sort=-57
    )
    warehouse_id: Mapped[int] = ref(
        "warehouse", "仓库", within=("company_id",), search=True, width=150, sort=-54
    )
    goods_id: Mapped[int] = goods(
        search=True, index=True, shows=("goods_num", "specification_type", "unit_id"), sort=-53
    )
    goods_type_id: Mapped[int] = ref("goods_type", "商品类型", search=True, width=90, sort=-52)
    brand_id: Mapped[int] = ref("brand", "品牌", none=NO_RECORD, search=True, width=90, sort=-51)
    maker_id: Mapped[int] = mapped_column(BigInteger)


def person(label: str) -> MappedColumn[int]:
    """The employee of a row."""
    return ref("employee", label, within=("company_id",), none=NO_RECORD, search=True, width=90, sort=-56)


class TradeLine(BilledRow):
    """A report row about one line of a bill."""

    __abstract__ = True
    paging = Paging(parts=("business_date",))

    bill_name: Mapped[str] = text("单据类型", width=100, sort=-50)
    is_gift: Mapped[bool] = flag("赠品", search=True, width=70, sort=-48)
    quantity: Mapped[Decimal] = quantity("数量", total=True, sort=-47)
    price: Mapped[Decimal] = price("含税单价", sort=-46)
    amount: Mapped[Decimal] = money("含税金额", total=True, sort=-45)


class SaleRow(TradeRow):
    """A report row about sales."""

    __abstract__ = True

    employee_id: Mapped[int | None] = person("业务员")
    customer_id: Mapped[int] = customer_column()


class PurchaseRow(TradeRow):
    """A report row about purchases."""

    __abstract__ = True

    employee_id: Mapped[int | None] = person("采购员")
    supplier_id: Mapped[int] = supplier_column()
