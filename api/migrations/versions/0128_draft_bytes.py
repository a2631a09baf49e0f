"""What a user keeps is counted in bytes"""

import sqlalchemy as sa
from alembic import op

revision = "0128"
down_revision = "0127"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user_preference", sa.Column("bytes", sa.BigInteger(), server_default="0", nullable=False))
    op.execute("update user_preference set bytes = octet_length(value::text)")


def downgrade() -> None:
    op.drop_column("user_preference", "bytes")
