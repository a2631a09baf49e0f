"""What arrives is reserved for orders that are short of it, the more urgent first"""

import sqlalchemy as sa
from alembic import op

revision = "0086"
down_revision = "0085"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sales_order", sa.Column("priority", sa.Integer(), server_default="1", nullable=False))
    op.add_column("bill_setting", sa.Column("arrival_mode", sa.Integer(), server_default="0", nullable=False))
    op.create_index(
        "ix_sales_order_line_waiting",
        "sales_order_line",
        ["goods_id"],
        postgresql_where="executed_quantity < quantity",
    )


def downgrade() -> None:
    op.drop_index("ix_sales_order_line_waiting", table_name="sales_order_line")
    op.drop_column("bill_setting", "arrival_mode")
    op.drop_column("sales_order", "priority")
