"""Entries of who went on with a question name no amounts: others read the log than might read the question"""

from alembic import op

revision = "0090"
down_revision = "0089"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "update business_log set reason = regexp_replace(reason, ' -?[0-9]+[.][0-9]{2}( 元)?', '', 'g')"
        " where action = 'confirmed' and reason ~ ' -?[0-9]+[.][0-9]{2}'"
    )


def downgrade() -> None:
    """What was left out is not known any more."""
