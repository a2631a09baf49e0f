"""Records (资料): read, add, edit and delete one row of a plain resource, with scope, masks and the business log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from psycopg.errors import ExclusionViolation, ForeignKeyViolation, UniqueViolation
from sqlalchemy import ColumnElement, Connection, Row, Text, cast, func, insert, select
from sqlalchemy.exc import IntegrityError

from api.kit import attachments, blocks, business_log, standing
from api.kit.context import Context
from api.kit.errors import Edited, Failure, Invalid, NotFound, Refusal, Unread
from api.kit.projection import masked, masks, project
from api.kit.resource import Resource
from api.kit.scope import within
from api.kit.validation import Problems, check_days, check_references, clean, value_of
from api.kit.view import reading, sourced


def info(ctx: Context, cls: type[Resource], key: int) -> dict[str, Any]:
    """One row with the labels of its references, hidden fields as 无权限; its stamp is the revision to edit it by."""
    projection = project(cls, cls.fields())
    if "row_xid" in cls.table().c and "revision" not in cls.table().c:
        projection.columns["revision"] = cast(cls.table().c.row_xid, Text)
    statement = projection.select().where(cls.key() == key)
    mine = (within(cls.table(), ctx.principal),)
    with reading(cls, ctx.conn) as conn:
        row = conn.execute(sourced(cls, statement, ctx.principal, where=mine)).first()
    if row is None:
        raise NotFound(cls.declaration.label)
    return masked(row, masks(cls, cls.name(), ctx.principal)) | blocks.read(ctx, cls, key)


def add(ctx: Context, cls: type[Resource], payload: Mapping[str, Any]) -> int:
    """Insert a row; returns its key."""
    values, children = _checked(ctx, cls, payload, partial=False)
    table = cls.table()
    with refusing_duplicates(cls):
        key: int = ctx.conn.execute(table.insert().values(values).returning(cls.key())).scalar_one()
        for block in cls.below:
            blocks.insert(ctx.conn, block, key, children[block.name])
    _log(ctx, cls, key, "add", after=values)
    return key


def insert_all(conn: Connection, cls: type[Resource], rows: list[dict[str, Any]]) -> list[int]:
    """Insert many rows of one type, completed and checked as a form's are; answers their keys in order."""
    blank = {item.name: value_of(item, item.default, Problems()) for item in cls.fields()}
    for row in rows:
        cls.complete(row)
        cls.check(blank | row)
    statement = insert(cls.table()).returning(cls.key(), sort_by_parameter_order=True)
    return list(conn.execute(statement, rows).scalars())


def edit(
    ctx: Context, cls: type[Resource], key: int, payload: Mapping[str, Any], *, as_read: bool = False
) -> int:
    """Change the sent fields of a row; fields not sent, or sent as 无权限, stay.

    One that tells the revision it was read at is refused once somebody else has changed the row or those below it;
    one that is made `as_read` must tell it.
    """
    table = cls.table()
    before = ctx.conn.execute(select(table).where(_mine(ctx, cls, key)).with_for_update()).first()
    if before is None:
        raise NotFound(cls.declaration.label)
    read = payload.get("revision")
    if as_read and not read:
        raise Unread()
    if str(read or before.row_xid) != str(before.row_xid):
        raise Edited("数据")
    values, children = _checked(ctx, cls, payload, partial=True, before=before)
    changed = {name: value for name, value in values.items() if getattr(before, name) != value}
    old = {name: getattr(before, name) for name in changed}
    below = [block for block in cls.below if block.name in payload]
    told = blocks.in_words(ctx, cls, key) if below else {}
    with refusing_duplicates(cls):
        for block in below:
            blocks.replace(ctx.conn, block, key, children[block.name])
        if changed:
            ctx.conn.execute(table.update().where(cls.key() == key).values(changed))
    if below:
        now = blocks.in_words(ctx, cls, key)
        old |= {name: rows for name, rows in told.items() if rows != now[name]}
        moved = {name: rows for name, rows in now.items() if rows != told[name]}
        if moved and not changed:
            stamped = {"row_xid": func.pg_current_xact_id()}
            ctx.conn.execute(table.update().where(cls.key() == key).values(stamped))
        changed |= moved
    if changed:
        company = changed.get("company_id") or getattr(before, "company_id", None)
        _log(ctx, cls, key, "edit", _public(cls, old), changed, company)
    return key


def delete(ctx: Context, cls: type[Resource], keys: list[int]) -> dict[str, Any]:
    """Delete what nothing refers to; answers who stayed and why."""

    def drop(row: Row[Any]) -> None:
        before = dict(row._mapping)
        cls.authorize(ctx, before, row)
        key = before[cls.key().key]
        try:
            ctx.conn.execute(cls.table().delete().where(cls.key() == key))
        except IntegrityError as error:
            if not isinstance(error.orig, ForeignKeyViolation):
                raise
            raise Refusal("已被引用，不能删除") from error
        _log(ctx, cls, key, "del", before=_public(cls, before))

    return each(ctx, cls, keys, "删除", drop)


