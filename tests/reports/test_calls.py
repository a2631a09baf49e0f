"""The report calls of the API: addresses, guest tokens and freshness by the session's own right and role."""

from __future__ import annotations

from urllib.parse import parse_qs

import jwt
import pytest
from sqlalchemy import text

from api.identity import sessions
from api.kit.settings import read_settings
from api.reporting.superset_gateway.frame_calls import find_page_right
from reports.catalogue import REPORTS, embed_id, find_report
from tests.support.client import Caller
from tests.support.fixtures import conn, site, world
from tests.support.world import insert_recalculation

__all__ = ["conn", "site", "world"]

BEST_SELLER = find_report("BestSeller")
FRAME, TOKEN = "v2/report/Frame/getFrame", "v2/report/Frame/getGuestToken"


READERS = ("manager_a", "manager_b", "clerk_a")


@pytest.fixture(autouse=True)
def snapshot(report_environment):
    """A published snapshot, for its stamp."""


@pytest.fixture(scope="module", autouse=True)
def reading(site):
    """The readers may open every report; `nobody` none."""
    with site.engine.begin() as conn:
        for name in READERS:
            role = site.world.ids[f"role_{name}"]
            rights = [{"role": role, "code": report.right} for report in REPORTS]
            conn.execute(
                text("insert into role_right (role_id, code) values (:role, :code) on conflict do nothing"),
                rights,
            )
            conn.execute(text("update role set version = version + 1 where role_id = :role"), {"role": role})


def decode_token(token: str) -> dict:
    return jwt.decode(
        token,
        read_settings().secrets["guest_token_secret"],
        algorithms=["HS256"],
        audience="erp-report-frames",
    )


class TestFrame:
    def test_address_ends_with_the_role_of_the_session(self, site):
        data = site.as_("manager_a").get(FRAME, code="BestSeller").data
        assert data["label"] == "畅销商品"
        assert data["tabs"][0]["address"].startswith("/embedded/")
        assert data["tabs"][0]["address"].endswith(f"role_id={site.world.role_manager_a}")

    def test_leaves_out_links_to_what_the_reader_may_not_open(self, site):
        taken = "delete from role_right where role_id = :role and code = :code"
        given = "insert into role_right (role_id, code) values (:role, :code)"

        def closed(change: str) -> list[str]:
            role = {"role": site.world.role_keeper_a, "code": find_report("BestSellerInfo").right}
            with site.engine.begin() as conn:
                conn.execute(text(change), role)
                conn.execute(text("update role set version = version + 1 where role_id = :role"), role)
            [tab] = site.as_("keeper_a").get(FRAME, code="BestSeller").data["tabs"]
            return parse_qs(tab["address"].split("?")[1]).get("closed", [])

        assert [closed(taken), closed(given)] == [["/report/BestSellerInfo"], []]

    @pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.code)
    def test_every_link_leads_to_a_page(self, report):
        boards = [board for tab in report.tabs for board in (tab.plain, tab.cost) if board]
        assert all(map(find_page_right, {page for board in boards for page in board.pages}))

    def test_role_in_the_request_changes_nothing(self, site):
        caller = site.as_("manager_a")
        plain = caller.get(FRAME, code="BestSeller").data
        assert caller.get(FRAME, code="BestSeller", role_id=1).data == plain

    def test_tabs_open_by_month(self, site):
        data = site.as_("manager_a").get(FRAME, code="warehouseTurnover").data
        assert [tab["label"] for tab in data["tabs"]] == ["按周分析", "按月分析"]
        assert data["default_tab"] == "month"

    def test_freshness_is_the_snapshot_s(self, site):
        assert (
            site.as_("manager_a").get(FRAME, code="BestSeller").data["refreshed_at"] == "2026-11-20 17:30:05"
        )
        told = site.as_("manager_a").get("v2/report/Frame/getRefreshedAt").data
        assert told["refreshed_at"] == "2026-11-20 17:30:05"

    def test_unlisted_hostname_has_no_address(self, site):
        caller = site.as_("manager_a")
        answer = caller.http.get(
            f"/{FRAME}",
            params={"code": "BestSeller"},
            headers={"token": caller.token, "host": "elsewhere.cn"},
        )
        assert [tab["address"] for tab in answer.json()["data"]["tabs"]] == [None]

    def test_opens_on_given_values(self, site):
        data = site.as_("manager_a").get(FRAME, code="BestSellerInfo", goods_num="G001", period="近7天").data
        assert data["tabs"][0]["opens_with"] == {"period": ["近7天"], "goods": ["G001"]}

    @pytest.mark.parametrize(
        ("code", "values"),
        [
            ("goodsinventoryrpt", {"company": "A分公司", "cover_range": "断货"}),
            ("sluggishstock", {"company": "A分公司", "threshold": "180天以上"}),
        ],
    )
    def test_opens_on_what_the_stock_wall_tells(self, site, code: str, values: dict[str, str]):
        told = {name.removesuffix("_range"): value for name, value in values.items()}
        [tab] = site.as_("manager_a").get(FRAME, code=code, **told).data["tabs"]
        assert {name: [value] for name, value in values.items()}.items() <= tab["opens_with"].items()

    def test_values_that_no_filter_takes_are_left_out(self, site):
        [tab] = site.as_("manager_a").get(FRAME, code="BusinessDailyReport", goods_num="G001").data["tabs"]
        assert set(tab["opens_with"]) == {"period"}

    def test_opens_on_the_newest_period_that_the_role_sees(self, site):
        months, days = site.as_("manager_a").get(FRAME, code="CommodityProfit").data["tabs"]
        assert months["opens_with"] == {"period": ["2026-11"]}
        assert days["opens_with"] == {}, "its own words are of today whenever it opens"
        assert site.as_("manager_a").get(FRAME, code="BestSeller").data["tabs"][0]["opens_with"] == {}

    def test_unknown_report(self, site):
        assert site.as_("admin").get(FRAME, code="nothing").code == 400

    def test_needs_a_login(self, site):
        assert site.anonymous().get(FRAME, code="BestSeller").code == 401
        assert site.anonymous().post(TOKEN, {"code": "BestSeller", "tab": "all"}).code == 401


