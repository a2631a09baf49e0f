"""Companies have targets by month"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, create_master, number, refers

revision = "0126"
down_revision = "0125"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_master(
        "business_target",
        refers("company_id", "company.company_id", required=True),
        sa.Column("month", sa.Text(), nullable=False),
        *(
            number(name, MONEY, None)
            for name in ("sales_target", "profit_target", "receipts_target", "stock_target")
        ),
        sa.Column("remark", sa.Text()),
        sa.UniqueConstraint("company_id", "month"),
    )
    op.create_index("ix_business_target_company_id", "business_target", ["company_id"])


def downgrade() -> None:
    op.drop_table("business_target")
