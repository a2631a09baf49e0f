"""Reports by subscription: what users wish, what became of each run, and where their letters go"""

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None

RHYTHM = (
    "case rhythm when 'day' then day is null when 'week' then coalesce(day between 1 and 7, false)"
    " when 'month' then coalesce(day between 1 and 31, false) else false end"
)


def upgrade() -> None:
    op.add_column("user_account", sa.Column("email", sa.Text()))
    op.create_table(
        "report_subscription",
        sa.Column("subscription_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        _reference("user_id", "user_account.user_id"),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("code", "tab")),
        sa.Column("scheme", sa.Text()),
        sa.Column("rhythm", sa.Text(), nullable=False),
        sa.Column("day", sa.Integer()),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("pause_reason", sa.Text()),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.CheckConstraint("hour between 0 and 23", name="hour"),
        sa.CheckConstraint(RHYTHM, name="rhythm"),
        sa.CheckConstraint("way in ('message', 'mail')", name="way"),
    )
    op.create_index("ix_report_subscription_user_id", "report_subscription", ["user_id"])
    due = sa.text("not paused")
    op.create_index("ix_report_subscription_due", "report_subscription", ["next_at"], postgresql_where=due)
    op.create_table(
        "report_delivery",
        sa.Column("delivery_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        _reference("subscription_id", "report_subscription.subscription_id"),
        _reference("export_id", "export_task.export_id", unique=True),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("state", sa.Integer(), server_default="1", nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failure", sa.Text()),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), server_default=sa.func.now()),
        sa.Column("sent_at", sa.DateTime(timezone=True)),
    )
    last = ["subscription_id", "delivery_id"]
    op.create_index("ix_report_delivery_subscription", "report_delivery", last)
    waiting = sa.text("state = 1")
    op.create_index("ix_report_delivery_waiting", "report_delivery", ["next_at"], postgresql_where=waiting)


def downgrade() -> None:
    op.drop_table("report_delivery")
    op.drop_table("report_subscription")
    op.drop_column("user_account", "email")


def _reference(name: str, target: str, unique: bool = False) -> sa.Column[int]:
    key = sa.ForeignKey(target, ondelete="cascade")
    return sa.Column(name, sa.BigInteger(), key, nullable=False, unique=unique)
