"""Goods are found by what a scanner reads, in capitals or small letters"""

import sqlalchemy as sa
from alembic import op

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None

INDEXES = (
    ("ix_goods_folded_barcode", "goods", "barcode"),
    ("ix_goods_folded_num", "goods", "goods_num"),
    ("ix_goods_unit_folded_barcode", "goods_unit", "barcode"),
)


def upgrade() -> None:
    for name, table, column in INDEXES:
        op.create_index(name, table, [sa.literal_column(f"lower({column})")])


def downgrade() -> None:
    for name, table, _ in INDEXES:
        op.drop_index(name, table_name=table)
