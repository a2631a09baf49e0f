"""Chinese names stand by their pinyin"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.pinyin_order import NAME
from warehouse.pinyin_weights import create_function

revision = "0124"
down_revision = "0123"
branch_labels = None
depends_on = None

NAMED = (("goods", "goods_name"), ("customer", "customer_name"), ("supplier", "supplier_name"))


def upgrade() -> None:
    create_function(op.get_bind())
    for table, name in NAMED:
        op.create_index(f"ix_{table}_pinyin", table, [sa.text(f"{NAME}({name})"), f"{table}_id"])


def downgrade() -> None:
    for table, _ in reversed(NAMED):
        op.drop_index(f"ix_{table}_pinyin", table)
    op.execute(f"drop function {NAME}(text)")