class TestToken:
    def test_names_the_board_and_the_role_of_the_session(self, site):
        answer = site.as_("manager_a").post(TOKEN, {"code": "BestSeller", "tab": "all"})
        claims = decode_token(answer.data["token"])
        assert claims["rls_rules"] == [{"clause": f"role_id = {site.world.role_manager_a}"}]
        assert claims["resources"] == [
            {"type": "dashboard", "id": embed_id("BestSeller", BEST_SELLER.first_tab, sees_cost=True)}
        ]
        assert answer.data["expires_in"] == 300 == claims["exp"] - claims["iat"]

    def test_plain_board_for_a_role_without_cost(self, site):
        claims = decode_token(
            site.as_("clerk_a").post(TOKEN, {"code": "BestSeller", "tab": "all"}).data["token"]
        )
        assert claims["resources"][0]["id"] == embed_id("BestSeller", BEST_SELLER.first_tab, sees_cost=False)

    def test_role_in_the_request_changes_nothing(self, site):
        answer = site.as_("manager_a").post(TOKEN, {"code": "BestSeller", "tab": "all", "role_id": 1})
        rules = [] if answer.code == 400 else decode_token(answer.data["token"])["rls_rules"]
        assert rules in ([], [{"clause": f"role_id = {site.world.role_manager_a}"}])

    def test_nobody_gets_none(self, site):
        assert site.as_("nobody").post(TOKEN, {"code": "BestSeller", "tab": "all"}).code == 403

    def test_unknown_tab(self, site):
        assert site.as_("manager_a").post(TOKEN, {"code": "BestSeller", "tab": "nothing"}).code == 400

    @pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.code)
    def test_each_report_needs_its_own_right(self, site, report):
        with site.engine.begin() as conn:
            conn.execute(
                text("delete from role_right where role_id = :role and code = :code"),
                {"role": site.world.role_manager_b, "code": report.right},
            )
            conn.execute(
                text("update role set version = version + 1 where role_id = :role"),
                {"role": site.world.role_manager_b},
            )
        caller = site.as_("manager_b")
        assert caller.get(FRAME, code=report.code).code == 403
        assert caller.post(TOKEN, {"code": report.code, "tab": report.first_tab.key}).code == 403


class TestOutlived:
    """A frame's requests go on to Superset, which isn't there, or are refused before."""

    ASKED = {"code": "BestSeller", "tab": "all"}

    def read_refusal(self, site, token):
        answer = site.http.post("/api/v1/chart/data", json={}, headers={"x-guesttoken": token}).json()
        return answer["code"], answer["msg"]

    def test_with_its_session(self, site):
        with site.engine.begin() as conn:
            reader = Caller(site.http, sessions.open_api_token(conn, site.world.user_manager_a, 1))
        token = reader.post(TOKEN, self.ASKED).data["token"]
        assert self.read_refusal(site, token) == (503, "报表服务暂时不可用，请稍后刷新")
        assert reader.post("v2/user/Login/logout").ok
        assert self.read_refusal(site, token) == (401, "登录已失效，请重新登录")

    @pytest.mark.parametrize("form", ["data", "files"])
    def test_as_a_field_of_a_form_as_well(self, site, form):
        with site.engine.begin() as conn:
            reader = Caller(site.http, sessions.open_api_token(conn, site.world.user_manager_a, 1))
        token = reader.post(TOKEN, self.ASKED).data["token"]
        # Each field as a multipart form has it, or by itself.
        fields = {"guest_token": token, "form_data": "{}"}
        sent = {form: {name: (None, value) for name, value in fields.items()} if form == "files" else fields}

        def asks():
            answer = site.http.post("/api/v1/chart/data", **sent).json()
            return answer["code"], answer["msg"]

        assert asks() == (503, "报表服务暂时不可用，请稍后刷新")
        assert reader.post("v2/user/Login/logout").ok
        assert asks() == (401, "登录已失效，请重新登录")

    @pytest.mark.parametrize(
        ("change", "msg"),
        [
            ("delete from role_right where role_id = :role and code = :code", "您没有此操作的权限"),
            ("update role set sees_cost = false where role_id = :role", "您的权限有变化，请重新打开报表"),
            (
                "delete from role_right where role_id = :role and code = :export",
                "您的权限有变化，请重新打开报表",
            ),
        ],
        ids=["right", "cost", "export"],
    )
    def test_with_what_its_user_may_see(self, site, change, msg):
        role = {"role": site.world.role_keeper_a}
        rights = {"code": BEST_SELLER.right, "export": BEST_SELLER.export_right}
        bumped = text("update role set version = version + 1, sees_cost = true where role_id = :role")
        given = text("insert into role_right (role_id, code) values (:role, :code) on conflict do nothing")
        with site.engine.begin() as conn:
            conn.execute(given, [{**role, "code": code} for code in rights.values()])
            conn.execute(bumped, role)
        token = site.as_("keeper_a").post(TOKEN, self.ASKED).data["token"]
        assert self.read_refusal(site, token)[0] == 503
        with site.engine.begin() as conn:
            conn.execute(text("update role set version = version + 1 where role_id = :role"), role)
            found = text(change)
            conn.execute(found, {name: (role | rights)[name] for name in found._bindparams})
        assert self.read_refusal(site, token) == (403, msg)


