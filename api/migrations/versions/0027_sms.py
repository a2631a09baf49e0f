"""SMS channels, templates, and what was sent"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

NOW = sa.text("now()")


def declared(table: str, *columns: sa.schema.SchemaItem) -> None:
    """The table of a declared resource, with its stamp."""
    key = sa.Column(f"{table}_id", sa.BigInteger(), sa.Identity(), primary_key=True)
    stamp = sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False)
    op.create_table(table, key, *columns, stamp)
    op.create_index(f"ix_{table}_row_xid", table, ["row_xid"])


def truth(name: str, value: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), server_default=value, nullable=False)


def points(name: str, target: str, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), sa.ForeignKey(target), nullable=nullable)


def upgrade() -> None:
    text, moment = sa.Text(), sa.DateTime(timezone=True)
    optional = ("signature", "url", "header", "body", "success", "secret")
    declared(
        "sms_channel",
        sa.Column("channel_name", text, nullable=False, unique=True),
        sa.Column("kind", sa.Integer(), server_default="1", nullable=False),
        *(sa.Column(name, text) for name in optional),
        truth("enabled", "true"),
        truth("is_default", "false"),
        sa.Column("sealed", text),
    )
    op.create_index(
        "ux_sms_channel_default",
        "sms_channel",
        ["is_default"],
        unique=True,
        postgresql_where=sa.text("is_default"),
    )
    declared(
        "sms_template",
        sa.Column("template_name", text, nullable=False, unique=True),
        points("sms_channel_id", "sms_channel.sms_channel_id", nullable=True),
        sa.Column("code", text),
        sa.Column("content", text, nullable=False),
        truth("enabled", "true"),
    )
    declared(
        "sms_bill",
        sa.Column("mobile", text, nullable=False),
        points("sms_template_id", "sms_template.sms_template_id"),
        points("sms_channel_id", "sms_channel.sms_channel_id"),
        sa.Column("content", text, nullable=False),
        sa.Column("state", sa.Integer(), server_default="1", nullable=False),
        sa.Column("failure", text),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        points("company_id", "company.company_id"),
        points("user_id", "user_account.user_id"),
        sa.Column("asked_at", moment, server_default=NOW, nullable=False),
        sa.Column("sent_at", moment),
        sa.Column("next_at", moment),
    )
    op.create_index("ix_sms_bill_mobile", "sms_bill", ["mobile", "asked_at"])
    op.create_index("ix_sms_bill_waiting", "sms_bill", ["next_at"], postgresql_where=sa.text("state = 1"))


def downgrade() -> None:
    for table in ("sms_bill", "sms_template", "sms_channel"):
        op.drop_table(table)
