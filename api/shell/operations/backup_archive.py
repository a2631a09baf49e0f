"""Backup archives (备份文件): one tar of the database dump and the files that exist nowhere else."""

from __future__ import annotations

import tarfile
from pathlib import Path

from api.kit.errors import Refusal
from reports.superset import metadata

DUMP = "database.dump"
FOLDERS = ("uploads", "archive")
"""Folders of the data directory in a backup: uploads and initialisation files; archived logs."""
REPORTS = f"superset/{metadata.NAME}"
"""File of the data directory with the users' own charts and dashboards."""


def pack_backup(path: Path, dump: Path, data_dir: Path, reports: Path | None = None) -> None:
    """Write a dump, the folders' files and a copy of the `reports` file to `path`.

    The dump is older than the files, and a file is deleted only when no record references it: every
    file that the dump names is there.
    """
    with tarfile.open(path, "w", dereference=True) as tar:
        tar.add(dump, DUMP)
        if reports is not None:
            tar.add(reports, REPORTS)
        for folder in FOLDERS:
            for file in sorted((data_dir / folder).rglob("*")):
                try:
                    if file.is_file():
                        tar.add(file, str(file.relative_to(data_dir)))
                except FileNotFoundError:
                    continue  # deleted meanwhile


def unpack_backup(path: Path, place: Path) -> Path:
    """Unpack an archive into `place` only, and return the path of its dump.

    Raises: Refusal for what is no backup.
    """
    try:
        with tarfile.open(path, "r:") as tar:
            for member in tar:
                known = member.name in (DUMP, REPORTS) or member.name.split("/")[0] in FOLDERS
                if not known or not member.isreg():
                    raise Refusal(f"备份文件里有不认识的内容“{member.name}”，已拒绝恢复")
                tar.extract(member, place, filter="data")
    except (tarfile.TarError, EOFError) as error:
        raise Refusal("备份文件无法读取，不是本系统的备份或已损坏") from error
    if not (place / DUMP).is_file():
        raise Refusal("备份文件里没有数据库")
    return place / DUMP
