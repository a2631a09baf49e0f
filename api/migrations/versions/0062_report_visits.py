"""A visit of a report tells the role and company, and who simulated the login; it outlives the account"""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None

TABLE, OWNER = "report_visit", "fk_report_visit_user_id_user_account"


def upgrade() -> None:
    op.drop_constraint(OWNER, TABLE, type_="foreignkey")
    for column in (
        sa.Column("user_name", sa.Text()),
        sa.Column("role_id", sa.BigInteger()),
        sa.Column("company_id", sa.BigInteger()),
        sa.Column("imitator_id", sa.BigInteger()),
    ):
        op.add_column(TABLE, column)
    op.execute(
        "update report_visit v set user_name = u.user_name, role_id = u.role_id, company_id = u.company_id"
        " from user_account u where u.user_id = v.user_id"
    )
    for name in ("user_name", "role_id", "company_id"):
        op.alter_column(TABLE, name, nullable=False)
    op.create_index("ix_report_visit_at", TABLE, ["at"])
    op.create_index("ix_report_visit_user", TABLE, ["user_id", "code", "at"])


def downgrade() -> None:
    op.drop_index("ix_report_visit_user", TABLE)
    op.drop_index("ix_report_visit_at", TABLE)
    op.execute(
        "delete from report_visit v where not exists (select from user_account u where u.user_id = v.user_id)"
    )
    for name in ("imitator_id", "company_id", "role_id", "user_name"):
        op.drop_column(TABLE, name)
    op.create_foreign_key(OWNER, TABLE, "user_account", ["user_id"], ["user_id"], ondelete="cascade")
