"""What a stock row's amount rests on, and difference rows"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("stock_ledger", sa.Column("basis", sa.Text(), nullable=True))
    op.add_column("stock_ledger", sa.Column("corrects", sa.BigInteger(), nullable=True))
    op.create_check_constraint("corrects_no_quantity", "stock_ledger", "corrects is null or quantity = 0")
    op.create_index(
        "ix_stock_ledger_corrects",
        "stock_ledger",
        ["corrects"],
        postgresql_where=sa.text("corrects is not null"),
    )


def downgrade() -> None:
    op.drop_column("stock_ledger", "corrects")
    op.drop_column("stock_ledger", "basis")
