"""The exploring port: entered once with a ticket, as long as the session and the right last, to exploring alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import jwt
import pytest
from sqlalchemy import text
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from api.identity import sessions
from api.kit.errors import Forbidden
from api.kit.settings import read_settings
from api.reporting.superset_gateway.explore import require_explorer
from api.reporting.superset_gateway.explore_gateway import EXPLORE_COOKIE, PATHS, STATE_COOKIE, ExploreGateway
from api.reporting.superset_gateway.superset_proxy import is_among
from api.reporting.superset_gateway.tokens import TICKET_AUDIENCE, sign_token
from reports.catalogue import EXPLORER_HEADER
from tests.reports.explore_client import list_offered_datasets, sign_explorer
from tests.reports.guest_requests import PLACES
from tests.reports.test_adversary_paths import READ, WRITE
from tests.support.client import Caller
from tests.support.fixtures import Site, conn, site, world
from tests.support.superset import SupersetClient

__all__ = ["conn", "site", "world"]

PORT = 8742
LIST, ENTER = "v2/report/Explore/getList", "v2/report/Explore/explore"
PAGE = {"accept": "text/html"}
DATASETS = "/api/v1/dataset/"


@pytest.fixture
def gateway_client(superset: SupersetClient, site: Site) -> Iterator[TestClient]:
    """A browser at the exploring port, with the application behind the other ports."""

    async def ours(request) -> PlainTextResponse:
        return PlainTextResponse("ours")

    app = Starlette(routes=[Route("/{path:path}", ours, methods=["GET", "POST", "PUT", "DELETE"])])
    outside = ExploreGateway(app, superset.url, PORT)
    with TestClient(outside, base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False) as client:
        yield client


@pytest.fixture
def login(site: Site) -> Iterator[Caller]:
    """A login of a branch's manager, who may explore."""
    with site.engine.begin() as conn:
        opened = sessions.open_session(conn, site.world.user_manager_a)
    yield Caller(site.http, opened.token, opened.sign_key)
    with site.engine.begin() as conn:
        sessions.close_session(conn, opened.session_id)


def create_ticket(caller: Caller) -> str:
    answer = caller.post(ENTER)
    assert answer.ok, answer
    found = re.fullmatch(r"//127\.0\.0\.1:\d+/open\?ticket=([\w.-]+)", answer.data["address"])
    assert found
    return found[1]


def enter_explore(gateway_client: TestClient, ticket: str):
    return gateway_client.get(f"/open?ticket={ticket}", headers=PAGE)


class TestEntering:
    def test_with_a_ticket_from_the_shell(self, gateway_client: TestClient, login: Caller):
        answer = enter_explore(gateway_client, create_ticket(login))
        assert (answer.status_code, answer.headers["location"]) == (303, "/chart/list/")
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"{EXPLORE_COOKIE}=") and "HttpOnly" in cookie and "SameSite=lax" in cookie
        assert "domain" not in cookie.lower()
        page = gateway_client.get("/chart/list/", headers=PAGE)
        assert page.status_code == 200 and "locale&#34;: &#34;zh" in page.text
        assert "frame-ancestors 'none'" in page.headers.get_list("content-security-policy")[-1]
        assert set(gateway_client.cookies) == {EXPLORE_COOKIE, STATE_COOKIE}
        listed = {row["dataset_name"] for row in login.get(LIST, per_page=200).data["data"]}
        assert set(list_offered_datasets(gateway_client.get)) == listed != set()

    def test_a_ticket_opens_once_and_soon(self, gateway_client: TestClient, login: Caller):
        ticket = create_ticket(login)
        assert enter_explore(gateway_client, ticket).status_code == 303
        gateway_client.cookies.clear()
        again = enter_explore(gateway_client, ticket)
        assert again.status_code == 401 and "只能用一次" in again.text and not gateway_client.cookies
        secret = read_settings().secrets["explorer_secret"]
        claims = jwt.decode(ticket, secret, algorithms=["HS256"], audience=TICKET_AUDIENCE)
        assert claims["exp"] - claims["iat"] == 60
        late = {**claims, "jti": "late"}
        assert (
            enter_explore(
                gateway_client, sign_token(secret, TICKET_AUDIENCE, 60, late, claims["iat"] - 61)
            ).status_code
            == 401
        )
        assert (
            enter_explore(gateway_client, sign_token("x" * 40, TICKET_AUDIENCE, 60, late)).status_code == 401
        )
        assert (
            enter_explore(gateway_client, sign_token(secret, "erp-explore-door", 60, late)).status_code == 401
        )
        assert enter_explore(gateway_client, "").status_code == 401

    def test_a_ticket_is_its_own_users(self, site: Site, gateway_client: TestClient, login: Caller):
        secret = read_settings().secrets["explorer_secret"]
        claims = jwt.decode(create_ticket(login), secret, algorithms=["HS256"], audience=TICKET_AUDIENCE)
        foreign = {**claims, "user": site.world.user_admin, "jti": "foreign"}
        assert (
            enter_explore(gateway_client, sign_token(secret, TICKET_AUDIENCE, 60, foreign)).status_code == 401
        )

    def test_needs_the_right_and_a_login_of_his_own(self, site: Site):
        assert site.anonymous().post(ENTER).code == 401
        assert site.as_("nobody").post(ENTER).code == 403
        assert site.as_("nobody").get(LIST).code == 403
        with site.engine.connect() as conn:
            admin = sessions.read_principal(conn, site.world.user_admin)
        with pytest.raises(Forbidden, match="模拟登录"):
            require_explorer(replace(admin, imitator_id=1))

    def test_an_unlisted_hostname_has_no_address_but_a_set_one(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ):
        token = {"token": site.world.tokens["admin"], "host": "elsewhere.cn"}
        assert site.http.post(f"/{ENTER}", headers=token).json()["code"] == 400
        monkeypatch.setenv("ERP_EXPLORE_URL", "https://explore.example.com/")
        told = site.http.post(f"/{ENTER}", headers=token).json()["data"]["address"]
        assert told.startswith("https://explore.example.com/open?ticket=")


