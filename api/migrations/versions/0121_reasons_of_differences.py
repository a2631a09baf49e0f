"""Reasons of differences name no bill: fields beside them do, which know their reader"""

from alembic import op

revision = "0121"
down_revision = "0120"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("stock_surplus", "stock_loss"):
        op.execute(
            f"update {name} set reason = '盘点差异'"
            f" where stock_take_id is not null and late_bill_id is null and reason like '盘点单%'"
        )
        op.execute(
            f"update {name} set reason ="
            f" replace(regexp_replace(reason, '盘点单.*内$', '盘点单内'), coalesce(late_bill_no, ''), '')"
            f" where late_bill_id is not null and reason like '%已盘在盘点单%内'"
        )
    op.execute(
        "update stock_loss set reason = '调拨途损'"
        " where transfer_in_id is not null and reason like '调拨入库%途损'"
    )


def downgrade() -> None:
    """What a reason named stands in the fields beside it."""
