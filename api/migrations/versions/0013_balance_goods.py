"""Stock balances are read goods by goods: the stock detail list"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_stock_balance_goods", "stock_balance", ["goods_id"])


def downgrade() -> None:
    op.drop_index("ix_stock_balance_goods", "stock_balance")
