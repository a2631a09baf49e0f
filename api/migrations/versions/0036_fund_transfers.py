"""Money goes from one account to another"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, create_bill, number, refers

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_bill(
        "fund_transfer",
        refers("from_mode_id", "receivables_mode.receivables_mode_id", required=True),
        refers("to_mode_id", "receivables_mode.receivables_mode_id", required=True),
        number("amount", MONEY),
        number("fee", MONEY),
        sa.Column("voucher_no", sa.Text()),
    )


def downgrade() -> None:
    op.drop_table("fund_transfer")
