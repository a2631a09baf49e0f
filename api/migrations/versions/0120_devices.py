"""A try to log in tells the device that it came from"""

import sqlalchemy as sa
from alembic import op

revision = "0120"
down_revision = "0112"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("device", "given"):
        op.add_column("login_attempt", sa.Column(name, sa.Text()))


def downgrade() -> None:
    for name in ("given", "device"):
        op.drop_column("login_attempt", name)
