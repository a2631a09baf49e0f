"""Goods under guarantee: symptoms, pieces that customers bring back, what they are paid, what factories settle"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import (
    MONEY,
    QUANTITY,
    RATE,
    Item,
    create_bill,
    create_lines,
    create_master,
    number,
    refers,
)

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None

SYMPTOMS = ("胎侧鼓包", "胎面脱层", "胎圈损坏", "花纹崩块", "帘线断裂", "配件失效")
"""Names that the list starts with."""
REGISTER, COMPANY, FACTORY = "guarantee_register", "company_claim", "factory_claim"


def upgrade() -> None:
    create_master(
        "symptom",
        sa.Column("symptom_name", sa.Text(), nullable=False, unique=True),
        number("sort", sa.Integer()),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("remark", sa.Text()),
    )
    rows = [{"symptom_name": name, "sort": place} for place, name in enumerate(SYMPTOMS, start=1)]
    op.bulk_insert(sa.table("symptom", sa.column("symptom_name"), sa.column("sort")), rows)
    create_bill(REGISTER, _party("customer"), number("total_quantity", QUANTITY))
    _lines(
        REGISTER,
        _party("supplier"),
        refers("symptom_id", "symptom.symptom_id", required=True),
        sa.Column("tire_number", sa.Text()),
        sa.Column(
            "inbound_line_id", sa.BigInteger(), sa.ForeignKey("three_inbound_line.line_id"), unique=True
        ),
    )
    _claim(COMPANY, "customer")
    _claim(FACTORY, "supplier", sa.Column("claim_no", sa.Text()))
    for table, column in (
        (REGISTER, "customer_id"),
        (f"{REGISTER}_line", "supplier_id"),
        (f"{REGISTER}_line", "symptom_id"),
        (COMPANY, "customer_id"),
        (FACTORY, "supplier_id"),
    ):
        op.create_index(f"ix_{table}_{column}", table, [column])


def _party(kind: str) -> Item:
    return refers(f"{kind}_id", f"{kind}.{kind}_id", required=True)


def _claim(name: str, party: str, *own: Item) -> None:
    create_bill(name, _party(party), *own, number("total_quantity", QUANTITY), number("total_amount", MONEY))
    _lines(
        name,
        refers("source_line_id", f"{REGISTER}_line.line_id", required=True),
        number("judged_rate", RATE),
        number("amount", MONEY),
        sa.CheckConstraint("amount >= 0", name=op.f(f"ck_{name}_line_amount")),
    )
    op.create_index(f"ix_{name}_line_source_line_id", f"{name}_line", ["source_line_id"])


def _lines(bill: str, *own: Item) -> None:
    name = f"{bill}_line"
    create_lines(
        name,
        bill,
        refers("goods_id", "goods.goods_id", required=True),
        number("quantity", QUANTITY),
        *own,
        sa.Column("remark", sa.Text()),
        sa.CheckConstraint("quantity > 0", name=op.f(f"ck_{name}_quantity")),
    )
    op.create_index(f"ix_{name}_goods_id_bill", name, ["goods_id", "bill_id"])


def downgrade() -> None:
    for bill in (FACTORY, COMPANY, REGISTER):
        op.drop_table(f"{bill}_line")
        op.drop_table(bill)
    op.drop_table("symptom")
