"""Calls (接口): declaration of HTTP routes. Each names its right; without one it can't be made.

A handler is a plain function `(ctx, …) -> data`. The gate around it checks the token, the signature and
the right, opens the transaction, claims the idempotency key, and wraps the answer as `{code, msg, data}`.
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

from api.kit import signing
from api.kit.context import Authenticator, Context, Session, active_context
from api.kit.declaration import field_sources
from api.kit.declaration.lazy_models import MODEL_LOCK
from api.kit.errors import Forbidden, Refusal, Unauthenticated
from api.kit.http import request_body
from api.kit.http.content_encoding import parse_accept_encoding
from api.kit.http.form_encoding import form_to_json
from api.kit.http.request_body import BodyReader
from api.kit.http.work_queue import WorkQueue
from api.kit.storage import idempotency
from api.kit.storage.bill_visibility import (
    find_hidden_numbers,
    has_bill_numbers,
    mask_hidden_bills,
    mask_numbers,
)
from api.kit.storage.database import dump_json, format_business_time, request_engine, retry_deadlocks

log = logging.getLogger(__name__)
T = TypeVar("T")
TypeFactory = partial[Any]
"""Makes a type that follows from a declaration, when the route is built."""

CACHED_FIELDS = "get_cached_model_fields"
# FastAPI keeps the fields of 128 query models and makes those of others anew, which its OpenAPI then does not know.
vars(dependencies)[CACHED_FIELDS] = cache(vars(dependencies)[CACHED_FIELDS].__wrapped__)

PUBLIC = ""
"""No login needed: the login call and the health check."""
ANY_USER = "*any"
"""Any logged-in user: the shell's own calls."""

SAFE_METHODS = ("GET", "HEAD")
AGENT_LENGTH = 300
DEVICE_COOKIE = "erp_device"
DEVICE_SECONDS = 30 * 24 * 3600
_DEVICE = re.compile(r"[\w-]{32}", re.ASCII)
SUCCESS = "操作成功"
REASON_UNAVAILABLE = "操作被拒绝，原因暂时无法给出，请稍后重试"
CONFIRMATION_CODES = (362, 363)
"""Codes of safety stock warnings, and of questions that a user confirms before he goes on."""

_authenticator: Authenticator | None = None


def set_authenticator(authenticate: Authenticator) -> None:
    """Register the function of identity that turns a token into a session."""
    global _authenticator
    _authenticator = authenticate


class Envelope(BaseModel, Generic[T]):
    """The envelope of every answer: code 200 is success; otherwise msg says in Chinese what to do."""

    model_config = ConfigDict(defer_build=True)  # only the description of the API looks at it

    code: int = 200
    msg: str = SUCCESS
    data: T | None = None


def build_headers() -> dict[str, str]:
    """Build the headers of every answer.

    Nobody may store it; and it carries the business's time, on which browsers rely.
    """
    return {"cache-control": "no-store", "business-time": format_business_time()}


def build_response(data: Any, *, code: int = 200, msg: str = SUCCESS) -> Response:
    """Build an enveloped response; the HTTP status follows the code, except for confirmations."""
    status = 200 if code in CONFIRMATION_CODES else code
    body = dump_json({"code": code, "msg": msg, "data": data})
    return Response(body, status, build_headers(), media_type="application/json")


