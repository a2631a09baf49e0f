"""Account statements of customers"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, create_bill, create_lines, number, refers

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

BILL, LINE = "account_statement", "account_statement_line"
SUMS = ("opening_amount", "increase_amount", "settled_amount", "closing_amount")


def upgrade() -> None:
    create_bill(
        BILL,
        refers("customer_id", "customer.customer_id", required=True),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("ends_on", sa.Date(), nullable=False),
        *(number(name, MONEY) for name in SUMS),
    )
    op.create_index(f"ix_{BILL}_customer_id", BILL, ["customer_id"])
    create_lines(
        LINE,
        BILL,
        sa.Column("business_date", sa.Date(), nullable=False),
        sa.Column("bill_name", sa.Text(), nullable=False),
        sa.Column("item_no", sa.Text(), nullable=False),
        *(number(name, MONEY) for name in ("increase_amount", "settled_amount", "balance_amount")),
    )


def downgrade() -> None:
    op.drop_table(LINE)
    op.drop_table(BILL)
