"""A posting knows for nothing whether later days have moved its goods; a warehouse knows since when it is strict"""

import sqlalchemy as sa
from alembic import op

revision = "0086"
down_revision = "0085"
branch_labels = None
depends_on = None

LATEST = """
update cost_balance b set latest_date = l.latest_date
from (
    select company_id, goods_id, pool_id, max(business_date) as latest_date
    from stock_ledger
    group by company_id, goods_id, pool_id
) l
where (l.company_id, l.goods_id, l.pool_id) = (b.company_id, b.goods_id, b.pool_id)
"""
# A closed month can't be set right any more: a warehouse is held to the days from its company's first open month on.
SINCE = """
update warehouse w set strict_since = p.first_open
from (
    select company_id, (max(to_date(period, 'YYYY-MM')) + interval '1 month')::date as first_open
    from accounting_period
    where status = 1
    group by company_id
) p
where p.company_id = w.company_id and not w.allow_negative
"""


def upgrade() -> None:
    op.add_column("cost_balance", sa.Column("latest_date", sa.Date()))
    op.execute(LATEST)
    op.add_column("warehouse", sa.Column("strict_since", sa.Date()))
    op.execute(SINCE)


def downgrade() -> None:
    op.drop_column("warehouse", "strict_since")
    op.drop_column("cost_balance", "latest_date")
