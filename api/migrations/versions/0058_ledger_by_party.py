"""What moved a partner's account on which days is found without reading the whole ledger"""

from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None

INDEX = "ix_settlement_ledger_party"


def upgrade() -> None:
    columns = ["party_type", "party_id", "company_id", "business_date"]
    op.create_index(INDEX, "settlement_ledger", columns, postgresql_include=["amount"])


def downgrade() -> None:
    op.drop_index(INDEX, "settlement_ledger")
