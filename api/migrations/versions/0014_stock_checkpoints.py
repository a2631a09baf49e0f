"""Stock at month ends, added up beforehand"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Snapshot

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

KEYS = ("warehouse_id", "goods_id", "allocation_id", "batch_id", "company_id", "pool_id")


def upgrade() -> None:
    op.create_table(
        "stock_checkpoint",
        sa.Column("day", sa.Date(), primary_key=True),
        sa.Column("seen", Snapshot(), nullable=False),
        sa.Column("instance", sa.Text(), nullable=False),
        sa.Column("row_count", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "stock_checkpoint_row",
        sa.Column("day", sa.Date(), primary_key=True),
        *(sa.Column(name, sa.BigInteger(), primary_key=True, autoincrement=False) for name in KEYS),
        sa.Column("quantity", sa.Numeric(14, 3), nullable=False),
        sa.Column("frozen", sa.Numeric(14, 3), nullable=False),
        sa.Column("amount", sa.Numeric(16, 2), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("stock_checkpoint_row")
    op.drop_table("stock_checkpoint")
