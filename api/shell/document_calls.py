"""The description of all calls (接口文档), for programs that an API token was given to, and for who manages users.

To make it takes longer than the next click of others may wait, so a process of its own does, once for each server. It
is kept as it goes out, packed.
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

from api.kit import children
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.errors import Forbidden, Refusal
from api.kit.settings import PROJECT_DIR
from api.kit.turns import Turns

api = router()
PATIENCE = 80
"""Seconds; less than a proxy before the API waits."""
TURNS = Turns("正在取接口文档的人较多，请稍后再取", at_once=4, waiting=0)
WRITE = """
import gc, os, sys
gc.disable()
if hasattr(os, "nice"):
    os.nice(int(sys.argv[2]))
from api.cli import app
app(["openapi", sys.argv[1]], standalone_mode=False)
"""
"""Writes it to the file that it is told, as much behind others as it is told."""
BEHIND = "10"
PACK = """
import gzip, shutil, sys
with open(sys.argv[1], "rb") as plain, gzip.open(sys.argv[1] + ".gz", "wb", 6) as packed:
    shutil.copyfileobj(plain, packed)
"""
MANAGING = "user_account:edit"
OFTEN, SECONDS = 6, 60
"""So many times in so many seconds a user may fetch it."""
_fetched: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=OFTEN))
_LOCK = Lock()


class Writing:
    """The document as it is being written, and where."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="erp-openapi-")
        self.path = Path(self._folder.name) / "openapi.json"
        self._process = subprocess.Popen(
            [sys.executable, "-c", WRITE + PACK, str(self.path), BEHIND],
            cwd=PROJECT_DIR,
            stdout=subprocess.DEVNULL,
        )

    def done(self, seconds: float) -> bool:
        """Wait for it; whether it is there, False while it isn't yet."""
        failed = children.ended(self._process, seconds)
        if failed:
            with _LOCK:
                writing.cache_clear()
            raise Refusal("接口文档生成失败，请联系管理员")
        return failed is not None


@cache
def writing() -> Writing:
    """The one of this process."""
    return Writing()


@call(api, "GET", "openapi.json", right=ANY_USER, returns=dict[str, Any], turns=TURNS)
def get_document(ctx: Context) -> Any:
    """接口文档: the OpenAPI document, as it stands and without an envelope."""
    me = ctx.principal
    if not me.by_token and not me.may(MANAGING):
        raise Forbidden("接口文档只给接口令牌和管理用户的人")
    _refuse_too_often(me.user_id)
    with _LOCK:
        found = writing()
    with ctx.apart():
        done = found.done(PATIENCE)
    if not done:
        raise Refusal("接口文档正在生成，请一分钟后再取")
    headers = {"vary": "accept-encoding"}
    if not ctx.takes_gzip:
        return FileResponse(found.path, headers=headers, media_type="application/json")
    packed = found.path.with_name(found.path.name + ".gz")
    headers["content-encoding"] = "gzip"
    return FileResponse(packed, headers=headers, media_type="application/json")


def _refuse_too_often(user_id: int) -> None:
    now = time.monotonic()
    with _LOCK:
        times = _fetched[user_id]
        if len(times) == OFTEN and now - times[0] < SECONDS:
            raise Refusal("接口文档取得太频繁，请一分钟后再取")
        times.append(now)
