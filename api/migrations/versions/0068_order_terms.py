"""Orders say whether goods or payment come first, and those of purchases where they came from"""

import sqlalchemy as sa
from alembic import op

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None

PLANNED = """
update purchase_order o set order_source = 2
where exists (select from purchase_order_line l where l.bill_id = o.bill_id and l.plan_line_id is not null)
"""


def upgrade() -> None:
    for table in ("sales_order", "purchase_order"):
        op.add_column(table, _choice("delivery_method", "1"))
    op.add_column("purchase_order", _choice("order_source", "0"))
    op.execute(PLANNED)


def downgrade() -> None:
    op.drop_column("purchase_order", "order_source")
    for table in ("purchase_order", "sales_order"):
        op.drop_column(table, "delivery_method")


def _choice(name: str, default: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default=default, nullable=False)
