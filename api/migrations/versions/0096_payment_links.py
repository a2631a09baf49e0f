"""A payment link is of the sales outbound bill that it asks the money for"""

import sqlalchemy as sa
from alembic import op

revision = "0096"
down_revision = "0095"
branch_labels = None
depends_on = None


def upgrade() -> None:
    bill = sa.ForeignKey(
        "sales_outbound.bill_id", name="fk_payment_link_bill_id_sales_outbound", ondelete="cascade"
    )
    op.add_column("payment_link", sa.Column("bill_id", sa.BigInteger(), bill))
    op.create_index("ix_payment_link_bill_id", "payment_link", ["bill_id"])


def downgrade() -> None:
    op.drop_index("ix_payment_link_bill_id", "payment_link")
    op.drop_column("payment_link", "bill_id")