class GatedRoute(APIRoute):
    """A route that keeps the raw body for the signature, and reads form-encoded bodies as JSON.

    Who may not call is refused whatever he sends: mistakes in a request are told only to those who may
    make it.

    It is built on first use of more than its path, with its parameter and response types: to build all of
    them would double the start.
    """

    def __init__(self, path: str, endpoint: GatedEndpoint, **declared: Any) -> None:
        self.path, self.turns, self._declared = path, endpoint.turns, (endpoint, declared)

    def __getattr__(self, name: str) -> Any:
        with MODEL_LOCK:
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
        text_most = request_body.LOGIN if right == PUBLIC else request_body.TEXT
        assert isinstance(self.endpoint, GatedEndpoint)
        files_most = self.endpoint.most or request_body.FILES

        async def with_body(request: Request) -> Response:
            multipart = request.headers.get("content-type", "").startswith("multipart/")
            upload, body = multipart and takes_files, b""
            most, room = (files_most, request_body.DISK) if upload else (text_most, request_body.MEMORY)
            intake = BodyReader(request, most, room, partial(_authorize_early, request, right))
            try:
                async with intake as request:
                    if upload:
                        await intake.authenticate()
                        await request.form(**request_body.MULTIPART_LIMITS)
                    else:
                        body = await request.body()
                    request.state.raw = b"" if multipart else body
                    return await handle(_parse_body(request))
            except ClientDisconnect:
                return Response(status_code=400)
            except (RequestValidationError, UnreadableBody) as error:
                await run_in_threadpool(_authorize_request, request, right)
                # Where it was raised FastAPI holds on to it, and so to all that was sent, until garbage is looked for.
                raise error.with_traceback(None) from None

        return with_body


class UnreadableBody(Refusal):
    """A refusal of a body that doesn't parse as its content type."""


def _parse_body(request: Request) -> Request:
    """Parse the request's body as JSON."""
    raw, kind = request.state.raw, request.headers.get("content-type", "")
    try:
        if raw and kind.startswith("application/x-www-form-urlencoded"):
            return _replace_body(request, form_to_json(raw))
        if raw and kind.startswith("application/json"):
            request._json = orjson.loads(raw)  # strictly: no NaN, no broken surrogates, no bottomless nesting
    except UnicodeDecodeError as error:
        raise UnreadableBody("请求内容不是有效的文本") from error
    except orjson.JSONDecodeError as error:
        raise UnreadableBody("请求内容不是有效的 JSON") from error
    return request


def _authorize_early(request: StarletteRequest, right: str) -> None:
    """Refuse who may not make a call before more of his body is taken; the signature is verified later."""
    if right == PUBLIC:
        return
    if not request.headers.get("token"):
        raise Unauthenticated()
    with request_engine().connect() as conn:
        ctx = Context(conn, _authenticate(request, conn).principal)
        if right != ANY_USER:
            ctx.require_right(right)
        conn.commit()


def _authorize_request(request: StarletteRequest, right: str) -> None:
    """Refuse who may not make a call."""
    with authorized_context(request, right):
        pass


def _replace_body(request: Request, body: bytes) -> Request:
    headers = [(k, v) for k, v in request.scope["headers"] if k not in (b"content-type", b"content-length")]
    scope = {**request.scope, "headers": [*headers, (b"content-type", b"application/json")]}
    changed = Request(scope, request.receive)
    changed._body = body
    return changed


def build_router() -> APIRouter:
    """Build a router whose routes go through the gate."""
    return APIRouter(route_class=GatedRoute)


