"""Devices from before a password was set are strange to its user"""

import sqlalchemy as sa
from alembic import op

revision = "0123"
down_revision = "0121"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user_account", sa.Column("password_set_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("user_account", "password_set_at")
