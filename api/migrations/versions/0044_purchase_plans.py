"""Purchase plans that orders are drawn from"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import QUANTITY, create_bill, create_goods_lines, number, refers, totals

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

FIGURES = ("stocks", "available_stocks", "on_order", "safety_stock", "sales_quantity")


def upgrade() -> None:
    create_bill(
        "purchase_plan",
        refers("warehouse_id", "warehouse.warehouse_id", required=True),
        sa.Column("delivery_date", sa.Date()),
        *(number(name, sa.Integer(), "30") for name in ("sales_days", "cover_days")),
        *totals(),
    )
    create_goods_lines(
        "purchase_plan_line",
        "purchase_plan",
        *(number(name, QUANTITY) for name in FIGURES),
        refers("supplier_id", "supplier.supplier_id"),
        number("executed_quantity", QUANTITY),
    )
    op.create_index("ix_purchase_plan_line_supplier_id", "purchase_plan_line", ["supplier_id"])
    op.add_column("purchase_order_line", refers("plan_line_id", "purchase_plan_line.line_id"))
    op.create_index("ix_purchase_order_line_plan_line_id", "purchase_order_line", ["plan_line_id"])


def downgrade() -> None:
    op.drop_column("purchase_order_line", "plan_line_id")
    op.drop_table("purchase_plan_line")
    op.drop_table("purchase_plan")
