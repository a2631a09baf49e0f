"""What customers paid offline, and the receipts that its audit makes"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, create_bill, create_write_offs, number, refers

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

BILL = "offline_collection"


def upgrade() -> None:
    create_bill(
        BILL,
        refers("customer_id", "customer.customer_id", required=True),
        refers("receivables_mode_id", "receivables_mode.receivables_mode_id", required=True),
        number("amount", MONEY),
        sa.Column("payer", sa.Text()),
        sa.Column("voucher_no", sa.Text()),
        sa.Column("vouchers", sa.Text()),
    )
    op.create_index(f"ix_{BILL}_customer_id", BILL, ["customer_id"])
    op.create_index(
        f"uq_{BILL}_voucher_no",
        BILL,
        ["company_id", "receivables_mode_id", "voucher_no"],
        unique=True,
        postgresql_where="status <> 3",
    )
    create_write_offs(f"{BILL}_write_off", BILL)
    op.add_column("customer_receipt", refers("collection_id", f"{BILL}.bill_id"))
    op.create_index("ix_customer_receipt_collection_id", "customer_receipt", ["collection_id"])


def downgrade() -> None:
    op.drop_index("ix_customer_receipt_collection_id", "customer_receipt")
    op.drop_column("customer_receipt", "collection_id")
    op.drop_table(f"{BILL}_write_off")
    op.drop_table(BILL)
