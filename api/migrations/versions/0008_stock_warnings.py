"""Safety stock, the bills held to it, who is told, and what integrity checks found"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from api.kit.storage.stamping import Xid8

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

CHECKED = (
    ("XSCK", "销售出库", True),
    ("XSDB", "销售调拨", True),
    ("CGTH", "采购退货", True),
    ("DBCK", "调拨出库", True),
    ("QTCK", "其他出库", True),
    ("TBCK", "三包出库", False),
    ("TBTH", "三包退厂", False),
    ("PKCK", "盘亏出库", False),
    ("PYCK", "盘盈出库", False),
    ("XSDD", "销售订单", False),
)


def stamp() -> sa.Column[int]:
    return sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False)


def key(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), sa.Identity(), primary_key=True)


def refers(table: str, *, nullable: bool = False) -> sa.Column[int]:
    name = f"{table}_id"
    return sa.Column(name, sa.BigInteger(), sa.ForeignKey(f"{table}.{name}"), nullable=nullable)


def flag(name: str, default: bool) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), server_default=str(default).lower(), nullable=False)


def index(table: str, *columns: str) -> None:
    for column in columns:
        op.create_index(f"ix_{table}_{column}", table, [column])


def upgrade() -> None:
    op.create_table(
        "safety_stock",
        key("safety_stock_id"),
        refers("company"),
        refers("warehouse"),
        refers("goods", nullable=True),
        refers("goods_type", nullable=True),
        sa.Column("minimum", sa.Numeric(14, 3), server_default="0", nullable=False),
        sa.Column("maximum", sa.Numeric(14, 3)),
        sa.Column("remark", sa.Text()),
        stamp(),
        sa.UniqueConstraint("warehouse_id", "goods_id"),
        sa.UniqueConstraint("warehouse_id", "goods_type_id"),
    )
    index("safety_stock", "company_id", "goods_id", "row_xid")
    op.create_table(
        "warning_bill",
        key("warning_bill_id"),
        sa.Column("bill_type", sa.Text(), nullable=False, unique=True),
        sa.Column("bill_name", sa.Text(), nullable=False),
        flag("enabled", True),
        stamp(),
    )
    index("warning_bill", "row_xid")
    op.bulk_insert(
        sa.table("warning_bill", sa.column("bill_type"), sa.column("bill_name"), sa.column("enabled")),
        [{"bill_type": prefix, "bill_name": label, "enabled": on} for prefix, label, on in CHECKED],
    )
    op.create_table(
        "stock_early_warning",
        key("stock_early_warning_id"),
        refers("company"),
        refers("warehouse"),
        refers("employee"),
        flag("warns_below", True),
        flag("warns_above", False),
        flag("enabled", True),
        sa.Column("remark", sa.Text()),
        stamp(),
    )
    index("stock_early_warning", "company_id", "warehouse_id", "employee_id", "row_xid")
    op.create_table(
        "integrity_result",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("state", sa.Integer(), nullable=False),
        sa.Column("found", sa.BigInteger()),
        sa.Column("sample", postgresql.JSONB()),
        sa.Column("seconds", sa.Numeric(10, 3)),
        sa.Column("ran_at", sa.DateTime(timezone=True)),
        sa.Column("user_id", sa.BigInteger()),
    )


def downgrade() -> None:
    for table in ("integrity_result", "stock_early_warning", "warning_bill", "safety_stock"):
        op.drop_table(table)
