"""Records (资料): read, add, edit and delete one row of a plain resource, with scope, masks and the business log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from psycopg.errors import ExclusionViolation, ForeignKeyViolation, UniqueViolation
from sqlalchemy import ColumnElement, Connection, Row, Text, cast, func, insert, select
from sqlalchemy.exc import IntegrityError

from api.kit.context import Context
from api.kit.declaration.resource import Resource
from api.kit.declaration.view import apply_source, open_read_connection
from api.kit.errors import EditConflict, InvalidInput, NotFound, Refusal, RevisionRequired, RowFailure
from api.kit.scope import scope_condition
from api.kit.storage import attachments, business_log, child_rows, fixed_fields
from api.kit.storage.projection import build_projection, mask_row, masked_names
from api.kit.storage.validation import (
    Problems,
    clean_payload,
    parse_value,
    validate_dates,
    validate_references,
)


def read_record(ctx: Context, cls: type[Resource], key: int) -> dict[str, Any]:
    """Read one row with labels, hidden fields as 无权限; its stamp is the revision to edit it by."""
    projection = build_projection(cls, cls.fields())
    if "row_xid" in cls.table().c and "revision" not in cls.table().c:
        projection.columns["revision"] = cast(cls.table().c.row_xid, Text)
    statement = projection.select().where(cls.key() == key)
    mine = (scope_condition(cls.table(), ctx.principal),)
    with open_read_connection(cls, ctx.conn) as conn:
        row = conn.execute(apply_source(cls, statement, ctx.principal, where=mine)).first()
    if row is None:
        raise NotFound(cls.declaration.label)
    return mask_row(row, masked_names(cls, cls.name(), ctx.principal)) | child_rows.read_blocks(ctx, cls, key)


def add_record(ctx: Context, cls: type[Resource], payload: Mapping[str, Any]) -> int:
    """Insert a row; returns its key."""
    values, children = _validate_payload(ctx, cls, payload, partial=False)
    table = cls.table()
    with duplicate_refusal(cls):
        key: int = ctx.conn.execute(table.insert().values(values).returning(cls.key())).scalar_one()
        for block in cls.child_tables:
            child_rows.insert_rows(ctx.conn, block, key, children[block.name])
    _log_change(ctx, cls, key, "add", after=values)
    return key


def insert_records(conn: Connection, cls: type[Resource], rows: list[dict[str, Any]]) -> list[int]:
    """Insert many rows of one type, completed and validated as a form's are; return their keys in order."""
    blank = {item.name: parse_value(item, item.default, Problems()) for item in cls.fields()}
    for row in rows:
        cls.fill_defaults(row)
        cls.validate_row(blank | row)
    statement = insert(cls.table()).returning(cls.key(), sort_by_parameter_order=True)
    return list(conn.execute(statement, rows).scalars())


def edit_record(
    ctx: Context, cls: type[Resource], key: int, payload: Mapping[str, Any], *, as_read: bool = False
) -> int:
    """Change the sent fields of a row; fields not sent, or sent as 无权限, stay.

    An edit with the revision it was based on is refused once somebody else has changed the row or those
    below it; one that is made `as_read` must have it.
    """
    table = cls.table()
    before = ctx.conn.execute(select(table).where(_own_condition(ctx, cls, key)).with_for_update()).first()
    if before is None:
        raise NotFound(cls.declaration.label)
    read = payload.get("revision")
    if as_read and not read:
        raise RevisionRequired()
    if str(read or before.row_xid) != str(before.row_xid):
        raise EditConflict("数据")
    values, children = _validate_payload(ctx, cls, payload, partial=True, before=before)
    changed = {name: value for name, value in values.items() if getattr(before, name) != value}
    old = {name: getattr(before, name) for name in changed}
    below = [block for block in cls.child_tables if block.name in payload]
    before_blocks = child_rows.format_block_rows(ctx, cls, key) if below else {}
    with duplicate_refusal(cls):
        for block in below:
            child_rows.replace_rows(ctx.conn, block, key, children[block.name])
        if changed:
            ctx.conn.execute(table.update().where(cls.key() == key).values(changed))
    if below:
        now = child_rows.format_block_rows(ctx, cls, key)
        old |= {name: rows for name, rows in before_blocks.items() if rows != now[name]}
        moved = {name: rows for name, rows in now.items() if rows != before_blocks[name]}
        if moved and not changed:
            stamped = {"row_xid": func.pg_current_xact_id()}
            ctx.conn.execute(table.update().where(cls.key() == key).values(stamped))
        changed |= moved
    if changed:
        company = changed.get("company_id") or getattr(before, "company_id", None)
        _log_change(ctx, cls, key, "edit", _loggable_values(cls, old), changed, company)
    return key


def delete_records(ctx: Context, cls: type[Resource], keys: list[int]) -> dict[str, Any]:
    """Delete the rows that nothing refers to; report the others and why."""

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
        _log_change(ctx, cls, key, "del", before=_loggable_values(cls, before))

    return apply_to_each(ctx, cls, keys, "删除", drop)