class TestStaying:
    """Each request is as good as the session is at that moment."""

    @pytest.fixture(autouse=True)
    def inside(self, gateway_client: TestClient, login: Caller) -> None:
        assert enter_explore(gateway_client, create_ticket(login)).status_code == 303
        assert gateway_client.get(DATASETS).status_code == 200

    def execute_statements(self, site: Site, *statements: str) -> None:
        with site.engine.begin() as conn:
            for statement in statements:
                conn.execute(
                    text(statement), {"role": site.world.role_manager_a, "user": site.world.user_manager_a}
                )

    def test_ends_with_the_login(self, gateway_client: TestClient, login: Caller):
        assert login.post("v2/user/Login/logout").ok
        answer = gateway_client.get("/chart/list/", headers=PAGE)
        assert answer.status_code == 401 and "登录" in answer.text
        assert gateway_client.get(DATASETS).status_code == 401

    def test_ends_with_the_right(self, site: Site, gateway_client: TestClient):
        moved = "update role set version = version + 1 where role_id = :role"
        self.execute_statements(
            site, "delete from role_right where role_id = :role and code = 'explore:explore'", moved
        )
        assert gateway_client.get(DATASETS).status_code == 403
        self.execute_statements(
            site, "insert into role_right (role_id, code) values (:role, 'explore:explore')", moved
        )
        assert gateway_client.get(DATASETS).status_code == 200

    def test_ends_with_the_account(self, site: Site, gateway_client: TestClient):
        self.execute_statements(site, "update user_account set enabled = false where user_id = :user")
        assert gateway_client.get(DATASETS).status_code == 401
        self.execute_statements(site, "update user_account set enabled = true where user_id = :user")

    def test_a_report_taken_away_takes_its_datasets(self, site: Site, gateway_client: TestClient):
        moved = "update role set version = version + 1 where role_id = :role"
        before = set(list_offered_datasets(gateway_client.get))
        taken = "delete from role_right where role_id = :role and code = 'report_accountsReceivable:view'"
        self.execute_statements(site, taken, moved)
        left = before - {"应收账款账龄", "应收账龄对比"}
        assert set(list_offered_datasets(gateway_client.get)) == left != before
        given = "insert into role_right (role_id, code) values (:role, 'report_accountsReceivable:view')"
        self.execute_statements(site, given, moved)
        assert set(list_offered_datasets(gateway_client.get)) == before


