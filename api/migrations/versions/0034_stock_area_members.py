"""A company is in a stock area once"""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

NAME = "uq_stock_area_member_stock_area_id_member_id"


def upgrade() -> None:
    op.execute("""
        delete from stock_area_member m using stock_area_member first
        where first.stock_area_id = m.stock_area_id and first.member_id = m.member_id
            and first.stock_area_member_id < m.stock_area_member_id
    """)
    op.create_unique_constraint(NAME, "stock_area_member", ["stock_area_id", "member_id"])


def downgrade() -> None:
    op.drop_constraint(NAME, "stock_area_member")
