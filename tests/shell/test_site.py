"""The built web: its pages run their own scripts and no others; pages with policies of their own have a place beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from api.kit.settings import PROJECT_DIR
from api.shell.workspace.web_assets import LONE_PAGE, WebAssets

WEB = PROJECT_DIR / "web"
PAGE = {"accept": "text/html"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "index-abc.js").write_text("export {}")
    for name in ("index.html", LONE_PAGE):
        (tmp_path / name).write_text("<!doctype html>")
    app = Starlette()
    app.mount("/", WebAssets(tmp_path, ["", "https://reports.example.cn/"]))
    with TestClient(app) as client:
        yield client


def read_policy(answer: httpx.Response) -> dict[str, str]:
    [policy] = answer.headers.get_list("content-security-policy")
    parts = (one.partition(" ") for one in policy.split("; "))
    return {name: words for name, _, words in parts}


@pytest.mark.parametrize("path", ["/", "/sales/salesout", "/index.html"])
def test_the_shell_runs_its_own_scripts_alone(client: TestClient, path: str) -> None:
    policy = read_policy(client.get(path, headers=PAGE))
    assert policy["script-src"] == "'self'"
    assert policy["default-src"] == policy["connect-src"] == policy["form-action"] == "'self'"
    assert policy["frame-src"] == "'self' https://reports.example.cn/embedded/"
    assert policy["object-src"] == policy["worker-src"] == "'none'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'self'"


def test_it_has_no_script_that_the_policy_would_not_run() -> None:
    """Neither in the page nor in what its elements do; the compiler adds none."""
    page = (WEB / "index.html").read_text("utf-8")
    assert re.findall(r"<script(?![^>]* src=)|\son\w+=|javascript:", page) == []


def test_a_page_of_its_own_policy_is_written_where_there_is_no_origin(client: TestClient) -> None:
    policy = read_policy(client.get(f"/{LONE_PAGE}", headers=PAGE))
    assert policy == {"frame-ancestors": "'self'", "sandbox": "allow-scripts"}
    empty = (WEB / "public" / LONE_PAGE).read_text("utf-8")
    assert "if (source !== parent" in empty
    assert "http" not in empty


def test_only_what_is_named_by_its_digest_is_kept_for_ever(client: TestClient) -> None:
    kept = {
        path: client.get(path, headers=PAGE).headers["cache-control"]
        for path in ("/", "/assets/index-abc.js")
    }
    assert kept == {"/": "no-cache", "/assets/index-abc.js": "public, max-age=31536000, immutable"}
    assert client.get("/nothing.js").status_code == 404
