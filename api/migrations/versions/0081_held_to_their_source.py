"""Partners name the company of the group that they are"""

import sqlalchemy as sa
from alembic import op

revision = "0081"
down_revision = "0076"
branch_labels = None
depends_on = None

OWN = "inner_company"


def upgrade() -> None:
    _name_inner_companies()


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


def downgrade() -> None:
    op.drop_constraint(f"ck_customer_{OWN}", "customer")
    for partner in ("supplier", "customer"):
        op.drop_column(partner, f"{OWN}_id")
