"""A guest goes round his frame: other services of the report server, the users' port, hostnames, an administrator's cookie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from api.kit.settings import read_settings
from api.reporting.superset_gateway.frame_proxy import FRAME_COOKIE, FrameProxy
from tests.reports.guest_requests import BEST_SELLER, DATA, RECEIVABLE, ROWS, is_refused, read_rows
from tests.support.fixtures import conn, site, world
from tests.support.superset import CERTIFICATES, COMPANY_TWO, SupersetClient, guest_headers

__all__ = ["conn", "site", "world"]

# {chart}, {board} and {dataset} are the guest's own; what exists is answered to an administrator.
READ = (
    "/api/v1/datasource/table/{dataset}/column/company_name/values/",
    "/api/v1/dataset/",
    "/api/v1/dataset/{dataset}",
    "/api/v1/dataset/{dataset}/drill_info/?q=(dashboard_id:{board})",
    "/api/v1/dataset/{dataset}/related_objects",
    "/api/v1/dataset/export/?q=!({dataset})",
    "/api/v1/database/",
    "/api/v1/database/{database}",
    "/api/v1/database/{database}/schemas/",
    "/api/v1/database/{database}/tables/?q=(schema_name:main)",
    "/api/v1/database/{database}/table_metadata/?name=mart_receivable_aging",
    "/api/v1/database/{database}/select_star/mart_receivable_aging/",
    "/api/v1/query/",
    "/api/v1/saved_query/",
    "/api/v1/explore/?slice_id={chart}",
    "/api/v1/explore/?datasource_id={dataset}&datasource_type=table",
    "/api/v1/chart/export/?q=!({chart})",
    "/api/v1/dashboard/export/?q=!({board})",
    "/api/v1/assets/export/",
    "/api/v1/rowlevelsecurity/",
    "/api/v1/security/users/",
    "/api/v1/security/roles/",
    "/api/v1/security/permissions-resources/",
    "/api/v1/annotation_layer/",
    "/api/v1/log/",
    "/api/v1/tag/",
)
WRITE: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("POST", "/datasource/samples?datasource_type=table&datasource_id={dataset}", {"filters": []}),
    ("POST", "/api/v1/sqllab/execute/", {"database_id": 1, "sql": "select * from mart_receivable_aging"}),
    ("POST", "/api/v1/sqllab/estimate/", {"database_id": 1, "sql": "select 1"}),
    ("POST", "/api/v1/sqllab/format_sql/", {"sql": "select 1"}),
    ("POST", "/superset/explore_json/", {"form_data": {"slice_id": 1}}),
    ("POST", "/superset/explore_json/?form_data=%7B%22slice_id%22%3A{chart}%7D&samples=true", {}),
    (
        "POST",
        "/api/v1/explore/form_data",
        {"datasource_id": 1, "datasource_type": "table", "form_data": "{}"},
    ),
    ("GET", "/api/v1/explore/form_data/abcdefgh", {}),
    ("POST", "/api/v1/explore/permalink", {"formData": {"slice_id": 1}}),
    ("POST", "/api/v1/dashboard/{board}/permalink", {"dataMask": {}}),
    ("POST", "/api/v1/chart/", {"slice_name": "x", "datasource_id": 1, "datasource_type": "table"}),
    ("PUT", "/api/v1/chart/{chart}", {"query_context": "{}", "params": "{}"}),
    ("DELETE", "/api/v1/chart/{chart}", {}),
    ("PUT", "/api/v1/chart/warm_up_cache", {"chart_id": 1}),
    ("PUT", "/api/v1/dashboard/{board}", {"json_metadata": "{}"}),
    ("PUT", "/api/v1/dashboard/{board}/filters", {"deleted": [], "modified": [], "reordered": []}),
    ("POST", "/api/v1/dashboard/{board}/embedded", {"allowed_domains": []}),
    ("DELETE", "/api/v1/dashboard/{board}", {}),
    ("POST", "/api/v1/dataset/", {"database": 1, "table_name": "mart_commodity_profit", "schema": "main"}),
    ("PUT", "/api/v1/dataset/{dataset}", {"sql": "select * from mart_commodity_profit"}),
    ("PUT", "/api/v1/dataset/warm_up_cache", {"db_name": "x", "table_name": "x"}),
    ("POST", "/api/v1/dataset/get_or_create/", {"database_id": 1, "table_name": "mart_commodity_profit"}),
    ("POST", "/api/v1/database/", {"database_name": "x", "sqlalchemy_uri": "duckdb:///x"}),
    ("POST", "/api/v1/security/guest_token/", {"user": {}, "resources": [], "rls": []}),
    ("POST", "/api/v1/security/login", {"username": "admin", "password": "admin", "provider": "db"}),
    ("POST", "/api/v1/security/users/", {"username": "x", "password": "x", "roles": [1]}),
    ("POST", "/api/v1/rowlevelsecurity/", {"name": "x", "clause": "1 = 1"}),
    ("POST", "/api/v1/cachekey/invalidate", {"datasource_uids": []}),
)


@pytest.fixture(scope="module")
def token(superset: SupersetClient) -> str:
    return superset.token(RECEIVABLE, COMPANY_TWO)


@pytest.fixture(scope="module")
def body(superset: SupersetClient, token: str) -> dict[str, Any]:
    return superset.chart_body(RECEIVABLE, RECEIVABLE.board.chart("detail"), token)


@pytest.fixture(scope="module")
def admin(superset: SupersetClient) -> Iterator[httpx.Client]:
    """Superset's administrator, logged in at its own port."""
    current = read_settings()
    password = current.admin_password or current.secrets["superset_admin_password"]
    with httpx.Client(
        base_url=superset.url, timeout=60, verify=CERTIFICATES, follow_redirects=False
    ) as browser:
        page = browser.get("/login/").text
        csrf = re.search(r'csrf_token"[^>]*value="([^"]+)"|csrf_token&#34;: &#34;([^&]+)&#34;', page)
        sent = {"username": "admin", "password": password, "csrf_token": (csrf[1] or csrf[2]) if csrf else ""}
        assert browser.post("/login/", data=sent).status_code == 302
        yield browser


