"""Response cache (应答缓存): guests of one role with the same request and snapshot get the cached response.

A guest's answers follow from the claims of his token, his request, the snapshot and the day; what an
administrator takes from guests by hand, the next snapshot takes. Superset needs thirty milliseconds of a
processor to repeat a cached result, mostly to find out who asks and which chart he means; a board asks
twenty times.
"""

from __future__ import annotations

import hashlib
import re
import threading
from typing import Any
from weakref import WeakValueDictionary

from cachetools import LRUCache
from flask import Flask, Response, g, json, request

from reports.semantics.day_ranges import business_day
from reports.superset_patches.query_fast_path import get_request_snapshot, has_no_table_rules

CACHED_REQUESTS = re.compile(r"GET /api/v1/dashboard/\d+(/charts|/datasets)?|POST /api/v1/chart/data")
MOST_BYTES = 48 << 20
"""Size of the cache in each worker."""
LONGEST_ANSWER = 1 << 20


def install_response_cache(app: Flask) -> None:
    """Install a response cache for guests; concurrent requests with the same key wait for one answer.

    All screens of a board ask for a new snapshot at once. Later handlers (`install_sql_hiding`,
    `install_mobile_layout`) rewrite cached responses too.
    """
    kept: LRUCache[bytes, bytes] = LRUCache(MOST_BYTES, getsizeof=len)
    turns: WeakValueDictionary[bytes, Any] = WeakValueDictionary()
    looking = threading.Lock()

    def answer_from_cache() -> Response | None:
        asked = _build_cache_key()
        if asked is None:
            return None
        with looking:
            turn = turns.setdefault(asked, threading.RLock())
        turn.acquire()
        g.turn = turn
        with looking:
            said = kept.get(asked)
        if said is None:
            g.asked = asked
            return None
        return Response(said, mimetype="application/json")

    def store_response(response: Response) -> Response:
        asked = g.pop("asked", None)
        if asked and response.status_code == 200 and response.mimetype == "application/json":
            said = response.get_data()
            with looking:
                if len(said) <= LONGEST_ANSWER:
                    kept[asked] = said
        return response

    def release_turn(_: BaseException | None) -> None:
        turn = g.pop("turn", None)
        if turn is not None:
            turn.release()

    app.before_request(answer_from_cache)
    app.after_request(store_response)
    app.teardown_request(release_turn)


def _build_cache_key() -> bytes | None:
    """Return the cache key of a guest's request.

    None for anybody else, other paths, or while an administrator's rules are laid on tables.
    """
    from superset import security_manager

    if not CACHED_REQUESTS.fullmatch(f"{request.method} {request.path}"):
        return None
    guest = security_manager.get_current_guest_user_if_guest()
    if guest is None or not has_no_table_rules():
        return None
    parts = (
        guest.rls,
        guest.resources,
        request.full_path,
        get_request_snapshot().mark,
        business_day().isoformat(),
    )
    return hashlib.sha256(json.dumps(parts).encode() + b"\0" + request.get_data()).digest()
