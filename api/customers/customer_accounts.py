"""Customer accounts (客户账户): receivables, advances and overdue amounts of each customer, now."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import date_field, key_field, money_field, reference_field
from api.kit.declaration.resource import Declaration, Drill, Menu, ScreenPlacement
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.master.settlements.open_item_sql import open_amounts_sql

_ACCOUNTS = f"""
select c.customer_id as customer_account_id, c.customer_id, c.company_id, c.customer_type_id, c.employee_id,
    c.credit_limit, i.owed as receivable, i.unapplied as advance, i.owed + i.unapplied as balance, i.overdue,
    i.overdue_since
from customer c
join (
    select l.party_id, {open_amounts_sql()}
    from settlement_item l
    where l.party_type = 'customer' and l.open_amount <> 0
    group by l.party_id
) i on i.party_id = c.customer_id
"""


class CustomerAccount(View):
    """客户账户"""

    __tablename__ = "customer_account"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "客户账户",
        "v2/custom/CustomerAccount",
        "customer_id",
        routes={"list": "/custom/customeracinfo"},
        menu=Menu("客户管理", "收款业务", 75),
        also=(
            ScreenPlacement({"list": "/MoneyManagement/CustomerAccount"}, Menu("资金管理", "资金业务", 40)),
        ),
        actions=READ_ONLY,
        order_by=("balance", "desc"),
        balance="balance",
        drill=Drill(
            "未结明细",
            "/custom/creditfind_search",
            (("company_id", "company_id"), ("customer_id", "customer_id")),
        ),
    )

    customer_account_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    customer_type_id: Mapped[int | None] = reference_field("customer_type", "客户类别", search=True)
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True
    )
    credit_limit: Mapped[Decimal | None] = money_field("信用额度", default=None)
    receivable: Mapped[Decimal] = money_field("应收款", total=True, width=130)
    advance: Mapped[Decimal] = money_field("预收及未用返利", total=True, width=130)
    balance: Mapped[Decimal] = money_field("应收余额", total=True, width=130)
    overdue: Mapped[Decimal] = money_field("逾期金额", total=True, width=130)
    overdue_since: Mapped[date | None] = date_field("最早到期日", width=110)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _ACCOUNTS, {"today": today()}
