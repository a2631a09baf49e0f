"""Remarks on figures: seen by who has the report, is shown the figure, and sees the company whole."""

from __future__ import annotations

from typing import Any

import pytest

from api.figures import comment_calls
from tests.reporting.conftest import own_warehouse
from tests.reporting.report_files import companies_apart
from tests.support.client import Answer
from tests.support.fixtures import Site
from tests.support.subscriptions import execute_sql, impersonated_by, without_cost

__all__ = ["companies_apart", "own_warehouse"]
pytestmark = pytest.mark.usefixtures("companies_apart")
PREFIX = "v2/report/FigureComment"
PLACE = {"code": "CustomerProfit", "tab": "all"}


@pytest.fixture(autouse=True)
def nothing_yet(site: Site) -> None:
    execute_sql(site, "truncate figure_comment")


def list_comments(site: Site, user: str) -> dict[str, Any]:
    answer = site.as_(user).get(f"{PREFIX}/getList", **PLACE)
    assert answer.ok, answer
    found: dict[str, Any] = answer.data
    return found


def add_remark(
    site: Site, user: str, company: int | None, figure: str = "beside/revenue/0", words: str = "双十一"
) -> Answer:
    body = {**PLACE, "figure": figure, "company_id": company, "day": "2026-11-11", "words": words}
    return site.as_(user).post(f"{PREFIX}/add", body)


def find_own_company(site: Site, user: str) -> int:
    found: int = list_comments(site, user)["companies"][0]["company_id"]
    return found


