"""The description of all calls is there for whoever has a token, in the words of the screens."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from api.identity import sessions
from api.identity.setup import issue_token
from api.kit.declaration import registry
from api.shell.workspace import call_document
from api.shell.workspace.call_titles import CHINESE
from tests.support.api_document import load_document
from tests.support.client import Caller
from tests.support.fixtures import Site

SMALL = """
import sys
with open(sys.argv[1] + ".runs", "a") as runs:
    runs.write("1")
with open(sys.argv[1], "w") as file:
    file.write('{"openapi": "3.1.0"}')
"""


@pytest.fixture(autouse=True)
def unwritten(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(call_document, "WRITE", SMALL)
    call_document.get_document_build.cache_clear()
    call_document._fetched.clear()
    yield
    call_document.get_document_build.cache_clear()


class TestServed:
    def test_it_is_made_once_for_programs_and_who_manages_users(self, site: Site) -> None:
        token = issue_token("clerk_a", 30, "官网", ["unit:list"])
        for caller in (site.as_("admin"), Caller(site.http, token)):
            answer = caller.raw("GET", "openapi.json")
            assert (answer.status_code, orjson.loads(answer.content)) == (200, {"openapi": "3.1.0"})
        path = call_document.get_document_build().path
        assert path.with_name("openapi.json.runs").read_text() == "1"

    def test_nobody_else_gets_it(self, site: Site) -> None:
        assert site.anonymous().get("openapi.json").code == 401
        with site.engine.begin() as conn:
            opened = sessions.open_session(conn, site.world.ids["user_nobody"])
        refused = Caller(site.http, opened.token, opened.sign_key).get("openapi.json")
        assert (refused.code, refused.msg) == (403, "接口文档只给接口令牌和管理用户的人")

    def test_it_goes_out_packed_as_it_is_kept(self, site: Site) -> None:
        for taken, told in (("gzip, br", "gzip"), ("identity", None)):
            answer = site.as_("admin").raw("GET", "openapi.json", extra={"accept-encoding": taken})
            assert answer.headers.get("content-encoding") == told
            assert orjson.loads(answer.content) == {"openapi": "3.1.0"}
        assert gzip.decompress(
            call_document.get_document_build().path.with_name("openapi.json.gz").read_bytes()
        )

    def test_one_user_does_not_fetch_it_on_and_on(self, site: Site) -> None:
        admin = site.as_("admin")
        answers = [admin.raw("GET", "openapi.json").status_code for _ in range(call_document.MAX_FETCHES)]
        assert answers == [200] * call_document.MAX_FETCHES
        assert admin.get("openapi.json").msg == "接口文档取得太频繁，请一分钟后再取"

    def test_one_that_fails_is_made_anew(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(call_document, "WRITE", "raise SystemExit(3)")
            assert site.as_("admin").get("openapi.json").msg == "接口文档生成失败，请联系管理员"
        assert site.as_("admin").raw("GET", "openapi.json").status_code == 200


class TestWords:
    def test_every_call_has_a_chinese_summary(self) -> None:
        found = load_document()["paths"]
        bare = [
            f"{method} {path}"
            for path, item in found.items()
            for method, operation in item.items()
            if not CHINESE.search(operation["summary"])
        ]
        assert bare == []
        assert found["/v2/sales/SalesOutstock/getList"]["get"]["summary"] == "销售出库列表"
        assert found["/v2/sales/SalesOutstock/auditorPass"]["post"]["summary"] == "销售出库审核"
        assert found["/v2/Open/RoleAuth/getLeftMenuList"]["get"]["summary"] == "左侧菜单"

    def test_fields_bear_their_labels(self) -> None:
        schemas = load_document()["components"]["schemas"]
        for cls in registry.list_resources():
            name = f"{cls.__name__}Info"
            for item in cls.fields():
                schema = schemas.get(name, {}).get("properties", {}).get(item.name)
                if schema is not None:
                    assert schema["title"] in item.label, (name, item.name)

    def test_every_title_and_answer_is_chinese(self) -> None:
        bare = sorted(
            {
                f"{place}: {words}"
                for place, words in collect_texts(load_document())
                if not CHINESE.search(words)
            }
        )
        assert bare == []
        schemas = load_document()["components"]["schemas"]
        assert schemas["SalesOutboundInfo"]["title"] == "销售出库详情"
        assert schemas["SalesOutboundInfo"]["properties"]["bill_id"]["title"] == "单据编号"
        assert schemas["CustomerRow"]["properties"]["customer_id"]["title"] == "客户"
        assert schemas["BackupRow"]["properties"]["backup_id"]["title"].endswith("编号")
        answers = load_document()["paths"]["/v2/sales/SalesOutstock/getList"]["get"]["responses"]
        assert [answers[status]["description"] for status in ("200", "422")] == ["成功", "请求不符合格式"]


def collect_texts(node: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield every summary, schema title and response description of a document, with its path."""
    if isinstance(node, list):
        for part in node:
            yield from collect_texts(part, place)
    if not isinstance(node, dict):
        return
    for name, value in node.items():
        inside = place.rpartition("/")[2]
        if name in ("title", "summary") and isinstance(value, str) and inside != "properties":
            yield place, value
        if name == "responses":
            yield from ((f"{place}/{status}", answer["description"]) for status, answer in value.items())
        yield from collect_texts(value, f"{place}/{name}")
