"""Counts know what others have corrected since, and bills whose goods they had counted before"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import PRICE, QUANTITY, number, refers

revision = "0080"
down_revision = "0079"
branch_labels = None
depends_on = None

CORRECTIONS = "bill_type in ('PYRK', 'PKCK', 'PYCK')"
VALUED = ("stock_take_line", "stock_surplus_line", "sales_return_line")
DIFFERENCES = ("stock_surplus", "stock_loss")


def upgrade() -> None:
    op.create_index(
        "ix_stock_ledger_corrections",
        "stock_ledger",
        ["warehouse_id", "goods_id"],
        postgresql_where=sa.text(CORRECTIONS),
    )
    op.add_column("stock_take", sa.Column("ledger_upto", sa.BigInteger()))
    op.add_column("stock_take_line", number("late_quantity", QUANTITY))
    op.add_column("stock_take_line", number("corrected_quantity", QUANTITY))
    op.add_column("stock_take_line", sa.Column("counted_at", sa.DateTime(timezone=True)))
    op.add_column("stock_take_line", number("corrections_before", QUANTITY))
    op.add_column("stock_take_line", refers("superseded_by", "stock_take.bill_id"))
    op.create_index(op.f("ix_stock_take_line_superseded_by"), "stock_take_line", ["superseded_by"])
    # Of counts that were open nobody knows the moment: what was corrected until now counts as known.
    op.execute(
        f"""
        update stock_take_line l
        set counted_at = case when t.status = 1 then now() else coalesce(t.audited_at, t.snapshot_at) end,
            corrections_before = case when t.status = 1 then coalesce((
                select sum(s.quantity) from stock_ledger s
                where s.warehouse_id = t.warehouse_id and s.goods_id = l.goods_id and s.{CORRECTIONS}
                    and s.allocation_id = coalesce(l.allocation_id, 0) and s.batch_id = coalesce(l.batch_id, 0)
            ), 0) else 0 end
        from stock_take t
        where t.bill_id = l.bill_id and num_nonnulls(l.counted_quantity, l.recount_quantity) > 0
        """
    )
    for name in DIFFERENCES:
        op.add_column(name, sa.Column("late_type", sa.Text()))
        op.add_column(name, sa.Column("late_bill_id", sa.BigInteger()))
        op.add_column(name, sa.Column("late_bill_no", sa.Text()))
        op.create_index(op.f(f"ix_{name}_late_bill_id"), name, ["late_bill_id"])
    for line in VALUED:
        op.add_column(line, sa.Column("unit_cost", PRICE))


def downgrade() -> None:
    for line in VALUED:
        op.drop_column(line, "unit_cost")
    for name in DIFFERENCES:
        for column in ("late_bill_no", "late_bill_id", "late_type"):
            op.drop_column(name, column)
    for column in (
        "superseded_by",
        "corrections_before",
        "counted_at",
        "corrected_quantity",
        "late_quantity",
    ):
        op.drop_column("stock_take_line", column)
    op.drop_column("stock_take", "ledger_upto")
    op.drop_index("ix_stock_ledger_corrections", "stock_ledger")