class TestPaths:
    def test_exploring_alone_goes_through(self, gateway_client: TestClient, login: Caller):
        enter_explore(gateway_client, create_ticket(login))
        numbers = {"chart": 1, "board": 1, "dataset": 1, "database": 1}
        asked = [("GET", path.format(**numbers)) for path in READ]
        asked += [(method, path.format(**numbers)) for method, path, _ in WRITE]
        asked += [
            (method, path)
            for path in (
                "/login/", "/logout/", "/superset/welcome/", "/sqllab/", "/superset/sqllab/", "/users/list/",
                "/roles/list/", "/tablemodelview/list/", "/databaseview/list/", "/superset/explore_json/",
                "/api/v1/chart/import/", "/api/v1/dashboard/import/", "/api/v1/dataset/import/", "/api/v1/report/",
                "/api/v1/theme/", "/api/v1/css_template/", "/api/v1/database/upload/", "/api/v1/dataset/duplicate",
                "/chart/list/../../login/", "/static/assets/%2e%2e/%2e%2e/login/", "//login/", "/swagger/v1",
                "/api/v1/_openapi", "/health", "/metrics", "/v2/user/Login/login", "/embedded/x",
            )
            for method in ("GET", "POST", "PUT", "DELETE")
        ]  # fmt: skip
        through = {
            (method, path) for method, path in asked if is_among(PATHS, method, path.partition("?")[0])
        }
        assert through == {
            ("GET", "/api/v1/datasource/table/1/column/company_name/values/"),
            ("GET", "/api/v1/dataset/"),
            ("GET", "/api/v1/dataset/1"),
            ("GET", "/api/v1/explore/?slice_id=1"),
            ("GET", "/api/v1/explore/?datasource_id=1&datasource_type=table"),
            ("POST", "/api/v1/explore/form_data"),
            ("GET", "/api/v1/explore/form_data/abcdefgh"),
            ("POST", "/api/v1/chart/"),
            ("PUT", "/api/v1/chart/1"),
            ("DELETE", "/api/v1/chart/1"),
            ("PUT", "/api/v1/dashboard/1"),
            ("PUT", "/api/v1/dashboard/1/filters"),
            ("DELETE", "/api/v1/dashboard/1"),
            ("GET", "/api/v1/theme/"),
        }
        for path in ("/sqllab/", "/login/", "/v2/user/Login/login"):
            answer = gateway_client.get(path, headers=PAGE)
            assert (answer.status_code, "没有这个页面" in answer.text) == (404, True)

    def test_a_chart_that_isnt_his_is_refused_in_words(self, gateway_client: TestClient, login: Caller):
        enter_explore(gateway_client, create_ticket(login))
        for number in ("1", "999999999", "x", "-1", "1%20or%201=1"):
            answer = gateway_client.get(f"/explore/?slice_id={number}", headers=PAGE)
            assert (answer.status_code, "不是您的" in answer.text) == (404, True), number
        assert gateway_client.get("/explore/", headers=PAGE).status_code == 200
        held = gateway_client.app.upstream.client._transport._pool.connections
        assert held and all(connection.is_idle() for connection in held), (
            "none waits for an answer to be read"
        )

    def test_a_board_that_isnt_his_is_refused_in_words(self, gateway_client: TestClient, login: Caller):
        enter_explore(gateway_client, create_ticket(login))
        for number in ("1", "999999999"):
            answer = gateway_client.get(f"/superset/dashboard/{number}/", headers=PAGE)
            assert (answer.status_code, "没有这张看板" in answer.text) == (404, True), number

    def test_the_two_ports_share_nothing(self, gateway_client: TestClient, login: Caller):
        enter_explore(gateway_client, create_ticket(login))
        assert gateway_client.get("/v2/Open/anything").status_code == 404
        for path in ("/chart/list/", DATASETS, "/open?ticket=x", "/"):
            assert gateway_client.get(f"http://127.0.0.1:8000{path}").text == "ours"

    def test_code_that_is_kept_is_given_as_it_came(
        self, superset: SupersetClient, gateway_client: TestClient
    ):
        page = superset.get(f"/embedded/{PLACES[0].embed_id}", None).text
        found = re.search(r"/static/assets/embedded\.[0-9a-f]{20}\.entry\.js", page)
        assert found
        first, *others = (gateway_client.get(found[0]).headers.multi_items() for _ in range(3))
        assert others == [first, first]

    def test_who_may_see_comes_from_the_door_alone(
        self, superset: SupersetClient, gateway_client: TestClient
    ):
        gateway_client.cookies.clear()
        for headers in (
            {EXPLORER_HEADER: sign_explorer()},
            {"cookie": f"{EXPLORE_COOKIE}={sign_explorer()}"},
            {"cookie": f"{EXPLORE_COOKIE}=x.y.z; {STATE_COOKIE}=x"},
            {"authorization": "Basic YWRtaW46YWRtaW4="},
        ):
            assert gateway_client.get(DATASETS, headers=headers).status_code == 401
