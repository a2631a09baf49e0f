"""A count remembers up to which row of the ledger its book was read, whatever was posted at the same moment"""

import sqlalchemy as sa
from alembic import op

revision = "0094"
down_revision = "0093"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("stock_take_line", sa.Column("counted_upto", sa.BigInteger()))
    op.execute("""
        update stock_take_line l
        set counted_upto = coalesce(p.upto, 0)
        from (
            select m.counted_at, (select max(s.ledger_id) from stock_ledger s where s.posted_at <= m.counted_at) as upto
            from (select distinct counted_at from stock_take_line where counted_at is not null) m
        ) p
        where p.counted_at = l.counted_at
    """)


def downgrade() -> None:
    op.drop_column("stock_take_line", "counted_upto")
