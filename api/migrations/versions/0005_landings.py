"""Stock that lands elsewhere, frozen stock, and averages of a warehouse's own"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("stock_ledger", sa.Column("pool_id", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("stock_ledger", sa.Column("frozen", sa.Boolean(), server_default="false", nullable=False))
    op.add_column("stock_ledger", sa.Column("first_date", sa.Date(), nullable=True))
    op.add_column("cost_balance", sa.Column("pool_id", sa.BigInteger(), server_default="0", nullable=False))
    op.drop_constraint(op.f("pk_cost_balance"), "cost_balance", type_="primary")
    op.create_primary_key(op.f("pk_cost_balance"), "cost_balance", ["company_id", "goods_id", "pool_id"])
    op.drop_constraint(op.f("ck_stock_total_frozen"), "stock_total", type_="check")


def downgrade() -> None:
    op.create_check_constraint(op.f("ck_stock_total_frozen"), "stock_total", "frozen >= 0")
    op.drop_constraint(op.f("pk_cost_balance"), "cost_balance", type_="primary")
    op.create_primary_key(op.f("pk_cost_balance"), "cost_balance", ["company_id", "goods_id"])
    op.drop_column("cost_balance", "pool_id")
    op.drop_column("stock_ledger", "first_date")
    op.drop_column("stock_ledger", "frozen")
    op.drop_column("stock_ledger", "pool_id")
