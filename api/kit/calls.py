"""Calls (接口): how an HTTP route is declared. Every one names its right; without one it can't be made.

A handler is a plain function `(ctx, …) -> data`. The gate around it proves the token, the signature and the right,
opens the transaction, remembers the idempotency key, and wraps the answer as `{code, msg, data}`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Generic, TypeVar

import orjson
from fastapi import APIRouter, Header, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from sqlalchemy import Connection
from starlette.requests import Request as StarletteRequest

from api.kit import idempotency, signing
from api.kit.context import Authenticator, Context
from api.kit.database import dumps, engine, retrying
from api.kit.errors import Refusal, Unauthenticated
from api.kit.forms import as_json

T = TypeVar("T")

ANYONE = ""
"""No login needed: the login call and the health check."""
ANY_USER = "*any"
"""Any logged-in user: the shell's own calls."""

_authenticator: Authenticator | None = None


def set_authenticator(authenticate: Authenticator) -> None:
    """Identity says how a token becomes a session."""
    global _authenticator
    _authenticator = authenticate


class Envelope(BaseModel, Generic[T]):
    """Every answer: code 200 is success; otherwise msg says in Chinese what to do."""

    code: int = 200
    msg: str = "操作成功"
    data: T | None = None


def answer(data: Any, *, code: int = 200, msg: str = "操作成功") -> Response:
    """An enveloped answer; HTTP status follows the code, except for business questions (362, 363)."""
    status = code if code in (200, 400, 401, 402, 403, 404, 413, 429, 503) else 200
    return Response(dumps({"code": code, "msg": msg, "data": data}), status, media_type="application/json")


class Route(APIRoute):
    """A route that keeps the raw body for the signature, and reads form-encoded bodies as JSON."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        handle = super().get_route_handler()

        async def with_body(request: Request) -> Response:
            multipart = request.headers.get("content-type", "").startswith("multipart/")
            raw = b"" if multipart else await request.body()
            request.state.raw = raw
            kind = request.headers.get("content-type", "")
            if raw and kind.startswith("application/x-www-form-urlencoded"):
                request = _with_json(request, as_json(raw))
            elif raw and kind.startswith("application/json"):
                request._json = _json(raw)
            return await handle(request)

        return with_body


def _json(raw: bytes) -> Any:
    """The body, read strictly: NaN, broken surrogates and bottomless nesting are no JSON."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Refusal("请求内容不是有效的 JSON") from error


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
    write: bool = False,
    batch: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a route. `write` calls honour the Idempotency-Key; `batch` calls commit bill by bill themselves."""

    def declare(handler: Callable[..., Any]) -> Callable[..., Any]:
        def endpoint(request: Request, **arguments: Any) -> Response:
            key = (arguments.pop("idempotency_key", None) or "").strip() or None
            return _run(request, handler, arguments, right, key, once=write and not batch)

        endpoint.__signature__ = _signature(handler, write)  # type: ignore[attr-defined]
        endpoint.__doc__ = handler.__doc__
        on.add_api_route(
            "/" + path.lstrip("/"),
            endpoint,
            methods=[method],
            response_model=Envelope[returns],  # type: ignore[valid-type]
            name=handler.__name__,
            operation_id=f"{method.lower()}_{path.strip('/').replace('/', '_')}",
            openapi_extra={"x-right": right},
        )
        return handler

    return declare


def _signature(handler: Callable[..., Any], write: bool) -> inspect.Signature:
    """The handler's parameters without `ctx`, led by the request, for FastAPI to read."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = list(inspect.signature(handler, eval_str=True).parameters.values())[1:]
    parameters = [inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)]
    parameters += [parameter.replace(kind=keyword) for parameter in own]
    if write:
        header = Annotated[str | None, Header(alias="Idempotency-Key", max_length=idempotency.KEY_LENGTH)]
        parameters.append(inspect.Parameter("idempotency_key", keyword, default=None, annotation=header))
    return inspect.Signature(parameters)


def _run(
    request: Request,
    handler: Callable[..., Any],
    arguments: dict[str, Any],
    right: str,
    key: str | None,
    once: bool,
) -> Response:
    def attempt() -> tuple[Any, Context]:
        with gate(request, right, key) as ctx:
            fresh, data = idempotency.claim(ctx) if once else (True, None)
            if fresh:
                data = handler(ctx, **arguments)
                if once:
                    idempotency.store(ctx, data)
        return data, ctx

    data, ctx = retrying(attempt)
    for effect in ctx.after_commit:
        effect()
    return data if isinstance(data, Response) else answer(data)


@contextmanager
def gate(request: StarletteRequest, right: str, key: str | None = None) -> Iterator[Context]:
    """Prove who calls and what he may do; yield the context of one transaction, committed at the end."""
    with engine().connect() as conn:
        if right == ANYONE:
            ctx = Context(conn, None, client=_client(request), host=_host(request))  # type: ignore[arg-type]
        else:
            ctx = _proven(request, conn, right, key)
        yield ctx
        conn.commit()


def _proven(request: StarletteRequest, conn: Connection, right: str, key: str | None) -> Context:
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
        request_hash=idempotency.digest(request.method, request.url.path, raw) if key else "",
        client=_client(request),
        host=_host(request),
    )
    if right != ANY_USER:
        ctx.require(right)
    return ctx


def _client(request: StarletteRequest) -> str:
    return request.client.host if request.client else ""


def _host(request: StarletteRequest) -> str:
    return request.url.hostname or ""
