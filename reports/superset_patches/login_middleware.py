"""Login middleware (登录开关).

Superset's own login is closed; ERP_REPORT_LOGIN=open opens it for maintenance, with a limit of tries.

Readers come with a guest token and explorers with our API's token, so its passwords are nobody's way in.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

SETTING = "ERP_REPORT_LOGIN"
PATHS = re.compile(
    r"/(?:login|register|api/v1/security/(?:login|refresh)|oauth-authorized)(?:/.*)?", re.IGNORECASE
)
TRIES, SECONDS = 5, 60
"""So many logins a worker takes within so many seconds, of all addresses together."""
CLOSED = "报表平台自己的登录没有打开。请从系统进入报表；维护时用 ERP_REPORT_LOGIN=open 重新启动"
TOO_MANY = "登录过于频繁，请一分钟后再试"


class LoginMiddleware:
    """WSGI middleware on the paths of Superset's own password login."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self.app = app
        self.open = os.environ.get(SETTING, "") == "open"
        self._tries: deque[float] = deque(maxlen=TRIES)
        self._one = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if not PATHS.fullmatch(re.sub("/+", "/", environ.get("PATH_INFO", ""))):
            return self.app(environ, start_response)
        if not self.open:
            return _build_response("404 NOT FOUND", CLOSED, start_response)
        if environ.get("REQUEST_METHOD") == "POST" and not self._can_try():
            return _build_response("429 TOO MANY REQUESTS", TOO_MANY, start_response)
        return self.app(environ, start_response)

    def _can_try(self) -> bool:
        now = time.monotonic()
        with self._one:
            if len(self._tries) == TRIES and now - self._tries[0] < SECONDS:
                return False
            self._tries.append(now)
            return True


def _build_response(status: str, msg: str, start_response: Callable[..., Any]) -> Iterable[bytes]:
    body = msg.encode()
    start_response(
        status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    )
    return [body]
