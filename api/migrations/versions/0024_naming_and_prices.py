"""Naming rules of goods, and a journal of price changes that the database keeps itself"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

PARTS = {"part1": 1, "part2": 2, "part3": 3, "part4": 6, "part5": 0, "part6": 0, "separator": 1}
PRICES = ("sale", "purchase", "lowest")
JOURNAL = """
create function erp_price_change() returns trigger language plpgsql as $$
begin
    insert into price_change (
        company_id, goods_id, sale_from, sale_to, purchase_from, purchase_to, lowest_from, lowest_to, user_id
    )
    select
        new.company_id, new.goods_id,
        case when old.sale_price <> new.sale_price then old.sale_price end,
        case when old.sale_price <> new.sale_price then new.sale_price end,
        case when old.purchase_price <> new.purchase_price then old.purchase_price end,
        case when old.purchase_price <> new.purchase_price then new.purchase_price end,
        case when old.lowest_price <> new.lowest_price then old.lowest_price end,
        case when old.lowest_price <> new.lowest_price then new.lowest_price end,
        cast(nullif(current_setting('erp.user_id', true), '') as bigint);
    return null;
end
$$
"""
WATCH = """
create trigger company_goods_price_change after update of sale_price, purchase_price, lowest_price on company_goods
for each row when (
    old.sale_price <> new.sale_price or old.purchase_price <> new.purchase_price or old.lowest_price <> new.lowest_price
) execute function erp_price_change()
"""


def _xid() -> sa.Column[int]:
    return sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "naming_rule",
        sa.Column("naming_rule_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("naming_rule_name", sa.Text(), nullable=False, unique=True),
        sa.Column(
            "goods_type_id", sa.BigInteger(), sa.ForeignKey("goods_type.goods_type_id"), nullable=False
        ),
        *(
            sa.Column(name, sa.Integer(), server_default=str(default), nullable=False)
            for name, default in PARTS.items()
        ),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        _xid(),
    )
    op.create_index("ix_naming_rule_row_xid", "naming_rule", ["row_xid"])
    op.create_index(
        "uq_naming_rule_goods_type_id",
        "naming_rule",
        ["goods_type_id"],
        unique=True,
        postgresql_where=sa.text("enabled"),
    )
    op.create_table(
        "price_change",
        sa.Column("price_change_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("company_id", sa.BigInteger(), sa.ForeignKey("company.company_id"), nullable=False),
        sa.Column("goods_id", sa.BigInteger(), sa.ForeignKey("goods.goods_id"), nullable=False),
        *(sa.Column(f"{kind}_{way}", sa.Numeric(18, 6)) for kind in PRICES for way in ("from", "to")),
        sa.Column("user_id", sa.BigInteger(), sa.ForeignKey("user_account.user_id")),
        sa.Column("changed_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        _xid(),
    )
    for column in ("row_xid", "company_id", "goods_id"):
        op.create_index(f"ix_price_change_{column}", "price_change", [column])
    op.execute(JOURNAL)
    op.execute(WATCH)


def downgrade() -> None:
    op.execute("drop trigger company_goods_price_change on company_goods")
    op.execute("drop function erp_price_change()")
    op.drop_table("price_change")
    op.drop_table("naming_rule")
