"""Purchase invoices, and how much of each received and returned line they cover"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, PRICE, QUANTITY, RATE, create_bill, create_lines, number, refers

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

BILL, LINE = "purchase_invoice", "purchase_invoice_line"
SOURCES = {"inbound_line_id": "purchase_inbound_line", "return_line_id": "purchase_return_line"}


def upgrade() -> None:
    create_bill(
        BILL,
        refers("supplier_id", "supplier.supplier_id", required=True),
        sa.Column("invoice_kind", sa.Integer(), server_default="3", nullable=False),
        sa.Column("invoice_no", sa.Text(), nullable=False),
        sa.Column("invoice_date", sa.Date(), nullable=False),
        sa.Column("papers", sa.Text()),
        *(number(name, MONEY) for name in ("total_amount", "tax_amount", "no_tax_amount")),
    )
    op.create_index(f"ix_{BILL}_supplier_id", BILL, ["supplier_id"])
    op.create_index(
        f"uq_{BILL}_invoice_no", BILL, ["invoice_no"], unique=True, postgresql_where="status <> 3"
    )
    create_lines(
        LINE,
        BILL,
        refers("goods_id", "goods.goods_id", required=True),
        number("quantity", QUANTITY),
        number("price", PRICE),
        number("amount", MONEY),
        number("tax_rate", RATE, "13"),
        number("tax_amount", MONEY),
        number("no_tax_amount", MONEY),
        *(refers(column, f"{lines}.line_id") for column, lines in SOURCES.items()),
        sa.Column("remark", sa.Text()),
    )
    for column in ("goods_id", *SOURCES):
        op.create_index(f"ix_{LINE}_{column}", LINE, [column])
    for lines in SOURCES.values():
        op.add_column(lines, number("invoiced_amount", MONEY))


def downgrade() -> None:
    for lines in SOURCES.values():
        op.drop_column(lines, "invoiced_amount")
    op.drop_table(LINE)
    op.drop_table(BILL)
