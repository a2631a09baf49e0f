"""Bundles of rights, simulated logins, what became of a login, and logs that are found by time, user and bill"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

LOG_INDEXES = {
    "at": ["at"],
    "user": ["user_id", "log_id"],
    "company": ["company_id", "log_id"],
    "resource": ["resource", "log_id"],
    "bill_no": ["bill_no"],
}
MOMENT = sa.DateTime(timezone=True)


def refers(table: str, column: str, *, cascade: bool = True) -> sa.Column[int]:
    target = sa.ForeignKey(f"{table}.{column}", ondelete="cascade" if cascade else None)
    return sa.Column(column, sa.BigInteger(), target, primary_key=True)


def upgrade() -> None:
    op.create_table(
        "right_bundle",
        sa.Column("right_bundle_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("bundle_name", sa.Text(), nullable=False, unique=True),
        sa.Column("remark", sa.Text()),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
    )
    op.create_index("ix_right_bundle_row_xid", "right_bundle", ["row_xid"])
    op.create_table(
        "right_bundle_right",
        refers("right_bundle", "right_bundle_id"),
        sa.Column("code", sa.Text(), primary_key=True),
    )
    op.create_table(
        "role_bundle",
        refers("role", "role_id"),
        refers("right_bundle", "right_bundle_id", cascade=False),
    )
    op.create_index("ix_role_bundle_right_bundle_id", "role_bundle", ["right_bundle_id"])
    op.add_column("role_right", sa.Column("direct", sa.Boolean(), server_default="true", nullable=False))
    op.add_column(
        "user_account",
        sa.Column("must_change_password", sa.Boolean(), server_default="false", nullable=False),
    )
    op.add_column("user_account", sa.Column("unlocked_at", MOMENT))
    op.add_column(
        "user_session",
        sa.Column("imitator_id", sa.BigInteger(), sa.ForeignKey("user_account.user_id", ondelete="cascade")),
    )
    op.add_column(
        "user_session",
        sa.Column("origin_id", sa.BigInteger(), sa.ForeignKey("user_session.session_id", ondelete="cascade")),
    )
    op.create_index("ix_user_session_origin_id", "user_session", ["origin_id"])
    for name in ("user_id", "session_id", "imitator_id"):
        op.add_column("login_attempt", sa.Column(name, sa.BigInteger()))
    for name in ("agent", "reason"):
        op.add_column("login_attempt", sa.Column(name, sa.Text()))
    op.add_column("login_attempt", sa.Column("ended_at", MOMENT))
    op.add_column("login_attempt", sa.Column("ended_how", sa.Integer()))
    op.create_index("ix_login_attempt_at", "login_attempt", ["at"])
    op.create_index("ix_login_attempt_session_id", "login_attempt", ["session_id"])
    op.add_column("business_log", sa.Column("imitator_id", sa.BigInteger()))
    op.add_column("business_log", sa.Column("imitator_name", sa.Text()))
    for name, columns in LOG_INDEXES.items():
        op.create_index(f"ix_business_log_{name}", "business_log", columns)


def downgrade() -> None:
    for name in LOG_INDEXES:
        op.drop_index(f"ix_business_log_{name}", "business_log")
    for name in ("imitator_id", "imitator_name"):
        op.drop_column("business_log", name)
    op.drop_index("ix_login_attempt_at", "login_attempt")
    for name in ("user_id", "session_id", "imitator_id", "agent", "reason", "ended_at", "ended_how"):
        op.drop_column("login_attempt", name)
    for name in ("imitator_id", "origin_id"):
        op.drop_column("user_session", name)
    for name in ("must_change_password", "unlocked_at"):
        op.drop_column("user_account", name)
    op.drop_column("role_right", "direct")
    for table in ("role_bundle", "right_bundle_right", "right_bundle"):
        op.drop_table(table)
