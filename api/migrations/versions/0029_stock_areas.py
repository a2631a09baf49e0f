"""Areas whose companies see each other's stock"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def _create(table: str, *columns: sa.schema.SchemaItem) -> None:
    op.create_table(
        table,
        sa.Column(f"{table}_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        *columns,
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
    )
    op.create_index(f"ix_{table}_row_xid", table, ["row_xid"])


def upgrade() -> None:
    _create(
        "stock_area",
        sa.Column("stock_area_name", sa.Text(), nullable=False, unique=True),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
    )
    _create(
        "stock_area_member",
        sa.Column(
            "stock_area_id", sa.BigInteger(), sa.ForeignKey("stock_area.stock_area_id"), nullable=False
        ),
        sa.Column("member_id", sa.BigInteger(), sa.ForeignKey("company.company_id"), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("stock_area_member")
    op.drop_table("stock_area")
