"""When each tombstone was left, so that none is kept for ever"""

import sqlalchemy as sa
from alembic import op

revision = "0110"
down_revision = "0103"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Those that are there count from now: the default is worked out once, no row is written.
    op.add_column(
        "tombstone",
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
    )
    op.create_index("ix_tombstone_at", "tombstone", ["at"], postgresql_using="brin")


def downgrade() -> None:
    op.drop_index("ix_tombstone_at", "tombstone")
    op.drop_column("tombstone", "at")
