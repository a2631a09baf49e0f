"""An exported file knows what its user might see when it was written"""

import sqlalchemy as sa
from alembic import op

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("export_task", sa.Column("reach", sa.Text()))


def downgrade() -> None:
    op.drop_column("export_task", "reach")