def call(
    on: APIRouter,
    method: str,
    path: str,
    *,
    right: str,
    returns: Any = Any,
    takes: Mapping[str, TypeFactory] | None = None,
    write: bool = False,
    batch: bool = False,
    answered_once: bool = False,
    says: str = SUCCESS,
    most: int = 0,
    turns: WorkQueue | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a route.

    `returns` is a type or makes one; `takes` makes types of parameters, by their names. `write` calls
    honour the Idempotency-Key; `batch` calls commit bill by bill themselves; the answer of an
    `answered_once` call holds a secret, so it is not kept for a repetition; `says` is the message of
    success; `most` limits the bytes of an upload where the default doesn't fit; calls that do slow work
    (`Context.without_transaction`) wait in the queue `turns`.
    """

    def declare(handler: Callable[..., Any]) -> Callable[..., Any]:
        on.add_api_route(
            "/" + path.lstrip("/"),
            GatedEndpoint(
                handler,
                takes or {},
                right,
                says,
                returns,
                write=write,
                batch=batch,
                answered_once=answered_once,
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


def query_parameter(model: Callable[[Any], type[BaseModel]], cls: type[Any]) -> TypeFactory:
    """Build the type of a parameter whose fields, those of a class's model, are query parameters."""
    return partial(lambda: Annotated[model(cls), Query()])


class GatedEndpoint:
    """A handler behind the gate, as FastAPI calls it."""

    def __init__(
        self,
        handler: Callable[..., Any],
        takes: Mapping[str, TypeFactory],
        right: str,
        says: str,
        returns: Any,
        *,
        write: bool,
        batch: bool,
        answered_once: bool,
        most: int,
        turns: WorkQueue | None = None,
    ) -> None:
        self._handler, self._takes, self._right, self._says = handler, takes, right, says
        self.returns = returns
        self.writes, self._once, self._told_once = write, write and not batch, answered_once
        self.most, self.turns = most, turns
        self.__doc__ = handler.__doc__

    def signature(self) -> inspect.Signature:
        """Return the handler's parameters without `ctx`, led by the request, for FastAPI to read."""
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
        parts = _digest_parts(arguments) if key and not request.state.raw else b""
        proven: list[Context] = []

        def attempt() -> tuple[Any, Context]:
            with authorized_context(request, self._right, key, parts) as ctx, queued_work(ctx, self.turns):
                proven.append(ctx)
                try:
                    data = self._handle(ctx, arguments)
                except idempotency.RepeatedRequest as repeated:
                    if self._told_once:
                        raise Refusal("该操作已经完成，结果只给出一次，请重新操作") from None
                    data = repeated.answer
                return data if isinstance(data, Response) else _mask_bill_numbers(
                    ctx, data, writes=self.writes
                ), ctx

        try:
            data, ctx = retry_deadlocks(attempt)
        except Refusal as refusal:
            if proven and self._right != PUBLIC:
                _record_refusal(proven[-1], refusal, writes=self.writes)
            raise
        for effect in ctx.after_commit:
            effect()
        if isinstance(data, Response):
            for name, value in build_headers().items():
                data.headers.setdefault(name, value)
        else:
            data = build_response(data, msg=self._says)
        if ctx.new_device:
            _set_device_cookie(request, data, ctx.new_device)
        return data

    def _handle(self, ctx: Context, arguments: Mapping[str, Any]) -> Any:
        if not self._once:
            return field_sources.mask_answer(self.returns, self._handler(ctx, **arguments), ctx.principal)
        ctx.begin = partial(idempotency.claim_request, ctx)
        ctx.begin()
        data = field_sources.mask_answer(self.returns, self._handler(ctx, **arguments), ctx.principal)
        if not self._told_once:
            idempotency.store_answer(ctx, data)
        return data


def _mask_bill_numbers(ctx: Context, data: Any, *, writes: bool) -> Any:
    """Mask the numbers of bills that the principal may not open, whatever text they are in."""
    if ctx.principal is None or not ctx.principal.is_narrowed:
        return data
    written = dump_json(data)
    closed = find_hidden_numbers(ctx.conn, ctx.principal, written.decode())
    return mask_numbers(orjson.loads(written), closed, saying=writes) if closed else orjson.Fragment(written)


def _record_refusal(ctx: Context, refusal: Refusal, *, writes: bool) -> None:
    """Spend the signature of a refused request, and mask the numbers of bills in the refusal.

    Where the database doesn't answer, the refusal stands without its message, as its bills can't be
    checked then.
    """
    details = {"msg": refusal.msg, "data": refusal.data}
    names = ctx.principal.is_narrowed and has_bill_numbers(details)
    if not (names or (writes and ctx.signature is not None)):
        return

    def leave() -> dict[str, Any]:
        with request_engine().begin() as conn:
            if writes:
                idempotency.spend_signature(conn, ctx)
            return mask_hidden_bills(conn, ctx.principal, details, saying=True)

    try:
        found = retry_deadlocks(leave)
    except (DBAPIError, PoolTimeout):
        log.exception("a refusal could not be noted")
        found = {"msg": REASON_UNAVAILABLE, "data": None} if names else details
    refusal.msg, refusal.data = found["msg"], found["data"]


@contextmanager
def queued_work(ctx: Context, turns: WorkQueue | None) -> Iterator[None]:
    """Hold a place in the queue of slow work, waiting without a connection.

    Raises Refusal where it is full.
    """
    if turns is None:
        yield
        return
    ctx.conn.commit()  # that the session was seen
    with turns.place() as place:
        ctx.in_turn = True
        if not place.is_admitted():
            with ctx.without_transaction():
                place.wait(ctx.has_left)
        yield


def _digest_parts(arguments: Mapping[str, Any]) -> bytes:
    """Serialize the fields of a multipart body and the digests of its files, for the request's hash."""
    parts: list[tuple[Any, ...]] = []
    for name, sent in sorted(arguments.items()):
        for one in sent if isinstance(sent, list) else [sent]:
            if isinstance(one, UploadFile):
                file: Any = one.file
                parts.append((name, one.filename, file_digest(file, "sha256").hexdigest()))
                file.seek(0)
            elif isinstance(one, str | int):
                parts.append((name, one))
    return dump_json(parts)


@contextmanager
def authorized_context(
    request: StarletteRequest, right: str, key: str | None = None, parts: bytes = b""
) -> Iterator[Context]:
    """Authenticate and authorize a request; yield the context of one transaction, committed at the end.

    `parts` stand for a multipart body, which is read part by part.
    """
    with request_engine().connect() as conn:
        if right == PUBLIC:
            ctx = Context(conn, None)  # type: ignore[arg-type]
        else:
            ctx = _build_context(request, conn, right, key, parts)
        ctx.client = request.client.host if request.client else ""
        ctx.agent = request.headers.get("user-agent", "")[:AGENT_LENGTH]
        ctx.device = _read_device(request)
        ctx.takes_gzip = "gzip" in parse_accept_encoding(request.headers.get("accept-encoding", ""))
        ctx.host = request.url.hostname or ""
        ctx.origin = str(request.base_url).rstrip("/")
        ctx.has_left = partial(_is_disconnected, request)
        try:
            with active_context(ctx):
                yield ctx
            ctx.conn.commit()
        finally:
            ctx.conn.close()


def _read_device(request: StarletteRequest) -> str:
    found = request.cookies.get(DEVICE_COOKIE, "")
    return found if _DEVICE.fullmatch(found) else ""


def _set_device_cookie(request: StarletteRequest, answer: Response, device: str) -> None:
    secure = request.url.scheme == "https"
    answer.set_cookie(
        DEVICE_COOKIE, device, max_age=DEVICE_SECONDS, httponly=True, samesite="strict", secure=secure
    )


def _is_disconnected(request: StarletteRequest) -> bool:
    """Return whether the client has disconnected; False in the event loop's own thread, which can't ask."""
    try:
        return anyio.from_thread.run(request.is_disconnected)
    except RuntimeError:
        return False


def _authenticate(request: StarletteRequest, conn: Connection) -> Session:
    token = request.headers.get("token", "")
    if not token or _authenticator is None:
        raise Unauthenticated()
    return _authenticator(conn, token)


def _build_context(
    request: StarletteRequest, conn: Connection, right: str, key: str | None, parts: bytes
) -> Context:
    session = _authenticate(request, conn)
    raw = getattr(request.state, "raw", b"")
    signature = None
    if session.sign_key is not None:
        signature = signing.verify_request(
            session.sign_key, request.method, request.url.path, request.url.query, raw
        )
    ctx = Context(
        conn,
        session.principal,
        idempotency_key=key,
        request_hash=idempotency.digest_request(
            request.method, request.url.path, request.url.query, raw + parts
        )
        if key
        else "",
        signature=signature,
    )
    if right != ANY_USER:
        ctx.require_right(right)
    elif session.principal.limited and request.method not in SAFE_METHODS:
        raise Forbidden("接口令牌的范围不包含此操作")
    return ctx
