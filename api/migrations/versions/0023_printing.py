"""Print templates"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from api.kit.storage.stamping import Xid8

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "print_template",
        sa.Column("print_template_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("template_name", sa.Text(), nullable=False),
        sa.Column("bill_type", sa.Text(), nullable=False),
        sa.Column("company_id", sa.BigInteger(), sa.ForeignKey("company.company_id")),
        sa.Column("is_default", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("layout", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
    )
    op.create_index("ix_print_template_row_xid", "print_template", ["row_xid"])
    op.create_index(
        "ux_print_template_default",
        "print_template",
        ["bill_type", sa.text("coalesce(company_id, 0)")],
        unique=True,
        postgresql_where=sa.text("is_default"),
    )


def downgrade() -> None:
    op.drop_table("print_template")
