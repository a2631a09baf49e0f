"""恢复：把备份放进一个空的数据库；绝不覆盖已有的数据。

A dump knows transactions of the cluster that it was taken from. Stamps that this cluster has not reached yet are set to
the present one, or the warehouse would read those rows again at every refresh.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, text

from api.kit.database import connect
from api.kit.errors import Refusal
from api.shell import dump
from api.shell.backup_job import sha256_of

_TABLES = "select count(*) from information_schema.tables where table_schema = 'public'"
_STAMPED = """
select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'row_xid'
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
order by c.relname
"""


def restore(url: str, path: Path) -> list[str]:
    """Restore a dump into an empty database and bring it to this program's structure; answers its tables."""
    if not path.is_file():
        raise Refusal(f"找不到备份文件 {path}")
    _check_sum(path)
    tables = dump.contents(path)
    with connect(url).connect() as conn:
        if conn.exec_driver_sql(_TABLES).scalar():
            raise Refusal(
                "数据库里已经有数据，不会覆盖。请换一个空的数据目录（ERP_DATA_DIR）或空的数据库（ERP_DATABASE_URL）再恢复"
            )
        revision = _revision_of(path)
    _refuse_unknown(revision)
    dump.restore(url, path)
    with connect(url).begin() as conn:
        _restamp(conn)
    from api.migrations import upgrade

    upgrade(url)
    with connect(url).connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        conn.exec_driver_sql("analyze")
    return tables


def _check_sum(path: Path) -> None:
    """Compare with the checksum that lies beside a backup; one that was downloaded alone has none."""
    note = path.with_suffix(".sha256")
    if note.is_file() and note.read_text().split()[:1] != [sha256_of(path)]:
        raise Refusal("校验码不符，备份文件已损坏或被改动")


def _revision_of(path: Path) -> list[str]:
    """The structure's revision that a dump was taken at."""
    script = dump.table_rows(path, "alembic_version")
    lines = script.splitlines()
    start = next(
        (at for at, line in enumerate(lines) if line.startswith("COPY public.alembic_version")), None
    )
    if start is None:
        raise Refusal("备份文件里没有结构版本")
    rows = lines[start + 1 :]
    return rows[: rows.index("\\.")]


def _refuse_unknown(revisions: list[str]) -> None:
    from alembic.script import ScriptDirectory

    from api.migrations import config

    known = {script.revision for script in ScriptDirectory.from_config(config("")).walk_revisions()}
    strange = [revision for revision in revisions if revision not in known]
    if strange:
        raise Refusal(f"备份的结构版本 {'、'.join(strange)} 比本程序新，请用更新的程序恢复")


def _restamp(conn: Connection) -> None:
    """Give rows of transactions that lie in this cluster's future the stamp of this one."""
    tables: list[str] = list(conn.exec_driver_sql(_STAMPED).scalars())
    for table in tables:
        conn.execute(text(f'alter table "{table}" disable trigger user'))
        conn.execute(
            text(f'update "{table}" set row_xid = pg_current_xact_id() where row_xid > pg_current_xact_id()')
        )
        conn.execute(text(f'alter table "{table}" enable trigger user'))
