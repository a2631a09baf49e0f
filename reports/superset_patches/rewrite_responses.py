"""Rewriting of guests' responses (改写应答): dashboards, charts and datasets as their readers need them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask, Response

CHARTS = r"/api/v1/dashboard/[\w-]+/charts"


def rewrite_responses(
    app: Flask,
    path: str,
    rewrite: Callable[[Any], Any],
    is_wanted: Callable[[], bool] = lambda: True,
    vary_headers: tuple[str, ...] = (),
) -> None:
    """Rewrite the results that guests get at a path, if `is_wanted` says so.

    `vary_headers` are those that it reads.
    """
    from flask import request

    def rewrite_response(response: Response) -> Response:
        from superset import security_manager

        if not re.fullmatch(path, request.path) or response.status_code != 200:
            return response
        response.vary.update(vary_headers)
        if is_wanted() and security_manager.is_guest_user():
            content = json.loads(response.get_data())
            content["result"] = rewrite(content["result"])
            response.set_data(json.dumps(content, ensure_ascii=False))
        return response

    app.after_request(rewrite_response)
