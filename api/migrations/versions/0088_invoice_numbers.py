"""Invoice numbers are kept without blanks and in capitals; of several that become alike the first takes its new form"""

from alembic import op

revision = "0088"
down_revision = "0087"
branch_labels = None
depends_on = None

ISSUERS = {"purchase_invoice": "supplier_id", "sales_invoice": "company_id"}
PLAIN = r"""
update {bill} b set invoice_no = n.plain
from (
    select distinct on (i.{issuer}, i.plain) i.bill_id, i.plain
    from (select bill_id, {issuer}, invoice_no, upper(regexp_replace(invoice_no, '\s', '', 'g')) as plain
        from {bill} where status <> 3) i
    order by i.{issuer}, i.plain, i.invoice_no <> i.plain, i.bill_id
) n
where n.bill_id = b.bill_id and b.invoice_no <> n.plain
"""


def upgrade() -> None:
    for bill, issuer in ISSUERS.items():
        op.execute(PLAIN.format(bill=bill, issuer=issuer))


def downgrade() -> None:
    """What was keyed in is no longer known."""