@pytest.fixture(scope="module")
def numbers(superset: SupersetClient, body: dict[str, Any], admin: httpx.Client) -> dict[str, int]:
    return {
        "chart": body["form_data"]["slice_id"],
        "board": superset.dashboard_id(RECEIVABLE),
        "dataset": body["datasource"]["id"],
        "database": admin.get("/api/v1/database/").json()["result"][0]["id"],
    }


class TestServices:
    """On the report server's own port, which a reader never reaches: the guest's role alone says no."""

    @pytest.mark.parametrize("path", READ)
    def test_read(self, superset: SupersetClient, token: str, admin: httpx.Client, numbers, path: str):
        address = path.format(**numbers)
        assert admin.get(address).status_code == 200, address
        answer = superset.get(address, token)
        if answer.status_code == 200:
            # A list that a guest may ask for is empty.
            assert answer.json()["count"] == 0 and answer.json()["result"] == []
        assert answer.status_code == 302 or answer.status_code == 200 or is_refused(answer)

    @pytest.mark.parametrize(("method", "path", "sent"), WRITE, ids=lambda part: str(part)[:60])
    def test_write(
        self, superset: SupersetClient, token: str, numbers, method: str, path: str, sent: dict[str, Any]
    ):
        address = superset.url + path.format(**numbers)
        answer = httpx.request(
            method, address, headers=guest_headers(token), json=sent, timeout=60, verify=CERTIFICATES
        )
        assert answer.status_code == 302 or is_refused(answer)

    def test_nothing_was_written(self, superset: SupersetClient, token: str, body: dict[str, Any]):
        assert {row["company_name"] for row in read_rows(superset.post(DATA, token, body))} == {"苏州公司"}

    def test_lists_name_the_own_board_alone(self, superset: SupersetClient, token: str):
        boards = superset.get("/api/v1/dashboard/", token).json()["result"]
        assert {board["id"] for board in boards} <= {superset.dashboard_id(RECEIVABLE)}
        charts = superset.get("/api/v1/chart/", token)
        assert is_refused(charts) or charts.json()["result"] == []

    @pytest.mark.parametrize(
        "end", ["", "/data/", "/data/?type=samples", "/data/?format=csv", "/thumbnail/x/"]
    )
    def test_a_chart_by_its_number(
        self, superset: SupersetClient, token: str, body: dict[str, Any], end: str
    ):
        foreign = superset.chart_body(
            BEST_SELLER, BEST_SELLER.board.chart("detail"), superset.token(BEST_SELLER, COMPANY_TWO)
        )
        for number in (foreign["form_data"]["slice_id"], body["form_data"]["slice_id"]):
            answer = superset.get(f"/api/v1/chart/{number}{end}", token)
            assert is_refused(answer)

    def test_who_am_i_tells_no_more_than_the_token(self, superset: SupersetClient, token: str):
        told = superset.get("/api/v1/me/roles/", token).json()["result"]
        assert told["username"] == f"role-{COMPANY_TWO}"
        assert set(told["roles"]) == {"ReportFileGuest"}
        on_screen = superset.token(BEST_SELLER, COMPANY_TWO, files=False)
        assert set(superset.get("/api/v1/me/roles/", on_screen).json()["result"]["roles"]) == {"ReportGuest"}
        assert superset.get("/api/v1/me/", None).status_code == 401


