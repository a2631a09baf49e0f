"""Templates of bill numbers"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bill_number_template",
        sa.Column("bill_type", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("with_company", sa.Boolean(), nullable=False),
        sa.Column("date_form", sa.SmallInteger(), nullable=False),
        sa.Column("digits", sa.SmallInteger(), nullable=False),
        sa.Column("reset", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("bill_type", name="pk_bill_number_template"),
        sa.UniqueConstraint("prefix", name="uq_bill_number_template_prefix"),
        sa.CheckConstraint("digits between 3 and 8", name="ck_bill_number_template_digits"),
        sa.CheckConstraint(
            "date_form between 1 and 4 and reset between 1 and 4", name="ck_bill_number_template_forms"
        ),
    )


def downgrade() -> None:
    op.drop_table("bill_number_template")
