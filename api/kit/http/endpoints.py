"""Endpoints (通用接口): the calls every declared resource and bill has, made from its declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, create_model
from sqlalchemy import select

from api.kit.bills import drafts, source_links, transitions
from api.kit.context import Context
from api.kit.declaration.document import Bill, SourceLink
from api.kit.declaration.flow import TRANSITIONS
from api.kit.declaration.resource import ACTION_LABELS, Resource
from api.kit.declaration.view import View, apply_source, open_read_connection
from api.kit.errors import NotFound, Refusal
from api.kit.http import consequences
from api.kit.http.routing import TypeFactory, call, query_parameter
from api.kit.http.schemas import (
    Act,
    BatchAnswer,
    Key,
    Keys,
    LogRow,
    Oldest,
    Payload,
    Saved,
    Totals,
    info_model,
    page_model,
    save_model,
)
from api.kit.http.work_queue import WorkQueue
from api.kit.scope import scope_condition
from api.kit.storage import child_rows, records
from api.kit.storage.business_log import BusinessLog
from api.kit.storage.list_charts import (
    ChartAnswer,
    ChartQuery,
    build_chart_model,
    find_chart_options,
    read_chart,
)
from api.kit.storage.listing import ListQuery, query_model, read_page, read_sums
from api.kit.storage.projection import build_projection, mask_row, masked_names
from api.kit.storage.validation import parse_key

ExportFunction = Callable[[Context, type[Resource], ListQuery], dict[str, Any]]
_export: ExportFunction | None = None


def set_export(export: ExportFunction) -> None:
    """Register the shell's function that exports a list in the background."""
    global _export
    _export = export


def mount_endpoints(router: APIRouter, cls: type[Resource]) -> None:
    """Add the calls of a declared class to a router."""
    _mount_reads(router, cls)
    _mount_info(router, cls)
    if issubclass(cls, Bill):
        _mount_bill_writes(router, cls)
        for name in cls.bill.transitions if cls.bill else ():
            _mount_transition(router, cls, name)
        if sources := source_links.list_offered_links(cls):
            _mount_draft(router, cls, sources)
        if cls.bill and any(block.pick_from_sources for block in cls.bill.blocks):
            _mount_open_lines(router, cls)
    else:
        _mount_writes(router, cls)
    if "export" in cls.declaration.actions:
        _mount_export(router, cls)
    consequences.mount_consequences(router, cls)


def _mount_reads(router: APIRouter, cls: type[Resource]) -> None:
    api, right = cls.declaration.api, cls.right("list")

    def get_list(ctx: Context, query: ListQuery) -> Any:
        notices = cls.notices(ctx.conn, ctx.principal) if issubclass(cls, View) else ()
        with open_read_connection(cls, ctx.conn) as conn:
            page = read_page(conn, cls, query, ctx.principal)
        return page.as_response(notices)

    def get_totals(ctx: Context, query: ListQuery) -> Any:
        with open_read_connection(cls, ctx.conn) as conn:
            sums = read_sums(conn, cls, query, ctx.principal)
        return {"total": sums.rows, **sums.as_dict()}

    def get_log(ctx: Context, id: Key) -> Any:
        return read_log(ctx, cls, id)

    body, page = partial(query_model, cls), partial(page_model, cls)
    query = query_parameter(query_model, cls)
    for path in cls.declaration.paths("getList"):
        for method, params in (("GET", query), ("POST", body)):  # spec/3-rules.md 7.3: either way
            call(router, method, path, right=right, returns=page, takes={"query": params})(get_list)
    call(router, "GET", f"{api}/getTotals", right=right, returns=Totals, takes={"query": query})(get_totals)
    if find_chart_options(cls, (item for item in cls.fields() if item.list)):
        _mount_chart(router, cls)
    call(router, "GET", f"{api}/getLog", right=right, returns=list[LogRow])(get_log)


def _mount_chart(router: APIRouter, cls: type[Resource]) -> None:
    def get_chart(ctx: Context, query: ChartQuery) -> Any:
        with open_read_connection(cls, ctx.conn) as conn:
            return read_chart(conn, cls, query, ctx.principal)

    path, right = f"{cls.declaration.api}/getChart", cls.right("list")
    query = query_parameter(build_chart_model, cls)
    call(router, "GET", path, right=right, returns=ChartAnswer, takes={"query": query})(get_chart)


