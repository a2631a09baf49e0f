"""Freight that adds to what purchased goods are worth"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, number

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("purchase_inbound", number("freight_amount", MONEY))
    op.add_column("purchase_inbound", number("freight_by", sa.Integer(), "1"))


def downgrade() -> None:
    op.drop_column("purchase_inbound", "freight_by")
    op.drop_column("purchase_inbound", "freight_amount")
