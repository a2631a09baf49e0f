"""Customer statement (客户对账单), KHDZ: the opening receivable of a period, each bill in it, and the closing one.

Opening + increases − receipts and returns − waived amounts = closing.

Its rows are read from the settlement ledger when it is saved. It posts nothing; its audit records that the
customer agreed. If the ledger has changed since, it must be saved again before the audit.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import (
    Bill,
    BillLine,
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import date_field, money_field, text_field
from api.kit.declaration.flow import UNAUDITED, VOIDED
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Drill, Menu
from api.kit.errors import Forbidden, Refusal
from api.kit.storage.validation import Problems
from api.master.partners.partners import customer_field

SENT_FIELDS = (
    *("bill_no", "starts_on", "ends_on"),
    *("opening_amount", "increase_amount", "settled_amount", "waived_amount", "closing_amount"),
)
"""Fields of a statement that a message to the customer may contain."""
MOST, SHOWN = 200_000, 500
"""The most bills that a statement may list, and the number returned with it; its detail report lists all."""
LINES = "/custom/accountStatementDetail"
WAIVED = "抹零/现金折扣"
# An opening bill that owes as much as was paid ahead is told too, as each item is; one that was reversed is not.
_MOVES = text("""
select e.business_date, e.bill_type, e.bill_no, e.waived, min(e.entry_id) as entry_id, sum(e.amount) as amount
from (
    select l.*, i.settlement_id is not null and sum(l.amount) over (
        partition by l.settlement_id, l.business_date, l.bill_type, l.bill_id
    ) <> 0 as opens
    from settlement_ledger l
    left join settlement_item i
        on i.settlement_id = l.settlement_id and i.bill_type = l.bill_type and i.bill_id = l.bill_id
    where l.party_type = 'customer' and l.party_id = :customer and l.company_id = :company
        and l.business_date between :first and :last
) e
group by e.business_date, e.bill_type, e.bill_id, e.bill_no, e.waived
having sum(e.amount) <> 0 or bool_or(e.opens)
order by e.business_date, 5
limit :most
""")
_OPENING = text("""
select coalesce(sum(e.amount), 0.00) from settlement_ledger e
where e.party_type = 'customer' and e.party_id = :customer and e.company_id = :company and e.business_date < :first
""")


class CustomerStatementLine(BillLine):
    """One bill that changed what the customer owes."""

    __tablename__ = "account_statement_line"
    bill_table = "account_statement"

    business_date: Mapped[date] = date_field("业务日期", required=True, form=False, width=110, sort=10)
    bill_name: Mapped[str] = text_field("单据类型", required=True, form=False, width=110, sort=11)
    item_no: Mapped[str] = text_field("业务单据号", required=True, form=False, width=190, bill=True, sort=12)
    increase_amount: Mapped[Decimal] = money_field("应收增加", form=False, total=True, width=130, sort=13)
    settled_amount: Mapped[Decimal] = money_field("收款及退货", form=False, total=True, width=130, sort=14)
    waived_amount: Mapped[Decimal] = money_field(WAIVED, form=False, total=True, width=120, sort=15)
    balance_amount: Mapped[Decimal] = money_field("应收余额", form=False, width=130, sort=16)


class CustomerStatement(Bill):
    """客户对账单"""

    __tablename__ = "account_statement"
    pinned_columns = (
        "bill_no",
        "business_date",
        "status",
        "customer_id",
        "opening_amount",
        "increase_amount",
        "settled_amount",
        "waived_amount",
        "closing_amount",
    )
    declaration = declare_bill(
        "客户对账单",
        "v2/custom/AccountStatement",
        routes={
            "list": "/custom/accountStatement",
            "add": "/custom/accountStatement/add",
            "see": "/custom/accountStatement/see",
        },
        menu=Menu("客户管理", "收款业务", 70),
        beyond=("send",),
        drill=Drill("对账单明细", LINES, (("bill_no", "bill_no"),)),
    )
    bill = BillType(
        "KHDZ",
        (Block("lines", "往来明细", CustomerStatementLine, required=False, shown=SHOWN),),
        detail=DetailPlacement("对账单明细", LINES, Menu("客户管理", "收款业务", 75), upward=True),
    )

    customer_id: Mapped[int] = customer_field(for_settlement=True)
    starts_on: Mapped[date] = date_field("起始日期", required=True, search=True, width=110, sort=-60)
    ends_on: Mapped[date] = date_field(
        "截止日期", since="starts_on", required=True, search=True, width=110, sort=-59
    )
    opening_amount: Mapped[Decimal] = money_field("期初应收", form=False, width=130, sort=-50)
    increase_amount: Mapped[Decimal] = money_field("本期增加", form=False, total=True, width=130, sort=-49)
    settled_amount: Mapped[Decimal] = money_field(
        "本期收款及退货", form=False, total=True, width=130, sort=-48
    )
    waived_amount: Mapped[Decimal] = money_field(WAIVED, form=False, total=True, width=120, sort=-48)
    closing_amount: Mapped[Decimal] = money_field("期末应收", form=False, width=130, sort=-47)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        opening, moves = _read_movements(ctx, header)
        if len(moves) > MOST:
            problems.add(f"往来超过{MOST}笔，请缩短日期范围")
            return
        labels = {prefix: bill.declaration.label for prefix, bill in registry.map_prefixes().items()}
        balance, rows = opening, []
        for number, move in enumerate(moves, 1):
            balance += move.amount
            rows.append(
                {
                    "line_no": number,
                    "business_date": move.business_date,
                    "bill_name": WAIVED if move.waived else labels[move.bill_type],
                    "item_no": move.bill_no,
                    "increase_amount": Decimal(0) if move.waived else max(move.amount, Decimal(0)),
                    "settled_amount": Decimal(0) if move.waived else max(-move.amount, Decimal(0)),
                    "waived_amount": -move.amount if move.waived else Decimal(0),
                    "balance_amount": balance,
                }
            )
        children["lines"] = rows
        sums = {
            name: sum((row[name] for row in rows), Decimal(0))
            for name in ("increase_amount", "settled_amount", "waived_amount")
        }
        header |= {"opening_amount": opening, "closing_amount": balance, **sums}

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        if action == "auditorPass":
            _require_unchanged(ctx, doc.header, doc.lines, "审核")


def summarize_statement(ctx: Context, head: Row[Any]) -> dict[str, str]:
    """Return the fields of a statement as texts, by the names that a message template may use.

    Raises Refusal if it is void or the ledger has changed, Forbidden if a field is hidden from the user.
    """
    if head.status == VOIDED:
        raise Refusal(f"对账单{head.bill_no}已作废，不能发送")
    hidden = next(
        (name for name in SENT_FIELDS if not ctx.principal.can_see(CustomerStatement.name(), name, None)),
        None,
    )
    if hidden:
        raise Forbidden(f"您无权查看“{CustomerStatement.field(hidden).label}”，不能发送对账单")
    if head.status == UNAUDITED:
        lines = CustomerStatementLine.table()
        rows = lines.select().where(lines.c.bill_id == head.bill_id).order_by(lines.c.line_no)
        _require_unchanged(ctx, head, ctx.conn.execute(rows).all(), "发送")
    return {name: str(getattr(head, name)) for name in SENT_FIELDS}


def _require_unchanged(ctx: Context, head: Row[Any], lines: Sequence[Row[Any]], verb: str) -> None:
    """Raise Refusal if the ledger differs from the statement's rows: it can be neither agreed to nor sent."""
    opening, moves = _read_movements(ctx, head._asdict())
    stated = [
        (line.item_no, line.increase_amount - line.settled_amount - line.waived_amount) for line in lines
    ]
    if (opening, [(move.bill_no, move.amount) for move in moves]) != (head.opening_amount, stated):
        raise Refusal(f"对账期间的往来已有变化，请修改并保存对账单，重新取数后再{verb}")


def _read_movements(ctx: Context, header: Values) -> tuple[Decimal, Sequence[Row[Any]]]:
    """Read the opening receivable and the movements since, one row more than a statement may have."""
    given = {
        "company": header["company_id"],
        "customer": header["customer_id"],
        "first": header["starts_on"],
        "last": header["ends_on"],
        "most": MOST + 1,
    }
    opening: Decimal = ctx.conn.execute(_OPENING, given).scalar_one()
    return opening, ctx.conn.execute(_MOVES, given).all()
