"""Who carries goods is owed the freight"""

import sqlalchemy as sa
from alembic import op

revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None

CARRIED = ("purchase_inbound", "transfer_in")
KINDS = "kind in ('bill', 'advance', 'opening'{more})"


def _keep_kinds(more: str) -> None:
    op.drop_constraint("ck_settlement_item_kind", "settlement_item")
    op.create_check_constraint(op.f("ck_settlement_item_kind"), "settlement_item", KINDS.format(more=more))


def _refer(table: str, column: str, target: str, *, indexed: bool) -> None:
    op.add_column(table, sa.Column(column, sa.BigInteger()))
    op.create_foreign_key(op.f(f"fk_{table}_{column}_{target}"), table, target, [column], [f"{target}_id"])
    if indexed:
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column])


def upgrade() -> None:
    _keep_kinds(", 'freight'")
    _refer("logistics", "supplier_id", "supplier", indexed=True)
    for table in CARRIED:
        _refer(table, "logistics_id", "logistics", indexed=False)
        _refer(table, "carrier_id", "supplier", indexed=True)
        op.add_column(
            table, sa.Column("freight_tax_rate", sa.Numeric(7, 4), server_default="9", nullable=False)
        )
        op.add_column(
            table, sa.Column("freight_payable", sa.Numeric(16, 2), server_default="0", nullable=False)
        )
        op.add_column(table, sa.Column("freight_due_date", sa.Date()))


def downgrade() -> None:
    for table in CARRIED:
        for column in (
            "freight_due_date",
            "freight_payable",
            "freight_tax_rate",
            "carrier_id",
            "logistics_id",
        ):
            op.drop_column(table, column)
    op.drop_column("logistics", "supplier_id")
    _keep_kinds("")
