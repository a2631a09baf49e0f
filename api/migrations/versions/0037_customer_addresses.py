"""Where customers' goods are sent to"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8
from api.migrations.shapes import refers

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

TABLE = "customer_address"
BILLS = ("sales_order", "sales_outbound")


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("customer_address_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        refers("company_id", "company.company_id", required=True),
        refers("customer_id", "customer.customer_id", required=True),
        sa.Column("consignee", sa.Text(), nullable=False),
        sa.Column("mobile", sa.Text(), nullable=False),
        *(refers(f"{place}_id", f"{place}.{place}_id") for place in ("province", "city", "area")),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("is_default", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
    )
    for column in ("customer_id", "row_xid"):
        op.create_index(f"ix_{TABLE}_{column}", TABLE, [column])
    op.create_index(f"ux_{TABLE}_default", TABLE, ["customer_id"], unique=True, postgresql_where="is_default")
    for bill in BILLS:
        op.add_column(bill, refers("customer_address_id", "customer_address.customer_address_id"))


def downgrade() -> None:
    for bill in BILLS:
        op.drop_column(bill, "customer_address_id")
    op.drop_table(TABLE)
