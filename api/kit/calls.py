"""Calls (接口): how an HTTP route is declared. Every one names its right; without one it can't be made.

A handler is a plain function `(ctx, …) -> data`. The gate around it proves the token, the signature and the right,
opens the transaction, remembers the idempotency key, and wraps the answer as `{code, msg, data}`.
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from hashlib import file_digest
from typing import Annotated, Any, Generic, TypeVar

import anyio.from_thread
import orjson
from fastapi import APIRouter, Header, Query, Request, Response, params
from fastapi.concurrency import run_in_threadpool
from fastapi.dependencies import utils as dependencies
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect
from starlette.requests import Request as StarletteRequest
from starlette.routing import Match
from starlette.types import Scope

from api.kit import bodies, idempotency, signing, told
from api.kit.bodies import Intake
from api.kit.content_encoding import packings
from api.kit.context import Authenticator, Context, Session, answering
from api.kit.database import dumps, request_engine, retrying, told_time
from api.kit.errors import Forbidden, Refusal, Unauthenticated
from api.kit.forms import as_json
from api.kit.making import MAKING
from api.kit.named_bills import closed_in, hide_closed, mask_numbers, names_bills
from api.kit.turns import Turns

log = logging.getLogger(__name__)
T = TypeVar("T")
Maker = partial[Any]
"""Makes a type that only the declaration of a class says; asked when the route is made."""

CACHED_FIELDS = "get_cached_model_fields"
# FastAPI keeps the fields of 128 query models and makes those of others anew, which its OpenAPI then does not know.
vars(dependencies)[CACHED_FIELDS] = cache(vars(dependencies)[CACHED_FIELDS].__wrapped__)

ANYONE = ""
"""No login needed: the login call and the health check."""
ANY_USER = "*any"
"""Any logged-in user: the shell's own calls."""

READING = ("GET", "HEAD")
AGENT_LENGTH = 300
DEVICE_COOKIE = "erp_device"
DEVICE_SECONDS = 30 * 24 * 3600
_DEVICE = re.compile(r"[\w-]{32}", re.ASCII)
SUCCESS = "操作成功"
UNTOLD = "操作被拒绝，原因暂时无法给出，请稍后重试"
QUESTIONS = (362, 363)
"""Codes of stock warnings, and of what else a user is asked about before he goes on."""

_authenticator: Authenticator | None = None


def set_authenticator(authenticate: Authenticator) -> None:
    """Identity says how a token becomes a session."""
    global _authenticator
    _authenticator = authenticate


class Envelope(BaseModel, Generic[T]):
    """Every answer: code 200 is success; otherwise msg says in Chinese what to do."""

    model_config = ConfigDict(defer_build=True)  # only the description of the API looks at it

    code: int = 200
    msg: str = SUCCESS
    data: T | None = None


def marks() -> dict[str, str]:
    """The headers of every answer. It is for who asked, at that moment: nothing on its way keeps it, nor the disk of a
    shared desk. It tells the business's time: a browser's own clock and zone decide nothing."""
    return {"cache-control": "no-store", "business-time": told_time()}


def answer(data: Any, *, code: int = 200, msg: str = SUCCESS) -> Response:
    """An enveloped answer; HTTP status follows the code, except for questions."""
    status = 200 if code in QUESTIONS else code
    body = dumps({"code": code, "msg": msg, "data": data})
    return Response(body, status, marks(), media_type="application/json")


