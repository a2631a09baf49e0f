"""Warranty claims by piece (三包理赔): the customer's piece, the compensation paid, and what its factory
settled of it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    enum_field,
    integer_field,
    key_field,
    quantity_field,
    rate_field,
    text_field,
)
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values
from api.kit.scope import Principal
from api.reporting.lists.bill_columns import bill_columns_sql, masked_bill_no_sql
from api.reporting.lists.expressions import ratio_sql
from api.reporting.lists.warranty.warranty_columns import WarrantyRow

STAGES = {1: "待处理", 2: "已赔付", 3: "已退厂", 4: "厂家已结算"}

_PIECES = """
select p.line_id * 2 + case when p.bill_type = 'TBRK' then 1 else 0 end as guarantee_claim_id,
    p.* replace ({company_claim} as company_claim_no, {factory_claim} as factory_claim_no),
    g.goods_type_id, g.brand_id, p.compensation_amount - p.factory_amount as net_amount, {rate}, {bill}
from mart_guarantee_claim p
join goods g on g.goods_id = p.goods_id
"""


class GuaranteeClaim(WarrantyRow):
    """Warranty claims by piece (三包理赔报表)."""

    __tablename__ = "guarantee_claim"
    pinned_columns = (
        "business_date",
        "stage",
        "customer_id",
        "goods_id",
        "quantity",
        "compensation_amount",
        "net_amount",
    )
    declaration = Declaration(
        "三包理赔报表",
        "v2/report/GuaranteeClaim",
        "bill_no",
        routes={"list": "/report/threepacketslaims"},
        menu=Menu("报表中心", "三包报表", 20),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
        question="哪些三包件赔了客户，厂家还没有结算？",
    )

    guarantee_claim_id: Mapped[int] = key_field()
    business_date: Mapped[date] = date_field("受理日期", search=True, width=110, sort=-60)
    bill_no: Mapped[str] = text_field("登记（入库）单号", search=True, width=190, sort=-49)
    stage: Mapped[int] = enum_field("进度", STAGES, default=1, search=True, width=100, sort=-59)
    quantity: Mapped[Decimal] = quantity_field("受理数量", total=True, width=90, sort=10)
    compensated_on: Mapped[date | None] = date_field("赔付日期", search=True, width=110, sort=18)
    company_claim_no: Mapped[str | None] = text_field("公司理赔单号", search=True, width=190, sort=19)
    returned_on: Mapped[date | None] = date_field("退厂日期", width=110, sort=24)
    returned_quantity: Mapped[Decimal] = quantity_field("退厂数量", total=True, width=90, sort=25)
    settled_on: Mapped[date | None] = date_field("厂家结算日期", search=True, width=110, sort=28)
    factory_claim_no: Mapped[str | None] = text_field("厂家理赔单号", search=True, width=190, sort=29)
    recovery_rate: Mapped[Decimal | None] = rate_field(
        "厂家承担比例%",
        default=None,
        width=120,
        ratio=Ratio("factory_amount", "compensation_amount"),
        sort=33,
    )
    waited_days: Mapped[int | None] = integer_field(
        "赔付后等待天数", default=None, search=True, width=120, sort=34
    )

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        """Return no filters: the pieces that factories leave waiting are of any day."""
        return {}

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        recovered = ratio_sql("p.factory_amount", "p.compensation_amount", "recovery_rate")
        claims = {
            name: masked_bill_no_sql(principal, f"p.{name}_no", "facts.fct_guarantee_line")
            for name in ("company_claim", "factory_claim")
        }
        return _PIECES.format(rate=recovered, bill=bill_columns_sql("p", "TBRK"), **claims), {}
