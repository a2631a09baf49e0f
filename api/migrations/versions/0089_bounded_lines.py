"""Lines remember that they follow their source and were bounded by what was left of it"""

import sqlalchemy as sa
from alembic import op

revision = "0089"
down_revision = "0088"
branch_labels = None
depends_on = None

LINES = (
    "sales_order_line",
    "sales_outbound_line",
    "sales_return_line",
    "consignment_settlement_line",
    "purchase_order_line",
    "purchase_inbound_line",
    "return_request_line",
    "refund_request_line",
    "purchase_return_line",
    "purchase_allocation_line",
)


def upgrade() -> None:
    for lines in LINES:
        op.add_column(lines, sa.Column("bounded", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    for lines in LINES:
        op.drop_column(lines, "bounded")
