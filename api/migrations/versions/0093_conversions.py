"""Goods become others: conversions with what they take and make, their recipes, and what a made row is made of"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import (
    MONEY,
    PRICE,
    QUANTITY,
    RATE,
    create_bill,
    create_master,
    number,
    refers,
    stamp,
    stamped,
)

revision = "0093"
down_revision = "0092"
branch_labels = None
depends_on = None

PACK = (
    "num_nulls(pack_unit_id, pack_quantity, pack_factor) = 3 or"
    " num_nulls(pack_unit_id, pack_quantity, pack_factor) = 0"
    " and quantity = round(pack_quantity * pack_factor, 3)"
)


def upgrade() -> None:
    op.add_column("stock_ledger", sa.Column("share", sa.Numeric(20, 6)))
    op.create_index(
        "ix_stock_ledger_converted",
        "stock_ledger",
        ["company_id", "business_date"],
        postgresql_where=sa.text("basis = 'converted'"),
    )
    create_master(
        "conversion_recipe",
        sa.Column("recipe_name", sa.Text(), nullable=False, unique=True),
        sa.Column("kind", sa.Integer(), server_default="1", nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("remark", sa.Text()),
    )
    create_recipe_part("conversion_recipe_input")
    create_recipe_part("conversion_recipe_output", number("share", RATE, None))
    create_bill(
        "stock_conversion",
        sa.Column("kind", sa.Integer(), server_default="1", nullable=False),
        refers("warehouse_id", "warehouse.warehouse_id", required=True),
        refers("recipe_id", "conversion_recipe.conversion_recipe_id"),
        number("recipe_quantity", QUANTITY, None),
        number("labour_amount", MONEY),
        sa.Column("reason", sa.Text()),
        sa.CheckConstraint("labour_amount >= 0", name=op.f("ck_stock_conversion_labour_amount")),
    )
    create_side("conversion_input", 1, refers("batch_id", "goods_batch.batch_id"))
    create_side(
        "conversion_output",
        2,
        sa.Column("batch", sa.Text()),
        refers("batch_id", "goods_batch.batch_id"),
        sa.Column("production_date", sa.Date()),
        number("share", RATE, None),
        number("unit_value", PRICE, None),
    )
    op.execute("insert into warning_bill (bill_type, bill_name, enabled) values ('XTZH', '形态转换', true)")


def create_recipe_part(name: str, *own: sa.schema.SchemaItem) -> None:
    owner = sa.ForeignKey("conversion_recipe.conversion_recipe_id", ondelete="cascade")
    op.create_table(
        name,
        sa.Column("line_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("conversion_recipe_id", sa.BigInteger(), owner, nullable=False),
        number("line_no", sa.Integer()),
        refers("goods_id", "goods.goods_id", required=True),
        sa.Column("quantity", QUANTITY, server_default="0", nullable=False),
        *own,
        sa.Column("remark", sa.Text()),
        stamp(),
    )
    op.create_index(f"ix_{name}_conversion_recipe_id", name, ["conversion_recipe_id"])
    stamped(name)


def create_side(name: str, first: int, *own: sa.schema.SchemaItem) -> None:
    """What conversions take or make; the ids of the two never meet."""
    bill = sa.ForeignKey("stock_conversion.bill_id", ondelete="cascade")
    op.create_table(
        name,
        sa.Column("line_id", sa.BigInteger(), sa.Identity(start=first, increment=2), primary_key=True),
        sa.Column("bill_id", sa.BigInteger(), bill, nullable=False),
        number("line_no", sa.Integer()),
        refers("goods_id", "goods.goods_id", required=True),
        refers("allocation_id", "allocation.allocation_id"),
        refers("pack_unit_id", "unit.unit_id"),
        sa.Column("pack_quantity", QUANTITY),
        sa.Column("pack_factor", QUANTITY),
        sa.Column("quantity", QUANTITY, server_default="0", nullable=False),
        *own,
        sa.Column("tire_numbers", sa.Text()),
        sa.Column("remark", sa.Text()),
        stamp(),
        sa.CheckConstraint("quantity > 0", name=op.f(f"ck_{name}_quantity")),
        sa.CheckConstraint(PACK, name=op.f(f"ck_{name}_pack")),
    )
    op.create_index(f"ix_{name}_bill_id", name, ["bill_id"])
    op.create_index(f"ix_{name}_goods_id_bill", name, ["goods_id", "bill_id"])
    stamped(name)


def downgrade() -> None:
    op.execute("delete from warning_bill where bill_type = 'XTZH'")
    for name in ("conversion_output", "conversion_input", "stock_conversion"):
        op.drop_table(name)
    for name in ("conversion_recipe_output", "conversion_recipe_input", "conversion_recipe"):
        op.drop_table(name)
    op.drop_index("ix_stock_ledger_converted", "stock_ledger")
    op.drop_column("stock_ledger", "share")
