"""Receipts of transfers tell what was lost on the road, who is liable and what he pays"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, QUANTITY, number, refers

revision = "0081"
down_revision = "0080"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transfer_in", refers("liable_logistics_id", "logistics.logistics_id"))
    op.add_column("transfer_in", refers("liable_employee_id", "employee.employee_id"))
    op.add_column("transfer_in", number("compensation_amount", MONEY))
    op.add_column("transfer_in_line", number("lost_quantity", QUANTITY))
    op.add_column("transfer_in_line", sa.Column("loss_reason", sa.Text()))
    op.add_column("transfer_in_line", sa.Column("lost_tire_numbers", sa.Text()))
    op.create_check_constraint(
        op.f("ck_transfer_in_line_lost_quantity"), "transfer_in_line", "lost_quantity between 0 and quantity"
    )
    op.add_column("stock_loss", refers("transfer_in_id", "transfer_in.bill_id"))
    op.create_index(op.f("ix_stock_loss_transfer_in_id"), "stock_loss", ["transfer_in_id"])
    op.add_column("stock_loss_line", refers("transfer_line_id", "transfer_out_line.line_id"))
    op.create_index(op.f("ix_stock_loss_line_transfer_line_id"), "stock_loss_line", ["transfer_line_id"])


def downgrade() -> None:
    op.drop_column("stock_loss_line", "transfer_line_id")
    op.drop_column("stock_loss", "transfer_in_id")
    for column in ("lost_tire_numbers", "loss_reason", "lost_quantity"):
        op.drop_column("transfer_in_line", column)
    for column in ("compensation_amount", "liable_employee_id", "liable_logistics_id"):
        op.drop_column("transfer_in", column)
