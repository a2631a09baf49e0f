"""The group's logo and suppliers' papers; what holds a file is read from the records that name it"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("group_info", sa.Column("logo", sa.Text()))
    op.add_column("supplier_resource", sa.Column("papers", sa.Text()))
    op.drop_column("upload_file", "used_by")


def downgrade() -> None:
    op.add_column("upload_file", sa.Column("used_by", sa.Text()))
    op.drop_column("supplier_resource", "papers")
    op.drop_column("group_info", "logo")
