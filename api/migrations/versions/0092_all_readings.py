"""Initials count every reading of a name's characters, and warehouses have them too"""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa
from alembic import op
from pypinyin import Style, lazy_pinyin

from api.kit.storage.initials import initials

revision = "0092"
down_revision = "0091"
branch_labels = None
depends_on = None

NAMED = ("customer", "supplier", "warehouse", "goods")
PORTION = 5000


def upgrade() -> None:
    op.add_column("warehouse", sa.Column("logogram", sa.Text()))
    _spell(initials)


def downgrade() -> None:
    _spell(_as_before)
    op.drop_column("warehouse", "logogram")


def _spell(spelled: Callable[[str], str]) -> None:
    """Store the initials of names anew, except those of goods that somebody keyed in."""
    conn = op.get_bind()
    for table in NAMED:
        query = sa.text(f"select {table}_id as key, {table}_name as name, logogram from {table}")
        rows = [
            {"key": row.key, "initials": spelled(row.name)}
            for row in conn.execute(query).all()
            if table != "goods" or row.logogram in (None, _as_before(row.name), initials(row.name))
        ]
        update = sa.text(
            f"update {table} t set logogram = n.initials"
            " from unnest(cast(:keys as bigint[]), cast(:initials as text[])) as n (key, initials)"
            f" where t.{table}_id = n.key and t.logogram is distinct from n.initials"
        )
        for first in range(0, len(rows), PORTION):
            some = rows[first : first + PORTION]
            values = {"keys": [row["key"] for row in some], "initials": [row["initials"] for row in some]}
            conn.execute(update, values)


def _as_before(name: str) -> str:
    return "".join(lazy_pinyin(name, style=Style.FIRST_LETTER)).upper().replace(" ", "")[:100]
