"""Month and year closes"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BILLS = (
    "purchase_order",
    "purchase_inbound",
    "purchase_return",
    "sales_order",
    "sales_outbound",
    "sales_return",
    "other_inbound",
    "other_outbound",
    "customer_receipt",
    "supplier_payment",
)


def stamp() -> sa.Column[int]:
    return sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False)


def user(name: str, *, nullable: bool = True) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), sa.ForeignKey("user_account.user_id"), nullable=nullable)


def key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), sa.Identity(), primary_key=True)


def company() -> sa.Column[int]:
    return sa.Column("company_id", sa.BigInteger(), sa.ForeignKey("company.company_id"), nullable=False)


def money(name: str, digits: int = 16, places: int = 2) -> sa.Column[Any]:
    return sa.Column(name, sa.Numeric(digits, places), server_default="0", nullable=False)


def moment(name: str, **marks: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), **marks)


def upgrade() -> None:
    for bill in BILLS:
        op.add_column(bill, sa.Column("locked_from", sa.SmallInteger()))
        op.create_check_constraint("locked_from", bill, "(status = 5) = (locked_from is not null)")
    op.create_table(
        "month_close",
        key("month_close_id"),
        company(),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), server_default="1", nullable=False),
        sa.Column("bill_count", sa.Integer(), server_default="0", nullable=False),
        money("stock_quantity", 14, 3),
        money("stock_amount"),
        money("receivable"),
        money("payable"),
        user("closed_by", nullable=False),
        moment("closed_at", nullable=False),
        user("opened_by"),
        moment("opened_at"),
        sa.Column("open_reason", sa.Text()),
        stamp(),
    )
    op.create_index("ix_month_close_company_id", "month_close", ["company_id"])
    op.create_index("ix_month_close_row_xid", "month_close", ["row_xid"])
    op.create_table(
        "year_close",
        key("year_close_id"),
        company(),
        sa.Column("year", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), server_default="1", nullable=False),
        sa.Column("remark", sa.Text()),
        user("maker_id"),
        moment("made_at", server_default=sa.text("now()")),
        user("auditor_id"),
        moment("audited_at"),
        sa.Column("reject_reason", sa.Text()),
        stamp(),
        sa.UniqueConstraint("company_id", "year"),
    )
    op.create_index("ix_year_close_row_xid", "year_close", ["row_xid"])


def downgrade() -> None:
    op.drop_table("year_close")
    op.drop_table("month_close")
    for bill in BILLS:
        op.drop_column(bill, "locked_from")
