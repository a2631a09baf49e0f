"""Allocations of arrivals are found by where the goods go"""

from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None

LINES, NAME = "purchase_allocation_line", "ix_purchase_allocation_line_to_warehouse_id"


def upgrade() -> None:
    op.drop_index(NAME, LINES)
    op.create_index(f"{NAME}_bill", LINES, ["to_warehouse_id", "bill_id"])


def downgrade() -> None:
    op.drop_index(f"{NAME}_bill", LINES)
    op.create_index(NAME, LINES, ["to_warehouse_id"])
