"""Use of reports: the home page's reports by user, recorded visits, and their statistics, counted by hand."""

from __future__ import annotations

import timeit
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text

from api.kit.declaration import menu
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role

HOME, STATISTIC, VISITS = ("v2/report/ReportHome", "v2/report/ReportStatistic", "v2/report/ReportVisit")
MANY = 300_000


@pytest.fixture(autouse=True)
def unread(site: Site) -> Iterator[None]:
    """No report was opened yet."""
    with site.engine.begin() as conn:
        conn.exec_driver_sql("truncate report_visit")
    yield


def fetch_rows(site: Site, api: str, user: str = "admin", **query: Any) -> list[dict[str, Any]]:
    answer = site.as_(user).get(f"{api}/getList", per_page=500, **query)
    assert answer.ok, answer
    found: list[dict[str, Any]] = answer.data["data"]
    return found


def enter_report(site: Site, user: str, code: str) -> int:
    return site.as_(user).get("v2/open/ReportStatistic/add", code=code).code


def insert_visit(site: Site, user: str, code: str, at: str, company: str = "company_a") -> None:
    """Insert a visit as recorded at a moment in Shanghai."""
    values = {
        "user": site.world.ids[f"user_{user}"],
        "name": user,
        "role": site.world.ids.get(f"role_{user}", 1),
        "company": site.world.ids[company],
        "code": code,
        "at": f"{at}+08",
    }
    with site.engine.begin() as conn:
        conn.execute(
            text(
                "insert into report_visit (user_id, user_name, role_id, company_id, code, at)"
                " values (:user, :name, :role, :company, :code, :at)"
            ),
            values,
        )


def read_visits(site: Site) -> list[tuple[Any, ...]]:
    with site.engine.begin() as conn:
        found = conn.execute(text("select user_id, role_id, company_id, code from report_visit order by 1"))
        return [tuple(row) for row in found]


@pytest.fixture
def reader(site: Site) -> Iterator[str]:
    """Somebody who may open two reports only, a framed one and a listed one."""
    few = ["report_home:list", "report_BestSeller:view", "sales_detail:list"]
    with changed_role(site.as_("admin"), site.world.role_keeper_a, rights=few):
        yield "keeper_a"


class TestHome:
    def test_every_report_is_offered_with_its_question(self, site: Site) -> None:
        found = {row["route"]: row for row in fetch_rows(site, HOME)}
        centre = {entry.route for entry in menu.list_entries() if entry.place.module == "报表中心"}
        own = {entry.route for entry in menu.list_entries() if entry.place.group == "报表总览"}
        typed_in = {"/report/businesstarget"}
        assert centre - own - typed_in <= found.keys(), "a report of the module without a question"
        assert "/inventory/CompanyInventoryreport" in found, "a framed report among the screens of stock"
        dashboards = {"/system/businessData", "/groupManagement/InventoryBigData"}
        assert own & found.keys() == dashboards, "the list of reports is none, nor is who reads them"
        assert [row["question"] for row in found.values() if not row["question"].endswith("？")] == []
        questions = [row["question"] for row in found.values()]
        assert len(questions) == len(set(questions))

    def test_groups_stand_together(self, site: Site) -> None:
        groups = [row["group_name"] for row in fetch_rows(site, HOME)]
        assert len(set(groups)) > 3
        assert groups == sorted(groups, key=list(dict.fromkeys(groups)).index)

    def test_only_reports_that_one_may_open_are_there(self, site: Site, reader: str) -> None:
        assert {row["code"] for row in fetch_rows(site, HOME, reader)} == {"BestSeller", "salesdetrpt"}
        assert len(fetch_rows(site, HOME)) > 20

    def test_it_needs_its_right(self, site: Site) -> None:
        for api in (HOME, STATISTIC, VISITS):
            assert site.as_("nobody").get(f"{api}/getList").code == 403

    @pytest.mark.parametrize("keyword", ["畅销商品", "什么卖得最好", "/report/BestSeller", "CXSP", "热销"])
    def test_one_is_found_by_name_question_words_address_and_initials(self, site: Site, keyword: str) -> None:
        assert "BestSeller" in {row["code"] for row in fetch_rows(site, HOME, keyword=keyword)}

    def test_it_tells_when_one_opened_a_report_last(self, site: Site) -> None:
        insert_visit(site, "manager_a", "BestSeller", "2026-03-01 09:00")
        insert_visit(site, "manager_a", "BestSeller", "2026-03-02 10:30")
        insert_visit(site, "clerk_a", "salesdetrpt", "2026-03-03 08:00")
        opened = {
            row["code"]: row["opened_at"] for row in fetch_rows(site, HOME, "manager_a") if row["opened_at"]
        }
        assert opened == {"BestSeller": "2026-03-02 10:30:00"}

    def test_the_last_ones_opened_are_told_apart_within_a_second(self, site: Site) -> None:
        for code in ("salesdetrpt", "BestSeller", "salesdetrpt"):
            insert_visit(site, "admin", code, "2026-03-02 10:30")
        visits = {row["code"]: row["last_visit_id"] or 0 for row in fetch_rows(site, HOME)}
        assert sorted(visits, key=lambda code: visits[code])[-2:] == ["BestSeller", "salesdetrpt"]

    def test_a_report_says_so_on_its_screen(self, site: Site) -> None:
        def fetch_screen_report(route: str) -> Any:
            return site.as_("admin").get("v2/Open/Screen/getScreen", route=route).data["report"]

        assert fetch_screen_report("/report/salesdetrpt") == "salesdetrpt"
        assert fetch_screen_report("/system/unit") is None
        assert fetch_screen_report("/report/ReportHome") == "ReportHome"

    def test_a_favourite_is_ones_own(self, site: Site) -> None:
        body = {"kind": "favourite", "screen": "report_home", "name": "BestSeller", "value": True}
        assert site.as_("clerk_a").post("v2/open/UserPreference/save", body).ok
        asked = {"kind": "favourite", "screen": "report_home"}
        for user, kept in (("clerk_a", ["BestSeller"]), ("manager_a", [])):
            found = site.as_(user).get("v2/open/UserPreference/get", **asked).data
            assert [item["name"] for item in found] == kept


