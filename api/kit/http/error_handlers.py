"""Error handlers (错误应答): refusals, invalid input and accidents, each as an envelope in Chinese."""

from __future__ import annotations

import logging
from errno import ENOSPC
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from psycopg.errors import DiskFull, QueryCanceled
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from api.kit.errors import Refusal
from api.kit.http.routing import build_response

log = logging.getLogger(__name__)

VALIDATION_MESSAGES = {
    "missing": "必须填写",
    "int_parsing": "应为整数",
    "int_type": "应为整数",
    "list_type": "应为列表",
    "string_too_long": "内容过长",
    "decimal_max_digits": "数字过大",
    "decimal_whole_digits": "数字过大",
    "decimal_max_places": "小数位过多",
    "too_short": "请选择要操作的信息",
    "too_long": "一次操作的行数过多",
    "json_invalid": "请求内容不是有效的 JSON",
    "model_attributes_type": "请求内容格式不正确",
    "dict_type": "请求内容格式不正确",
}
DISK_FULL = "服务器磁盘已满，请联系管理员"
TOO_LONG = "处理时间过长，已停止，请缩小范围后重试；仍然如此请联系管理员"
UNKNOWN = 500
"""Code of an unknown outcome: the command may have been done, and is repeated under the same key."""
STATUS_MESSAGES = {404: "请求的地址不存在", 405: "不支持的请求方法", 413: "请求内容过大"}


def install_error_handlers(app: FastAPI) -> None:
    """Install the error handlers of an application."""
    app.add_exception_handler(Refusal, _handle_refusal)
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(DBAPIError, _handle_database_error)
    app.add_exception_handler(PoolTimeout, _handle_database_error)
    app.add_exception_handler(Exception, _handle_unexpected_error)


def _handle_refusal(request: Request, error: Any) -> Response:
    return build_response(error.data, code=error.code, msg=error.msg)


def _handle_validation_error(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:] if not isinstance(part, int))
    message = VALIDATION_MESSAGES.get(first["type"], "格式不正确")
    return build_response(None, code=400, msg=f"{place}：{message}" if place else message)


def _handle_http_error(request: Request, error: Any) -> Response:
    code = error.status_code if error.status_code in STATUS_MESSAGES else 400
    return build_response(None, code=code, msg=STATUS_MESSAGES.get(code, "请求无法处理"))


def _handle_database_error(request: Request, error: Any) -> Response:
    """Answer a database that is away, or that rejected a value which no rule caught."""
    cause = getattr(error, "orig", error)
    # What the server answers ends the transaction; where it fell silent, that may have been after its commit.
    lost = getattr(error, "connection_invalidated", False) or (
        isinstance(error, OperationalError) and getattr(cause, "sqlstate", None) is None
    )
    away = lost or isinstance(error, PoolTimeout | OperationalError)
    too_long = isinstance(cause, QueryCanceled)
    log.error("%s: %s", request.url.path, cause, exc_info=None if away and not too_long else error)
    if too_long:
        return build_response(None, code=400, msg=TOO_LONG)
    if isinstance(cause, DiskFull):
        return build_response(None, code=400, msg=DISK_FULL)
    if away:
        return build_response(None, code=UNKNOWN if lost else 400, msg="数据库繁忙或暂时不可用，请稍后重试")
    return build_response(None, code=400, msg="数据不符合要求，未保存，请检查后重试")


def _handle_unexpected_error(request: Request, error: Any) -> Response:
    log.error("%s: %s", request.url.path, error, exc_info=error)
    full = isinstance(error, OSError) and error.errno == ENOSPC
    return build_response(None, code=UNKNOWN, msg=DISK_FULL if full else "系统出错，请联系管理员")
