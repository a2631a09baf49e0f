"""An invoice number is used once by its issuer: the supplier, or the company that sells"""

from alembic import op

revision = "0083"
down_revision = "0082"
branch_labels = None
depends_on = None

ISSUERS = {"purchase_invoice": "supplier_id", "sales_invoice": "company_id"}
STANDING = "status <> 3"


def upgrade() -> None:
    for bill, issuer in ISSUERS.items():
        op.drop_index(f"uq_{bill}_invoice_no", bill)
        op.create_index(
            f"uq_{bill}_invoice_no", bill, [issuer, "invoice_no"], unique=True, postgresql_where=STANDING
        )


def downgrade() -> None:
    for bill in ISSUERS:
        op.drop_index(f"uq_{bill}_invoice_no", bill)
        op.create_index(f"uq_{bill}_invoice_no", bill, ["invoice_no"], unique=True, postgresql_where=STANDING)