class Route(APIRoute):
    """A route that keeps the raw body for the signature, and reads form-encoded bodies as JSON.

    Who may not call is told so whatever he sends: mistakes in a request are told only to those who may make it.

    It is made when it is first asked for more than its path, and with it the types of what it takes and returns: to
    make them all would double a start.
    """

    def __init__(self, path: str, endpoint: Endpoint, **declared: Any) -> None:
        self.path, self.turns, self._declared = path, endpoint.turns, (endpoint, declared)

    def __getattr__(self, name: str) -> Any:
        with MAKING:
            if declared := self.__dict__.pop("_declared", None):
                endpoint, more = declared
                endpoint.__signature__ = endpoint.signature()
                returns = more.pop("response_model")
                data = returns() if isinstance(returns, partial) else returns
                super().__init__(self.path, endpoint, response_model=Envelope[data], **more)  # type: ignore[valid-type]
        return self.__getattribute__(name)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if "{" not in self.path and scope.get("path") != self.path:
            return Match.NONE, {}
        return super().matches(scope)

    def get_route_handler(self) -> Callable[[Request], Any]:
        handle = super().get_route_handler()
        right = (self.openapi_extra or {})["x-right"]
        takes_files = self.body_field is not None and isinstance(self.body_field.field_info, params.Form)
        text_most = bodies.LOGIN if right == ANYONE else bodies.TEXT
        assert isinstance(self.endpoint, Endpoint)
        files_most = self.endpoint.most or bodies.FILES

        async def with_body(request: Request) -> Response:
            multipart = request.headers.get("content-type", "").startswith("multipart/")
            upload, body = multipart and takes_files, b""
            most, room = (files_most, bodies.DISK) if upload else (text_most, bodies.MEMORY)
            intake = Intake(request, most, room, partial(_admit, request, right))
            try:
                async with intake as request:
                    if upload:
                        await intake.prove()
                        await request.form(**bodies.PARTS)
                    else:
                        body = await request.body()
                    request.state.raw = b"" if multipart else body
                    return await handle(_read(request))
            except ClientDisconnect:
                return Response(status_code=400)
            except (RequestValidationError, Unreadable) as error:
                await run_in_threadpool(_prove, request, right)
                # Where it was raised FastAPI holds on to it, and so to all that was sent, until garbage is looked for.
                raise error.with_traceback(None) from None

        return with_body


class Unreadable(Refusal):
    """A body that can't be read as what it says it is."""


def _read(request: Request) -> Request:
    """The request with its body as JSON."""
    raw, kind = request.state.raw, request.headers.get("content-type", "")
    try:
        if raw and kind.startswith("application/x-www-form-urlencoded"):
            return _with_json(request, as_json(raw))
        if raw and kind.startswith("application/json"):
            request._json = orjson.loads(raw)  # strictly: no NaN, no broken surrogates, no bottomless nesting
    except UnicodeDecodeError as error:
        raise Unreadable("请求内容不是有效的文本") from error
    except orjson.JSONDecodeError as error:
        raise Unreadable("请求内容不是有效的 JSON") from error
    return request


def _admit(request: StarletteRequest, right: str) -> None:
    """Refuse who may not make a call, before more is taken of what he sends: that proves his signature, later on."""
    if right == ANYONE:
        return
    if not request.headers.get("token"):
        raise Unauthenticated()
    with request_engine().connect() as conn:
        ctx = Context(conn, _session(request, conn).principal)
        if right != ANY_USER:
            ctx.require(right)
        conn.commit()


def _prove(request: StarletteRequest, right: str) -> None:
    """Refuse who may not make a call."""
    with gate(request, right):
        pass


def _with_json(request: Request, body: bytes) -> Request:
    headers = [(k, v) for k, v in request.scope["headers"] if k not in (b"content-type", b"content-length")]
    scope = {**request.scope, "headers": [*headers, (b"content-type", b"application/json")]}
    changed = Request(scope, request.receive)
    changed._body = body
    return changed


def router() -> APIRouter:
    """A router whose routes go through the gate."""
    return APIRouter(route_class=Route)


