"""Potential customers, and what was spoken with them"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import create_master, refers

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_master(
        "potential_customer",
        sa.Column("customer_name", sa.Text(), nullable=False),
        refers("company_id", "company.company_id", required=True),
        *(sa.Column(name, sa.Integer(), server_default="1", nullable=False) for name in ("state", "source")),
        refers("customer_type_id", "customer_type.customer_type_id"),
        *(sa.Column(name, sa.Text()) for name in ("contact_name", "customer_mobile")),
        *(refers(f"{place}_id", f"{place}.{place}_id") for place in ("province", "city", "area")),
        sa.Column("address", sa.Text()),
        refers("employee_id", "employee.employee_id"),
        sa.Column("last_note", sa.Text()),
        sa.Column("last_followed_at", sa.DateTime(timezone=True)),
        sa.Column("next_on", sa.Date()),
        refers("customer_id", "customer.customer_id"),
        sa.Column("remark", sa.Text()),
        sa.UniqueConstraint("company_id", "customer_name"),
    )
    create_master(
        "customer_follow_up",
        refers("company_id", "company.company_id", required=True),
        refers("potential_customer_id", "potential_customer.potential_customer_id", required=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("next_on", sa.Date()),
        refers("maker_id", "user_account.user_id", required=True),
        sa.Column("made_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
    )
    op.create_index(
        "ix_customer_follow_up_potential_customer_id", "customer_follow_up", ["potential_customer_id"]
    )


def downgrade() -> None:
    op.drop_table("customer_follow_up")
    op.drop_table("potential_customer")
