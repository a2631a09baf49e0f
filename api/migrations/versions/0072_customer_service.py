"""Whom service stations turn to: the group's customer service"""

import sqlalchemy as sa
from alembic import op

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None

COLUMNS = ("service_contact", "service_phone", "service_hours")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("group_info", sa.Column(name, sa.Text()))


def downgrade() -> None:
    for name in reversed(COLUMNS):
        op.drop_column("group_info", name)
