"""Business targets (经营目标): a company's monthly targets of sales, profit, receipts and stock; drawn by 经营月报."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    COST,
    key_field,
    money_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import InvalidInput

MONTH = re.compile(r"20\d\d-(0[1-9]|1[0-2])")
TARGETS = ("sales_target", "profit_target", "receipts_target", "stock_target")


class BusinessTarget(Resource):
    """经营目标: of one company in one month; what is left empty has no target."""

    __tablename__ = "business_target"
    __table_args__ = (UniqueConstraint("company_id", "month"),)
    declaration = Declaration(
        "经营目标",
        "v2/report/BusinessTarget",
        "month",
        routes={
            "list": "/report/businesstarget",
            "add": "/report/businesstargetAdd",
            "see": "/report/businesstargetSee",
        },
        menu=Menu("报表中心", "经营报表", 400),
        order_by=("month", "desc"),
        note="经营月报的各月图画出目标线，表中算完成率；没有填写的月份没有目标。",
    )

    business_target_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field(
        "company", "公司", required=True, search=True, index=True, width=180
    )
    month: Mapped[str] = text_field("月份", required=True, search=True, max_length=7, width=100)
    sales_target: Mapped[Decimal | None] = money_field(
        "营业收入目标", rule="Positive", default=None, width=140
    )
    profit_target: Mapped[Decimal | None] = money_field(
        "销售毛利目标", default=None, permission=COST, width=140
    )
    receipts_target: Mapped[Decimal | None] = money_field(
        "收款目标", rule="Positive", default=None, width=140
    )
    stock_target: Mapped[Decimal | None] = money_field(
        "月末库存目标", rule="Positive", default=None, permission=COST, width=140
    )
    remark: Mapped[str | None] = textarea_field("备注", max_length=200)

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if not MONTH.fullmatch(row.get("month") or ""):
            raise InvalidInput("月份的格式为 2026-11")
        if all(row.get(name) is None for name in TARGETS):
            raise InvalidInput("请填写至少一个目标")
