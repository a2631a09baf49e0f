"""What a partner owes settles what he is owed: bills of receivables against payables"""

from alembic import op

from api.migrations.shapes import MONEY, create_bill, create_write_offs, number, refers

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_bill(
        "contra",
        number("amount", MONEY),
        refers("customer_id", "customer.customer_id", required=True),
        refers("supplier_id", "supplier.supplier_id", required=True),
    )
    for party in ("customer", "supplier"):
        op.create_index(f"ix_contra_{party}_id", "contra", [f"{party}_id"])
    create_write_offs("contra_write_off", "contra")


def downgrade() -> None:
    op.drop_table("contra_write_off")
    op.drop_table("contra")