class TestVisits:
    def test_one_is_recorded_with_role_and_company(self, site: Site) -> None:
        assert enter_report(site, "manager_b", "BestSeller") == 200
        assert enter_report(site, "manager_b", "salesdetrpt") == 200
        world = site.world
        who = (world.user_manager_b, world.role_manager_b, world.company_b)
        assert sorted(read_visits(site)) == [(*who, "BestSeller"), (*who, "salesdetrpt")]

    @pytest.mark.parametrize("code", ["NoSuchReport", "unit", "", "BestSeller\x00"])
    def test_what_is_no_report_is_refused(self, site: Site, code: str) -> None:
        assert enter_report(site, "admin", code) == 400
        assert read_visits(site) == []

    def test_a_report_one_may_not_open_is_refused(self, site: Site, reader: str) -> None:
        assert enter_report(site, "nobody", "BestSeller") == 400
        assert enter_report(site, reader, "purchasedetrpt") == 400
        assert read_visits(site) == []
        assert enter_report(site, reader, "salesdetrpt") == 200

    def test_whatever_stands_at_report_is_recorded_by_its_name(self, site: Site) -> None:
        assert enter_report(site, "admin", "ReportHome") == 200
        told = [(row["report_name"], row["route"]) for row in fetch_rows(site, VISITS)]
        assert told == [("报表首页", "/report/ReportHome")]

    def test_it_needs_a_login(self, site: Site) -> None:
        assert site.anonymous().get("v2/open/ReportStatistic/add", code="BestSeller").code == 401

    def test_entries_say_who_and_when_and_lead_to_what_one_may_open(self, site: Site, reader: str) -> None:
        insert_visit(site, "clerk_a", "BestSeller", "2026-03-02 10:30")
        insert_visit(site, "clerk_a", "purchasedetrpt", "2026-03-02 10:31")
        insert_visit(site, "clerk_a", "RemovedReport", "2026-03-02 10:32")
        removed, purchases, best = fetch_rows(site, VISITS)
        assert (best["at"], best["user_realname"]) == ("2026-03-02 10:30:00", "clerk_a")
        assert (best["role_name"], best["company_name"]) == ("clerk_a", "A分公司")
        assert (best["report_name"], best["route"]) == ("畅销商品", "/report/BestSeller")
        assert purchases["route"] == "/report/purchasedetrpt"
        assert (removed["report_name"], removed["route"]) == ("RemovedReport", None)

    def test_they_outlive_the_account(self, site: Site) -> None:
        with site.engine.begin() as conn:
            key = conn.execute(
                text(
                    "insert into user_account (user_name, realname, company_id, role_id)"
                    " values ('gone', '离职', :company, :role) returning user_id"
                ),
                {"company": site.world.company_a, "role": site.world.role_nobody},
            ).scalar_one()
        site.world.ids["user_gone"] = key
        insert_visit(site, "gone", "BestSeller", "2026-03-02 10:30")
        assert site.as_("admin").post("v2/system/User/del", {"ids": [key]}).ok
        [row] = fetch_rows(site, VISITS)
        assert (row["user_name"], row["user_realname"]) == ("gone", None)

    def test_old_ones_are_cleaned_away(self, site: Site) -> None:
        insert_visit(site, "clerk_a", "BestSeller", "2020-03-02 10:30")
        assert enter_report(site, "clerk_a", "BestSeller") == 200
        body = {"kinds": ["report_visit"], "confirm": "确认清理", "months": 12}
        assert site.as_("admin").post("v2/system/DbClear/clear", body).ok
        assert len(read_visits(site)) == 1


