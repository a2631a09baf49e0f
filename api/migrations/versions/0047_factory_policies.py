"""Factory policies, and lowest shop prices"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import PRICE, create_bill, create_lines, number, refers

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

SCOPES = ("goods", "brand", "goods_type")


def upgrade() -> None:
    create_bill(
        "factory_policy",
        refers("supplier_id", "supplier.supplier_id", required=True),
        *_days(),
        sa.Column("content", sa.Text()),
        sa.Column("papers", sa.Text()),
    )
    create_lines(
        "factory_policy_line",
        "factory_policy",
        *(refers(f"{scope}_id", f"{scope}.{scope}_id") for scope in SCOPES),
        number("policy_price", PRICE, None),
        sa.Column("remark", sa.Text()),
    )
    create_bill("shop_price", refers("supplier_id", "supplier.supplier_id"), *_days())
    create_lines(
        "shop_price_line",
        "shop_price",
        refers("goods_id", "goods.goods_id", required=True),
        number("lowest_price", PRICE),
        sa.Column("remark", sa.Text()),
    )
    for table, column in (
        ("factory_policy", "supplier_id"),
        *(("factory_policy_line", f"{scope}_id") for scope in SCOPES),
        ("shop_price", "supplier_id"),
        ("shop_price_line", "goods_id"),
    ):
        op.create_index(f"ix_{table}_{column}", table, [column])


def _days() -> tuple[sa.Column[object], ...]:
    return (
        sa.Column("policy_name", sa.Text(), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("ends_on", sa.Date(), nullable=False),
    )


def downgrade() -> None:
    for table in ("shop_price_line", "shop_price", "factory_policy_line", "factory_policy"):
        op.drop_table(table)
