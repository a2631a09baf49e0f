"""Upload references (上传文件的引用): which records refer to a file, and which files are unreferenced."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, delete, exists, func, select, union_all

from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Resource
from api.kit.scope import Principal, scope_condition
from api.kit.storage import attachments
from api.kit.storage.upload_rules import SCENES
from api.shell.files.upload_file import UploadFile

FILES = UploadFile.__table__


def describe_upload_problem(
    conn: Connection, principal: Principal, scene: str, names: list[str], taken: list[str]
) -> str | None:
    """Return why a record may not refer to files, else None.

    Locks the newly referenced files against deletion until the transaction ends.
    """
    there = select(FILES.c.name).where(FILES.c.name.in_(taken), FILES.c.scene == scene)
    if principal.companies is not None:
        companies = sorted(principal.companies)
        there = there.where((FILES.c.user_id == principal.user_id) | FILES.c.company_id.in_(companies))
    found: set[str] = set(conn.execute(there.with_for_update(read=True)).scalars())
    if any(name not in found for name in taken):
        return "的文件不存在或无权使用，请重新上传"
    return SCENES[scene].describe_excess(names)


def is_referenced(conn: Connection, name: str) -> bool:
    """Return whether any record refers to a file."""
    return any(
        conn.execute(select(exists().where(_reference_condition(cls, item, name)))).scalar_one()
        for cls, item in attachments.list_image_fields()
    )


def is_visible(conn: Connection, principal: Principal, name: str) -> bool:
    """Return whether a user may see a record that refers to a file."""
    return any(
        conn.execute(
            select(
                exists().where(_reference_condition(cls, item, name), scope_condition(cls.table(), principal))
            )
        ).scalar_one()
        for cls, item in attachments.list_image_fields()
        if principal.has_right(cls.right("list"))
        and principal.can_see(cls.name(), item.name, item.permission)
    )


def unreferenced_condition(days: int) -> ColumnElement[bool]:
    """Return the condition of files older than `days` that no record refers to.

    Raises: RuntimeError where not every record type is registered.
    """
    registry.require_complete()
    references = [
        select(func.unnest(func.string_to_array(cls.table().c[item.name], ",")).label("name")).where(
            cls.table().c[item.name].is_not(None)
        )
        for cls, item in attachments.list_image_fields()
    ]
    old = FILES.c.made_at < func.now() - func.make_interval(0, 0, 0, days)
    return old & FILES.c.name.not_in(select(union_all(*references).subquery().c.name))


def delete_unreferenced(conn: Connection, days: int) -> list[str]:
    """Delete the rows of unreferenced files older than `days` and return their names.

    The files themselves go after the commit. The rows are locked first, so that a reference made
    meanwhile is seen.
    """
    names: Sequence[str] = (
        conn.execute(select(FILES.c.name).where(unreferenced_condition(days)).with_for_update())
        .scalars()
        .all()
    )
    gone = (
        delete(UploadFile)
        .where(FILES.c.name.in_(names), unreferenced_condition(days))
        .returning(FILES.c.name)
    )
    return list(conn.execute(gone).scalars())


def find_known_names(conn: Connection, names: list[str]) -> set[str]:
    """Return the names that belong to uploaded files, referenced or not."""
    return set(conn.execute(select(FILES.c.name).where(FILES.c.name.in_(names))).scalars())


def _reference_condition(cls: type[Resource], item: Field, name: str) -> ColumnElement[bool]:
    names = func.string_to_array(cls.table().c[item.name], ",")
    return func.array_position(names, name).is_not(None)
