"""Endpoints (通用接口): the calls every declared resource and bill has, made from its declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, create_model
from sqlalchemy import select

from api.kit import blocks, consequences, drafts, links, records, transitions
from api.kit.business_log import BusinessLog
from api.kit.calls import Maker, call, in_query
from api.kit.charting import ChartAnswer, ChartQuery, chart_model, chart_of, chartable
from api.kit.context import Context
from api.kit.document import Bill, Link
from api.kit.errors import NotFound, Refusal
from api.kit.flow import TRANSITIONS
from api.kit.listing import ListQuery, page_of, query_model, sums_of
from api.kit.projection import masked, masks, project
from api.kit.resource import ACTION_LABELS, Resource
from api.kit.schemas import (
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
from api.kit.scope import within
from api.kit.turns import Turns
from api.kit.validation import as_key
from api.kit.view import View, reading, sourced

Export = Callable[[Context, type[Resource], ListQuery], dict[str, Any]]
_export: Export | None = None


def set_export(export: Export) -> None:
    """The shell says how a list is exported in the background."""
    global _export
    _export = export


def mount(router: APIRouter, cls: type[Resource]) -> None:
    """Give a declared class its calls."""
    _reads(router, cls)
    _read_one(router, cls)
    if issubclass(cls, Bill):
        _bill_writes(router, cls)
        for name in cls.bill.transitions if cls.bill else ():
            _transition(router, cls, name)
        if sources := links.offered(cls):
            _draft(router, cls, sources)
        if cls.bill and any(block.drawn for block in cls.bill.blocks):
            _open_lines(router, cls)
    else:
        _write(router, cls)
    if "export" in cls.declaration.actions:
        _exports(router, cls)
    consequences.mount(router, cls)


def _reads(router: APIRouter, cls: type[Resource]) -> None:
    api, right = cls.declaration.api, cls.right("list")

    def get_list(ctx: Context, query: ListQuery) -> Any:
        notices = cls.notices(ctx.conn, ctx.principal) if issubclass(cls, View) else ()
        with reading(cls, ctx.conn) as conn:
            page = page_of(conn, cls, query, ctx.principal)
        return page.answer(notices)

    def get_totals(ctx: Context, query: ListQuery) -> Any:
        with reading(cls, ctx.conn) as conn:
            sums = sums_of(conn, cls, query, ctx.principal)
        return {"total": sums.rows, **sums.answer()}

    def get_log(ctx: Context, id: Key) -> Any:
        return log_of(ctx, cls, id)

    body, page = partial(query_model, cls), partial(page_model, cls)
    query = in_query(query_model, cls)
    for path in cls.declaration.paths("getList"):
        for method, asked in (("GET", query), ("POST", body)):  # spec/3-rules.md 7.3: either way
            call(router, method, path, right=right, returns=page, takes={"query": asked})(get_list)
    call(router, "GET", f"{api}/getTotals", right=right, returns=Totals, takes={"query": query})(get_totals)
    if chartable(cls, (item for item in cls.fields() if item.list)):
        _chart(router, cls)
    call(router, "GET", f"{api}/getLog", right=right, returns=list[LogRow])(get_log)


def _chart(router: APIRouter, cls: type[Resource]) -> None:
    def get_chart(ctx: Context, query: ChartQuery) -> Any:
        with reading(cls, ctx.conn) as conn:
            return chart_of(conn, cls, query, ctx.principal)

    path, right = f"{cls.declaration.api}/getChart", cls.right("list")
    query = in_query(chart_model, cls)
    call(router, "GET", path, right=right, returns=ChartAnswer, takes={"query": query})(get_chart)


def _read_one(router: APIRouter, cls: type[Resource]) -> None:
    def get_info(ctx: Context, id: Key) -> Any:
        if not issubclass(cls, Bill):
            return records.info(ctx, cls, id)
        found = bill_info(ctx, cls, id)
        links.describe_sources(ctx, cls, found)
        return found

    for path in cls.declaration.paths("getInfo"):
        call(router, "GET", path, right=cls.right("list"), returns=partial(info_model, cls))(get_info)


def bill_info(ctx: Context, cls: type[Bill], key: int, most: int | None = None) -> dict[str, Any]:
    """A bill with its blocks, labels read along, hidden fields as 无权限; `most` rows of each, or those it shows."""
    table = cls.table()
    projection = project(cls, cls.fields(), always=("revision",))
    row = ctx.conn.execute(
        projection.select().where(table.c.bill_id == key, within(table, ctx.principal))
    ).first()
    if row is None:
        raise NotFound(cls.declaration.label)
    return masked(row, masks(cls, cls.name(), ctx.principal)) | blocks.read(ctx, cls, key, most)


def log_of(ctx: Context, cls: type[Resource], key: int) -> list[dict[str, Any]]:
    """The business log of a record within scope, newest first; values hidden from the principal are left out."""
    table, log = cls.table(), BusinessLog.__table__
    known = select(cls.key()).where(cls.key() == key)
    mine = (within(table, ctx.principal),)
    with reading(cls, ctx.conn) as conn:
        if conn.execute(sourced(cls, known, ctx.principal, where=mine)).first() is None:
            raise NotFound(cls.declaration.label)
    hidden = masks(cls, cls.name(), ctx.principal)
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
            "before": _without(row.before, hidden),
            "after": _without(row.after, hidden),
            "reason": row.reason,
            "at": row.at,
        }
        for row in rows
    ]


def _without(values: Any, hidden: frozenset[str]) -> Any:
    return {k: v for k, v in values.items() if k not in hidden} if isinstance(values, dict) else values


def _write(router: APIRouter, cls: type[Resource]) -> None:
    """The calls of a plain resource that add, edit and delete, as far as it offers them."""
    saved = {"payload": partial(save_model, cls)}

    def add(ctx: Context, payload: Payload) -> Any:
        return {"id": records.add(ctx, cls, _told(ctx, payload))}

    def edit(ctx: Context, payload: Payload) -> Any:
        values = _told(ctx, payload)
        return {"id": records.edit(ctx, cls, _id(values), values, as_read=True)}

    def delete(ctx: Context, payload: Keys) -> Any:
        return records.delete(ctx, cls, payload.ids)

    calls: dict[str, tuple[Callable[..., Any], Mapping[str, Maker], Any]] = {
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


def _bill_writes(router: APIRouter, cls: type[Bill]) -> None:
    saved = {"payload": partial(save_model, cls)}

    def add(ctx: Context, payload: Payload) -> Any:
        return drafts.add(ctx, cls, _told(ctx, payload))

    def edit(ctx: Context, payload: Payload) -> Any:
        values = _told(ctx, payload)
        return drafts.edit(ctx, cls, _id(values), values)

    def delete(ctx: Context, payload: Keys) -> Any:
        return transitions.batch(ctx, cls, payload.ids, "删除", lambda key: drafts.delete(ctx, cls, key))

    for name, handler in (("add", add), ("edit", edit)):
        for path in cls.declaration.paths(name):
            right = cls.right(name)
            call(router, "POST", path, right=right, returns=Saved, takes=saved, write=True)(handler)
    for path in cls.declaration.paths("del"):
        right = cls.right("del")
        call(router, "POST", path, right=right, returns=BatchAnswer, write=True, batch=True)(delete)


def _transition(router: APIRouter, cls: type[Bill], name: str) -> None:
    step = TRANSITIONS[name]

    def act(ctx: Context, payload: Act) -> Any:
        ctx.confirmed, ctx.counted, ctx.answers = payload.confirmed, payload.counted, payload.answers
        return transitions.batch(
            ctx,
            cls,
            payload.ids,
            step.label,
            lambda key: transitions.move(ctx, cls, name, key, payload.reason, payload.revisions.get(key)),
        )

    act.__name__ = name
    act.__doc__ = f"{cls.declaration.label}{step.label}"
    for path in cls.declaration.paths(name):
        call(router, "POST", path, right=cls.right(name), returns=BatchAnswer, write=True, batch=True)(act)


def _draft(router: APIRouter, cls: type[Bill], sources: tuple[Link, ...]) -> None:
    def get_draft(
        ctx: Context,
        id: Key,
        source: Annotated[str, Query(max_length=60, description="来源单据，默认第一种")] = "",
    ) -> Any:
        link = next((link for link in sources if link.bill == (source or sources[0].bill)), None)
        if link is None:
            raise NotFound("来源单据")
        return links.draft(ctx, cls, link, id)

    call(router, "GET", f"{cls.declaration.api}/getDraft", right=cls.right("add"), returns=dict[str, Any])(
        get_draft
    )


def _open_lines(router: APIRouter, cls: type[Bill]) -> None:
    def get_open_lines(ctx: Context, query: BaseModel) -> Any:
        return links.open_lines(ctx, cls, query.model_dump())

    path, right = f"{cls.declaration.api}/getOpenLines", cls.right("add")
    takes = {"query": in_query(_open_lines_model, cls)}
    call(router, "GET", path, right=right, returns=Oldest[dict[str, Any]], takes=takes)(get_open_lines)


def _open_lines_model(cls: type[Bill]) -> type[BaseModel]:
    """The query of open lines: the columns of the header that they are found by."""
    columns: dict[str, Any] = dict.fromkeys(links.shared(cls), (Key, ...))
    made: type[BaseModel] = create_model(f"{cls.__name__}OpenLines", **columns)
    return made


def action(
    router: APIRouter,
    cls: type[Resource],
    name: str,
    returns: Any = BatchAnswer,
    turns: Turns | None = None,
    *,
    told_once: bool = False,
) -> Callable[..., Any]:
    """Declare the call of an action that only this class has, under its right."""

    def declare(handler: Callable[..., Any]) -> Callable[..., Any]:
        for path in cls.declaration.paths(name):
            right = cls.right(name)
            declared = {"right": right, "returns": returns, "write": True}
            call(router, "POST", path, **declared, turns=turns, told_once=told_once)(handler)
        return handler

    return declare


def _exports(router: APIRouter, cls: type[Resource]) -> None:
    def export(ctx: Context, query: ListQuery) -> Any:
        assert _export is not None
        return _export(ctx, cls, query)

    takes = {"query": in_query(query_model, cls)}
    for path in cls.declaration.paths("export"):
        call(router, "POST", path, right=cls.right("export"), takes=takes, write=True)(export)


def _told(ctx: Context, payload: Payload) -> dict[str, Any]:
    """The values of a record that is to be saved, and whether the user was asked about it."""
    values = payload.model_dump(exclude_unset=True)
    ctx.confirmed = values.pop("confirmed", False)
    return values


def _id(values: dict[str, Any]) -> int:
    key = as_key(values.get("id") or "")
    if key is None:
        raise Refusal("请指定要修改的记录")
    return key
