"""Purchase prices by supplier, and their journal"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import PRICE, create_master, number, refers

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

JOURNAL = """
create function erp_supplier_price_change() returns trigger language plpgsql as $$
declare
    p supplier_price := coalesce(new, old);
begin
    insert into price_change (kind, company_id, goods_id, supplier_id, purchase_from, purchase_to, user_id)
    values (
        3, p.company_id, p.goods_id, p.supplier_id, old.purchase_price, new.purchase_price,
        cast(nullif(current_setting('erp.user_id', true), '') as bigint)
    );
    return null;
end
$$
"""
WATCH = (
    "create trigger supplier_price_set after insert or delete on supplier_price"
    " for each row execute function erp_supplier_price_change()",
    "create trigger supplier_price_changed after update on supplier_price"
    " for each row when (old.purchase_price <> new.purchase_price)"
    " execute function erp_supplier_price_change()",
)


def upgrade() -> None:
    create_master(
        "supplier_price",
        refers("company_id", "company.company_id", required=True),
        refers("supplier_id", "supplier.supplier_id", required=True),
        refers("goods_id", "goods.goods_id", required=True),
        number("purchase_price", PRICE),
        sa.Column("starts_on", sa.Date()),
        sa.Column("ends_on", sa.Date()),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("remark", sa.Text()),
        sa.UniqueConstraint(
            "company_id", "supplier_id", "goods_id", "starts_on", postgresql_nulls_not_distinct=True
        ),
    )
    for column in ("goods_id", "supplier_id"):
        op.create_index(f"ix_supplier_price_{column}", "supplier_price", [column])
    op.add_column("price_change", refers("supplier_id", "supplier.supplier_id"))
    op.execute(JOURNAL)
    for trigger in WATCH:
        op.execute(trigger)


def downgrade() -> None:
    op.drop_table("supplier_price")
    op.execute("drop function erp_supplier_price_change()")
    op.drop_column("price_change", "supplier_id")
