"""A counted line names its batch as a text, so that one which never came in can be counted"""

import sqlalchemy as sa
from alembic import op

revision = "0100"
down_revision = "0097"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("stock_take_line", sa.Column("batch", sa.Text()))
    op.add_column("stock_take_line", sa.Column("production_date", sa.Date()))
    op.execute(
        "update stock_take_line l set batch = b.batch, production_date = b.production_date"
        " from goods_batch b where b.batch_id = l.batch_id"
    )


def downgrade() -> None:
    op.drop_column("stock_take_line", "production_date")
    op.drop_column("stock_take_line", "batch")
