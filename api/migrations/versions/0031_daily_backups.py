"""When the day's backup is made, how many are kept; a backup may be nobody's but the day's"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, default in {"backup_hour": 2, "backups_kept": 14}.items():
        op.add_column(
            "erp_config", sa.Column(name, sa.Integer(), server_default=str(default), nullable=False)
        )
    op.alter_column("backup", "asked_by", nullable=True)


def downgrade() -> None:
    op.execute("delete from backup where asked_by is null")
    op.alter_column("backup", "asked_by", nullable=False)
    op.drop_column("erp_config", "backups_kept")
    op.drop_column("erp_config", "backup_hour")
