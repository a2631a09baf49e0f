"""Customer accounts (客户账户): what each customer owes, has advanced and is late with, now."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.database import today
from api.kit.fields import day, key, money, ref
from api.kit.resource import Declaration, Drill, Menu, Place
from api.kit.scope import Principal
from api.kit.view import READ_ONLY, Sql, Values, View
from api.master.dues import dues

_ACCOUNTS = f"""
select c.customer_id as customer_account_id, c.customer_id, c.company_id, c.customer_type_id, c.employee_id,
    c.credit_limit, i.owed as receivable, i.unapplied as advance, i.owed + i.unapplied as balance, i.overdue,
    i.overdue_since
from customer c
join (
    select l.party_id, {dues()}
    from settlement_item l
    where l.party_type = 'customer' and l.open_amount <> 0
    group by l.party_id
) i on i.party_id = c.customer_id
"""


class CustomerAccount(View):
    """客户账户"""

    __tablename__ = "customer_account"
    found_by = "customer_id"
    declaration = Declaration(
        "客户账户",
        "v2/custom/CustomerAccount",
        "customer_id",
        routes={"list": "/custom/customeracinfo"},
        menu=Menu("客户管理", "收款业务", 70),
        also=(Place({"list": "/MoneyManagement/CustomerAccount"}, Menu("资金管理", "资金业务", 40)),),
        actions=READ_ONLY,
        order_by=("balance", "desc"),
        balance="balance",
        drill=Drill(
            "未结明细",
            "/custom/creditfind_search",
            (("company_id", "company_id"), ("customer_id", "customer_id")),
        ),
    )

    customer_account_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", search=True)
    customer_id: Mapped[int] = ref("customer", "客户", within=("company_id",), search=True, width=200)
    customer_type_id: Mapped[int | None] = ref("customer_type", "客户类别", search=True)
    employee_id: Mapped[int | None] = ref("employee", "业务员", within=("company_id",), search=True)
    credit_limit: Mapped[Decimal | None] = money("信用额度", default=None)
    receivable: Mapped[Decimal] = money("应收款", total=True, width=130)
    advance: Mapped[Decimal] = money("预收及未用返利", total=True, width=130)
    balance: Mapped[Decimal] = money("应收余额", total=True, width=130)
    overdue: Mapped[Decimal] = money("逾期金额", total=True, width=130)
    overdue_since: Mapped[date | None] = day("最早到期日", width=110)

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        return _ACCOUNTS, {"today": today()}