class TestStatistic:
    @pytest.fixture(autouse=True)
    def week(self, site: Site) -> None:
        """Eight visits: five of best sellers by three users of both companies, three of sales details by one."""
        for user, code, at, company in (
            ("clerk_a", "BestSeller", "2026-03-01 23:59:59", "company_a"),
            ("clerk_a", "BestSeller", "2026-03-02 00:00:00", "company_a"),
            ("manager_a", "BestSeller", "2026-03-02 12:00", "company_a"),
            ("manager_b", "BestSeller", "2026-03-03 08:00", "company_b"),
            ("clerk_a", "BestSeller", "2026-03-03 23:59:59", "company_a"),
            ("manager_b", "salesdetrpt", "2026-03-02 09:00", "company_b"),
            ("manager_b", "salesdetrpt", "2026-03-04 09:00", "company_b"),
            ("manager_b", "salesdetrpt", "2026-03-04 09:00:01", "company_b"),
        ):
            insert_visit(site, user, code, at, company)

    def fetch_statistic(self, site: Site, user: str = "admin", **query: Any) -> dict[str, tuple[Any, ...]]:
        names = ("visits", "users", "last_at", "top_user_realname", "top_visits")
        return {
            row["code"]: tuple(row[n] for n in names) for row in fetch_rows(site, STATISTIC, user, **query)
        }

    def test_it_counts_visits_and_users_and_names_who_came_last_and_most(self, site: Site) -> None:
        assert self.fetch_statistic(site) == {
            "BestSeller": (5, 3, "2026-03-03 23:59:59", "clerk_a", 3),
            "salesdetrpt": (3, 1, "2026-03-04 09:00:01", "manager_b", 3),
        }
        page = site.as_("admin").get(f"{STATISTIC}/getList").data
        assert [row["report_name"] for row in page["data"]] == ["畅销商品", "销售明细报表"]
        assert page["totals"] == {"visits": "8"}

    def test_days_are_whole_days_here(self, site: Site) -> None:
        second = {"at_start": "2026-03-02", "at_end": "2026-03-02"}
        assert self.fetch_statistic(site, **second) == {
            "BestSeller": (2, 2, "2026-03-02 12:00:00", "manager_a", 1),
            "salesdetrpt": (1, 1, "2026-03-02 09:00:00", "manager_b", 1),
        }
        assert self.fetch_statistic(site, at_start="2026-03-05") == {}

    def test_it_is_narrowed_by_company_user_and_report(self, site: Site) -> None:
        world = site.world
        of_b = self.fetch_statistic(site, company_id=world.company_b)
        assert {code: found[:2] for code, found in of_b.items()} == {
            "BestSeller": (1, 1),
            "salesdetrpt": (3, 1),
        }
        assert self.fetch_statistic(site, user_id=world.user_clerk_a)["BestSeller"][:2] == (3, 1)
        assert self.fetch_statistic(site, user_id=f"{world.user_clerk_a},{world.user_manager_a}")[
            "BestSeller"
        ][:2] == (
            4,
            2,
        )
        assert list(self.fetch_statistic(site, report_name="明细")) == ["salesdetrpt"]

    def test_a_foreign_company_is_not_counted(self, site: Site) -> None:
        assert {code: found[:2] for code, found in self.fetch_statistic(site, "manager_a").items()} == {
            "BestSeller": (4, 2)
        }
        assert self.fetch_statistic(site, "manager_a", company_id=site.world.company_b) == {}
        assert len(fetch_rows(site, VISITS, "manager_a")) == 4
        assert len(fetch_rows(site, VISITS, "manager_b")) == 4

    def test_who_sees_only_his_own_sees_his_own_visits(self, site: Site) -> None:
        insert_visit(site, "own_a", "BestSeller", "2026-03-02 12:00")
        assert {code: found[:2] for code, found in self.fetch_statistic(site, "own_a").items()} == {
            "BestSeller": (1, 1)
        }

    @pytest.mark.parametrize(
        "query",
        [
            {},
            {"at_start": "2026-03-02", "at_end": "2026-03-03"},
            {"company_id": "company_b"},
            {"user_id": "user_clerk_a"},
        ],
        ids=str,
    )
    def test_each_row_leads_to_its_entries(self, site: Site, query: dict[str, str]) -> None:
        asked = {name: site.world.ids.get(value, value) for name, value in query.items()}
        screen = site.as_("admin").get("v2/Open/Screen/getScreen", route="/report/ReportStatistic").data
        drill = screen["drill"]
        counted = fetch_rows(site, STATISTIC, **asked)
        assert counted
        for row in counted:
            given = {name: row[field] for name, field in drill["by"].items() if row[field] is not None}
            entries = fetch_rows(site, VISITS, **given)
            assert len(entries) == row["visits"], given
            assert {entry["code"] for entry in entries} == {row["code"]}
            assert len({entry["user_id"] for entry in entries}) == row["users"]
            assert max(entry["at"] for entry in entries) == row["last_at"]

    def test_what_a_row_leads_by_is_named(self, site: Site) -> None:
        found = {row["code"]: row for row in fetch_rows(site, STATISTIC)}
        assert (found["salesdetrpt"]["company_name"], found["salesdetrpt"]["user_realname"]) == (
            "B分公司",
            "manager_b",
        )
        assert (found["BestSeller"]["company_name"], found["BestSeller"]["user_realname"]) == (None, None)

    def test_the_way_to_the_entries_needs_their_right(self, site: Site) -> None:
        keeper = site.as_("keeper_a")
        with changed_role(site.as_("admin"), site.world.role_keeper_a, rights=["report_statistic:list"]):
            screen = keeper.get("v2/Open/Screen/getScreen", route="/report/ReportStatistic").data
            assert screen["drill"] is None
            assert keeper.get(f"{VISITS}/getList").code == 403