def call(
    on: APIRouter,
    method: str,
    path: str,
    *,
    right: str,
    returns: Any = Any,
    takes: Mapping[str, Maker] | None = None,
    write: bool = False,
    batch: bool = False,
    told_once: bool = False,
    says: str = SUCCESS,
    most: int = 0,
    turns: Turns | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a route. `returns` is a type or makes one; `takes` makes types of parameters, by their names. `write`
    calls honour the Idempotency-Key; `batch` calls commit bill by bill themselves; the answer of a `told_once` call
    holds a secret, so it is not kept for a repetition; `says` is told when it succeeds; `most` are the bytes that it
    takes of an upload, where they are others than is usual; calls that do slow work (`Context.apart`) wait for their
    `turns`."""

    def declare(handler: Callable[..., Any]) -> Callable[..., Any]:
        on.add_api_route(
            "/" + path.lstrip("/"),
            Endpoint(
                handler,
                takes or {},
                right,
                says,
                returns,
                write=write,
                batch=batch,
                told_once=told_once,
                most=most,
                turns=turns,
            ),
            methods=[method],
            response_model=returns,
            name=handler.__name__,
            operation_id=f"{method.lower()}_{path.strip('/').replace('/', '_')}",
            openapi_extra={"x-right": right},
        )
        return handler

    return declare


def in_query(model: Callable[[Any], type[BaseModel]], cls: type[Any]) -> Maker:
    """Makes the type of a parameter whose fields, those of a class's model, stand in the query."""
    return partial(lambda: Annotated[model(cls), Query()])


class Endpoint:
    """A handler behind the gate, as FastAPI calls it."""

    def __init__(
        self,
        handler: Callable[..., Any],
        takes: Mapping[str, Maker],
        right: str,
        says: str,
        returns: Any,
        *,
        write: bool,
        batch: bool,
        told_once: bool,
        most: int,
        turns: Turns | None = None,
    ) -> None:
        self._handler, self._takes, self._right, self._says = handler, takes, right, says
        self.returns = returns
        self.writes, self._once, self._told_once = write, write and not batch, told_once
        self.most, self.turns = most, turns
        self.__doc__ = handler.__doc__

    def signature(self) -> inspect.Signature:
        """The handler's parameters without `ctx`, led by the request, for FastAPI to read."""
        keyword = inspect.Parameter.KEYWORD_ONLY
        own = list(inspect.signature(self._handler, eval_str=True).parameters.values())[1:]
        if unknown := self._takes.keys() - {parameter.name for parameter in own}:
            raise TypeError(f"{self._handler.__name__} takes no {sorted(unknown)}")
        parameters = [
            inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)
        ]
        for parameter in own:
            make = self._takes.get(parameter.name)
            annotation = make() if make else parameter.annotation
            parameters.append(parameter.replace(kind=keyword, annotation=annotation))
        if self.writes:
            header = Annotated[str | None, Header(alias="Idempotency-Key", max_length=idempotency.KEY_LENGTH)]
            parameters.append(inspect.Parameter("idempotency_key", keyword, default=None, annotation=header))
        return inspect.Signature(parameters)

    def __call__(self, request: Request, **arguments: Any) -> Response:
        key = (arguments.pop("idempotency_key", None) or "").strip() or None
        parts = _parts(arguments) if key and not request.state.raw else b""
        proven: list[Context] = []

        def attempt() -> tuple[Any, Context]:
            with gate(request, self._right, key, parts) as ctx, in_turn(ctx, self.turns):
                proven.append(ctx)
                try:
                    data = self._handle(ctx, arguments)
                except idempotency.Repeated as repeated:
                    if self._told_once:
                        raise Refusal("该操作已经完成，结果只给出一次，请重新操作") from None
                    data = repeated.answer
                return data if isinstance(data, Response) else _opened(ctx, data, writes=self.writes), ctx

        try:
            data, ctx = retrying(attempt)
        except Refusal as refusal:
            if proven and self._right != ANYONE:
                _refuse(proven[-1], refusal, writes=self.writes)
            raise
        for effect in ctx.after_commit:
            effect()
        if isinstance(data, Response):
            for name, value in marks().items():
                data.headers.setdefault(name, value)
        else:
            data = answer(data, msg=self._says)
        if ctx.keeps:
            _keep(request, data, ctx.keeps)
        return data

    def _handle(self, ctx: Context, arguments: Mapping[str, Any]) -> Any:
        if not self._once:
            return told.mask(self.returns, self._handler(ctx, **arguments), ctx.principal)
        ctx.begin = partial(idempotency.begin, ctx)
        ctx.begin()
        data = told.mask(self.returns, self._handler(ctx, **arguments), ctx.principal)
        if not self._told_once:
            idempotency.store(ctx, data)
        return data


def _opened(ctx: Context, data: Any, *, writes: bool) -> Any:
    """An answer's data without the numbers of bills that the principal may not open, whatever words they stand in."""
    if ctx.principal is None or not ctx.principal.is_narrowed:
        return data
    written = dumps(data)
    closed = closed_in(ctx.conn, ctx.principal, written.decode())
    return mask_numbers(orjson.loads(written), closed, saying=writes) if closed else orjson.Fragment(written)


