"""Cost recalculations with their progress"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default="0", nullable=False)


def upgrade() -> None:
    op.create_table(
        "cost_recalculation",
        sa.Column("recalculation_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("company_id", sa.BigInteger(), sa.ForeignKey("company.company_id"), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        count("status"),
        *(count(name) for name in ("goods_total", "goods_done", "row_count", "difference_count")),
        sa.Column("difference_amount", sa.Numeric(16, 2), server_default="0", nullable=False),
        count("left_count"),
        sa.Column("asked_by", sa.BigInteger(), sa.ForeignKey("user_account.user_id"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("failure", sa.Text()),
        sa.Column("last_goods_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("horizon", sa.BigInteger()),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
    )
    op.create_index("ix_cost_recalculation_row_xid", "cost_recalculation", ["row_xid"])
    op.create_index(
        "uq_cost_recalculation_unfinished",
        "cost_recalculation",
        ["company_id"],
        unique=True,
        postgresql_where=sa.text("status in (0, 1)"),
    )


def downgrade() -> None:
    op.drop_table("cost_recalculation")
