"""Countries, provinces, cities and districts; partners and companies lie in them"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

DIVISIONS = Path(__file__).parents[1] / "divisions" / "divisions.tsv"
LEVELS = ("country", "province", "city", "area")
PARTNERS = ("company", "supplier", "customer")
# A name that is none of the known ones is not lost: it goes before the address.
MOVED = """
with placed as (
    select c.customer_id, p.province_id, t.city_id, a.area_id,
        concat(
            case when p.province_id is null then c.province_name end,
            case when t.city_id is null and c.city_name is distinct from c.province_name then c.city_name end,
            case when a.area_id is null then c.area_name end
        ) as unknown
    from customer c
    left join province p on p.province_name = c.province_name
    left join city t on t.province_id = p.province_id and t.city_name = c.city_name
    left join area a on a.city_id = t.city_id and a.area_name = c.area_name
    where coalesce(c.province_name, c.city_name, c.area_name) is not null
)
update customer c
set province_id = p.province_id, city_id = p.city_id, area_id = p.area_id,
    address = nullif(concat(p.unknown, c.address), '')
from placed p
where p.customer_id = c.customer_id
"""
RETURNED = """
update customer c
set province_name = (select p.province_name from province p where p.province_id = c.province_id),
    city_name = (select t.city_name from city t where t.city_id = c.city_id),
    area_name = (select a.area_name from area a where a.area_id = c.area_id)
"""


def _create(table: str, parent: str | None) -> None:
    key, name = f"{table}_id", f"{table}_name"
    up = [f"{parent}_id"] if parent else []
    columns = [
        sa.Column(column, sa.BigInteger(), sa.ForeignKey(f"{parent}.{column}"), nullable=False)
        for column in up
    ]
    op.create_table(
        table,
        sa.Column(key, sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column(name, sa.Text(), nullable=False),
        *columns,
        sa.Column("code", sa.Text(), unique=True),
        sa.Column("enabled", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.UniqueConstraint(*up, name),
    )
    op.create_index(f"ix_{table}_row_xid", table, ["row_xid"])


def _load() -> None:
    """Each division under the one whose code its own begins with."""
    conn = op.get_bind()
    conn.exec_driver_sql("insert into country (country_name, code) values ('中国', 'CN')")
    lines = DIVISIONS.read_text("utf-8").splitlines()
    rows = [tuple(line.split("\t")) for line in lines]
    for table, parent, length in zip(LEVELS[1:], LEVELS[:3], (2, 4, 6), strict=True):
        level = [row for row in rows if len(row[0]) == length]
        above = "'CN'" if length == 2 else f"left(n.code, {length - 2})"
        conn.exec_driver_sql(
            f"insert into {table} (code, {table}_name, {parent}_id)"
            f" select n.code, n.name, p.{parent}_id from unnest(%s::text[], %s::text[]) as n (code, name)"
            f" join {parent} p on p.code = {above} order by n.code",
            ([code for code, _ in level], [name for _, name in level]),
        )


def upgrade() -> None:
    for table, parent in zip(LEVELS, (None, *LEVELS[:3]), strict=True):
        _create(table, parent)
    _load()
    for table in PARTNERS:
        for name in LEVELS[1:]:
            key = f"{name}_id"
            op.add_column(table, sa.Column(key, sa.BigInteger(), sa.ForeignKey(f"{name}.{key}")))
    op.execute(MOVED)
    for name in LEVELS[1:]:
        op.drop_column("customer", f"{name}_name")


def downgrade() -> None:
    for name in LEVELS[1:]:
        op.add_column("customer", sa.Column(f"{name}_name", sa.Text()))
    op.execute(RETURNED)
    for table in PARTNERS:
        for name in LEVELS[1:]:
            op.drop_column(table, f"{name}_id")
    for name in reversed(LEVELS):
        op.drop_table(name)
