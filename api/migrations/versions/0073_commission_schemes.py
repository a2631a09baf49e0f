"""Commission schemes: what salespeople earn of what came in"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import RATE, create_master, number, refers

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None

SAME = "int8range(coalesce({0}, 0), coalesce({0}, 0), '[]') with ="
MEANT = ("company_id", "employee_id", "brand_id", "goods_type_id")


def upgrade() -> None:
    create_master(
        "commission_scheme",
        sa.Column("commission_scheme_name", sa.Text(), nullable=False),
        refers("company_id", "company.company_id", required=True),
        refers("employee_id", "employee.employee_id"),
        refers("brand_id", "brand.brand_id"),
        refers("goods_type_id", "goods_type.goods_type_id"),
        number("basis", sa.Integer(), "1"),
        sa.Column("rate", RATE, nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("ends_on", sa.Date()),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("remark", sa.Text()),
    )
    op.execute(
        "alter table commission_scheme"
        " add constraint uq_commission_scheme_employee_id_brand_id_goods_type_id_starts_on exclude using gist ("
        f"{', '.join(SAME.format(name) for name in MEANT)}, daterange(starts_on, ends_on, '[]') with &&"
        ") where (enabled)"
    )


def downgrade() -> None:
    op.drop_table("commission_scheme")
