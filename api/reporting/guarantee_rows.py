"""Goods under guarantee in reports (报表中的三包): the columns by which every report of them is looked at.

Which factory made a piece, and what is wrong with it, is known once it was registered. What is paid to customers and
what factories settle are both positive; what the company bears is their difference.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.fields import NO_RECORD, goods, money, quantity, rate, ref, text
from api.reporting.bills import BilledRow
from api.reporting.trade_rows import person

LINES = "/report/aftersalesdetrpt"


class GuaranteeRow(BilledRow):
    """A report row about goods under guarantee; `maker_id` limits it to one's own documents."""

    __abstract__ = True

    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-58)
    department_id: Mapped[int | None] = ref(
        "department", "部门", within=("company_id",), none=NO_RECORD, search=True, list=False, sort=-57
    )
    employee_id: Mapped[int | None] = person("经手人")
    warehouse_id: Mapped[int | None] = ref(
        "warehouse", "三包仓", within=("company_id",), none=NO_RECORD, search=True, width=130, sort=-48
    )
    customer_id: Mapped[int | None] = ref(
        "customer", "客户", within=("company_id",), none=NO_RECORD, search=True, width=180, sort=-55
    )
    supplier_id: Mapped[int | None] = ref(
        "supplier", "厂家", none=NO_RECORD, search=True, width=160, sort=-54
    )
    goods_id: Mapped[int] = goods(search=True, shows=("goods_num", "specification_type"), sort=-53)
    goods_type_id: Mapped[int] = ref("goods_type", "商品类型", search=True, width=90, sort=-52)
    brand_id: Mapped[int | None] = ref("brand", "品牌", none=NO_RECORD, search=True, width=90, sort=-51)
    symptom_id: Mapped[int | None] = ref(
        "symptom", "三包症状", none=NO_RECORD, search=True, width=110, sort=-47
    )
    tire_number: Mapped[str | None] = text("胎号", search=True, width=130, sort=-46)
    reason: Mapped[str | None] = text("三包原因", free=True, search=True, width=140, sort=-45)
    judged_rate: Mapped[Decimal | None] = rate("鉴定赔付比例%", default=None, width=120, sort=-44)
    compensated_quantity: Mapped[Decimal] = quantity("赔付数量", total=True, width=90, sort=20)
    compensation_amount: Mapped[Decimal] = money("赔付金额", total=True, sort=21)
    factory_quantity: Mapped[Decimal] = quantity("厂家结算数量", total=True, width=110, sort=30)
    factory_amount: Mapped[Decimal] = money("厂家结算金额", total=True, sort=31)
    net_amount: Mapped[Decimal] = money("理赔净支出", total=True, sort=32)
    maker_id: Mapped[int] = mapped_column(BigInteger)
