"""An export tells which job writes its file: lists and reports both come as workbooks"""

import sqlalchemy as sa
from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("export_task", sa.Column("job", sa.Text()))
    op.execute(
        "update export_task set job = case when file_name like '%.pdf' then 'print_bills' else 'export' end"
    )
    op.alter_column("export_task", "job", nullable=False)


def downgrade() -> None:
    op.execute("delete from export_task where job = 'export_report'")
    op.drop_column("export_task", "job")
