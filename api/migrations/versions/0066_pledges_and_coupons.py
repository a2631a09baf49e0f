"""Goods pledged for loans, and coupons granted to customers and used"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import (
    MONEY,
    PRICE,
    QUANTITY,
    RATE,
    create_bill,
    create_lines,
    create_master,
    number,
    refers,
)

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None

COUPONS = ("sales_coupon", "sales_coupon_grant", "sales_coupon_use")


def upgrade() -> None:
    create_bill(
        "pledge_contract",
        sa.Column("lender", sa.Text(), nullable=False),
        number("loan_amount", MONEY),
        number("haircut", RATE),
        *(sa.Column(name, sa.Date(), nullable=False) for name in ("starts_on", "ends_on")),
        sa.Column("released_on", sa.Date()),
        _holds("pledge_contract", "loan_amount", "loan_amount > 0"),
        _holds("pledge_contract", "haircut", "haircut between 0 and 100"),
        _holds("pledge_contract", "ends_on", "ends_on >= starts_on"),
        _holds("pledge_contract", "released_on", "released_on >= starts_on"),
    )
    create_lines(
        "pledge_contract_line",
        "pledge_contract",
        refers("goods_id", "goods.goods_id", required=True),
        number("quantity", QUANTITY),
        number("price", PRICE),
        sa.Column("remark", sa.Text()),
        _holds("pledge_contract_line", "quantity", "quantity > 0"),
    )
    op.create_index("ix_pledge_contract_line_goods_id_bill", "pledge_contract_line", ["goods_id", "bill_id"])

    create_master(
        "sales_coupon",
        refers("company_id", "company.company_id", required=True),
        sa.Column("sales_coupon_name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Integer(), server_default="1", nullable=False),
        number("face_amount", MONEY),
        number("threshold_amount", MONEY),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        _holds("sales_coupon", "face_amount", "face_amount > 0"),
        _holds("sales_coupon", "threshold_amount", "threshold_amount >= 0"),
    )
    create_master(
        "sales_coupon_grant",
        sa.Column("coupon_no", sa.Text(), nullable=False, unique=True),
        refers("sales_coupon_id", "sales_coupon.sales_coupon_id", required=True),
        refers("company_id", "company.company_id", required=True),
        refers("customer_id", "customer.customer_id", required=True),
        *(sa.Column(name, sa.Date(), nullable=False) for name in ("granted_on", "expires_on")),
        number("face_amount", MONEY),
        _holds("sales_coupon_grant", "face_amount", "face_amount > 0"),
        _holds("sales_coupon_grant", "expires_on", "expires_on >= granted_on"),
    )
    create_master(
        "sales_coupon_use",
        sa.Column(
            "sales_coupon_grant_id",
            sa.BigInteger(),
            sa.ForeignKey("sales_coupon_grant.sales_coupon_grant_id"),
            nullable=False,
            unique=True,
        ),
        refers("bill_id", "sales_outbound.bill_id", required=True),
        number("discount_amount", MONEY),
        _holds("sales_coupon_use", "discount_amount", "discount_amount > 0"),
    )
    indexed = {
        "sales_coupon": ("company_id",),
        "sales_coupon_grant": ("sales_coupon_id", "company_id", "customer_id"),
        "sales_coupon_use": ("bill_id",),
    }
    for table, columns in indexed.items():
        for column in columns:
            op.create_index(f"ix_{table}_{column}", table, [column])


def downgrade() -> None:
    for table in reversed(("pledge_contract", "pledge_contract_line", *COUPONS)):
        op.drop_table(table)


def _holds(table: str, name: str, condition: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(condition, name=op.f(f"ck_{table}_{name}"))
