"""The stock ledger is read by business date: stock as of a day"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_stock_ledger_date", "stock_ledger", ["business_date"], postgresql_using="brin")


def downgrade() -> None:
    op.drop_index("ix_stock_ledger_date", "stock_ledger")
