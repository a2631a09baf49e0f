"""What a user keeps, service stations, surveys, and links to payments"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from api.kit.storage.stamping import Xid8

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

DECLARED = (
    "station_setting",
    "shopping_cart",
    "super_station",
    "super_station_reward",
    "questionnaire",
    "questionnaire_question",
)
PLAIN = ("payment_link", "satisfaction_answer", "questionnaire_answer", "user_preference")
NOW = sa.text("now()")


def key(table: str) -> sa.Column[int]:
    return sa.Column(f"{table}_id", sa.BigInteger(), sa.Identity(), primary_key=True)


def points(table: str, cascade: bool = False, **options: object) -> sa.Column[int]:
    """A reference that must be there."""
    target = {"user": "user_account"}.get(table, table)
    owner = sa.ForeignKey(f"{target}.{table}_id", ondelete="cascade" if cascade else None)
    return sa.Column(f"{table}_id", sa.BigInteger(), owner, nullable=False, **options)  # type: ignore[arg-type]


def declared(table: str, *columns: sa.schema.SchemaItem) -> None:
    """The table of a declared resource, with its stamp."""
    stamp = sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False)
    op.create_table(table, key(table), *columns, stamp)
    op.create_index(f"ix_{table}_row_xid", table, ["row_xid"])


def upgrade() -> None:
    text, stamp, truth = sa.Text(), sa.DateTime(timezone=True), sa.Boolean()
    op.add_column(
        "user_account", sa.Column("operating_version", sa.Integer(), server_default="1", nullable=False)
    )
    op.add_column("user_account", sa.Column("is_broadcast", truth, server_default="false", nullable=False))
    op.create_table(
        "user_preference",
        sa.Column("preference_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        points("user", cascade=True),
        *(sa.Column(name, text, nullable=False) for name in ("kind", "screen", "name")),
        sa.Column("value", postgresql.JSONB(), nullable=False),
        *(
            sa.Column(name, truth, server_default="false", nullable=False)
            for name in ("is_public", "is_default")
        ),
        sa.Column("kept_at", stamp, server_default=NOW, nullable=False),
        sa.UniqueConstraint("user_id", "kind", "screen", "name"),
    )
    op.create_index(
        "ix_user_preference_public", "user_preference", ["screen"], postgresql_where=sa.text("is_public")
    )
    declared(
        "station_setting",
        points("company", index=True),
        sa.Column("timeout_hours", sa.Integer(), server_default="24", nullable=False),
        sa.Column("price_days", sa.Integer(), server_default="7", nullable=False),
        sa.Column("app_url", text),
        sa.Column("voice_url", text),
    )
    declared(
        "shopping_cart",
        points("company"),
        points("goods", index=True),
        sa.Column("quantity", sa.Numeric(14, 3), server_default="1", nullable=False),
        sa.Column("remark", text),
        sa.UniqueConstraint("company_id", "goods_id"),
    )
    declared(
        "super_station",
        sa.Column("super_station_name", text, nullable=False, unique=True),
        sa.Column("start_date", sa.Date(), nullable=False),
        sa.Column("end_date", sa.Date(), nullable=False),
        sa.Column("rule_desc", text, nullable=False),
        sa.Column("enabled", truth, server_default="true", nullable=False),
    )
    declared(
        "super_station_reward",
        points("super_station", index=True),
        sa.Column("purchase_amount", sa.Numeric(16, 2), server_default="0", nullable=False),
        sa.Column("reward_name", text, nullable=False),
        sa.Column("reward_value", text, nullable=False),
    )
    declared(
        "questionnaire",
        sa.Column("questionnaire_title", text, nullable=False),
        sa.Column("show_msg", text, nullable=False),
        sa.Column("target", sa.Integer(), server_default="1", nullable=False),
        sa.Column("expire_time", sa.Date(), nullable=False),
        sa.Column("is_published", truth, server_default="false", nullable=False),
        sa.Column("questionnaire_hash", text, nullable=False, unique=True),
    )
    declared(
        "questionnaire_question",
        points("questionnaire", index=True),
        sa.Column("question", text, nullable=False),
        sa.Column("kind", sa.Integer(), server_default="1", nullable=False),
        sa.Column("options", text),
        sa.Column("required", truth, server_default="true", nullable=False),
        sa.Column("sort", sa.Integer(), server_default="0", nullable=False),
    )
    op.create_table(
        "questionnaire_answer",
        key("questionnaire_answer"),
        points("questionnaire"),
        points("user", cascade=True),
        sa.Column("answers", postgresql.JSONB(), nullable=False),
        sa.Column("at", stamp, server_default=NOW, nullable=False),
        sa.UniqueConstraint("questionnaire_id", "user_id"),
    )
    op.create_table(
        "satisfaction_answer",
        key("satisfaction_answer"),
        points("user", cascade=True, index=True),
        points("company"),
        *(sa.Column(name, sa.Integer() if name == "q6" else text, nullable=False) for name in _questions()),
        sa.Column("at", stamp, server_default=NOW, nullable=False),
    )
    op.create_table(
        "payment_link",
        key("payment_link"),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False, unique=True),
        points("company"),
        sa.Column("subject", text, nullable=False),
        sa.Column("amount", sa.Numeric(16, 2), nullable=False),
        sa.Column("state", sa.Integer(), server_default="0", nullable=False),
        sa.Column("expires_at", stamp, nullable=False),
    )


def downgrade() -> None:
    for table in (*PLAIN, *reversed(DECLARED)):
        op.drop_table(table)
    op.drop_column("user_account", "is_broadcast")
    op.drop_column("user_account", "operating_version")


def _questions() -> tuple[str, ...]:
    return tuple(f"q{number}" for number in range(1, 8))
