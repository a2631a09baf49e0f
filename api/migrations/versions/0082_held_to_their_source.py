"""Partners name the company of the group that they are; due dates tell whether they were typed"""

import sqlalchemy as sa
from alembic import op

revision = "0082"
down_revision = "0081"
branch_labels = None
depends_on = None

OWN = "inner_company"
DUE = {
    "sales_outbound": "customer",
    "sales_transfer": "customer",
    "consignment_settlement": "customer",
    "sales_return": None,
    "purchase_inbound": "supplier",
    "purchase_return": None,
}


def upgrade() -> None:
    _name_inner_companies()
    _tell_typed_due_dates()


def _name_inner_companies() -> None:
    for partner in ("customer", "supplier"):
        op.add_column(partner, sa.Column(f"{OWN}_id", sa.BigInteger()))
        op.create_foreign_key(
            f"fk_{partner}_{OWN}_id_company", partner, "company", [f"{OWN}_id"], ["company_id"]
        )
    op.create_unique_constraint(f"uq_customer_company_id_{OWN}_id", "customer", ["company_id", f"{OWN}_id"])
    op.create_unique_constraint(f"uq_supplier_{OWN}_id", "supplier", [f"{OWN}_id"])
    op.create_check_constraint(f"ck_customer_{OWN}", "customer", f"{OWN}_id <> company_id")
    op.execute(
        """
        update customer c set inner_company_id = o.company_id
        from company o where o.company_name = c.customer_name and o.company_id <> c.company_id
        """
    )
    op.execute(
        """
        update supplier s set inner_company_id = o.company_id
        from company o where o.company_name = s.supplier_name
        """
    )


def _tell_typed_due_dates() -> None:
    """What is not what the partner's terms make of the bill's day was typed: it stays when the bill is saved again."""
    for table, partner in DUE.items():
        typed = sa.Boolean()
        op.add_column(table, sa.Column("due_typed", typed, nullable=False, server_default="false"))
        days = (
            f"(select payment_days from {partner} p where p.{partner}_id = b.{partner}_id)"
            if partner
            else "0"
        )
        op.execute(f"update {table} b set due_typed = true where due_date <> business_date + {days}")


def downgrade() -> None:
    for table in DUE:
        op.drop_column(table, "due_typed")
    op.drop_constraint(f"ck_customer_{OWN}", "customer")
    for partner in ("supplier", "customer"):
        op.drop_column(partner, f"{OWN}_id")
