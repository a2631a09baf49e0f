"""Accounts are reconciled: what was counted beside the books, which are asked for an account up to a day"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, create_master, number, refers

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None

INDEX = "ix_money_ledger_account"


def upgrade() -> None:
    columns = ["receivables_mode_id", "company_id", "business_date"]
    op.create_index(INDEX, "money_ledger", columns, postgresql_include=["amount"])
    create_master(
        "account_count",
        refers("company_id", "company.company_id", required=True),
        refers("receivables_mode_id", "receivables_mode.receivables_mode_id", required=True),
        sa.Column("business_date", sa.Date(), nullable=False),
        *(number(name, MONEY) for name in ("counted_amount", "book_amount", "difference")),
        refers("maker_id", "user_account.user_id", required=True),
        sa.Column("remark", sa.Text()),
        sa.UniqueConstraint("company_id", "receivables_mode_id", "business_date"),
    )
    for name in ("receivables_mode_id", "maker_id"):
        op.create_index(f"ix_account_count_{name}", "account_count", [name])


def downgrade() -> None:
    op.drop_table("account_count")
    op.drop_index(INDEX, "money_ledger")
