"""Provinces, cities and districts are found by their initials"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from api.kit.storage.initials import initials

revision = "0097"
down_revision = "0096"
branch_labels = None
depends_on = None

LEVELS = ("province", "city", "area")


def upgrade() -> None:
    conn = op.get_bind()
    for table in LEVELS:
        op.add_column(table, sa.Column("logogram", sa.Text()))
        rows = conn.execute(sa.text(f"select {table}_id as key, {table}_name as name from {table}")).all()
        update = sa.text(
            f"update {table} t set logogram = n.initials"
            " from unnest(cast(:keys as bigint[]), cast(:initials as text[])) as n (key, initials)"
            f" where t.{table}_id = n.key"
        )
        conn.execute(
            update, {"keys": [row.key for row in rows], "initials": [initials(row.name) for row in rows]}
        )


def downgrade() -> None:
    for table in LEVELS:
        op.drop_column(table, "logogram")
