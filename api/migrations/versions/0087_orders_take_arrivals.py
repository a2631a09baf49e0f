"""What arrives is reserved for orders that are short of it, the more urgent first"""

import sqlalchemy as sa
from alembic import op

revision = "0087"
down_revision = "0086"
branch_labels = None
depends_on = None

# Orders that found nothing wait from now on.
WAITING = """
insert into reservation_ledger (
    order_line_id, warehouse_id, goods_id, quantity, company_id, bill_type, bill_id, bill_no, business_date
)
select l.line_id, o.warehouse_id, l.goods_id, 0, o.company_id, 'XSDD', o.bill_id, o.bill_no, o.business_date
from sales_order_line l
join sales_order o using (bill_id)
where coalesce(o.locked_from, o.status) = 2 and l.executed_quantity < l.quantity
    and not exists (select from reservation_ledger r where r.order_line_id = l.line_id)
order by l.line_id
"""


def upgrade() -> None:
    op.add_column("sales_order", sa.Column("priority", sa.Integer(), server_default="1", nullable=False))
    op.add_column("bill_setting", sa.Column("arrival_mode", sa.Integer(), server_default="0", nullable=False))
    op.create_index(
        "ix_sales_order_line_waiting",
        "sales_order_line",
        ["goods_id"],
        postgresql_where="executed_quantity < quantity",
    )
    op.execute(WAITING)


def downgrade() -> None:
    op.drop_index("ix_sales_order_line_waiting", table_name="sales_order_line")
    op.drop_column("bill_setting", "arrival_mode")
    op.drop_column("sales_order", "priority")
