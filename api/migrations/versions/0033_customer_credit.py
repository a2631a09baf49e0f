"""Customers' credit: limits by bill, customers without one, and what passing it does"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import MONEY, create_bill, number, refers

revision = "0033"
down_revision = "0031"
branch_labels = None
depends_on = None

FOLLOW = """
create or replace function erp_company_settings() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        delete from bill_setting where company_id = old.company_id;
        return old;
    end if;
    insert into bill_setting (company_id, type{column}) values (new.company_id, 1{bought}), (new.company_id, 2{sold});
    return null;
end
$$
"""


def upgrade() -> None:
    create_bill(
        "customer_credit",
        refers("customer_id", "customer.customer_id", required=True),
        sa.Column("kind", sa.Integer(), server_default="1", nullable=False),
        number("amount", MONEY),
        number("previous_amount", MONEY, None),
        sa.Column("starts_on", sa.Date()),
        sa.Column("ends_on", sa.Date()),
        sa.CheckConstraint(
            "(kind = 2) = (starts_on is not null and ends_on is not null)",
            name=op.f("ck_customer_credit_days"),
        ),
    )
    op.create_index("ix_customer_credit_customer_id", "customer_credit", ["customer_id"])
    op.alter_column("customer", "credit_limit", nullable=True, server_default=None)
    # Until now nothing asked for the limit, and 0 was what nobody had set.
    op.execute("update customer set credit_limit = null where credit_limit = 0")
    op.add_column("bill_setting", sa.Column("credit_mode", sa.Integer(), server_default="0", nullable=False))
    op.execute("update bill_setting set credit_mode = 1 where type = 2")
    op.execute(FOLLOW.format(column=", credit_mode", bought=", 0", sold=", 1"))


def downgrade() -> None:
    op.execute(FOLLOW.format(column="", bought="", sold=""))
    op.drop_column("bill_setting", "credit_mode")
    op.execute("update customer set credit_limit = 0 where credit_limit is null")
    op.alter_column("customer", "credit_limit", nullable=False, server_default="0")
    op.drop_table("customer_credit")
