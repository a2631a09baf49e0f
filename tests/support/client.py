"""HTTP client of the application: answers come apart as code, message and data."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx
import orjson

from api.kit.signing import compute_signature


@dataclass(frozen=True)
class Answer:
    """An envelope, and the HTTP status it came with."""

    status: int
    code: int
    msg: str
    data: Any

    @property
    def ok(self) -> bool:
        return self.status == 200 and self.code == 200


class Caller:
    """Calls with one token; a session's `sign_key` signs what is sent, API tokens need none."""

    def __init__(self, http: Any, token: str | None = None, sign_key: str | None = None) -> None:
        self.http, self.token, self.sign_key = http, token, sign_key

    def get(self, path: str, **query: Any) -> Answer:
        return self.send("GET", path, query=query)

    def post(
        self,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        query: dict[str, Any] | None = None,
        form: dict[str, str] | None = None,
    ) -> Answer:
        return self.send("POST", path, self._add_revision(path, body), key=key, query=query, form=form)

    def _add_revision(self, path: str, body: Any) -> Any:
        """Add the revision to an edit without one, as a form that was just opened does."""
        if not path.endswith("/edit") or not isinstance(body, dict) or "id" not in body or "revision" in body:
            return body
        read = self.get(f"{path.removesuffix('edit')}getInfo", id=body["id"]).data
        return body | {"revision": read["revision"]} if read and "revision" in read else body

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        query: dict[str, Any] | None = None,
        form: dict[str, str] | None = None,
        signed_at: int | None = None,
        sign: str | None = None,
    ) -> Answer:
        response = self.raw(
            method, path, body, key=key, query=query, form=form, signed_at=signed_at, sign=sign
        )
        found = orjson.loads(response.content)
        return Answer(response.status_code, found["code"], found["msg"], found["data"])

    def raw(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        query: dict[str, Any] | None = None,
        form: dict[str, str] | None = None,
        signed_at: int | None = None,
        sign: str | None = None,
        extra: dict[str, str] | None = None,
    ) -> httpx.Response:
        """Return the raw response; `signed_at` and `sign` replace those sent, `extra` adds headers."""
        path = "/" + path.lstrip("/")
        content, headers = b"", {}
        if form is not None:
            content, headers = (
                urlencode(form).encode(),
                {"content-type": "application/x-www-form-urlencoded"},
            )
        elif method == "POST":
            content = body if isinstance(body, bytes) else orjson.dumps({} if body is None else body)
            headers = {"content-type": "application/json"}
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        if self.sign_key:
            asked["timeStamp"] = signed_at or time.time_ns() // 1_000_000
            multipart = (extra or {}).get("content-type", "").startswith("multipart/")
            signed = b"" if multipart else content
            made = compute_signature(self.sign_key, method, path, urlencode(asked), signed)
            asked["sign"] = made if sign is None else sign
        if self.token:
            headers["token"] = self.token
        if key:
            headers["Idempotency-Key"] = key
        headers |= extra or {}
        address = f"{path}?{urlencode(asked)}" if asked else path
        found: httpx.Response = self.http.request(method, address, content=content, headers=headers)
        return found
