"""Account reconciliation (账户对账): a counted amount or bank statement against the books.

Saving reads the account's balance at the end of the day from the money ledger. Later movements of that day
show as `moved` until the row is saved again.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Row, UniqueConstraint, func, select
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import (
    date_field,
    derived_field,
    key_field,
    money_field,
    reference_field,
    textarea_field,
)
from api.kit.declaration.resource import READ, WRITE, Declaration, Drill, Menu, Resource
from api.kit.errors import InvalidInput
from api.kit.storage.database import today
from api.ledger.tables import MoneyLedger
from api.money.accounts import JOURNAL

_MOVED = """
(select coalesce(sum(l.amount), 0) from money_ledger l where l.company_id = {table}.company_id
    and l.receivables_mode_id = {table}.receivables_mode_id and l.business_date <= {table}.business_date)
- {table}.book_amount
"""


class AccountReconciliation(Resource):
    """账户对账"""

    __tablename__ = "account_count"
    __table_args__ = (UniqueConstraint("company_id", "receivables_mode_id", "business_date"),)
    declaration = Declaration(
        "账户对账",
        "v2/money/AccountCount",
        "receivables_mode_id",
        routes={"list": "/MoneyManagement/accountCount"},
        menu=Menu("资金管理", "资金业务", 25),
        actions=(*READ, *WRITE, "export"),
        order_by=("business_date", "desc"),
        drill=Drill(
            "账户流水",
            JOURNAL,
            (
                ("company_id", "company_id"),
                ("receivables_mode_id", "receivables_mode_id"),
                ("business_date_end", "business_date"),
            ),
        ),
    )
    derived = (derived_field("moved", "对账后账面变动", "money", _MOVED, width=140),)

    account_count_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    receivables_mode_id: Mapped[int] = reference_field(
        "receivables_mode", "账户", required=True, search=True, index=True, width=160
    )
    business_date: Mapped[date] = date_field("对账日期", required=True, search=True, width=110)
    counted_amount: Mapped[Decimal] = money_field("实际余额", required=True, width=140)
    book_amount: Mapped[Decimal] = money_field("账面余额", form=False, width=140)
    difference: Mapped[Decimal] = money_field("差异", form=False, search=True, total=True, width=140)
    maker_id: Mapped[int] = reference_field(
        "user_account",
        "对账人",
        target="user_id",
        required=True,
        form=False,
        search=True,
        index=True,
        width=90,
    )
    remark: Mapped[str | None] = textarea_field("差异说明", max_length=500, width=260)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        if row["business_date"] > today():
            raise InvalidInput("对账日期不能晚于今天")
        moves = MoneyLedger.__table__.c
        balance = select(func.coalesce(func.sum(moves.amount), 0)).where(
            *(moves[name] == row[name] for name in ("company_id", "receivables_mode_id")),
            moves.business_date <= row["business_date"],
        )
        row["book_amount"] = ctx.conn.execute(balance).scalar_one()
        row["difference"] = row["counted_amount"] - row["book_amount"]
        row["maker_id"] = ctx.principal.user_id