def _mount_info(router: APIRouter, cls: type[Resource]) -> None:
    def get_info(ctx: Context, id: Key) -> Any:
        if not issubclass(cls, Bill):
            return records.read_record(ctx, cls, id)
        found = read_bill(ctx, cls, id)
        source_links.describe_sources(ctx, cls, found)
        return found

    for path in cls.declaration.paths("getInfo"):
        call(router, "GET", path, right=cls.right("list"), returns=partial(info_model, cls))(get_info)


def read_bill(ctx: Context, cls: type[Bill], key: int, most: int | None = None) -> dict[str, Any]:
    """Read a bill with blocks and labels, hidden fields as 无权限.

    `most` rows of each block, or those it shows.
    """
    table = cls.table()
    projection = build_projection(cls, cls.fields(), always=("revision",))
    row = ctx.conn.execute(
        projection.select().where(table.c.bill_id == key, scope_condition(table, ctx.principal))
    ).first()
    if row is None:
        raise NotFound(cls.declaration.label)
    return mask_row(row, masked_names(cls, cls.name(), ctx.principal)) | child_rows.read_blocks(
        ctx, cls, key, most
    )


def read_log(ctx: Context, cls: type[Resource], key: int) -> list[dict[str, Any]]:
    """Read the business log of a record within scope, newest first, without hidden values."""
    table, log = cls.table(), BusinessLog.__table__
    known = select(cls.key()).where(cls.key() == key)
    mine = (scope_condition(table, ctx.principal),)
    with open_read_connection(cls, ctx.conn) as conn:
        if conn.execute(apply_source(cls, known, ctx.principal, where=mine)).first() is None:
            raise NotFound(cls.declaration.label)
    hidden = masked_names(cls, cls.name(), ctx.principal)
    rows = ctx.conn.execute(
        select(log)
        .where(log.c.resource == cls.name(), log.c.record_id == key)
        .order_by(log.c.log_id.desc())
        .limit(200)
    )
    names = {**ACTION_LABELS, **{step.name: step.label for step in TRANSITIONS.values()}}
    return [
        {
            "log_id": row.log_id,
            "action": row.action,
            "action_name": names.get(row.action, row.action),
            "user_name": row.user_name,
            "imitator_name": row.imitator_name,
            "before": _drop_hidden(row.before, hidden),
            "after": _drop_hidden(row.after, hidden),
            "reason": row.reason,
            "at": row.at,
        }
        for row in rows
    ]


def _drop_hidden(values: Any, hidden: frozenset[str]) -> Any:
    return {k: v for k, v in values.items() if k not in hidden} if isinstance(values, dict) else values


def _mount_writes(router: APIRouter, cls: type[Resource]) -> None:
    """Add the calls of a plain resource that add, edit and delete, as far as it offers them."""
    saved = {"payload": partial(save_model, cls)}

    def add(ctx: Context, payload: Payload) -> Any:
        return {"id": records.add_record(ctx, cls, _unpack_payload(ctx, payload))}

    def edit(ctx: Context, payload: Payload) -> Any:
        values = _unpack_payload(ctx, payload)
        return {"id": records.edit_record(ctx, cls, _require_id(values), values, as_read=True)}

    def delete(ctx: Context, payload: Keys) -> Any:
        return records.delete_records(ctx, cls, payload.ids)

    calls: dict[str, tuple[Callable[..., Any], Mapping[str, TypeFactory], Any]] = {
        "add": (add, saved, Saved),
        "edit": (edit, saved, Saved),
        "del": (delete, {}, BatchAnswer),
    }
    for action, (handler, takes, returns) in calls.items():
        if action not in cls.declaration.actions:
            continue
        for path in cls.declaration.paths(action):
            right = cls.right(action)
            call(router, "POST", path, right=right, returns=returns, takes=takes, write=True)(handler)