def _refuse(ctx: Context, refusal: Refusal, *, writes: bool) -> None:
    """What a refusal leaves behind: its request's signature is spent, and it names no bill that is not his to open.

    Where the database doesn't answer, the refusal stands; what it says of bills can't be told then.
    """
    told = {"msg": refusal.msg, "data": refusal.data}
    names = ctx.principal.is_narrowed and names_bills(told)
    if not (names or (writes and ctx.signature is not None)):
        return

    def leave() -> dict[str, Any]:
        with request_engine().begin() as conn:
            if writes:
                idempotency.spend(conn, ctx)
            return hide_closed(conn, ctx.principal, told, saying=True)

    try:
        found = retrying(leave)
    except (DBAPIError, PoolTimeout):
        log.exception("a refusal could not be noted")
        found = {"msg": UNTOLD, "data": None} if names else told
    refusal.msg, refusal.data = found["msg"], found["data"]


@contextmanager
def in_turn(ctx: Context, turns: Turns | None) -> Iterator[None]:
    """Wait until slow work may begin, with no connection held. Raises Refusal where too many wait already."""
    if turns is None:
        yield
        return
    ctx.conn.commit()  # that the session was seen
    with turns.place() as place:
        ctx.in_turn = True
        if not place.is_up():
            with ctx.apart():
                place.wait(ctx.has_left)
        yield


def _parts(arguments: Mapping[str, Any]) -> bytes:
    """What stands for a multipart body: its fields, and the digests of its files."""
    parts: list[tuple[Any, ...]] = []
    for name, sent in sorted(arguments.items()):
        for one in sent if isinstance(sent, list) else [sent]:
            if isinstance(one, UploadFile):
                file: Any = one.file
                parts.append((name, one.filename, file_digest(file, "sha256").hexdigest()))
                file.seek(0)
            elif isinstance(one, str | int):
                parts.append((name, one))
    return dumps(parts)


@contextmanager
def gate(
    request: StarletteRequest, right: str, key: str | None = None, parts: bytes = b""
) -> Iterator[Context]:
    """Prove who calls and what he may do; yield the context of one transaction, committed at the end.

    `parts` stand for a multipart body, which is read part by part.
    """
    with request_engine().connect() as conn:
        if right == ANYONE:
            ctx = Context(conn, None)  # type: ignore[arg-type]
        else:
            ctx = _proven(request, conn, right, key, parts)
        ctx.client = request.client.host if request.client else ""
        ctx.agent = request.headers.get("user-agent", "")[:AGENT_LENGTH]
        ctx.device = _kept(request)
        ctx.takes_gzip = "gzip" in packings(request.headers.get("accept-encoding", ""))
        ctx.host = request.url.hostname or ""
        ctx.origin = str(request.base_url).rstrip("/")
        ctx.has_left = partial(_has_left, request)
        try:
            with answering(ctx):
                yield ctx
            ctx.conn.commit()
        finally:
            ctx.conn.close()


def _kept(request: StarletteRequest) -> str:
    found = request.cookies.get(DEVICE_COOKIE, "")
    return found if _DEVICE.fullmatch(found) else ""


def _keep(request: StarletteRequest, answer: Response, device: str) -> None:
    secure = request.url.scheme == "https"
    answer.set_cookie(
        DEVICE_COOKIE, device, max_age=DEVICE_SECONDS, httponly=True, samesite="strict", secure=secure
    )


def _has_left(request: StarletteRequest) -> bool:
    """Whether the client has gone; who is asked in the loop's own thread can't say so."""
    try:
        return anyio.from_thread.run(request.is_disconnected)
    except RuntimeError:
        return False


def _session(request: StarletteRequest, conn: Connection) -> Session:
    token = request.headers.get("token", "")
    if not token or _authenticator is None:
        raise Unauthenticated()
    return _authenticator(conn, token)


def _proven(
    request: StarletteRequest, conn: Connection, right: str, key: str | None, parts: bytes
) -> Context:
    session = _session(request, conn)
    raw = getattr(request.state, "raw", b"")
    signature = None
    if session.sign_key is not None:
        signature = signing.verify(session.sign_key, request.method, request.url.path, request.url.query, raw)
    ctx = Context(
        conn,
        session.principal,
        idempotency_key=key,
        request_hash=idempotency.digest(request.method, request.url.path, request.url.query, raw + parts)
        if key
        else "",
        signature=signature,
    )
    if right != ANY_USER:
        ctx.require(right)
    elif session.principal.limited and request.method not in READING:
        raise Forbidden("接口令牌的范围不包含此操作")
    return ctx
