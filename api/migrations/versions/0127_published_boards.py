"""Analysts publish boards to roles"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0127"
down_revision = "0126"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "published_board",
        sa.Column("board_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("user_id", sa.BigInteger(), sa.ForeignKey("user_account.user_id"), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("withdrawn", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("problem", sa.Text()),
        sa.Column("checked_release", sa.Text()),
        sa.UniqueConstraint("user_id", "source_id"),
    )
    op.create_index("ix_published_board_user_id", "published_board", ["user_id"])
    op.create_table(
        "published_board_version",
        _of_board(),
        sa.Column("version", sa.Integer(), primary_key=True),
        sa.Column("dashboard_uuid", sa.Uuid(), nullable=False, unique=True),
        sa.Column("note", sa.Text()),
        sa.Column("charts", JSONB(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
    )
    op.create_table(
        "published_board_role",
        _of_board(),
        sa.Column(
            "role_id", sa.BigInteger(), sa.ForeignKey("role.role_id", ondelete="cascade"), primary_key=True
        ),
    )


def downgrade() -> None:
    for table in ("published_board_role", "published_board_version", "published_board"):
        op.drop_table(table)


def _of_board() -> sa.Column[int]:
    key = sa.ForeignKey("published_board.board_id", ondelete="cascade")
    return sa.Column("board_id", sa.BigInteger(), key, primary_key=True)
