"""What goods last cost is what they were last bought at, and of what was never bought what last came in"""

from alembic import op

revision = "0101"
down_revision = "0100"
branch_labels = None
depends_on = None

_LAST = """
update cost_balance c set last_unit_cost = k.unit_cost
from (
    select distinct on (l.company_id, l.goods_id, l.pool_id) l.company_id, l.goods_id, l.pool_id, l.unit_cost
    from stock_ledger l
    where l.quantity > 0 and l.unit_cost > 0 and l.reverses is null
        and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
    order by l.company_id, l.goods_id, l.pool_id, {newest}
) k
where k.company_id = c.company_id and k.goods_id = c.goods_id and k.pool_id = c.pool_id
    and c.last_unit_cost is distinct from k.unit_cost
"""


def upgrade() -> None:
    op.execute(_LAST.format(newest="l.bill_type = 'CGRK' desc, l.ledger_id desc"))


def downgrade() -> None:
    op.execute(_LAST.format(newest="l.ledger_id desc"))