def _mount_bill_writes(router: APIRouter, cls: type[Bill]) -> None:
    saved = {"payload": partial(save_model, cls)}

    def add(ctx: Context, payload: Payload) -> Any:
        return drafts.add_draft(ctx, cls, _unpack_payload(ctx, payload))

    def edit(ctx: Context, payload: Payload) -> Any:
        values = _unpack_payload(ctx, payload)
        return drafts.edit_draft(ctx, cls, _require_id(values), values)

    def delete(ctx: Context, payload: Keys) -> Any:
        return transitions.run_batch(
            ctx, cls, payload.ids, "删除", lambda key: drafts.delete_draft(ctx, cls, key)
        )

    for name, handler in (("add", add), ("edit", edit)):
        for path in cls.declaration.paths(name):
            right = cls.right(name)
            call(router, "POST", path, right=right, returns=Saved, takes=saved, write=True)(handler)
    for path in cls.declaration.paths("del"):
        right = cls.right("del")
        call(router, "POST", path, right=right, returns=BatchAnswer, write=True, batch=True)(delete)


def _mount_transition(router: APIRouter, cls: type[Bill], name: str) -> None:
    step = TRANSITIONS[name]

    def act(ctx: Context, payload: Act) -> Any:
        ctx.confirmed, ctx.counted, ctx.answers = payload.confirmed, payload.counted, payload.answers
        return transitions.run_batch(
            ctx,
            cls,
            payload.ids,
            step.label,
            lambda key: transitions.apply_transition(
                ctx, cls, name, key, payload.reason, payload.revisions.get(key)
            ),
        )

    act.__name__ = name
    act.__doc__ = f"{cls.declaration.label}{step.label}"
    for path in cls.declaration.paths(name):
        call(router, "POST", path, right=cls.right(name), returns=BatchAnswer, write=True, batch=True)(act)


def _mount_draft(router: APIRouter, cls: type[Bill], sources: tuple[SourceLink, ...]) -> None:
    def get_draft(
        ctx: Context,
        id: Key,
        source: Annotated[str, Query(max_length=60, description="来源单据，默认第一种")] = "",
    ) -> Any:
        link = next((link for link in sources if link.bill == (source or sources[0].bill)), None)
        if link is None:
            raise NotFound("来源单据")
        return source_links.draft_from_source(ctx, cls, link, id)

    call(router, "GET", f"{cls.declaration.api}/getDraft", right=cls.right("add"), returns=dict[str, Any])(
        get_draft
    )


def _mount_open_lines(router: APIRouter, cls: type[Bill]) -> None:
    def get_open_lines(ctx: Context, query: BaseModel) -> Any:
        return source_links.list_open_lines(ctx, cls, query.model_dump())

    path, right = f"{cls.declaration.api}/getOpenLines", cls.right("add")
    takes = {"query": query_parameter(_build_open_lines_model, cls)}
    call(router, "GET", path, right=right, returns=Oldest[dict[str, Any]], takes=takes)(get_open_lines)


def _build_open_lines_model(cls: type[Bill]) -> type[BaseModel]:
    """Build the query of open lines: the header columns by which they are found."""
    columns: dict[str, Any] = dict.fromkeys(source_links.list_shared_columns(cls), (Key, ...))
    made: type[BaseModel] = create_model(f"{cls.__name__}OpenLines", **columns)
    return made


def declare_action(
    router: APIRouter,
    cls: type[Resource],
    name: str,
    returns: Any = BatchAnswer,
    turns: WorkQueue | None = None,
    *,
    answered_once: bool = False,
) -> Callable[..., Any]:
    """Declare the call of an action that only this class has, under its right."""

    def declare(handler: Callable[..., Any]) -> Callable[..., Any]:
        for path in cls.declaration.paths(name):
            right = cls.right(name)
            declared = {"right": right, "returns": returns, "write": True}
            call(router, "POST", path, **declared, turns=turns, answered_once=answered_once)(handler)
        return handler

    return declare


def _mount_export(router: APIRouter, cls: type[Resource]) -> None:
    def export(ctx: Context, query: ListQuery) -> Any:
        assert _export is not None
        return _export(ctx, cls, query)

    takes = {"query": query_parameter(query_model, cls)}
    for path in cls.declaration.paths("export"):
        call(router, "POST", path, right=cls.right("export"), takes=takes, write=True)(export)


def _unpack_payload(ctx: Context, payload: Payload) -> dict[str, Any]:
    """Return the values of a record that is to be saved, and note whether the user has confirmed."""
    values = payload.model_dump(exclude_unset=True)
    ctx.confirmed = values.pop("confirmed", False)
    return values


def _require_id(values: dict[str, Any]) -> int:
    key = parse_key(values.get("id") or "")
    if key is None:
        raise Refusal("请指定要修改的记录")
    return key
