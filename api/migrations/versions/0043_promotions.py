"""Promotion policies: what is cheaper for whom, and when"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import PRICE, QUANTITY, RATE, create_bill, create_lines, number, refers

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

SCOPES = ("goods", "brand", "goods_type")


def upgrade() -> None:
    create_bill(
        "promotion_policy",
        sa.Column("policy_name", sa.Text(), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("ends_on", sa.Date(), nullable=False),
        refers("customer_type_id", "customer_type.customer_type_id"),
    )
    create_lines(
        "promotion_policy_line",
        "promotion_policy",
        *(refers(f"{scope}_id", f"{scope}.{scope}_id") for scope in SCOPES),
        sa.Column("method", sa.Integer(), server_default="1", nullable=False),
        number("price", PRICE, None),
        number("discount", RATE, None),
        number("buy_quantity", QUANTITY, None),
        refers("gift_goods_id", "goods.goods_id"),
        number("gift_quantity", QUANTITY, None),
    )
    for scope in SCOPES:
        op.create_index(f"ix_promotion_policy_line_{scope}_id", "promotion_policy_line", [f"{scope}_id"])
    create_lines(
        "promotion_policy_customer",
        "promotion_policy",
        refers("customer_id", "customer.customer_id", required=True),
    )
    op.create_index("ix_promotion_policy_customer_customer_id", "promotion_policy_customer", ["customer_id"])


def downgrade() -> None:
    for table in ("promotion_policy_customer", "promotion_policy_line", "promotion_policy"):
        op.drop_table(table)
