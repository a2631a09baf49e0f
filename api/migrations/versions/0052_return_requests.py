"""Requests to return goods, and what suppliers consent to; returns are drawn from them"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import QUANTITY, create_bill, create_goods_lines, number, refers, totals

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

PARTNERS = (
    ("supplier_id", "supplier.supplier_id"),
    ("warehouse_id", "warehouse.warehouse_id"),
)


def upgrade() -> None:
    op.add_column("purchase_inbound_line", number("requested_quantity", QUANTITY))
    _create("return_request")
    _create(
        "refund_request",
        sa.Column("agreement_no", sa.Text()),
        sa.Column("agreed_until", sa.Date()),
        request_line_id="return_request_line.line_id",
    )
    op.add_column("purchase_return_line", refers("refund_line_id", "refund_request_line.line_id"))
    op.create_index("ix_purchase_return_line_refund_line_id", "purchase_return_line", ["refund_line_id"])


def _create(name: str, *own: sa.schema.SchemaItem, **sources: str) -> None:
    create_bill(
        name,
        *(refers(column, target, required=True) for column, target in PARTNERS),
        refers("purchase_return_reason_id", "purchase_return_reason.purchase_return_reason_id"),
        *own,
        *totals(),
    )
    op.create_index(f"ix_{name}_supplier_id", name, ["supplier_id"])
    links = {"source_line_id": "purchase_inbound_line.line_id", **sources}
    create_goods_lines(
        f"{name}_line",
        name,
        *(refers(column, target) for column, target in links.items()),
        refers("batch_id", "goods_batch.batch_id"),
        number("executed_quantity", QUANTITY),
    )
    for column in links:
        op.create_index(f"ix_{name}_line_{column}", f"{name}_line", [column])


def downgrade() -> None:
    op.drop_column("purchase_return_line", "refund_line_id")
    for name in ("refund_request", "return_request"):
        op.drop_table(f"{name}_line")
        op.drop_table(name)
    op.drop_column("purchase_inbound_line", "requested_quantity")
