"""Announcements with their readers, and reminders"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

TABLES = ("popup_log_seen", "popup_log", "message_read", "message_role", "message_company", "message_log")
NOW = sa.text("now()")


def refers(table: str, column: str, *, keyed: bool = False, nullable: bool = False) -> sa.Column[int]:
    """A reference that goes with what it points at."""
    target = sa.ForeignKey(f"{table}.{column}", ondelete="cascade")
    return sa.Column(column, sa.BigInteger(), target, primary_key=keyed, nullable=nullable)


def key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), sa.Identity(), primary_key=True)


def moment(name: str, *, given: bool = False) -> sa.Column[object]:
    default = NOW if given else None
    return sa.Column(name, sa.DateTime(timezone=True), server_default=default, nullable=not given)


def upgrade() -> None:
    op.create_table(
        "message_log",
        key("message_log_id"),
        sa.Column("message_title", sa.Text(), nullable=False),
        sa.Column("message_abstract", sa.Text()),
        sa.Column("message_content", sa.Text(), nullable=False),
        sa.Column("company_id", sa.BigInteger(), sa.ForeignKey("company.company_id"), nullable=False),
        sa.Column("audience", sa.Integer(), server_default="4", nullable=False),
        moment("publish_at"),
        moment("expires_at"),
        moment("withdrawn_at"),
        sa.Column("author_id", sa.BigInteger(), sa.ForeignKey("user_account.user_id")),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
    )
    op.create_index("ix_message_log_row_xid", "message_log", ["row_xid"])
    op.create_table(
        "message_company",
        refers("message_log", "message_log_id", keyed=True),
        refers("company", "company_id", keyed=True),
    )
    op.create_table(
        "message_role",
        refers("message_log", "message_log_id", keyed=True),
        refers("role", "role_id", keyed=True),
    )
    op.create_table(
        "message_read",
        key("message_read_id"),
        refers("message_log", "message_log_id"),
        refers("user_account", "user_id"),
        moment("read_at", given=True),
        sa.UniqueConstraint("message_log_id", "user_id"),
    )
    op.create_index("ix_message_read_user_id", "message_read", ["user_id"])
    op.create_table(
        "popup_log",
        key("popup_log_id"),
        refers("company", "company_id"),
        refers("user_account", "user_id", nullable=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("url", sa.Text()),
        moment("at", given=True),
    )
    op.create_index("ix_popup_log_user_id", "popup_log", ["user_id"])
    op.create_index("ix_popup_log_company", "popup_log", ["company_id", "popup_log_id"])
    op.create_table(
        "popup_log_seen",
        refers("popup_log", "popup_log_id", keyed=True),
        refers("user_account", "user_id", keyed=True),
        moment("at", given=True),
    )
    op.create_index("ix_popup_log_seen_user_id", "popup_log_seen", ["user_id"])


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
