"""A count brings the book of its day, as it stands at its audit, to what was counted and what came on top of that"""

import sqlalchemy as sa
from alembic import op

revision = "0091"
down_revision = "0090"
branch_labels = None
depends_on = None

QUANTITY = sa.Numeric(14, 3)


def upgrade() -> None:
    op.add_column(
        "stock_take_line", sa.Column("uncounted_quantity", QUANTITY, server_default="0", nullable=False)
    )
    op.execute(
        "update stock_take t set ledger_upto = coalesce("
        "(select max(l.ledger_id) from stock_ledger l where l.posted_at <= t.audited_at), 0)"
        " where t.status in (2, 4, 5) and t.ledger_upto is null"
    )
    op.execute("""
        update stock_take_line l
        set uncounted_quantity = coalesce((
            select sum(s.quantity) from stock_ledger s
            where s.warehouse_id = t.warehouse_id and s.goods_id = l.goods_id
                and s.allocation_id = coalesce(l.allocation_id, 0) and s.batch_id = coalesce(l.batch_id, 0)
                and s.business_date <= t.business_date and s.ledger_id <= t.ledger_upto
        ), 0) - coalesce(l.recount_quantity, l.counted_quantity)
        from stock_take t
        where t.bill_id = l.bill_id and t.status in (2, 4, 5) and l.superseded_by is null
            and coalesce(l.recount_quantity, l.counted_quantity) is not null
    """)
    op.drop_column("stock_take_line", "corrections_before")


def downgrade() -> None:
    op.add_column(
        "stock_take_line", sa.Column("corrections_before", QUANTITY, server_default="0", nullable=False)
    )
    op.drop_column("stock_take_line", "uncounted_quantity")
