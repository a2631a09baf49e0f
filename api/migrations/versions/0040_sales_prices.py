"""Sales prices by level, and their journal"""

import sqlalchemy as sa
from alembic import op

from api.migrations.shapes import PRICE, create_master, number, refers

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

LEVEL = ("company_id", "goods_id", "customer_id", "customer_type_id", "starts_on")
JOURNAL = """
create function erp_sales_price_change() returns trigger language plpgsql as $$
declare
    p sales_price := coalesce(new, old);
begin
    insert into price_change (
        kind, company_id, goods_id, customer_id, customer_type_id, sale_from, sale_to, lowest_from, lowest_to, user_id
    ) values (
        2, p.company_id, p.goods_id, p.customer_id, p.customer_type_id,
        old.sale_price, new.sale_price, old.lowest_price, new.lowest_price,
        cast(nullif(current_setting('erp.user_id', true), '') as bigint)
    );
    return null;
end
$$
"""
WATCH = (
    "create trigger sales_price_set after insert or delete on sales_price"
    " for each row execute function erp_sales_price_change()",
    "create trigger sales_price_changed after update on sales_price for each row when ("
    "old.sale_price <> new.sale_price or old.lowest_price is distinct from new.lowest_price"
    ") execute function erp_sales_price_change()",
)


def upgrade() -> None:
    create_master(
        "sales_price",
        refers("company_id", "company.company_id", required=True),
        refers("goods_id", "goods.goods_id", required=True),
        refers("customer_id", "customer.customer_id"),
        refers("customer_type_id", "customer_type.customer_type_id"),
        number("sale_price", PRICE),
        number("lowest_price", PRICE, None),
        sa.Column("starts_on", sa.Date()),
        sa.Column("ends_on", sa.Date()),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("remark", sa.Text()),
        sa.UniqueConstraint(
            *LEVEL,
            name="uq_sales_price_goods_id_customer_id_customer_type_id_starts_on",
            postgresql_nulls_not_distinct=True,
        ),
    )
    for column in ("goods_id", "customer_id"):
        op.create_index(f"ix_sales_price_{column}", "sales_price", [column])
    op.add_column("price_change", sa.Column("kind", sa.Integer(), server_default="1", nullable=False))
    for party in ("customer", "customer_type"):
        op.add_column("price_change", refers(f"{party}_id", f"{party}.{party}_id"))
    op.execute(JOURNAL)
    for trigger in WATCH:
        op.execute(trigger)


def downgrade() -> None:
    op.drop_table("sales_price")
    op.execute("drop function erp_sales_price_change()")
    for column in ("customer_type_id", "customer_id", "kind"):
        op.drop_column("price_change", column)
