"""Returns say whether they are refunded or replaced; what is replaced opens its order again"""

import sqlalchemy as sa
from alembic import op

revision = "0084"
down_revision = "0083"
branch_labels = None
depends_on = None

ORDERS = {"sales_return": "sales_order", "purchase_return": "purchase_order"}


def upgrade() -> None:
    for bill, order in ORDERS.items():
        line = f"{bill}_line"
        op.add_column(bill, sa.Column("remedy", sa.Integer(), server_default="1", nullable=False))
        op.add_column(line, sa.Column("order_line_id", sa.BigInteger(), nullable=True))
        op.create_foreign_key(
            op.f(f"fk_{line}_order_line_id_{order}_line"),
            line,
            f"{order}_line",
            ["order_line_id"],
            ["line_id"],
        )
        op.create_index(op.f(f"ix_{line}_order_line_id"), line, ["order_line_id"])


def downgrade() -> None:
    for bill in ORDERS:
        op.drop_column(f"{bill}_line", "order_line_id")
        op.drop_column(bill, "remedy")
