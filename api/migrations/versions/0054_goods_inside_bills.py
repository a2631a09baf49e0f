"""Bills are found by the goods inside them: an index leads from goods to bills without their lines"""

from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

LINES = (
    "consignment_return_line",
    "consignment_sale_line",
    "consignment_settlement_line",
    "cost_adjustment_line",
    "customer_rebate_policy_goods",
    "defective_line",
    "factory_policy_line",
    "location_move_line",
    "opening_stock_line",
    "other_delivery_line",
    "other_inbound_line",
    "other_outbound_line",
    "promotion_policy_line",
    "purchase_inbound_line",
    "purchase_invoice_line",
    "purchase_order_line",
    "purchase_plan_line",
    "purchase_return_line",
    "refund_request_line",
    "return_request_line",
    "sales_delivery_line",
    "sales_invoice_line",
    "sales_order_line",
    "sales_outbound_line",
    "sales_quote_line",
    "sales_return_line",
    "sales_transfer_line",
    "shop_price_line",
    "stock_loss_line",
    "stock_surplus_line",
    "stock_take_line",
    "supplier_rebate_policy_goods",
    "surplus_out_line",
    "three_inbound_line",
    "three_outbound_line",
    "tire_back_line",
    "tire_registration_line",
    "transfer_in_line",
    "transfer_out_line",
)


def upgrade() -> None:
    for lines in LINES:
        op.create_index(f"ix_{lines}_goods_id_bill", lines, ["goods_id", "bill_id"])
        op.drop_index(f"ix_{lines}_goods_id", lines)


def downgrade() -> None:
    for lines in LINES:
        op.create_index(f"ix_{lines}_goods_id", lines, ["goods_id"])
        op.drop_index(f"ix_{lines}_goods_id_bill", lines)
