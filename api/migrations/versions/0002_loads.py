"""Loads"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "demo_load",
        sa.Column("company_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("size", sa.Text(), nullable=False),
        sa.Column("today", sa.Date(), nullable=False),
        sa.Column("portions", sa.Integer(), server_default="0", nullable=False),
        sa.Column("finished", sa.Boolean(), server_default="false", nullable=False),
        sa.PrimaryKeyConstraint("company_id", name=op.f("pk_demo_load")),
    )
    op.create_table(
        "imported_bill",
        sa.Column("heading", sa.LargeBinary(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("bill_type", sa.Text(), nullable=False),
        sa.Column("bill_id", sa.BigInteger(), nullable=False),
        sa.Column("bill_no", sa.Text(), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("heading", name=op.f("pk_imported_bill")),
    )


def downgrade() -> None:
    op.drop_table("imported_bill")
    op.drop_table("demo_load")
