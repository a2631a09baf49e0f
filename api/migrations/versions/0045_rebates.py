"""Rebates: policies with suppliers and customers, their cycles, and what was confirmed of them"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, QUANTITY, RATE, create_bill, create_lines, number, refers

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

SIDES = ("supplier", "customer")
SCOPES = ("goods", "brand", "goods_type")
MONTHS = {"按季": 3, "半年": 6, "按年": 12}


def upgrade() -> None:
    op.add_column("rebate_cycle", number("months", sa.Integer(), "1"))
    for name, months in MONTHS.items():
        op.execute(f"update rebate_cycle set months = {months} where rebate_cycle_name = '{name}'")
    for side in SIDES:
        _policies(side)
        _rebates(side)


def _policies(side: str) -> None:
    policy = f"{side}_rebate_policy"
    create_bill(
        policy,
        refers(f"{side}_id", f"{side}.{side}_id", required=True),
        sa.Column("policy_name", sa.Text(), nullable=False),
        refers("rebate_type_id", "rebate_type.rebate_type_id", required=True),
        refers("rebate_cycle_id", "rebate_cycle.rebate_cycle_id", required=True),
        number("cycle_months", sa.Integer(), "1"),
        number("measure", sa.Integer(), "2"),
        number("rebate_mode", sa.Integer(), "1"),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("ends_on", sa.Date(), nullable=False),
    )
    op.create_index(f"ix_{policy}_{side}_id", policy, [f"{side}_id"])
    create_lines(
        f"{policy}_tier",
        policy,
        number("starts_from", QUANTITY),
        number("rate", RATE, None),
        number("unit_rebate", MONEY, None),
        number("quick_deduction", sa.Numeric(24, 9)),
    )
    goods = f"{policy}_goods"
    create_lines(goods, policy, *(refers(f"{scope}_id", f"{scope}.{scope}_id") for scope in SCOPES))
    for scope in SCOPES:
        op.create_index(f"ix_{goods}_{scope}_id", goods, [f"{scope}_id"])


def _rebates(side: str) -> None:
    rebate = f"{side}_rebate"
    create_bill(
        rebate,
        refers(f"{side}_id", f"{side}.{side}_id", required=True),
        refers("policy_id", f"{side}_rebate_policy.bill_id", required=True),
        sa.Column("cycle_start", sa.Date(), nullable=False),
        sa.Column("cycle_end", sa.Date()),
        number("base_quantity", QUANTITY),
        number("base_amount", MONEY),
        number("accrued_amount", MONEY),
        number("amount", MONEY),
    )
    op.create_index(f"ix_{rebate}_{side}_id", rebate, [f"{side}_id"])
    op.create_index(
        f"uq_{rebate}_policy_id_cycle_start",
        rebate,
        ["policy_id", "cycle_start"],
        unique=True,
        postgresql_where="status <> 3",
    )


def downgrade() -> None:
    for side in SIDES:
        policy = f"{side}_rebate_policy"
        for table in (f"{side}_rebate", f"{policy}_goods", f"{policy}_tier", policy):
            op.drop_table(table)
    op.drop_column("rebate_cycle", "months")
