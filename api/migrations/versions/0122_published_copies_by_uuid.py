"""Published boards know their copies by uuid: a number is given again once its board is lost"""

import sqlalchemy as sa
from alembic import op

revision = "0122"
down_revision = "0121"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # What was published by number alone can't be told from what has that number now: it is published anew.
    op.execute("delete from published_board")
    op.drop_column("published_board_version", "dashboard_id")
    op.add_column("published_board_version", sa.Column("dashboard_uuid", sa.Uuid(), nullable=False))
    op.create_unique_constraint(
        "uq_published_board_version_dashboard_uuid", "published_board_version", ["dashboard_uuid"]
    )


def downgrade() -> None:
    op.execute("delete from published_board")
    op.drop_column("published_board_version", "dashboard_uuid")
    op.add_column("published_board_version", sa.Column("dashboard_id", sa.Integer(), nullable=False))
    op.create_unique_constraint(
        "published_board_version_dashboard_id_key", "published_board_version", ["dashboard_id"]
    )
