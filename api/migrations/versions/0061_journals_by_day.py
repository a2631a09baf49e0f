"""A journal's rows of some days are found without reading all years"""

from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None

JOURNALS = ("reservation_ledger", "settlement_ledger", "money_ledger")


def upgrade() -> None:
    for name in JOURNALS:
        op.create_index(f"ix_{name}_date", name, ["business_date"], postgresql_using="brin")


def downgrade() -> None:
    for name in JOURNALS:
        op.drop_index(f"ix_{name}_date", name)
