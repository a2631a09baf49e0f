"""Lines remember what of their source's amount, discount and tax falls to them"""

import sqlalchemy as sa
from alembic import op

revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None

MONEY = sa.Numeric(16, 2)
LINES = {
    "sales_order_line": ("quote_line_id",),
    "sales_outbound_line": ("order_line_id",),
    "sales_return_line": ("source_line_id",),
    "consignment_settlement_line": ("source_line_id",),
    "purchase_order_line": ("plan_line_id",),
    "purchase_inbound_line": ("order_line_id",),
    "return_request_line": ("source_line_id",),
    "refund_request_line": ("request_line_id",),
    "purchase_return_line": ("source_line_id", "refund_line_id"),
    "purchase_allocation_line": ("source_line_id",),
}
COLUMNS = {"source_amount": "amount", "source_discount": "discount_amount", "source_tax": "tax_amount"}


def upgrade() -> None:
    """What was drawn before took what it has: later parts count it as given."""
    for lines, sources in LINES.items():
        for name in COLUMNS:
            op.add_column(lines, sa.Column(name, MONEY))
        op.add_column(
            lines, sa.Column("beyond_source", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        given = ", ".join(f"{name} = {own}" for name, own in COLUMNS.items())
        op.execute(f"update {lines} set {given} where num_nonnulls({', '.join(sources)}) > 0")


def downgrade() -> None:
    for lines in LINES:
        for name in ("beyond_source", *COLUMNS):
            op.drop_column(lines, name)
