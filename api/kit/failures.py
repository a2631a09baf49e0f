"""Failures (错误应答): refusals, broken input and accidents, each as an envelope with a Chinese message."""

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

from api.kit.calls import answer
from api.kit.errors import Refusal

log = logging.getLogger(__name__)

KINDS = {
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
"""What was asked for may have been done: who asks again does it under the same key."""
STATUS = {404: "请求的地址不存在", 405: "不支持的请求方法", 413: "请求内容过大"}


def answer_failures(app: FastAPI) -> None:
    """Give the application its error answers."""
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(DBAPIError, _database)
    app.add_exception_handler(PoolTimeout, _database)
    app.add_exception_handler(Exception, _accident)


def _refused(request: Request, error: Any) -> Response:
    return answer(error.data, code=error.code, msg=error.msg)


def _unreadable(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:] if not isinstance(part, int))
    said = KINDS.get(first["type"], "格式不正确")
    return answer(None, code=400, msg=f"{place}：{said}" if place else said)


def _http(request: Request, error: Any) -> Response:
    code = error.status_code if error.status_code in STATUS else 400
    return answer(None, code=code, msg=STATUS.get(code, "请求无法处理"))


def _database(request: Request, error: Any) -> Response:
    """The database is away, or refused a value that no rule above caught."""
    told = getattr(error, "orig", error)
    # What the server answers ends the transaction; where it fell silent, that may have been after its commit.
    lost = getattr(error, "connection_invalidated", False) or (
        isinstance(error, OperationalError) and getattr(told, "sqlstate", None) is None
    )
    away = lost or isinstance(error, PoolTimeout | OperationalError)
    too_long = isinstance(told, QueryCanceled)
    log.error("%s: %s", request.url.path, told, exc_info=None if away and not too_long else error)
    if too_long:
        return answer(None, code=400, msg=TOO_LONG)
    if isinstance(told, DiskFull):
        return answer(None, code=400, msg=DISK_FULL)
    if away:
        return answer(None, code=UNKNOWN if lost else 400, msg="数据库繁忙或暂时不可用，请稍后重试")
    return answer(None, code=400, msg="数据不符合要求，未保存，请检查后重试")


def _accident(request: Request, error: Any) -> Response:
    log.error("%s: %s", request.url.path, error, exc_info=error)
    full = isinstance(error, OSError) and error.errno == ENOSPC
    return answer(None, code=UNKNOWN, msg=DISK_FULL if full else "系统出错，请联系管理员")
