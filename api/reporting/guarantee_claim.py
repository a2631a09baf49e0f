"""Claims piece by piece (三包理赔): what a customer brought back, what he was paid, what its factory settles of it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.fields import day, enum, integer, key, rate, text
from api.kit.fields import quantity as counted
from api.kit.ratios import Ratio
from api.kit.resource import Declaration, Menu
from api.kit.scope import Principal
from api.kit.view import BILL, READ_ONLY, Sql, Values
from api.reporting.bills import bill_columns, opened_no
from api.reporting.expressions import ratio
from api.reporting.guarantee_rows import GuaranteeRow

STAGES = {1: "待处理", 2: "已赔付", 3: "已退厂", 4: "厂家已结算"}

_PIECES = """
select p.line_id * 2 + case when p.bill_type = 'TBRK' then 1 else 0 end as guarantee_claim_id,
    p.* replace ({company_claim} as company_claim_no, {factory_claim} as factory_claim_no),
    g.goods_type_id, g.brand_id, p.compensation_amount - p.factory_amount as net_amount, {rate}, {bill}
from mart_guarantee_claim p
join goods g on g.goods_id = p.goods_id
"""


class GuaranteeClaim(GuaranteeRow):
    """三包理赔报表"""

    __tablename__ = "guarantee_claim"
    leading = (
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

    guarantee_claim_id: Mapped[int] = key()
    business_date: Mapped[date] = day("受理日期", search=True, width=110, sort=-60)
    bill_no: Mapped[str] = text("登记（入库）单号", search=True, width=190, sort=-49)
    stage: Mapped[int] = enum("进度", STAGES, default=1, search=True, width=100, sort=-59)
    quantity: Mapped[Decimal] = counted("受理数量", total=True, width=90, sort=10)
    compensated_on: Mapped[date | None] = day("赔付日期", search=True, width=110, sort=18)
    company_claim_no: Mapped[str | None] = text("公司理赔单号", search=True, width=190, sort=19)
    returned_on: Mapped[date | None] = day("退厂日期", width=110, sort=24)
    returned_quantity: Mapped[Decimal] = counted("退厂数量", total=True, width=90, sort=25)
    settled_on: Mapped[date | None] = day("厂家结算日期", search=True, width=110, sort=28)
    factory_claim_no: Mapped[str | None] = text("厂家理赔单号", search=True, width=190, sort=29)
    recovery_rate: Mapped[Decimal | None] = rate(
        "厂家承担比例%",
        default=None,
        width=120,
        ratio=Ratio("factory_amount", "compensation_amount"),
        sort=33,
    )
    waited_days: Mapped[int | None] = integer("赔付后等待天数", default=None, search=True, width=120, sort=34)

    @classmethod
    def usual(cls) -> dict[str, str]:
        """Pieces of any day: those that factories leave waiting are the old ones."""
        return {}

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        recovered = ratio("p.factory_amount", "p.compensation_amount", "recovery_rate")
        claims = {
            name: opened_no(principal, f"p.{name}_no", "facts.fct_guarantee_line")
            for name in ("company_claim", "factory_claim")
        }
        return _PIECES.format(rate=recovered, bill=bill_columns("p", "TBRK"), **claims), {}
