"""Integration tokens have a name and a scope; who uploads has a quota"""

import sqlalchemy as sa
from alembic import op

revision = "0112"
down_revision = "0111"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user_session", sa.Column("token_name", sa.Text()))
    op.add_column("user_session", sa.Column("scope", sa.ARRAY(sa.Text())))
    op.create_index("ix_upload_file_user", "upload_file", ["user_id", "made_at"])


def downgrade() -> None:
    op.drop_index("ix_upload_file_user", "upload_file")
    op.drop_column("user_session", "scope")
    op.drop_column("user_session", "token_name")
