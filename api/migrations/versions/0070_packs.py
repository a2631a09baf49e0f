"""Goods may be counted by packs: their units, and what lines of goods tell of them"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import QUANTITY, number, refers, stamp, stamped

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None

LINES = (
    *("company_claim", "consignment_return", "consignment_sale", "consignment_settlement", "defective"),
    *("factory_claim", "guarantee_register", "location_move", "opening_stock", "other_delivery"),
    *("other_inbound", "other_outbound", "pledge_contract", "purchase_allocation", "purchase_inbound"),
    *("purchase_order", "purchase_plan", "purchase_return", "refund_request", "return_request"),
    *("sales_delivery", "sales_order", "sales_outbound", "sales_quote", "sales_return", "sales_transfer"),
    *("stock_loss", "stock_surplus", "surplus_out", "three_inbound", "three_outbound", "tire_back"),
    *("transfer_in", "transfer_out"),
)
PACK = (
    "num_nulls(pack_unit_id, pack_quantity, pack_factor) = 3 or"
    " num_nulls(pack_unit_id, pack_quantity, pack_factor) = 0"
    " and quantity = round(pack_quantity * pack_factor, 3)"
)


def upgrade() -> None:
    op.create_table(
        "goods_unit",
        sa.Column("line_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column(
            "goods_id", sa.BigInteger(), sa.ForeignKey("goods.goods_id", ondelete="cascade"), nullable=False
        ),
        number("line_no", sa.Integer()),
        refers("unit_id", "unit.unit_id", required=True),
        sa.Column("factor", QUANTITY, nullable=False),
        sa.Column("barcode", sa.Text(), unique=True),
        stamp(),
        sa.UniqueConstraint("goods_id", "unit_id"),
        sa.CheckConstraint("factor > 0", name=op.f("ck_goods_unit_factor")),
    )
    stamped("goods_unit")
    for line in (f"{name}_line" for name in LINES):
        op.add_column(line, refers("pack_unit_id", "unit.unit_id"))
        op.add_column(line, sa.Column("pack_quantity", QUANTITY))
        op.add_column(line, sa.Column("pack_factor", QUANTITY))
        op.create_check_constraint(op.f(f"ck_{line}_pack"), line, PACK)


def downgrade() -> None:
    for line in (f"{name}_line" for name in LINES):
        for column in ("pack_factor", "pack_quantity", "pack_unit_id"):
            op.drop_column(line, column)
    op.drop_table("goods_unit")