class TestMenu:
    def test_reports_stand_in_the_menu_of_their_module(self, site):
        tree = site.as_("manager_a").get("v2/Open/RoleAuth/getLeftMenuList").data
        placed = {
            (module["name"], entry["route"])
            for module in tree
            for group in module["sub"]
            for entry in group["sub"]
        }
        assert placed >= {(report.module, report.route) for report in REPORTS}

    def test_every_reader_is_told_which_routes_are_frames(self, site):
        told = site.as_("nobody").get("v2/report/Frame/getRoutes").data
        assert {item["route"]: item["code"] for item in told} == {
            report.route: report.code for report in REPORTS
        }


class TestRecalculating:
    """A run that is under way, or was left half-way, is told to those readers of its company who see costs."""

    CALL = "v2/report/Frame/getRefreshedAt"
    RUNNING = "A分公司、2026-09 起的期间正在重算成本（4 / 9 个商品），数字可能变化"
    LEFT = (
        "A分公司、2026-09 起的期间的成本重算没有完成（4 / 9 个商品），请重新发起重算；完成之前数字可能不一致"
    )

    @pytest.fixture
    def run(self, site):
        """Writes runs of company A as rows (period, status, goods done of 9)."""

        def write(*runs, closed=None):
            with site.engine.begin() as conn:
                for period, status, done in runs:
                    insert_recalculation(conn, site.world.company_a, period, status, done)
                if closed:
                    conn.execute(
                        text("insert into accounting_period (company_id, period, status) values (:c, :p, 1)"),
                        {"c": site.world.company_a, "p": closed},
                    )

        yield write
        with site.engine.begin() as conn:
            conn.execute(text("delete from cost_recalculation"))
            conn.execute(text("delete from accounting_period"))

    def read_notices(self, site, user="manager_a"):
        return site.as_(user).get(self.CALL).data["notices"]

    def test_nothing_runs(self, site):
        assert self.read_notices(site, "admin") == []

    @pytest.mark.parametrize("status", [0, 1])
    def test_readers_of_the_company_are_told(self, site, run, status):
        run(("2026-09", status, 4))
        assert self.read_notices(site) == self.read_notices(site, "admin") == [self.RUNNING]
        assert self.read_notices(site, "manager_b") == []

    def test_who_sees_no_cost_sees_nothing_change(self, site, run):
        run(("2026-09", 1, 4))
        assert self.read_notices(site, "clerk_a") == []

    def test_a_finished_run_is_over(self, site, run):
        run(("2026-09", 2, 9))
        assert self.read_notices(site) == []

    def test_a_failed_run_leaves_its_company_half_way(self, site, run):
        run(("2026-09", 2, 9), ("2026-09", 3, 4))
        assert self.read_notices(site) == [self.LEFT]

    def test_a_run_that_failed_before_its_first_goods_changed_nothing(self, site, run):
        run(("2026-09", 3, 0))
        assert self.read_notices(site) == []

    @pytest.mark.parametrize(("period", "over"), [("2026-09", True), ("2026-08", True), ("2026-10", False)])
    def test_a_later_run_from_the_same_month_or_earlier_makes_up_for_it(self, site, run, period, over):
        run(("2026-09", 3, 4), (period, 2, 9))
        assert (self.read_notices(site) == []) is over

    def test_a_closed_month_is_final(self, site, run):
        run(("2026-09", 3, 4), closed="2026-09")
        assert self.read_notices(site) == []

    def test_needs_a_login(self, site):
        assert site.anonymous().get(self.CALL).code == 401
