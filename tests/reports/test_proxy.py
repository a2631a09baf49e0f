"""The frame proxy: exactly the paths of an embedded dashboard, its own session, nothing of ours."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from urllib.parse import parse_qsl

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from api.reporting.superset_gateway import asset_cache, superset_proxy
from api.reporting.superset_gateway.frame_proxy import FRAME_COOKIE, FrameProxy, is_frame_path
from api.reporting.superset_gateway.superset_proxy import LARGEST_BODY
from reports.superset import proxy_signing
from tests.support.superset import COMPANY_ONE, EVERYTHING, SupersetClient, list_places

BOARD = "7a56c0de-1111-5222-8333-444455556666"
BEST_SELLER = next(item for item in list_places() if item.report.code == "BestSeller")


NUMBERS = count()
UNDER_WAY: list[object] = []


class EchoHandler(http.server.BaseHTTPRequestHandler):
    """A server that tells what arrived upstream, and answers with cookies of several names."""

    def do_GET(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        told = {
            "number": next(NUMBERS),
            "path": self.path,
            "headers": dict(self.headers.items()),
            "body": self.rfile.read(length).decode(),
            "together": self._count_concurrent(),
        }
        if self.path == "/api/v1/time_range/":
            self.send_response(302)
            self.send_header("Location", "/login/")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Set-Cookie", "superset_session=upstream; HttpOnly; Path=/; SameSite=Lax")
        self.send_header("Set-Cookie", "token=stolen; Path=/")
        self.send_header("Content-Security-Policy", "frame-ancestors 'self'")
        self.send_header("ETag", f'"{self.path}"')
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())

    do_POST = do_PUT = do_GET

    def _count_concurrent(self) -> int:
        """Return the number of concurrent requests; what is slow lets others come in meanwhile."""
        UNDER_WAY.append(self)
        try:
            if self.path.endswith("?slow"):
                time.sleep(0.2)
            return len(UNDER_WAY)
        finally:
            UNDER_WAY.remove(self)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


async def ours(request) -> PlainTextResponse:
    return PlainTextResponse(f"ours {request.url.path}", 404)


def build_client(upstream: str) -> TestClient:
    app = Starlette(routes=[Route("/{path:path}", ours, methods=["GET", "POST", "PUT", "DELETE", "HEAD"])])
    return TestClient(FrameProxy(app, upstream), follow_redirects=False)


@contextmanager
def running_echo() -> Iterator[TestClient]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EchoHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with build_client(f"http://127.0.0.1:{server.server_port}") as client:
        yield client
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def echo() -> Iterator[TestClient]:
    with running_echo() as client:
        yield client


class TestPaths:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", f"/embedded/{BOARD}"),
            ("HEAD", f"/embedded/{BOARD}"),
            ("GET", "/static/assets/a.b2.chunk.js"),
            ("GET", "/superset/language_pack/zh/"),
            ("GET", "/api/v1/dashboard/12"),
            ("GET", "/api/v1/dashboard/12/charts"),
            ("GET", "/api/v1/dashboard/12/datasets"),
            ("POST", "/api/v1/chart/data"),
            ("POST", "/api/v1/dashboard/12/filter_state"),
        ],
    )
    def test_of_a_frame(self, method: str, path: str):
        assert is_frame_path(method, path)

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/"),
            ("GET", "/login/"),
            ("POST", "/login/"),
            ("GET", "/logout/"),
            ("GET", "/superset/welcome/"),
            ("GET", "/superset/sqllab/"),
            ("GET", "/sqllab/"),
            ("POST", "/api/v1/sqllab/execute/"),
            ("GET", "/users/list/"),
            ("GET", "/roles/list/"),
            ("GET", "/api/v1/security/users/"),
            ("POST", "/api/v1/security/login"),
            ("POST", "/api/v1/security/guest_token/"),
            ("GET", "/api/v1/database/"),
            ("GET", "/api/v1/dataset/1"),
            ("GET", "/api/v1/chart/1"),
            ("GET", "/api/v1/chart/data"),
            ("DELETE", "/api/v1/dashboard/12"),
            ("PUT", "/api/v1/dashboard/12"),
            ("GET", "/api/v1/dashboard/"),
            ("GET", "/api/v1/dashboard/12/export"),
            ("GET", "/superset/dashboard/12/"),
            ("GET", "/datasource/samples"),
            ("GET", "/explore/"),
            ("GET", f"/embedded/{BOARD}/../../login/"),
            ("GET", f"/embedded/{BOARD}%2f..%2flogin"),
            ("GET", "/static/assets/../../login/"),
            ("GET", "/static/assets/%2e%2e/%2e%2e/login/"),
            ("GET", "//login/"),
            ("GET", "/api/v1/dashboard/12;x/charts"),
            ("GET", "/superset/language_pack/en/"),
            ("CONNECT", f"/embedded/{BOARD}"),
        ],
    )
    def test_of_others(self, method: str, path: str):
        assert not is_frame_path(method, path)

    def test_others_stay_with_the_application(self, echo: TestClient):
        for path in ("/login/", "/superset/sqllab/", "/users/list/", "/v2/user/Login/login"):
            answer = echo.get(path)
            assert (answer.status_code, answer.text) == (404, f"ours {path}")

    def test_a_guests_colours_are_kept_nowhere(self, echo: TestClient):
        answer = echo.put("/api/v1/dashboard/12/colors?mark_updated=false", json={})
        assert (answer.status_code, answer.json()) == (200, {"result": "ok"})
        assert echo.get("/api/v1/dashboard/12/colors").text.startswith("ours")


class TestHeaders:
    def read_echo(self, answer: httpx.Response) -> dict:
        assert answer.status_code == 200
        return answer.json()

    def test_our_token_and_cookies_stay_here(self, echo: TestClient):
        headers = {
            "token": "secret",
            "authorization": "Bearer x",
            "x-guesttoken": "guest",
            "x-forwarded-user": "admin",
            "x-report-proxy": "forged",
            "cookie": f"superset_session=admin; session=admin; token=secret; {FRAME_COOKIE}=mine",
        }
        sent = {
            name.lower(): value
            for name, value in self.read_echo(echo.get(f"/embedded/{BOARD}", headers=headers))[
                "headers"
            ].items()
        }
        assert sent["cookie"] == "superset_session=mine"
        assert sent["x-guesttoken"] == "guest"
        assert not {"token", "authorization", "x-forwarded-user"} & set(sent)
        assert sent["x-report-proxy"] == proxy_signing.proxy_token()

    def test_a_token_in_a_form_goes_on_as_a_header(self, echo: TestClient):
        sent = {"guest_token": "guest.of-a_form", "form_data": '{"a": "值"}'}
        told = self.read_echo(echo.post("/api/v1/chart/data", data=sent))
        assert {name.lower(): value for name, value in told["headers"].items()}["x-guesttoken"] == sent[
            "guest_token"
        ]
        assert dict(parse_qsl(told["body"])) == sent

    def test_one_session_never_goes_out_with_another_request(self, echo: TestClient):
        self.read_echo(echo.get(f"/embedded/{BOARD}", headers={"cookie": f"{FRAME_COOKIE}=first"}))
        echo.cookies.clear()
        told = self.read_echo(echo.get(f"/embedded/{BOARD}"))
        assert "cookie" not in {name.lower() for name in told["headers"]}

    def test_an_admin_session_never_reaches_a_frame(self, echo: TestClient):
        echo.cookies.clear()
        told = self.read_echo(echo.get(f"/embedded/{BOARD}", headers={"cookie": "superset_session=admin"}))
        assert "cookie" not in {name.lower() for name in told["headers"]}

    def test_session_comes_back_under_the_frame_name_alone(self, echo: TestClient):
        cookies = echo.get(f"/embedded/{BOARD}").headers.get_list("set-cookie")
        assert cookies == [f"{FRAME_COOKIE}=upstream; HttpOnly; Path=/; SameSite=Lax"]

    def test_frame_ancestors_are_kept(self, echo: TestClient):
        answer = echo.get(f"/embedded/{BOARD}")
        assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]

    def test_query_and_body_pass_unchanged(self, echo: TestClient):
        told = self.read_echo(echo.post("/api/v1/chart/data?a=%E4%B8%AD&b=1", content="{}"))
        assert told["path"] == "/api/v1/chart/data?a=%E4%B8%AD&b=1"
        assert told["body"] == "{}"

    def test_redirect_to_the_login_is_no_way_out(self, echo: TestClient):
        answer = echo.get("/api/v1/time_range/")
        assert answer.status_code == 401
        assert answer.json()["code"] == 401

    @pytest.mark.parametrize(
        ("method", "path"), [("POST", "/superset/log/"), ("PUT", "/api/v1/dashboard/7/colors")]
    )
    def test_what_nobody_reads_goes_no_further(self, echo: TestClient, method: str, path: str):
        answer = echo.request(method, path, content="{}")
        assert (answer.status_code, answer.json()) == (200, {"result": "ok"})

    FILES = (
        "vendors.6f4ecbc3d2e23e236060.entry.js",
        "6f4ecbc3d2e23e23606f.chunk.js",
        "a.6f4ecbc3d2e23e23606f.chunk.css",
        "6f4ecbc3d2e23e23606f.woff2",
        "images/loading.gif",
    )

    @pytest.mark.parametrize("name", FILES)
    def test_what_all_share_is_fetched_once_for_each_packing(self, echo: TestClient, name: str):
        def fetch(packing: str, **headers: str) -> tuple[int, str]:
            answer = echo.get(f"/static/assets/{name}", headers={"accept-encoding": packing, **headers})
            assert "set-cookie" not in answer.headers
            assert int(answer.headers["content-length"]) == len(answer.content)
            told = self.read_echo(answer)
            assert "cookie" not in {k.lower() for k in told["headers"]}
            return told["number"], {k.lower(): v for k, v in told["headers"].items()}["accept-encoding"]

        # What a browser over TLS says, an older one, a simple one: each gets what it can unpack.
        first = [fetch(packing) for packing in ("gzip, deflate, br, zstd", "gzip, deflate", "identity", "")]
        assert [packing for _, packing in first] == ["br", "gzip", "identity", "identity"]
        assert len({number for number, _ in first}) == 3 and first[2] == first[3]
        for packing, found in zip(("br", "gzip, deflate, br", "gzip", "zstd"), (0, 0, 1, 2), strict=True):
            assert fetch(packing) == first[found]
        # Whoever asks for a part is given the whole.
        assert fetch("br", range="bytes=0-9", cookie=f"{FRAME_COOKIE}=mine") == first[0]
        assert echo.head(f"/static/assets/{name}", headers={"accept-encoding": "br"}).content == b""

    def test_who_has_the_file_is_told_so(self, echo: TestClient):
        path = "/static/assets/7f4ecbc3d2e23e23606f.chunk.js"
        mark = echo.get(path).headers["etag"]
        for marks in (mark, f'"other", {mark}'):
            answer = echo.get(path, headers={"if-none-match": marks})
            assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", mark)
        assert echo.get(path, headers={"if-none-match": '"other"'}).status_code == 200

    def test_many_that_ask_first_at_once_are_answered_by_one_fetch(self, echo: TestClient):
        with ThreadPoolExecutor(6) as pool:
            found = [*pool.map(lambda _: echo.get("/static/assets/images/one.png").content, range(12))]
        assert len(set(found)) == 1

    def test_the_last_that_there_is_room_for_are_kept(self, monkeypatch: pytest.MonkeyPatch):
        def fetched(client: TestClient, digit: int) -> int:
            return self.read_echo(client.get(f"/static/assets/{digit:020x}.chunk.js"))["number"]

        with running_echo() as client:
            length = len(client.get("/static/assets/a.b2.chunk.js").content)
            monkeypatch.setattr(asset_cache, "MAX_BYTES", 5 * length // 2)
            first = [fetched(client, digit) for digit in (1, 2, 1, 3)]
            assert first[0] == first[2]
            assert [fetched(client, 1), fetched(client, 3)] == [first[0], first[3]]
            assert fetched(client, 2) != first[1], "it was asked for least lately"

    def test_what_may_change_is_asked_for_again(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(asset_cache, "MAX_AGE_SECONDS", -1)
        with running_echo() as client:
            for path in ("/static/assets/a.b2.chunk.js", "/superset/language_pack/zh/"):
                one, other = (self.read_echo(client.get(path))["number"] for _ in range(2))
                assert one != other

    def test_nothing_else_is_kept(self, echo: TestClient):
        one, other = (self.read_echo(echo.get(f"/embedded/{BOARD}"))["number"] for _ in range(2))
        assert one != other

    def test_one_client_has_his_share_of_superset(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(superset_proxy, "MOST_AT_ONCE", 2)
        with running_echo() as client, ThreadPoolExecutor(8) as pool:
            answers = [*pool.map(lambda _: client.get(f"/embedded/{BOARD}?slow"), range(8))]
        assert max(self.read_echo(answer)["together"] for answer in answers) == 2

    def test_too_large_a_request(self, echo: TestClient):
        assert echo.post("/api/v1/chart/data", content=b"x" * (LARGEST_BODY + 1)).status_code == 413


class TestDown:
    def test_says_so_in_chinese(self):
        with build_client("http://127.0.0.1:9") as client:
            answer = client.post("/api/v1/chart/data", json={})
            page = client.get(f"/embedded/{BOARD}", headers={"accept": "text/html"})
        assert (answer.status_code, answer.json()["msg"]) == (503, "报表服务暂时不可用，请稍后刷新")
        assert page.status_code == 503 and "报表服务暂时不可用" in page.text


class TestRealFrame:
    @pytest.fixture(scope="class")
    def frame(self, superset: SupersetClient) -> Iterator[TestClient]:
        with build_client(superset.url) as client:
            yield client

    def test_page_in_chinese(self, frame: TestClient):
        page = frame.get(f"/embedded/{BEST_SELLER.embed_id}")
        assert page.status_code == 200
        assert "&#34;locale&#34;: &#34;zh&#34;" in page.text or '"locale": "zh"' in page.text
        assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
        assert "x-frame-options" not in page.headers
        words = frame.get("/superset/language_pack/zh/").json()["locale_data"]["superset"]
        assert (words["Summary"], words["Update chart"]) == (["合计"], ["更新图表"])
        assert not [text for text, chinese in words.items() if "过滤" in "".join(chinese)]

    def test_a_narrow_frame_gets_each_chart_in_a_row_of_its_own(
        self, frame: TestClient, superset: SupersetClient
    ):
        path = f"/api/v1/dashboard/{superset.dashboard_id(BEST_SELLER)}"
        asked = {"x-guesttoken": superset.token(BEST_SELLER, COMPANY_ONE), "x-narrow": "1"}
        answer = frame.get(path, headers=asked)
        assert "x-narrow" in answer.headers["Vary"].lower()
        position = json.loads(answer.json()["result"]["position_json"])
        assert {len(position[row]["children"]) for row in position["GRID_ID"]["children"]} == {1}

    def test_columns_of_links_that_a_reader_may_follow_nowhere_are_not_shown(
        self, frame: TestClient, superset: SupersetClient
    ):
        path = f"/api/v1/dashboard/{superset.dashboard_id(BEST_SELLER)}/charts"
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        asked = {"x-guesttoken": token, "x-closed": "/report/BestSellerInfo"}
        title = BEST_SELLER.board.chart("detail").title
        answer = frame.get(path, headers=asked)
        assert "x-closed" in answer.headers["Vary"].lower()
        [chart] = (one for one in answer.json()["result"] if one["slice_name"] == title)
        columns = chart["form_data"]["column_config"]
        assert columns["detail_link"]["visible"] is False and "visible" not in columns["stock_link"]

    def test_chart_data(self, frame: TestClient, superset: SupersetClient):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        body = superset.chart_body(BEST_SELLER, BEST_SELLER.board.chart("top"), token)
        answer = frame.post("/api/v1/chart/data", json=body, headers={"x-guesttoken": token})
        assert answer.status_code == 200
        assert answer.json()["result"][0]["data"]

    def test_without_a_token_there_is_no_data(self, frame: TestClient, superset: SupersetClient):
        token = superset.token(BEST_SELLER, EVERYTHING)
        body = superset.chart_body(BEST_SELLER, BEST_SELLER.board.chart("top"), token)
        assert frame.post("/api/v1/chart/data", json=body).status_code in (401, 403)
