"""Accounts (资金账户): receipts and payments of each payment method's account over any days, and row by row.

Read from the money ledger itself. Opening + received − paid = closing, per account and in total.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    enum_field,
    flag_field,
    integer_field,
    key_field,
    money_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import BILL, READ_ONLY, BillReferenceRow, Sql, Values, View
from api.kit.http.date_filters import parse_date_range, this_month_filter
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.master.partners.partners import ACCOUNT_KINDS
from api.money.fund_transfer import FundTransfer

assert FundTransfer.bill
JOURNAL = "/MoneyManagement/accountJournal"
FLOWS = {1: "收款", 2: "付款", 3: "资金调拨"}
INCOME, EXPENSE, TRANSFER = FLOWS

RECEIVED = "((l.amount > 0) = (l.reverses is null))"
"""SQL condition of rows that count as receipts; a reversal counts with its original, with the opposite sign."""
FLOW = (
    f"case when l.bill_type = '{FundTransfer.bill.prefix}' then {TRANSFER}"
    f" when {RECEIVED} then {INCOME} else {EXPENSE} end"
)
"""SQL of a row's kind: transfers between accounts are neither receipts nor payments."""

_OPENING = """
select company_id, receivables_mode_id, amount as opening from money_balance
union all
select company_id, receivables_mode_id, -amount from money_ledger where business_date >= :first
"""
"""Balances now, less all movements since the first day: earlier years need not be summed."""

_DAYS = f"""
select f.*, f.opening + f.received - f.paid as closing,
    f.company_id * 4294967296 + f.receivables_mode_id as account_days_id, m.account_kind, m.bank_id,
    :first as first_day, :last as days
from (
    select company_id, receivables_mode_id, sum(opening) as opening, sum(received) as received, sum(paid) as paid,
        count(entry_id) as entries
    from (
        select company_id, receivables_mode_id, null::bigint as entry_id, opening, 0.00 as received, 0.00 as paid
        from ({_OPENING}) o
        union all
        select company_id, receivables_mode_id, entry_id, 0.00, case when {RECEIVED} then l.amount else 0.00 end,
            case when {RECEIVED} then 0.00 else -l.amount end
        from money_ledger l
        where l.business_date between :first and :last
    ) p
    group by company_id, receivables_mode_id
) f
join receivables_mode m using (receivables_mode_id)
"""

_ENTRIES = f"""
select l.entry_id as account_entry_id, l.business_date, l.bill_no, l.company_id, l.receivables_mode_id,
    l.reverses is not null as reversal, {FLOW} as flow, case when {RECEIVED} then l.amount end as received,
    case when not {RECEIVED} then -l.amount end as paid,
    coalesce(o.opening, 0.00) + sum(l.amount) over (
        partition by l.company_id, l.receivables_mode_id order by l.business_date, l.entry_id
    ) as balance,
    {{route}}
from money_ledger l
left join (
    select company_id, receivables_mode_id, sum(opening) as opening from ({_OPENING}) o
    group by company_id, receivables_mode_id
) o using (company_id, receivables_mode_id)
where l.business_date between :first and :last
"""


class AccountDays(View):
    """资金日报: today by default, or any days."""

    __tablename__ = "account_days"
    declaration = Declaration(
        "资金日报",
        "v2/money/AccountDays",
        "receivables_mode_id",
        routes={"list": "/MoneyManagement/accountDays"},
        menu=Menu("资金管理", "资金业务", 20),
        actions=READ_ONLY,
        order_by=("account_days_id", "asc"),
        balance="closing",
        drill=Drill(
            "账户流水",
            JOURNAL,
            (
                *((name, name) for name in ("company_id", "receivables_mode_id")),
                ("business_date_start", "first_day"),
                ("business_date_end", "days"),
            ),
        ),
    )

    account_days_id: Mapped[int] = key_field()
    days: Mapped[date] = date_field("日期", search=True, list=False)
    first_day: Mapped[date] = date_field("起始日期", list=False)
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    receivables_mode_id: Mapped[int] = reference_field("receivables_mode", "账户", search=True, width=160)
    account_kind: Mapped[int] = enum_field("账户类别", ACCOUNT_KINDS, default=1, search=True)
    bank_id: Mapped[int | None] = reference_field("bank", "开户银行", search=True)
    opening: Mapped[Decimal] = money_field("期初余额", total=True, width=140)
    received: Mapped[Decimal] = money_field("收入", total=True, width=140)
    paid: Mapped[Decimal] = money_field("支出", total=True, width=140)
    closing: Mapped[Decimal] = money_field("期末余额", total=True, width=140)
    entries: Mapped[int] = integer_field("笔数", total=True)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return {"days_start": today().isoformat(), "days_end": today().isoformat()}

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "days", "日期")
        return _DAYS, {"first": first, "last": last}


class AccountEntry(BillReferenceRow):
    """账户流水: each movement of an account with the balance after it."""

    __tablename__ = "account_entry"
    declaration = Declaration(
        "账户流水",
        "v2/money/AccountEntry",
        "bill_no",
        routes={"list": JOURNAL},
        menu=Menu("资金管理", "资金业务", 30),
        actions=READ_ONLY,
        order_by=("account_entry_id", "desc"),
        drill=BILL,
    )

    account_entry_id: Mapped[int] = key_field()
    business_date: Mapped[date] = date_field("业务日期", search=True, width=110)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190)
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    receivables_mode_id: Mapped[int] = reference_field("receivables_mode", "账户", search=True, width=160)
    flow: Mapped[int] = enum_field("收支类别", FLOWS, default=INCOME, search=True, width=90)
    received: Mapped[Decimal | None] = money_field("收入", default=None, total=True, width=140)
    paid: Mapped[Decimal | None] = money_field("支出", default=None, total=True, width=140)
    balance: Mapped[Decimal] = money_field("余额", width=140)
    reversal: Mapped[bool] = flag_field("冲销", width=70)

    rows = _ENTRIES

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("business_date")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "business_date", "业务日期")
        sql, values = super().source(principal, params)
        return sql, {**values, "first": first, "last": last}
