"""Advances settle what is owed: bills of customers and of suppliers"""

from alembic import op

from api.migrations.shapes import MONEY, create_bill, create_write_offs, number, refers

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

BILLS = {"deposit": "customer", "prepaid_offset": "supplier"}


def upgrade() -> None:
    for bill, party in BILLS.items():
        create_bill(
            bill, number("amount", MONEY), refers(f"{party}_id", f"{party}.{party}_id", required=True)
        )
        op.create_index(f"ix_{bill}_{party}_id", bill, [f"{party}_id"])
        create_write_offs(f"{bill}_write_off", bill)


def downgrade() -> None:
    for bill in BILLS:
        op.drop_table(f"{bill}_write_off")
        op.drop_table(bill)
