"""System initialisation, uploaded files and their log, backups and cleanups"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from api.kit.storage.stamping import Xid8

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def moment(name: str, **marks: object) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), **marks)  # type: ignore[arg-type]


def now(name: str) -> sa.Column[Any]:
    return moment(name, server_default=sa.func.now(), nullable=False)


def number(name: str, kind: type = sa.Integer, **marks: object) -> sa.Column[Any]:
    return sa.Column(name, kind(), server_default="0", nullable=False, **marks)  # type: ignore[arg-type]


def words(name: str, *, required: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=not required)


def refers(name: str, target: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), sa.ForeignKey(target), nullable=False)


def stamped(table: str, *columns: sa.Column[Any]) -> None:
    op.create_table(
        table,
        sa.Column(f"{table}_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        *columns,
        sa.Column("row_xid", Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
    )
    op.create_index(f"ix_{table}_row_xid", table, ["row_xid"])


def upgrade() -> None:
    op.create_table(
        "initialisation",
        sa.Column(
            "company_id",
            sa.BigInteger(),
            sa.ForeignKey("company.company_id"),
            primary_key=True,
            autoincrement=False,
        ),
        number("state"),
        now("changed_at"),
        sa.CheckConstraint("state between 0 and 6", name="state"),
    )
    stamped(
        "initialisation_task",
        refers("company_id", "company.company_id"),
        number("step"),
        words("file_name", required=True),
        number("status"),
        *(number(f"rows_{name}") for name in ("total", "done", "taken", "known", "refused")),
        words("message"),
        refers("asked_by", "user_account.user_id"),
        now("asked_at"),
        moment("finished_at"),
        words("path", required=True),
        number("attempts"),
    )
    op.create_index("ix_initialisation_task_company_id", "initialisation_task", ["company_id"])
    stamped(
        "upload_log",
        now("at"),
        refers("company_id", "company.company_id"),
        refers("user_id", "user_account.user_id"),
        *(words(name, required=True) for name in ("purpose", "file_name", "size_text")),
        sa.Column("result", sa.Integer(), server_default="1", nullable=False),
        words("message"),
        words("client"),
        number("size", sa.BigInteger),
    )
    op.create_index("ix_upload_log_at", "upload_log", ["at"])
    op.create_table(
        "upload_file",
        sa.Column("upload_file_id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("name", sa.Text(), nullable=False, unique=True),
        *(words(name, required=True) for name in ("file_name", "scene", "extension")),
        sa.Column("size", sa.BigInteger(), nullable=False),
        words("sha256", required=True),
        refers("company_id", "company.company_id"),
        refers("user_id", "user_account.user_id"),
        words("used_by"),
        now("made_at"),
    )
    op.create_index("ix_upload_file_company_id", "upload_file", ["company_id"])
    stamped(
        "backup",
        words("file_name", required=True),
        number("state"),
        words("size_text"),
        sa.Column("table_count", sa.Integer()),
        words("revision"),
        words("sha256"),
        number("verdict"),
        moment("verified_at"),
        words("message"),
        refers("asked_by", "user_account.user_id"),
        now("asked_at"),
        moment("finished_at"),
        sa.Column("size", sa.BigInteger()),
    )
    stamped(
        "cleanup_run",
        now("at"),
        words("label", required=True),
        words("scope"),
        number("rows_removed"),
        refers("asked_by", "user_account.user_id"),
    )


def downgrade() -> None:
    for table in (
        "cleanup_run",
        "backup",
        "upload_file",
        "upload_log",
        "initialisation_task",
        "initialisation",
    ):
        op.drop_table(table)
