"""Use of uploads (上传文件的引用): which records hold a file, who sees it through them, which are held by none."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, delete, exists, func, select, union_all

from api.kit import attachments, registry
from api.kit.fields import Field
from api.kit.resource import Resource
from api.kit.scope import Principal, within
from api.kit.upload_rules import SCENES
from api.shell.upload_file import UploadFile

FILES = UploadFile.__table__


def problem(
    conn: Connection, principal: Principal, scene: str, names: list[str], taken: list[str]
) -> str | None:
    """Why a record may not hold files; those newly taken are kept from being deleted meanwhile."""
    there = select(FILES.c.name).where(FILES.c.name.in_(taken), FILES.c.scene == scene)
    if principal.companies is not None:
        companies = sorted(principal.companies)
        there = there.where((FILES.c.user_id == principal.user_id) | FILES.c.company_id.in_(companies))
    found: set[str] = set(conn.execute(there.with_for_update(read=True)).scalars())
    if any(name not in found for name in taken):
        return "的文件不存在或无权使用，请重新上传"
    return SCENES[scene].many(names)


def is_held(conn: Connection, name: str) -> bool:
    """Whether any record holds a file."""
    return any(
        conn.execute(select(exists().where(_holds(cls, item, name)))).scalar_one()
        for cls, item in attachments.fields()
    )


def is_shown(conn: Connection, principal: Principal, name: str) -> bool:
    """Whether a user may look at a record that holds a file."""
    return any(
        conn.execute(
            select(exists().where(_holds(cls, item, name), within(cls.table(), principal)))
        ).scalar_one()
        for cls, item in attachments.fields()
        if principal.may(cls.right("list")) and principal.sees(cls.name(), item.name, item.permission)
    )


def unheld(days: int) -> ColumnElement[bool]:
    """Files older than so many days that no record holds. Raises RuntimeError where not every record is known of."""
    registry.require_whole()
    held = [
        select(func.unnest(func.string_to_array(cls.table().c[item.name], ",")).label("name")).where(
            cls.table().c[item.name].is_not(None)
        )
        for cls, item in attachments.fields()
    ]
    old = FILES.c.made_at < func.now() - func.make_interval(0, 0, 0, days)
    return old & FILES.c.name.not_in(select(union_all(*held).subquery().c.name))


def forget_unheld(conn: Connection, days: int) -> list[str]:
    """Delete files older than so many days that no record holds, and answer their names: what lies there goes after
    the commit. They are locked first, so that one which is just being held is seen to be."""
    names: Sequence[str] = (
        conn.execute(select(FILES.c.name).where(unheld(days)).with_for_update()).scalars().all()
    )
    gone = delete(UploadFile).where(FILES.c.name.in_(names), unheld(days)).returning(FILES.c.name)
    return list(conn.execute(gone).scalars())


def known(conn: Connection, names: list[str]) -> set[str]:
    """Those of the names that are of files, whether or not anything holds them."""
    return set(conn.execute(select(FILES.c.name).where(FILES.c.name.in_(names))).scalars())


def _holds(cls: type[Resource], item: Field, name: str) -> ColumnElement[bool]:
    names = func.string_to_array(cls.table().c[item.name], ",")
    return func.array_position(names, name).is_not(None)
