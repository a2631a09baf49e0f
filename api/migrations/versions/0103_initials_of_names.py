"""Whatever goes by a name is found by its initials: companies, departments, brands, modes and types too"""

import sqlalchemy as sa
from alembic import op

from api.kit.storage.initials import initials

revision = "0103"
down_revision = "0101"
branch_labels = None
depends_on = None

TITLES = {
    "naming_rule": "naming_rule_name",
    "conversion_recipe": "recipe_name",
    "user_account": "realname",
} | {
    "logistics_driver": "driver_name",
    "potential_customer": "customer_name",
    "right_bundle": "bundle_name",
    "sms_channel": "channel_name",
    "sms_template": "template_name",
    "super_station_reward": "reward_name",
}
NAMED = (
    "inbound_type outbound_type sales_type delivery_mode delivery_term delivery_demand handover_type"
    " purchase_return_reason sales_return_reason supplier_type customer_type account_type rebate_type rebate_cycle"
    " postage_type country bank receivables_mode symptom company department employee role"
    " goods_type brand unit allocation logistics stock_area supplier_resource commission_scheme super_station"
)
KEYS = {"user_account": "user_id"}
PORTION = 5000


def upgrade() -> None:
    for table in (*NAMED.split(), *TITLES):
        op.add_column(table, sa.Column("logogram", sa.Text()))
        spell(table, KEYS.get(table, f"{table}_id"), TITLES.get(table, f"{table}_name"))


def downgrade() -> None:
    for table in (*NAMED.split(), *TITLES):
        op.drop_column(table, "logogram")


def spell(table: str, key: str, title: str) -> None:
    conn = op.get_bind()
    rows = conn.execute(sa.text(f"select {key} as key, {title} as name from {table}")).all()
    update = sa.text(
        f"update {table} t set logogram = n.initials"
        " from unnest(cast(:keys as bigint[]), cast(:initials as text[])) as n (key, initials)"
        f" where t.{key} = n.key"
    )
    for first in range(0, len(rows), PORTION):
        some = rows[first : first + PORTION]
        conn.execute(
            update, {"keys": [row.key for row in some], "initials": [initials(row.name) for row in some]}
        )