@pytest.fixture(scope="module")
def frames(superset: SupersetClient) -> Iterator[TestClient]:
    """The users' port: the application, and the frames' paths before it."""

    async def ours(request) -> PlainTextResponse:
        return PlainTextResponse("ours", 404)

    app = Starlette(routes=[Route("/{path:path}", ours, methods=["GET", "POST", "PUT", "DELETE"])])
    with TestClient(FrameProxy(app, superset.url), follow_redirects=False) as client:
        yield client


class TestUsersPort:
    @pytest.mark.parametrize("path", [*READ, *dict.fromkeys(path for _, path, _ in WRITE)])
    def test_other_services_are_not_there(self, frames: TestClient, numbers, token: str, path: str):
        address = path.format(**numbers)
        for method in ("GET", "POST", "PUT", "DELETE"):
            if method == "GET" and re.fullmatch(r"/api/v1/dashboard/\d+", address):
                continue
            answer = frames.request(method, address, headers={"x-guesttoken": token})
            assert (answer.status_code, answer.text) == (404, "ours")

    @pytest.mark.parametrize(
        "path",
        [
            "/embedded/../api/v1/dataset/",
            "/static/assets/../../api/v1/dataset/",
            "/static/assets/%2e%2e/%2e%2e/api/v1/dataset/",
            "/static/assets/..%2f..%2fapi/v1/dataset/",
            "/static/assets//api/v1/dataset/",
            "/static/assets/..\\..\\api\\v1\\dataset",
            "//api/v1/dataset/",
            "/api/v1/dashboard/1/charts/../../../dataset/",
            "/api/v1/dashboard/1;/../dataset/",
            "/api/v1/chart/data/../../dataset/",
            "/api/v1/%64ataset/",
            "/API/V1/DATASET/",
            "/api/v1/time_range/..;/dataset/",
        ],
    )
    def test_no_path_leads_out(self, frames: TestClient, token: str, path: str):
        # As raw as it is written: the client would tidy it.
        address = httpx.URL("http://testserver").copy_with(raw_path=path.encode())
        answer = frames.get(address, headers={"x-guesttoken": token})
        assert answer.status_code in (400, 401, 403, 404)
        assert "mart_" not in answer.text and "table_name" not in answer.text

    @pytest.mark.parametrize("cookie", ["superset_session", "session", FRAME_COOKIE + "2"])
    def test_an_administrator_of_the_same_browser(
        self, frames: TestClient, admin: httpx.Client, token: str, body: dict[str, Any], cookie: str
    ):
        """He sees all at the report server's port, and in a frame what the token gives."""
        frames.cookies.clear()
        assert {row["company_name"] for row in read_rows(admin.post(DATA, json=body))} >= {
            "上海公司",
            "苏州公司",
        }
        headers = {"cookie": f"{cookie}={admin.cookies['superset_session']}"}
        assert is_refused(frames.post(DATA, json=body, headers=headers))
        rows = read_rows(frames.post(DATA, json=body, headers={**headers, "x-guesttoken": token}))
        assert {row["company_name"] for row in rows} == {"苏州公司"}

    def test_an_administrators_bearer_token(
        self, superset: SupersetClient, frames: TestClient, body: dict[str, Any]
    ):
        current = read_settings()
        password = current.admin_password or current.secrets["superset_admin_password"]
        sent = {"username": "admin", "password": password, "provider": "db"}
        bearer = superset.post("/api/v1/security/login", None, sent).json()["access_token"]
        headers = {"authorization": f"Bearer {bearer}"}
        assert read_rows(
            httpx.post(superset.url + DATA, json=body, headers=headers, timeout=60, verify=CERTIFICATES)
        )
        assert is_refused(frames.post(DATA, json=body, headers=headers))


