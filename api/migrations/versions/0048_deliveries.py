"""Deliveries of what was shipped, and who signed for them"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, QUANTITY, create_bill, create_lines, number, refers

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

BILL, LINE, SOURCE = "sales_delivery", "sales_delivery_line", "sales_outbound_line"


def upgrade() -> None:
    create_bill(
        BILL,
        refers("customer_id", "customer.customer_id", required=True),
        refers("delivery_mode_id", "delivery_mode.delivery_mode_id", required=True),
        refers("logistics_id", "logistics.logistics_id", required=True),
        refers("logistics_driver_id", "logistics_driver.logistics_driver_id", required=True),
        sa.Column("plate_no", sa.Text()),
        sa.Column("waybill_no", sa.Text()),
        refers("handover_type_id", "handover_type.handover_type_id"),
        refers("postage_type_id", "postage_type.postage_type_id"),
        number("freight_amount", MONEY),
        sa.Column("sign_state", sa.Integer(), server_default="1", nullable=False),
        sa.Column("signed_by", sa.Text()),
        sa.Column("signed_at", sa.DateTime(timezone=True)),
        refers("customer_address_id", "customer_address.customer_address_id"),
        number("total_quantity", QUANTITY),
        sa.CheckConstraint(
            "(sign_state = 2) = (signed_by is not null and signed_at is not null)",
            name=op.f(f"ck_{BILL}_signed"),
        ),
    )
    op.create_index(f"ix_{BILL}_customer_id", BILL, ["customer_id"])
    create_lines(
        LINE,
        BILL,
        refers("goods_id", "goods.goods_id", required=True),
        number("quantity", QUANTITY),
        refers("source_line_id", f"{SOURCE}.line_id"),
        sa.Column("remark", sa.Text()),
        sa.CheckConstraint("quantity > 0", name=op.f(f"ck_{LINE}_quantity")),
    )
    for column in ("goods_id", "source_line_id"):
        op.create_index(f"ix_{LINE}_{column}", LINE, [column])
    op.add_column(SOURCE, number("delivered_quantity", QUANTITY))


def downgrade() -> None:
    op.drop_column(SOURCE, "delivered_quantity")
    op.drop_table(LINE)
    op.drop_table(BILL)
