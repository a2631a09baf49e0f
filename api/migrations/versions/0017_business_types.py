"""Lists by which bills and partners are told apart, and banks"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

LISTS = {
    "inbound_type": ("赠品入库", "借入", "借出归还", "拆装入库", "其他入库"),
    "outbound_type": ("领用", "报损", "赠送", "借出", "其他出库"),
    "sales_type": ("批发", "零售", "集团客户", "线上订单"),
    "delivery_mode": ("客户自提", "送货上门", "物流发货", "快递"),
    "delivery_term": ("先货后款", "先款后货"),
    "delivery_demand": ("当日送达", "次日送达", "整单配送", "可分批"),
    "handover_type": ("专人交接", "司机交接", "物流交接"),
    "purchase_return_reason": ("质量问题", "规格不符", "多发错发", "滞销退货"),
    "sales_return_reason": ("质量问题", "规格不符", "客户多订", "价格分歧"),
    "supplier_type": ("生产厂家", "代理商", "经销商", "内部公司"),
    "customer_type": ("轮胎店", "维修厂", "车队", "经销商", "零售客户"),
    "account_type": ("现金账户", "银行账户", "第三方平台"),
}
"""Each list with the names that it starts with."""
REFERENCES = {
    "other_inbound": ("inbound_type",),
    "other_outbound": ("outbound_type",),
    "transfer_out": ("handover_type",),
    "purchase_order": ("delivery_mode", "delivery_term", "delivery_demand"),
    "purchase_return": ("purchase_return_reason",),
    "sales_order": ("sales_type", "delivery_mode", "delivery_term", "delivery_demand"),
    "sales_outbound": ("sales_type", "delivery_mode"),
    "sales_return": ("sales_return_reason",),
    "supplier": ("supplier_type",),
    "customer": ("customer_type",),
    "receivables_mode": ("account_type", "bank"),
}


def create(table: str, *columns: sa.Column[object]) -> None:
    op.create_table(
        table,
        sa.Column(f"{table}_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column(f"{table}_name", sa.Text(), nullable=False, unique=True),
        *columns,
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
    )
    op.create_index(f"ix_{table}_row_xid", table, ["row_xid"])


def upgrade() -> None:
    for table, names in LISTS.items():
        create(
            table,
            sa.Column("sort", sa.Integer(), server_default="0", nullable=False),
            sa.Column("remark", sa.Text()),
        )
        rows = [{f"{table}_name": name, "sort": place} for place, name in enumerate(names, start=1)]
        op.bulk_insert(sa.table(table, sa.column(f"{table}_name"), sa.column("sort")), rows)
    create("bank", sa.Column("union_no", sa.Text()))
    op.add_column("receivables_mode", sa.Column("account_no", sa.Text()))
    for table, lists in REFERENCES.items():
        for name in lists:
            key = f"{name}_id"
            op.add_column(table, sa.Column(key, sa.BigInteger(), sa.ForeignKey(f"{name}.{key}")))


def downgrade() -> None:
    for table, lists in REFERENCES.items():
        for name in lists:
            op.drop_column(table, f"{name}_id")
    op.drop_column("receivables_mode", "account_no")
    for table in ("bank", *LISTS):
        op.drop_table(table)
