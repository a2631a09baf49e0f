"""Customers wait for their audit where the group wants it; their credit codes tell them apart"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

CODE = "uq_customer_company_id_credit_code"


def upgrade() -> None:
    op.add_column("customer", sa.Column("credit_code", sa.Text()))
    op.add_column("customer", sa.Column("audit_state", sa.Integer(), server_default="2", nullable=False))
    op.add_column("customer", sa.Column("refuse_reason", sa.Text()))
    op.create_unique_constraint(CODE, "customer", ["company_id", "credit_code"])
    op.add_column("erp_config", sa.Column("customer_audit", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("erp_config", "customer_audit")
    op.drop_constraint(CODE, "customer")
    for column in ("refuse_reason", "audit_state", "credit_code"):
        op.drop_column("customer", column)
