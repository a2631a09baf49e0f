"""Quotes that sales orders are drawn from"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import QUANTITY, create_bill, create_goods_lines, number, refers, totals

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_bill(
        "sales_quote",
        refers("customer_id", "customer.customer_id", required=True),
        sa.Column("valid_until", sa.Date(), nullable=False),
        *totals(),
    )
    op.create_index("ix_sales_quote_customer_id", "sales_quote", ["customer_id"])
    create_goods_lines("sales_quote_line", "sales_quote", number("executed_quantity", QUANTITY))
    op.add_column("sales_order_line", refers("quote_line_id", "sales_quote_line.line_id"))
    op.create_index("ix_sales_order_line_quote_line_id", "sales_order_line", ["quote_line_id"])


def downgrade() -> None:
    op.drop_column("sales_order_line", "quote_line_id")
    op.drop_table("sales_quote_line")
    op.drop_table("sales_quote")
