"""Open payables (应付款明细): each item that a supplier is still owed, each advance or rebate left with him."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.database import today
from api.kit.fields import day, enum, integer, key, money, ref, text
from api.kit.resource import Declaration, Menu
from api.kit.scope import Principal
from api.kit.view import BILL, READ_ONLY, BillRow, Sql, Values
from api.master.dues import OVERDUE_DAYS, UNAPPLIED

OWED, ADVANCE = 1, 2
KINDS = {OWED: "应付款", ADVANCE: "预付及未用返利"}
ITEMS = "/purchase/factoryOpenItems"


class SupplierItem(BillRow):
    """应付款明细"""

    __tablename__ = "supplier_item"
    found_by = "supplier_id"
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

    supplier_item_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", search=True)
    supplier_id: Mapped[int] = ref("supplier", "供应商", search=True, width=200)
    kind: Mapped[int] = enum("款项类型", KINDS, default=OWED, search=True, width=90)
    bill_no: Mapped[str] = text("单据号", search=True, width=190)
    business_date: Mapped[date] = day("业务日期", search=True)
    due_date: Mapped[date | None] = day("到期日", search=True)
    amount: Mapped[Decimal] = money("单据金额", total=True)
    open_amount: Mapped[Decimal] = money("未付金额", total=True)
    overdue_days: Mapped[int | None] = integer("逾期天数", default=None)

    rows = f"""
select l.settlement_id as supplier_item_id, l.company_id, l.party_id as supplier_id,
    case when {UNAPPLIED} then {ADVANCE} else {OWED} end as kind, l.bill_no, l.business_date, l.due_date, l.amount,
    l.open_amount, {OVERDUE_DAYS} as overdue_days, {{route}}
from settlement_item l
where l.party_type = 'supplier' and l.open_amount <> 0
"""

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        sql, values = super().source(principal, asked)
        return sql, values | {"today": today()}
