"""Calls (接口): how an HTTP route is declared. Every one names its right; without one it can't be made.

A handler is a plain function `(ctx, …) -> data`. The gate around it proves the token, the signature and the right,
opens the transaction, remembers the idempotency key, and wraps the answer as `{code, msg, data}`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from hashlib import sha256
from typing import Annotated, Any, Generic, TypeVar

import orjson
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.dependencies import utils as dependencies
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection
from starlette.datastructures import UploadFile
from starlette.requests import Request as StarletteRequest
from starlette.routing import Match
from starlette.types import Scope

from api.kit import idempotency, signing, told
from api.kit.context import Authenticator, Context
from api.kit.database import dumps, request_engine, retrying, told_time
from api.kit.errors import Refusal, Unauthenticated
from api.kit.forms import as_json
from api.kit.making import MAKING

T = TypeVar("T")
Maker = partial[Any]
"""Makes a type that only the declaration of a class says; asked when the route is made."""

# FastAPI keeps the fields of 128 query models and makes those of others anew, which its OpenAPI then does not know.
dependencies.get_cached_model_fields = cache(dependencies.get_cached_model_fields.__wrapped__)

MAX_BODY = 120 * 1024 * 1024

ANYONE = ""
"""No login needed: the login call and the health check."""
ANY_USER = "*any"
"""Any logged-in user: the shell's own calls."""

AGENT_LENGTH = 300
SUCCESS = "操作成功"
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
        self.path, self._declared = path, (endpoint, declared)

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

        async def with_body(request: Request) -> Response:
            multipart = request.headers.get("content-type", "").startswith("multipart/")
            request = _bounded(request)
            request.state.raw = b"" if multipart else await request.body()
            try:
                return await handle(_read(request))
            except (RequestValidationError, Unreadable):
                await run_in_threadpool(_prove, request, right)
                raise

        return with_body


def _bounded(request: Request) -> Request:
    """A request whose body ends when it grows too large, whatever length it declares."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > MAX_BODY:
        raise TooLarge()
    taken = 0

    async def receive() -> Any:
        nonlocal taken
        message = await request.receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BODY:
            raise TooLarge()
        return message

    return Request(request.scope, receive)


class TooLarge(Refusal):
    """A body beyond what any call takes."""

    def __init__(self) -> None:
        super().__init__(f"提交的内容超过 {MAX_BODY // 1024 // 1024} MB，请拆分后提交")


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
    says: str = SUCCESS,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a route. `returns` is a type or makes one; `takes` makes types of parameters, by their names. `write`
    calls honour the Idempotency-Key; `batch` calls commit bill by bill themselves; `says` is told when it succeeds."""

    def declare(handler: Callable[..., Any]) -> Callable[..., Any]:
        on.add_api_route(
            "/" + path.lstrip("/"),
            Endpoint(handler, takes or {}, right, says, returns, write=write, batch=batch),
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
    ) -> None:
        self._handler, self._takes, self._right, self._says = handler, takes, right, says
        self.returns = returns
        self.writes, self._once = write, write and not batch
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

        def attempt() -> tuple[Any, Context]:
            with gate(request, self._right, key, parts) as ctx:
                fresh, data = idempotency.claim(ctx) if self._once else (True, None)
                if fresh:
                    data = told.mask(self.returns, self._handler(ctx, **arguments), ctx.principal)
                    if self._once:
                        idempotency.store(ctx, data)
            return data, ctx

        data, ctx = retrying(attempt)
        for effect in ctx.after_commit:
            effect()
        if not isinstance(data, Response):
            return answer(data, msg=self._says)
        for name, value in marks().items():
            data.headers.setdefault(name, value)
        return data


def _parts(arguments: Mapping[str, Any]) -> bytes:
    """What stands for a multipart body: its fields, and the digests of its files."""
    parts: list[tuple[Any, ...]] = []
    for name, sent in sorted(arguments.items()):
        for one in sent if isinstance(sent, list) else [sent]:
            if isinstance(one, UploadFile):
                parts.append((name, one.filename, sha256(one.file.read()).hexdigest()))
                one.file.seek(0)
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
        ctx.host = request.url.hostname or ""
        ctx.origin = str(request.base_url).rstrip("/")
        yield ctx
        conn.commit()


def _proven(
    request: StarletteRequest, conn: Connection, right: str, key: str | None, parts: bytes
) -> Context:
    token = request.headers.get("token", "")
    if not token or _authenticator is None:
        raise Unauthenticated()
    session = _authenticator(conn, token)
    raw = getattr(request.state, "raw", b"")
    if session.sign_key is not None:
        signing.verify(session.sign_key, request.method, request.url.path, request.url.query, raw)
    ctx = Context(
        conn,
        session.principal,
        idempotency_key=key,
        request_hash=idempotency.digest(request.method, request.url.path, request.url.query, raw + parts)
        if key
        else "",
    )
    if right != ANY_USER:
        ctx.require(right)
    return ctx
