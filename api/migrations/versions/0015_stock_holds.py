"""Stocktakes that freeze their goods"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stock_hold",
        sa.Column("warehouse_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("goods_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("company_id", sa.BigInteger(), nullable=False),
        sa.Column("bill_id", sa.BigInteger(), nullable=False),
        sa.Column("bill_no", sa.Text(), nullable=False),
        sa.Column("quantity", sa.Numeric(precision=14, scale=3), nullable=False),
        sa.CheckConstraint("quantity >= 0", name=op.f("ck_stock_hold_quantity")),
        sa.PrimaryKeyConstraint("warehouse_id", "goods_id", name=op.f("pk_stock_hold")),
    )
    op.create_index("ix_stock_hold_bill_id", "stock_hold", ["bill_id"], unique=False)
    op.add_column("stock_take", sa.Column("freezes", sa.Boolean(), server_default="false", nullable=False))


def downgrade() -> None:
    op.drop_column("stock_take", "freezes")
    op.drop_index("ix_stock_hold_bill_id", table_name="stock_hold")
    op.drop_table("stock_hold")
