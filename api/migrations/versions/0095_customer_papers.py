"""Customers have a legal person and their papers"""

import sqlalchemy as sa
from alembic import op

revision = "0095"
down_revision = "0094"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in ("legal_person", "papers"):
        op.add_column("customer", sa.Column(column, sa.Text()))


def downgrade() -> None:
    for column in ("papers", "legal_person"):
        op.drop_column("customer", column)