class TestHostnames:
    HEADERS: dict[str, dict[str, str]] = {
        "host": {"host": "evil.cn"},
        "host-with-user": {"host": "127.0.0.1@evil.cn"},
        "forwarded-host": {"x-forwarded-host": "evil.cn"},
        "forwarded": {"forwarded": "host=evil.cn;proto=https"},
        "original-host": {"x-original-host": "evil.cn", "x-host": "evil.cn"},
        "rewritten": {"x-original-url": "/api/v1/dataset/", "x-rewrite-url": "/api/v1/dataset/"},
        "origin": {"origin": "https://evil.cn"},
        "referer": {"referer": "https://evil.cn/"},
    }

    @pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
    def test_a_page_is_framed_by_its_own_origin_alone(self, frames: TestClient, headers: dict[str, str]):
        page = frames.get(f"/embedded/{RECEIVABLE.embed_id}?role_id=1", headers=headers)
        if page.status_code == 200:
            policy = page.headers["content-security-policy"]
            assert re.search(r"frame-ancestors 'self'(;|$)", policy)
            assert "evil.cn" not in policy
        assert not [name for name in ROWS if name in page.text]
        assert "access-control-allow-origin" not in page.headers

    @pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
    def test_data_needs_the_token_and_gives_its_rows(
        self, frames: TestClient, token: str, body: dict[str, Any], headers: dict[str, str]
    ):
        assert is_refused(frames.post(DATA, json=body, headers=headers))
        answer = frames.post(DATA, json=body, headers={**headers, "x-guesttoken": token})
        assert {row["company_name"] for row in read_rows(answer)} == {"苏州公司"}
        assert "access-control-allow-origin" not in answer.headers

    @pytest.mark.parametrize(
        ("headers", "served"),
        [
            ({}, True),
            ({"host": "127.0.0.1"}, True),
            ({"host": "127.0.0.1", "x-forwarded-host": "evil.cn"}, True),
            ({"host": "evil.cn", "x-forwarded-host": "127.0.0.1"}, False),
            ({"host": "evil.cn", "forwarded": "host=127.0.0.1"}, False),
            ({"host": "127.0.0.1.evil.cn"}, False),
            ({"host": "localhost.evil.cn:8000"}, False),
        ],
        ids=lambda part: "-".join(part.values()) if isinstance(part, dict) else str(part),
    )
    def test_an_address_for_listed_hostnames_alone(
        self, site, report_environment, headers: dict[str, str], served: bool
    ):
        """And that address is the own origin's."""
        addresses = self.list_addresses(site, {"host": "127.0.0.1", **headers})
        if served:
            assert all(address.startswith("/embedded/") for address in addresses)
        else:
            assert addresses == [None]

    @pytest.mark.parametrize("host", ["evil.cn#127.0.0.1", "127.0.0.1@evil.cn"])
    def test_a_hostname_that_is_none_leads_nowhere_else(self, site, report_environment, host: str):
        """The server falls back to its own name then."""
        for address in self.list_addresses(site, {"host": host}):
            assert address is None or address.startswith("/embedded/")

    def list_addresses(self, site, headers: dict[str, str]) -> list[str | None]:
        caller = site.as_("admin")
        sent = {"token": caller.token, **headers}
        answer = caller.http.get("/v2/report/Frame/getFrame", params={"code": "BestSeller"}, headers=sent)
        assert answer.json()["code"] == 200, answer.text
        return [tab["address"] for tab in answer.json()["data"]["tabs"]]