def apply_to_each(
    ctx: Context, cls: type[Resource], keys: list[int], verb: str, step: Callable[[Row[Any]], None]
) -> dict[str, Any]:
    """Take a step with each row within scope, locked; report those it was refused for and why.

    A single row's refusal is the request's refusal.
    """
    done: list[int] = []
    failures: list[RowFailure] = []
    keys = list(dict.fromkeys(keys))
    for index, key in enumerate(keys, 1):
        try:
            with ctx.conn.begin_nested():
                mine = select(cls.table()).where(_own_condition(ctx, cls, key))
                row = ctx.conn.execute(mine.with_for_update()).first()
                if row is None:
                    raise NotFound(cls.declaration.label)
                step(row)
            done.append(key)
        except Refusal as error:
            if len(keys) == 1:
                raise
            failures.append(RowFailure(index, str(key), error.msg, error.code))
    return batch_result(keys, done, failures, verb)


def batch_result(
    keys: list[int], done: list[int], failures: list[RowFailure], verb: str, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Build the answer of a batch action; refuse it as a whole when nothing went through."""
    if not keys:
        raise Refusal("请选择要操作的信息")
    if not done:
        first = failures[0].msg if len(failures) == 1 else f"选择{len(keys)}条，成功{verb}0条"
        raise InvalidInput(first, failures)
    return {
        "success": done,
        "failures": [failure.as_dict() for failure in failures],
        **({"notes": list(notes)} if notes else {}),
    }


def _own_condition(ctx: Context, cls: type[Resource], key: int) -> ColumnElement[bool]:
    return (cls.key() == key) & scope_condition(cls.table(), ctx.principal)


def _validate_payload(
    ctx: Context,
    cls: type[Resource],
    payload: Mapping[str, Any],
    *,
    partial: bool,
    before: Row[Any] | None = None,
) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Validate a payload; return the values to write, and the rows of each block as they will be."""
    problems = Problems()
    values = clean_payload(cls, payload, ctx.principal, cls.name(), problems, partial=partial)
    children, places = {}, {}
    key = None if before is None else before._mapping[cls.key().key]
    for block in cls.child_tables:
        if key is not None and block.name not in payload:
            children[block.name] = child_rows.read_stored_rows(ctx.conn, block, key)
        else:
            sent = payload.get(block.name)
            with problems.in_block(child_rows.block_label(cls, block)):
                children[block.name], places[block] = child_rows.parse_rows(ctx, block, sent, problems, key)
    problems.raise_if_any()
    whole: dict[str, Any] = {**(before._asdict() if before is not None else {}), **values}
    validate_dates(cls, whole, problems)
    problems.raise_if_any()
    cls.fill_defaults(whole)
    cls.validate_row(whole)
    cls.authorize(ctx, whole, before)
    if before is not None:
        fixed_fields.forbid_fixed_changes(ctx, cls, before, whole, problems)
        problems.raise_if_any()
    values.update(
        {name: whole[name] for name in whole if before is None or whole[name] != before._mapping.get(name)}
    )
    stays = _unchanged_references(cls, whole, before)
    validate_references(ctx.conn, cls, [whole], ctx.principal, problems, [""], stays=stays)
    stored = before._asdict() if before is not None else {}
    attachments.validate_attachments(ctx.conn, cls, whole, stored, ctx.principal, problems)
    for block, labels in places.items():
        rows = children[block.name]
        with problems.in_block(child_rows.block_label(cls, block)):
            validate_references(ctx.conn, block.cls, rows, ctx.principal, problems, labels)
            block.cls.normalize_rows(rows, problems)
    cls.validate_record(ctx, whole, children, problems)
    problems.raise_if_any()
    return values, children


def _unchanged_references(
    cls: type[Resource], row: Mapping[str, Any], before: Row[Any] | None
) -> frozenset[str]:
    """Return the references that stay: whoever may not see their targets may still change the rest.

    References that share columns with their row are not among them, since those may have changed.
    """
    if before is None:
        return frozenset()
    return frozenset(
        item.name
        for item in cls.fields()
        if item.ref and not item.ref.within and row.get(item.name) == before._mapping.get(item.name)
    )


def _loggable_values(cls: type[Resource], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values fit for the log: declared fields and blocks only, passwords never."""
    kinds = {item.name: str(item.kind) for item in cls.fields()} | {
        block.name: "block" for block in cls.child_tables
    }
    return {name: value for name, value in values.items() if kinds.get(name, "password") != "password"}


def _log_change(
    ctx: Context,
    cls: type[Resource],
    key: int,
    action: str,
    before: Any = None,
    after: Any = None,
    company: int | None = None,
) -> None:
    company = company or (after or before or {}).get("company_id") or ctx.principal.company_id
    after = None if after is None else _loggable_values(cls, after)
    business_log.log_action(
        ctx.conn, ctx.principal, cls.name(), key, action, company_id=company, before=before, after=after
    )


class duplicate_refusal:
    """Context that turns a broken unique constraint into a refusal that names the fields."""

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
            raise InvalidInput(f"{'、'.join(labels) or self.cls.declaration.label}已存在，请更换") from error


class reference_refusal:
    """Context that turns a broken foreign key into a refusal: other bills refer to this one's lines."""

    def __init__(self, verb: str) -> None:
        self.verb = verb

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, IntegrityError) and isinstance(error.orig, ForeignKeyViolation):
            raise Refusal(f"单据已被其他单据引用，不能{self.verb}，请先删除引用它的单据") from error
