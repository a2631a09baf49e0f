"""Figures of reports have alerts and comments; a subscription may be a sheet"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0125"
down_revision = "0124"
branch_labels = None
depends_on = None

WAITING = sa.text("state = 1")


def upgrade() -> None:
    op.create_table(
        "figure_alert",
        sa.Column("alert_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        _reference("user_id", "user_account.user_id", ondelete="cascade"),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("code", "tab", "figure")),
        sa.Column("scheme", sa.Text()),
        sa.Column("low", sa.Numeric()),
        sa.Column("high", sa.Numeric()),
        sa.Column("way", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("pause_reason", sa.Text()),
        sa.Column("out", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("value", sa.Float()),
        sa.Column("checked_mark", sa.Text()),
        sa.Column("checked_at", sa.DateTime(timezone=True)),
        _now("made_at"),
        sa.CheckConstraint("low is not null or high is not null", name="bounded"),
        sa.CheckConstraint("low <= high", name="low_high"),
        sa.CheckConstraint("way in ('message', 'mail')", name="way"),
    )
    op.create_index("ix_figure_alert_user_id", "figure_alert", ["user_id"])
    op.create_table(
        "alert_notice",
        sa.Column("notice_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        _reference("alert_id", "figure_alert.alert_id", ondelete="cascade"),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("words", "url", "way")),
        sa.Column("state", sa.Integer(), server_default="1", nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failure", sa.Text()),
        _now("at"),
        sa.Column("next_at", sa.DateTime(timezone=True), server_default=sa.func.now()),
        sa.Column("sent_at", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_alert_notice_waiting", "alert_notice", ["next_at"], postgresql_where=WAITING)
    op.create_index("ix_alert_notice_alert", "alert_notice", ["alert_id", "notice_id"])
    op.create_table(
        "figure_comment",
        sa.Column("comment_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        _reference("user_id", "user_account.user_id"),
        _reference("company_id", "company.company_id", nullable=True, ondelete="cascade"),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("code", "tab", "figure")),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        _now("at"),
        sa.Column("changed_at", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_figure_comment_user_id", "figure_comment", ["user_id"])
    op.create_index("ix_figure_comment_company_id", "figure_comment", ["company_id"])
    op.create_index("ix_figure_comment_report", "figure_comment", ["code", "tab", "figure", "day"])
    op.add_column(
        "report_subscription", sa.Column("form", sa.Text(), server_default="detail", nullable=False)
    )
    op.create_check_constraint("form", "report_subscription", "form in ('detail', 'pdf')")


def downgrade() -> None:
    op.drop_column("report_subscription", "form")
    for table in ("figure_comment", "alert_notice", "figure_alert"):
        op.drop_table(table)


def _now(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False)


def _reference(
    name: str, target: str, *, nullable: bool = False, ondelete: str | None = None
) -> sa.Column[int]:
    key = sa.ForeignKey(target, ondelete=ondelete)
    return sa.Column(name, sa.BigInteger(), key, nullable=nullable)