class TestSeeing:
    def test_by_who_sees_the_company(self, site: Site) -> None:
        company = find_own_company(site, "manager_a")
        assert add_remark(site, "manager_a", company).ok
        [seen] = list_comments(site, "manager_a")["data"]
        assert (seen["words"], seen["day"], seen["mine"]) == ("双十一", "2026-11-11", True)
        assert [row["mine"] for row in list_comments(site, "admin")["data"]] == [False]

    def test_not_by_who_sees_only_another_company(self, site: Site) -> None:
        company = max(row["company_id"] for row in list_comments(site, "admin")["companies"])
        assert company not in {row["company_id"] for row in list_comments(site, "manager_a")["companies"]}
        assert add_remark(site, "admin", company).ok
        assert add_remark(site, "admin", None, words="全集团").ok
        assert list_comments(site, "manager_a")["data"] == []
        assert [row["words"] for row in list_comments(site, "admin")["data"]] == ["全集团", "双十一"]

    def test_not_by_who_is_not_shown_the_figure(self, site: Site) -> None:
        company = find_own_company(site, "manager_a")
        cost = next(
            one["key"] for one in list_comments(site, "manager_a")["figures"] if "毛利" in one["label"]
        )
        assert add_remark(site, "manager_a", company, cost).ok
        assert len(list_comments(site, "manager_a")["data"]) == 1
        with without_cost(site):
            assert list_comments(site, "manager_a")["data"] == []

    def test_not_ones_own_by_who_acts_for_one_and_does_not_see_the_company(self, site: Site) -> None:
        """Of a list: framed reports are closed to him."""
        place = {"code": "salesmulrpt", "tab": "all"}

        def words(user: str) -> list[str]:
            answer = site.as_(user).get(f"{PREFIX}/getList", **place)
            assert answer.ok, answer
            return [row["words"] for row in answer.data["data"]]

        mine = site.as_("manager_b")
        choices = mine.get(f"{PREFIX}/getList", **place).data
        body = {**place, "figure": choices["figures"][0]["key"], "day": "2026-11-11", "words": "双十一"}
        assert mine.post(f"{PREFIX}/add", {**body, "company_id": find_own_company(site, "manager_b")}).ok
        assert words("manager_b") == ["双十一"]
        with impersonated_by(site, "clerk_a", "manager_b"):
            assert words("manager_b") == []

    def test_those_on_hidden_figures_take_no_place_of_others(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(comment_calls, "MOST", 1)
        company = find_own_company(site, "manager_a")
        cost = next(
            one["key"] for one in list_comments(site, "manager_a")["figures"] if "毛利" in one["label"]
        )
        assert add_remark(site, "manager_a", company, words="收入").ok
        assert add_remark(site, "manager_a", company, cost, words="毛利").ok
        assert [row["words"] for row in list_comments(site, "manager_a")["data"]] == ["毛利"]
        with without_cost(site):
            assert [row["words"] for row in list_comments(site, "manager_a")["data"]] == ["收入"]

    def test_not_without_the_report_right(self, site: Site) -> None:
        assert site.as_("nobody").get(f"{PREFIX}/getList", **PLACE).code == 403


class TestWriting:
    def test_only_of_what_one_sees(self, site: Site) -> None:
        other = max(row["company_id"] for row in list_comments(site, "admin")["companies"])
        assert add_remark(site, "manager_a", other).msg == "您没有看这家公司数字的权限"
        assert add_remark(site, "manager_a", None).msg == "您看不到全集团的数字，请选择批注是哪家公司的"
        assert (
            add_remark(site, "manager_a", find_own_company(site, "manager_a"), "beside/nothing/0").code == 400
        )

    def test_of_the_group_only_who_sees_all_its_warehouses(self, site: Site) -> None:
        change = "update role set scope_kind = :kind, version = version + 1 where role_id = :role"
        role = site.world.ids["role_keeper_a"]
        execute_sql(site, change, kind=1, role=role)
        try:
            assert list_comments(site, "keeper_a")["group"] is False
            refused = add_remark(site, "keeper_a", None)
            assert refused.msg == "您看不到全集团的数字，请选择批注是哪家公司的"
        finally:
            execute_sql(site, change, kind=2, role=role)

    def test_not_by_who_acts_for_its_author_and_sees_less(self, site: Site) -> None:
        company = find_own_company(site, "manager_a")
        key = add_remark(site, "manager_a", company).data["id"]
        with impersonated_by(site, "clerk_a"):
            changed = {"comment_id": key, "day": "2026-11-12", "words": "更正"}
            for refused in (
                add_remark(site, "manager_a", company),
                site.as_("manager_a").post(f"{PREFIX}/edit", changed),
                site.as_("manager_a").post(f"{PREFIX}/del", {"comment_id": key}),
            ):
                told_him = "您的数据范围小于被模拟的用户，模拟登录时不能写批注"
                assert (refused.code, refused.msg) == (403, told_him)
        assert [row["words"] for row in list_comments(site, "manager_a")["data"]] == ["双十一"]

    def test_what_one_wrote_on_a_company_that_one_sees_no_more_is_not_changed(self, site: Site) -> None:
        key = add_remark(site, "manager_a", find_own_company(site, "manager_a")).data["id"]
        changed = {"comment_id": key, "day": "2026-11-12", "words": "更正"}
        for company, why in (
            (site.world.company_b, "您没有看这家公司数字的权限"),
            (None, "您看不到全集团的数字，请选择批注是哪家公司的"),
        ):
            execute_sql(site, "update figure_comment set company_id = :company", company=company)
            assert site.as_("manager_a").post(f"{PREFIX}/edit", changed).msg == why
        assert [row["words"] for row in list_comments(site, "admin")["data"]] == ["双十一"]
        assert site.as_("manager_a").post(f"{PREFIX}/del", {"comment_id": key}).ok

    def test_only_ones_own_is_changed_and_deleted(self, site: Site) -> None:
        key = add_remark(site, "manager_a", find_own_company(site, "manager_a")).data["id"]
        changed = {"comment_id": key, "day": "2026-11-12", "words": "更正"}
        assert site.as_("admin").post(f"{PREFIX}/edit", changed).msg == "批注不存在或无权访问"
        assert site.as_("admin").post(f"{PREFIX}/del", {"comment_id": key}).msg == "批注不存在或无权访问"
        assert site.as_("manager_a").post(f"{PREFIX}/edit", changed).ok
        [row] = list_comments(site, "manager_a")["data"]
        assert (row["words"], row["day"], row["changed_at"] is not None) == ("更正", "2026-11-12", True)
        assert site.as_("manager_a").post(f"{PREFIX}/del", {"comment_id": key}).ok
        assert list_comments(site, "manager_a")["data"] == []
