"""Indexes that lists are read by"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# What a text contains, in lower-case pieces of three letters; indexed, so it must never change its answer. Not one of
# the erp_ functions, which are the ledger's and are dropped with all that hangs on them when they change.
PIECES = """
create function text_pieces(value text) returns text[] language sql immutable strict parallel safe as $$
    select array_agg(distinct substr(lower(value), place, 3)) from generate_series(1, length(value) - 2) place
$$
"""
GOODS_BILLS = (
    "purchase_order",
    "purchase_inbound",
    "purchase_return",
    "sales_order",
    "sales_outbound",
    "sales_return",
    "other_inbound",
    "other_outbound",
)
BILLS = (*GOODS_BILLS, "customer_receipt", "supplier_payment")


def upgrade() -> None:
    op.execute(PIECES)
    for bill in BILLS:
        op.drop_index(f"ix_{bill}_company_date", bill)
        op.create_index(f"ix_{bill}_company_date", bill, ["company_id", "business_date", "bill_id"])
        op.create_index(f"ix_{bill}_company_bill", bill, ["company_id", "bill_id"])
        op.create_index(f"ix_{bill}_date", bill, ["business_date", "bill_id"])
        op.execute(f"create index ix_{bill}_pieces on {bill} using gin (text_pieces(bill_no))")
    for bill in GOODS_BILLS:
        op.create_index(f"ix_{bill}_amount", bill, ["total_amount", "bill_id"])


def downgrade() -> None:
    for bill in GOODS_BILLS:
        op.drop_index(f"ix_{bill}_amount", bill)
    for bill in BILLS:
        for name in ("pieces", "date", "company_bill", "company_date"):
            op.drop_index(f"ix_{bill}_{name}", bill)
        op.create_index(f"ix_{bill}_company_date", bill, ["company_id", "business_date"])
    op.execute("drop function text_pieces(text)")
