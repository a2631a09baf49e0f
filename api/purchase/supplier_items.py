"""Open payables (应付款明细): open items of suppliers, and unused prepayments and rebates."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    enum_field,
    integer_field,
    key_field,
    money_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, BillReferenceRow, Sql, Values
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.master.settlements.open_item_sql import IS_UNAPPLIED, OVERDUE_DAYS

PAYABLE, ADVANCE = 1, 2
KINDS = {PAYABLE: "应付款", ADVANCE: "预付及未用返利"}
ITEMS = "/purchase/factoryOpenItems"


class SupplierItem(BillReferenceRow):
    """应付款明细"""

    __tablename__ = "supplier_item"
    keyword_reference = "supplier_id"
    declaration = Declaration(
        "应付款明细",
        "v2/purchase/SupplierItem",
        "bill_no",
        routes={"list": ITEMS},
        menu=Menu("采购管理", "付款业务", 55),
        actions=READ_ONLY,
        order_by=("due_date", "asc"),
        drill=BILL,
    )

    supplier_item_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", search=True, width=200)
    kind: Mapped[int] = enum_field("款项类型", KINDS, default=PAYABLE, search=True, width=90)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190)
    business_date: Mapped[date] = date_field("业务日期", search=True)
    due_date: Mapped[date | None] = date_field("到期日", search=True)
    amount: Mapped[Decimal] = money_field("单据金额", total=True)
    open_amount: Mapped[Decimal] = money_field("未付金额", total=True)
    overdue_days: Mapped[int | None] = integer_field("逾期天数", default=None)

    rows = f"""
select l.settlement_id as supplier_item_id, l.company_id, l.party_id as supplier_id,
    case when {IS_UNAPPLIED} then {ADVANCE} else {PAYABLE} end as kind,
    l.bill_no, l.business_date, l.due_date, l.amount,
    l.open_amount, {OVERDUE_DAYS} as overdue_days, {{route}}
from settlement_item l
where l.party_type = 'supplier' and l.open_amount <> 0
"""

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        sql, values = super().source(principal, params)
        return sql, values | {"today": today()}