def each(
    ctx: Context, cls: type[Resource], keys: list[int], verb: str, step: Callable[[Row[Any]], None]
) -> dict[str, Any]:
    """Take a step with each row within scope, locked; answers which ones it was refused for and why.

    A single row's refusal is the request's refusal.
    """
    done: list[int] = []
    failures: list[Failure] = []
    keys = list(dict.fromkeys(keys))
    for index, key in enumerate(keys, 1):
        try:
            with ctx.conn.begin_nested():
                mine = select(cls.table()).where(_mine(ctx, cls, key))
                row = ctx.conn.execute(mine.with_for_update()).first()
                if row is None:
                    raise NotFound(cls.declaration.label)
                step(row)
            done.append(key)
        except Refusal as error:
            if len(keys) == 1:
                raise
            failures.append(Failure(index, str(key), error.msg, error.code))
    return settle_batch(keys, done, failures, verb)


def settle_batch(
    keys: list[int], done: list[int], failures: list[Failure], verb: str, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """The answer of a batch action; refused as a whole when nothing went through."""
    if not keys:
        raise Refusal("请选择要操作的信息")
    if not done:
        first = failures[0].msg if len(failures) == 1 else f"选择{len(keys)}条，成功{verb}0条"
        raise Invalid(first, failures)
    return {
        "success": done,
        "failures": [failure.told() for failure in failures],
        **({"notes": list(notes)} if notes else {}),
    }


def _mine(ctx: Context, cls: type[Resource], key: int) -> ColumnElement[bool]:
    return (cls.key() == key) & within(cls.table(), ctx.principal)


def _checked(
    ctx: Context,
    cls: type[Resource],
    payload: Mapping[str, Any],
    *,
    partial: bool,
    before: Row[Any] | None = None,
) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """The values to write, and the rows of each block as they will stand."""
    problems = Problems()
    values = clean(cls, payload, ctx.principal, cls.name(), problems, partial=partial)
    children, places = {}, {}
    key = None if before is None else before._mapping[cls.key().key]
    for block in cls.below:
        if key is not None and block.name not in payload:
            children[block.name] = blocks.stored(ctx.conn, block, key)
        else:
            sent = payload.get(block.name)
            with problems.of(blocks.named(cls, block)):
                children[block.name], places[block] = blocks.taken(ctx, block, sent, problems, key)
    problems.settle()
    whole: dict[str, Any] = {**(before._asdict() if before is not None else {}), **values}
    check_days(cls, whole, problems)
    problems.settle()
    cls.complete(whole)
    cls.check(whole)
    cls.authorize(ctx, whole, before)
    if before is not None:
        standing.refuse_changes(ctx, cls, before, whole, problems)
        problems.settle()
    values.update(
        {name: whole[name] for name in whole if before is None or whole[name] != before._mapping.get(name)}
    )
    stays = _still_named(cls, whole, before)
    check_references(ctx.conn, cls, [whole], ctx.principal, problems, [""], stays=stays)
    held = before._asdict() if before is not None else {}
    attachments.check(ctx.conn, cls, whole, held, ctx.principal, problems)
    for block, labels in places.items():
        rows = children[block.name]
        with problems.of(blocks.named(cls, block)):
            check_references(ctx.conn, block.cls, rows, ctx.principal, problems, labels)
            block.cls.settle(rows, problems)
    cls.inspect(ctx, whole, children, problems)
    problems.settle()
    return values, children


def _still_named(cls: type[Resource], row: Mapping[str, Any], before: Row[Any] | None) -> frozenset[str]:
    """The references that stay: whoever may not see what they name may still change the rest.

    What shares columns with its row is not among them, since those may have changed.
    """
    if before is None:
        return frozenset()
    return frozenset(
        item.name
        for item in cls.fields()
        if item.ref and not item.ref.within and row.get(item.name) == before._mapping.get(item.name)
    )


def _public(cls: type[Resource], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values fit for the log: declared fields and blocks only, passwords never."""
    kinds = {item.name: str(item.kind) for item in cls.fields()} | {
        block.name: "block" for block in cls.below
    }
    return {name: value for name, value in values.items() if kinds.get(name, "password") != "password"}


def _log(
    ctx: Context,
    cls: type[Resource],
    key: int,
    action: str,
    before: Any = None,
    after: Any = None,
    company: int | None = None,
) -> None:
    company = company or (after or before or {}).get("company_id") or ctx.principal.company_id
    after = None if after is None else _public(cls, after)
    business_log.write(
        ctx.conn, ctx.principal, cls.name(), key, action, company_id=company, before=before, after=after
    )


class refusing_duplicates:
    """Turns a broken unique constraint into a refusal that names the fields."""

    def __init__(self, cls: type[Resource]) -> None:
        self.cls = cls

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, IntegrityError) and isinstance(error.orig, UniqueViolation | ExclusionViolation):
            name = error.orig.diag.constraint_name or ""
            labels = [
                item.label for item in self.cls.fields() if name.startswith("uq_") and item.name in name
            ]
            raise Invalid(f"{'、'.join(labels) or self.cls.declaration.label}已存在，请更换") from error


class refusing_references:
    """Turns a broken foreign key into a refusal: other bills stand on this one's lines."""

    def __init__(self, verb: str) -> None:
        self.verb = verb

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, IntegrityError) and isinstance(error.orig, ForeignKeyViolation):
            raise Refusal(f"单据已被其他单据引用，不能{self.verb}，请先删除引用它的单据") from error
