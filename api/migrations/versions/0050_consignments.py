"""Goods consigned to customers, what they sold of them, and what came back"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import (
    QUANTITY,
    Item,
    create_bill,
    create_goods_lines,
    create_lines,
    number,
    refers,
    totals,
)

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

SALE, SETTLEMENT, RETURN = "consignment_sale", "consignment_settlement", "consignment_return"
WAREHOUSES = ("warehouse_id", "consignment_warehouse_id")


def upgrade() -> None:
    _bill(
        SALE, *_warehouses(), refers("customer_address_id", "customer_address.customer_address_id"), *totals()
    )
    create_goods_lines(
        f"{SALE}_line",
        SALE,
        sa.Column("tire_numbers", sa.Text()),
        refers("allocation_id", "allocation.allocation_id"),
        refers("batch_id", "goods_batch.batch_id"),
        number("executed_quantity", QUANTITY),
    )
    _bill(SETTLEMENT, sa.Column("due_date", sa.Date()), *totals())
    create_goods_lines(f"{SETTLEMENT}_line", SETTLEMENT, sa.Column("tire_numbers", sa.Text()), _source())
    _bill(RETURN, *_warehouses(), number("total_quantity", QUANTITY))
    create_lines(
        f"{RETURN}_line",
        RETURN,
        refers("goods_id", "goods.goods_id", required=True),
        number("quantity", QUANTITY),
        sa.Column("tire_numbers", sa.Text()),
        refers("allocation_id", "allocation.allocation_id"),
        _source(),
        sa.Column("remark", sa.Text()),
        sa.CheckConstraint("quantity > 0", name=op.f(f"ck_{RETURN}_line_quantity")),
    )
    op.create_index(f"ix_{RETURN}_line_goods_id", f"{RETURN}_line", ["goods_id"])
    for bill in (SETTLEMENT, RETURN):
        op.create_index(f"ix_{bill}_line_source_line_id", f"{bill}_line", ["source_line_id"])
    op.add_column("sales_outbound", refers("settlement_id", f"{SETTLEMENT}.bill_id"))
    op.create_index("ix_sales_outbound_settlement_id", "sales_outbound", ["settlement_id"])
    op.add_column("sales_outbound_line", refers("consignment_line_id", f"{SALE}_line.line_id"))
    op.create_index(
        "ix_sales_outbound_line_consignment_line_id", "sales_outbound_line", ["consignment_line_id"]
    )


def _bill(name: str, *own: Item) -> None:
    create_bill(name, refers("customer_id", "customer.customer_id", required=True), *own)
    op.create_index(f"ix_{name}_customer_id", name, ["customer_id"])


def _warehouses() -> tuple[Item, ...]:
    return tuple(refers(column, "warehouse.warehouse_id", required=True) for column in WAREHOUSES)


def _source() -> Item:
    return refers("source_line_id", f"{SALE}_line.line_id")


def downgrade() -> None:
    op.drop_column("sales_outbound_line", "consignment_line_id")
    op.drop_column("sales_outbound", "settlement_id")
    for bill in (RETURN, SETTLEMENT, SALE):
        op.drop_table(f"{bill}_line")
        op.drop_table(bill)
