"""Group info, logistics companies and drivers, supplier resources with their accounts, rebate and postage lists"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

LISTS = {
    "rebate_type": ("数量返利", "金额返利", "新品返利", "年度返利"),
    "rebate_cycle": ("按月", "按季", "半年", "按年"),
    "postage_type": ("寄方付", "收方付", "月结", "自提免运费"),
}


def _create(table: str, *columns: sa.schema.SchemaItem, name: str | None = None) -> None:
    titled = [sa.Column(name, sa.Text(), nullable=False)] if name else []
    op.create_table(
        table,
        sa.Column(f"{table}_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        *titled,
        *columns,
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
    )
    op.create_index(f"ix_{table}_row_xid", table, ["row_xid"])


def _words(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text()) for name in names]


def _ref(table: str, nullable: bool = True) -> sa.Column[int]:
    key = f"{table}_id"
    return sa.Column(key, sa.BigInteger(), sa.ForeignKey(f"{table}.{key}"), nullable=nullable)


def _place() -> list[sa.Column[int]]:
    return [_ref("province"), _ref("city"), _ref("area")]


def _flag(name: str, default: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), server_default=default, nullable=False)


def _number(name: str, default: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default=default, nullable=False)


def upgrade() -> None:
    for table, names in LISTS.items():
        title = f"{table}_name"
        _create(
            table,
            _number("sort", "0"),
            _flag("enabled", "true"),
            *_words("remark"),
            sa.UniqueConstraint(title),
            name=title,
        )
        rows = [{title: name, "sort": place} for place, name in enumerate(names, start=1)]
        op.bulk_insert(sa.table(table, sa.column(title), sa.column("sort")), rows)
    _create(
        "group_info",
        *_words("short_name", "credit_code", "legal_person"),
        *_place(),
        *_words("address", "phone", "hotline", "email"),
        name="group_name",
    )
    op.execute(
        "insert into group_info (group_name)"
        " select coalesce((select company_name from company where type = 1 order by company_id limit 1), '集团')"
    )
    _create(
        "logistics",
        _number("type", "2"),
        *_words("contact_name", "phone"),
        *_place(),
        *_words("address", "remark"),
        _flag("enabled", "true"),
        sa.UniqueConstraint("logistics_name"),
        name="logistics_name",
    )
    _create(
        "logistics_driver",
        sa.Column("mobile", sa.Text(), nullable=False),
        _ref("logistics", nullable=False),
        *_words("plate_no", "id_card"),
        _flag("enabled", "true"),
        sa.UniqueConstraint("logistics_id", "driver_name", "mobile"),
        name="driver_name",
    )
    op.create_index("ix_logistics_driver_logistics_id", "logistics_driver", ["logistics_id"])
    _create(
        "supplier_resource",
        _number("state", "1"),
        _ref("supplier_type"),
        *_words("contact_name", "mobile", "landline", "email"),
        *_place(),
        *_words("address", "credit_code", "legal_person"),
        sa.Column("licence_until", sa.Date()),
        _number("settlement_type", "2"),
        _number("payment_days", "0"),
        _ref("supplier"),
        *_words("remark"),
        sa.UniqueConstraint("supplier_resource_name"),
        name="supplier_resource_name",
    )
    _create(
        "supplier_account",
        _ref("supplier_resource", nullable=False),
        sa.Column("account_name", sa.Text(), nullable=False),
        _ref("bank", nullable=False),
        sa.Column("account_no", sa.Text(), nullable=False),
        _flag("is_default", "false"),
        _flag("enabled", "true"),
        sa.UniqueConstraint("supplier_resource_id", "account_no"),
    )
    op.create_index("ix_supplier_account_supplier_resource_id", "supplier_account", ["supplier_resource_id"])


def downgrade() -> None:
    for table in (
        "supplier_account",
        "supplier_resource",
        "logistics_driver",
        "logistics",
        "group_info",
        *LISTS,
    ):
        op.drop_table(table)
