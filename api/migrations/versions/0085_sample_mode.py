"""A company says what is done about sales of nothing but gifts"""

import sqlalchemy as sa
from alembic import op

revision = "0085"
down_revision = "0084"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("bill_setting", sa.Column("sample_mode", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("bill_setting", "sample_mode")
