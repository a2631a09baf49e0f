"""API document (接口文档): the OpenAPI document, for API tokens and for those who manage users.

A child process builds it once a server, as other requests must not wait for it. It is stored
compressed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections import defaultdict, deque
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from fastapi.responses import FileResponse

from api.kit.context import Context
from api.kit.errors import Forbidden, Refusal
from api.kit.http import child_process
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.work_queue import WorkQueue
from api.kit.settings import PROJECT_DIR

api = build_router()
PATIENCE = 80
"""Seconds; less than a proxy before the API waits."""
TURNS = WorkQueue("正在取接口文档的人较多，请稍后再取", at_once=4, waiting=0)
WRITE = """
import gc, os, sys
gc.disable()
if hasattr(os, "nice"):
    os.nice(int(sys.argv[2]))
from api.cli import app
app(["openapi", sys.argv[1]], standalone_mode=False)
"""
"""Child program: writes the document to the file argv[1], at the niceness argv[2]."""
NICENESS = "10"
PACK = """
import gzip, shutil, sys
with open(sys.argv[1], "rb") as plain, gzip.open(sys.argv[1] + ".gz", "wb", 6) as packed:
    shutil.copyfileobj(plain, packed)
"""
MANAGE_USERS_RIGHT = "user_account:edit"
MAX_FETCHES, FETCH_WINDOW_SECONDS = 6, 60
"""Fetches a user may make within a number of seconds."""
_fetched: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=MAX_FETCHES))
_LOCK = Lock()


class DocumentBuild:
    """Build of the document by a child process, and the path of its result."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="erp-openapi-")
        self.path = Path(self._folder.name) / "openapi.json"
        self._process = subprocess.Popen(
            [sys.executable, "-c", WRITE + PACK, str(self.path), NICENESS],
            cwd=PROJECT_DIR,
            stdout=subprocess.DEVNULL,
        )

    def wait_until_done(self, seconds: float) -> bool:
        """Wait for the build and return whether it is finished.

        Raises: Refusal where it failed.
        """
        failed = child_process.wait_for_child(self._process, seconds)
        if failed:
            with _LOCK:
                get_document_build.cache_clear()
            raise Refusal("接口文档生成失败，请联系管理员")
        return failed is not None


@cache
def get_document_build() -> DocumentBuild:
    """Return the build of this process, started at the first call."""
    return DocumentBuild()


@call(api, "GET", "openapi.json", right=ANY_USER, returns=dict[str, Any], turns=TURNS)
def get_document(ctx: Context) -> Any:
    """接口文档: the OpenAPI document, as it stands and without an envelope."""
    me = ctx.principal
    if not me.is_api_token and not me.has_right(MANAGE_USERS_RIGHT):
        raise Forbidden("接口文档只给接口令牌和管理用户的人")
    _limit_fetches(me.user_id)
    with _LOCK:
        found = get_document_build()
    with ctx.without_transaction():
        done = found.wait_until_done(PATIENCE)
    if not done:
        raise Refusal("接口文档正在生成，请一分钟后再取")
    headers = {"vary": "accept-encoding"}
    if not ctx.takes_gzip:
        return FileResponse(found.path, headers=headers, media_type="application/json")
    packed = found.path.with_name(found.path.name + ".gz")
    headers["content-encoding"] = "gzip"
    return FileResponse(packed, headers=headers, media_type="application/json")


def _limit_fetches(user_id: int) -> None:
    now = time.monotonic()
    with _LOCK:
        times = _fetched[user_id]
        if len(times) == MAX_FETCHES and now - times[0] < FETCH_WINDOW_SECONDS:
            raise Refusal("接口文档取得太频繁，请一分钟后再取")
        times.append(now)
