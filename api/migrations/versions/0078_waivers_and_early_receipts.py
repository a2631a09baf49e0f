"""Receipts and payments may waive, and what they settle of later days is an advance until then"""

import sqlalchemy as sa
from alembic import op

revision = "0078"
down_revision = "0077"
branch_labels = None
depends_on = None

WRITE_OFFS = {
    "customer_receipt": "customer_receipt_write_off",
    "offline_collection": "offline_collection_write_off",
    "supplier_payment": "supplier_payment_write_off",
    "deposit": "deposit_write_off",
    "prepaid_offset": "prepaid_offset_write_off",
    "contra": "contra_write_off",
}
WAIVED = (
    *("customer_receipt", "supplier_payment", "offline_collection"),
    *("account_statement", "account_statement_line"),
)
NAMED = """
update {lines} l set settled_on = greatest(h.business_date, i.business_date)
from {bill} h, settlement_item i
where h.bill_id = l.bill_id and i.settlement_id = l.settlement_id
"""
# What stands in the ledger before its item's day is taken back and entered again: of receipts and payments what is owed
# on its item's day, with an advance until then; of offsets the whole bill on the last day of its items.
EARLY = """
create temporary table early on commit drop as
with standing as (
    select l.*, i.business_date as item_date, i.amount as item_amount,
        l.bill_type in ('KHSK', 'GYFK') as pays, max(i.business_date) over (partition by l.bill_type, l.bill_id) as last
    from settlement_ledger l
    join settlement_item i using (settlement_id)
    where l.entry = 'write_off' and (i.bill_type, i.bill_id) <> (l.bill_type, l.bill_id)
        and not exists (select from settlement_ledger r where r.reverses = l.entry_id)
)
select *, case when pays then item_date else last end as day
from standing
where case when pays then item_date > business_date and item_amount > 0 else last > business_date end
"""
TAKEN_BACK = """
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id,
    bill_no, business_date, reverses)
select settlement_id, company_id, party_type, party_id, -amount, 'reverse', bill_type, bill_id, bill_no, business_date,
    entry_id
from early order by entry_id
"""
ENTERED = """
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id,
    bill_no, business_date)
select settlement_id, company_id, party_type, party_id, amount, 'write_off', bill_type, bill_id, bill_no, day
from early order by entry_id
"""
ADVANCED = """
with advance as (
    insert into settlement_item (company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date,
        due_date, amount, open_amount)
    select company_id, party_type, party_id, 'advance', bill_type, bill_id, bill_no, business_date, business_date,
        sum(amount), 0
    from early where pays group by 1, 2, 3, 5, 6, 7, 8
    returning *
)
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id,
    bill_no, business_date)
select settlement_id, company_id, party_type, party_id, amount, 'open', bill_type, bill_id, bill_no, business_date
from advance
union all
select a.settlement_id, a.company_id, a.party_type, a.party_id, -sum(e.amount), 'write_off', a.bill_type, a.bill_id,
    a.bill_no, e.day
from advance a join early e using (bill_type, bill_id)
group by 1, 2, 3, 4, 7, 8, 9, e.day
order by 1, 6
"""


def upgrade() -> None:
    op.add_column(
        "settlement_ledger", sa.Column("waived", sa.Boolean(), server_default="false", nullable=False)
    )
    op.create_index(
        "ix_settlement_ledger_waived",
        "settlement_ledger",
        ["company_id", "business_date"],
        postgresql_where=sa.text("waived"),
    )
    money = sa.Numeric(16, 2)
    for table in WAIVED:
        op.add_column(table, sa.Column("waived_amount", money, server_default="0", nullable=False))
    op.add_column("erp_config", sa.Column("waive_limit", money, server_default="1", nullable=False))
    for bill, lines in WRITE_OFFS.items():
        op.add_column(lines, sa.Column("settled_on", sa.Date()))
        op.execute(NAMED.format(lines=lines, bill=bill))
        op.alter_column(lines, "settled_on", nullable=False)
    for step in (EARLY, TAKEN_BACK, ENTERED, ADVANCED):
        op.execute(step)


def downgrade() -> None:
    for lines in WRITE_OFFS.values():
        op.drop_column(lines, "settled_on")
    op.drop_column("erp_config", "waive_limit")
    for table in WAIVED:
        op.drop_column(table, "waived_amount")
    op.drop_index("ix_settlement_ledger_waived", "settlement_ledger")
    op.drop_column("settlement_ledger", "waived")