class TestGrowth:
    @pytest.fixture
    def years(self, site: Site) -> None:
        """Two and a half years of visits, one every four and a half minutes; the newest ones of today."""
        with site.engine.begin() as conn:
            conn.exec_driver_sql(
                "insert into report_visit (user_id, user_name, role_id, company_id, code, at)"
                f" select {site.world.user_clerk_a} + n %% 40, 'x', 1, {site.world.company_a},"
                " (array['BestSeller', 'salesdetrpt', 'purchasedetrpt'])[n %% 3 + 1],"
                f" now() - n * interval '270 seconds' from generate_series(1, {MANY}) as n"
            )
            conn.exec_driver_sql("analyze report_visit")

    @pytest.mark.usefixtures("years")
    def test_a_month_and_ones_own_are_found_fast_in_years(self, site: Site) -> None:
        admin = site.as_("admin")
        usual = admin.get("v2/Open/Screen/getScreen", route="/report/ReportStatistic").data["usual"]
        assert usual
        for api, asked, user in (
            (STATISTIC, usual, "admin"),
            (VISITS, usual, "admin"),
            (HOME, {}, "clerk_a"),
        ):
            caller = site.as_(user)
            assert caller.get(f"{api}/getList", **asked).data["data"]
            seconds = min(
                timeit.repeat(lambda c=caller, a=api, q=asked: c.get(f"{a}/getList", **q), number=1, repeat=5)  # type: ignore[misc]
            )
            assert seconds < 0.3, (api, seconds)
