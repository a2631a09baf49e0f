"""Allocations of arrivals, and the transfers that they make"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import QUANTITY, create_bill, create_goods_lines, number, refers, totals

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

MADE = ("transfer_out", "sales_transfer")
LINE = {
    "to_warehouse_id": "warehouse.warehouse_id",
    "source_line_id": "purchase_inbound_line.line_id",
    "plan_line_id": "purchase_plan_line.line_id",
}


def upgrade() -> None:
    op.add_column("purchase_inbound_line", number("allotted_quantity", QUANTITY))
    create_bill(
        "purchase_allocation", refers("warehouse_id", "warehouse.warehouse_id", required=True), *totals()
    )
    create_goods_lines(
        "purchase_allocation_line",
        "purchase_allocation",
        *(refers(name, target, required=name == "to_warehouse_id") for name, target in LINE.items()),
        refers("customer_id", "customer.customer_id"),
        refers("supplier_id", "supplier.supplier_id"),
        refers("batch_id", "goods_batch.batch_id"),
    )
    op.drop_index("ix_purchase_allocation_line_goods_id", "purchase_allocation_line")
    op.create_index(
        "ix_purchase_allocation_line_goods_id_bill", "purchase_allocation_line", ["goods_id", "bill_id"]
    )
    for name in LINE:
        op.create_index(f"ix_purchase_allocation_line_{name}", "purchase_allocation_line", [name])
    for bill in MADE:
        op.add_column(
            bill,
            sa.Column(
                "purchase_allocation_id", sa.BigInteger(), sa.ForeignKey("purchase_allocation.bill_id")
            ),
        )
        op.create_index(f"ix_{bill}_purchase_allocation_id", bill, ["purchase_allocation_id"])


def downgrade() -> None:
    for bill in MADE:
        op.drop_column(bill, "purchase_allocation_id")
    op.drop_table("purchase_allocation_line")
    op.drop_table("purchase_allocation")
    op.drop_column("purchase_inbound_line", "allotted_quantity")
