"""Customers and suppliers are found by the pinyin initials of their names"""

import sqlalchemy as sa
from alembic import op
from pypinyin import Style, lazy_pinyin

revision = "0076"
down_revision = "0075"
branch_labels = None
depends_on = None

PARTNERS = ("customer", "supplier")


def upgrade() -> None:
    conn = op.get_bind()
    for partner in PARTNERS:
        op.add_column(partner, sa.Column("logogram", sa.Text()))
        known = conn.execute(sa.text(f"select {partner}_id as key, {partner}_name as name from {partner}"))
        rows = [
            {"key": row.key, "initials": "".join(lazy_pinyin(row.name, style=Style.FIRST_LETTER))}
            for row in known
        ]
        filled = f"update {partner} set logogram = upper(left(replace(:initials, ' ', ''), 100))"
        if rows:
            conn.execute(sa.text(f"{filled} where {partner}_id = :key"), rows)


def downgrade() -> None:
    for partner in PARTNERS:
        op.drop_column(partner, "logogram")
