"""Restore (恢复): a backup into an empty database and an empty data directory; nothing is ever overwritten.

A dump knows transactions of the cluster that it was taken from. Stamps that this cluster has not reached
yet are set to the present one, or the warehouse would read those rows again at every refresh.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from sqlalchemy import Connection, text

from api.identity import sessions
from api.kit.errors import Refusal
from api.kit.settings import read_settings
from api.kit.storage.database import build_engine
from api.launch.health import is_port_open
from api.shell.operations import backup_archive, database_dump
from reports.superset import metadata

_TABLES = "select count(*) from information_schema.tables where table_schema = 'public'"
_STAMPED = """
select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'row_xid'
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
order by c.relname
"""
_CANCEL_MESSAGES = """
update sms_bill set state = 3, next_at = null, failure = '备份时还未发送，恢复后不再发送' where state = 1
"""
"""What waited when the backup was made has been sent since, by the system that it was made of."""


def restore_backup(url: str, path: Path) -> list[str]:
    """Restore a backup into an empty database and migrate it to this program's schema; return its tables.

    Its files go into the data directory once the database has all of its rows.
    """
    data_dir = read_settings().data_dir
    if not path.is_file():
        raise Refusal(f"找不到备份文件 {path}")
    _verify_checksum(path)
    _require_empty(url, data_dir)
    data_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data_dir, prefix="restoring") as place:
        dumped = backup_archive.unpack_backup(path, Path(place))
        tables = database_dump.list_dump_tables(dumped)
        _require_known_revisions(_revision_of(dumped))
        database_dump.restore_dump(url, dumped)
        for folder in backup_archive.FOLDERS:
            if (Path(place) / folder).is_dir():
                (Path(place) / folder).rename(data_dir / folder)
        _place_metadata(Path(place) / backup_archive.REPORTS, data_dir / backup_archive.REPORTS)
    with build_engine(url).begin() as conn:
        _restamp_rows(conn)
    from api.migrations import upgrade

    upgrade(url)
    with build_engine(url).begin() as conn:
        conn.exec_driver_sql(_CANCEL_MESSAGES)
        # Whoever was shut out after the backup was made would be in again, and tokens taken back would be good.
        sessions.end_all_sessions(conn, sessions.RESTORED)
    with build_engine(url).connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        conn.exec_driver_sql("analyze")
    return tables


def restore_reports(path: Path | None) -> tuple[Path, Path | None]:
    """Restore the user-made charts and boards alone, from a backup, else from the newest that has them;
    return which, and where the present file was set aside. The platform's next start writes what is
    published over it."""
    config = read_settings()
    if is_port_open(config.report_port):
        raise Refusal("报表平台正在运行，请先停下 erp up 再恢复")
    if path is not None:
        if not path.is_file():
            raise Refusal(f"找不到备份文件 {path}")
        _verify_checksum(path)
    target = config.superset_dir / metadata.NAME
    config.superset_dir.mkdir(parents=True, exist_ok=True)
    found, aside = metadata.recover_metadata(
        target, [path] if path else metadata.list_backups(config.backups_dir)
    )
    if found is None:
        raise Refusal("备份里没有完好的报表平台元数据，自制的图表和看板没有恢复")
    return found, aside


def _place_metadata(found: Path, target: Path) -> None:
    """Put the user-made charts and boards back. The platform's next start finds nothing installed, and so
    writes what is published, with the roles and the administrator, over it."""
    if found.is_file():
        target.parent.mkdir(exist_ok=True)
        target.with_name(metadata.STATE).unlink(missing_ok=True)
        found.rename(target)


def _require_empty(url: str, data_dir: Path) -> None:
    with build_engine(url).connect() as conn:
        if conn.exec_driver_sql(_TABLES).scalar():
            raise Refusal(
                "数据库里已经有数据，不会覆盖。请换一个空的数据目录（ERP_DATA_DIR）或空的数据库（ERP_DATABASE_URL）再恢复"
            )
    for name in (*backup_archive.FOLDERS, backup_archive.REPORTS):
        if (data_dir / name).is_file() or any((data_dir / name).glob("*")):
            raise Refusal(
                f"数据目录里的 {name.split('/')[0]} 已经有文件，不会覆盖。请换一个空的数据目录（ERP_DATA_DIR）再恢复"
            )


def _verify_checksum(path: Path) -> None:
    if not metadata.is_unchanged(path):
        raise Refusal("校验码不符，备份文件已损坏或被改动")


def _revision_of(path: Path) -> list[str]:
    """Return the revisions of the schema that a dump was taken at."""
    script = database_dump.read_table_script(path, "alembic_version")
    lines = script.splitlines()
    start = next(
        (at for at, line in enumerate(lines) if line.startswith("COPY public.alembic_version")), None
    )
    if start is None:
        raise Refusal("备份文件里没有结构版本")
    rows = lines[start + 1 :]
    return rows[: rows.index("\\.")]


def _require_known_revisions(revisions: list[str]) -> None:
    from alembic.script import ScriptDirectory

    from api.migrations import build_config

    known = {script.revision for script in ScriptDirectory.from_config(build_config("")).walk_revisions()}
    strange = [revision for revision in revisions if revision not in known]
    if strange:
        raise Refusal(f"备份的结构版本 {'、'.join(strange)} 比本程序新，请用更新的程序恢复")


def _restamp_rows(conn: Connection) -> None:
    """Give rows of transactions that lie in this cluster's future the stamp of this one."""
    tables: list[str] = list(conn.exec_driver_sql(_STAMPED).scalars())
    for table in tables:
        conn.execute(text(f'alter table "{table}" disable trigger user'))
        conn.execute(
            text(f'update "{table}" set row_xid = pg_current_xact_id() where row_xid > pg_current_xact_id()')
        )
        conn.execute(text(f'alter table "{table}" enable trigger user'))
