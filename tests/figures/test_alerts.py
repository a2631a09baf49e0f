"""Alerts on figures of reports: told once when the figure leaves its bounds, in the owner's own scope and filters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from email import message_from_bytes, policy
from typing import Any

import pytest
from sqlalchemy import text

from api.exporting import opening
from api.exporting.asked import ReportExport
from api.figures import checking, found
from api.figures.watches import address_of, is_whole
from api.kit.errors import Refusal
from api.kit.settings import settings
from api.reporting import snapshot
from api.subscribing.wishes import Wish
from tests.kit.client import Answer
from tests.kit.fixtures import Site
from tests.kit.superset import publish
from tests.reporting.conftest import own_warehouse
from tests.reporting.exported import SCOPES, companies_apart
from tests.subscribing.subscriber import SCHEMES, execute, reminded, simulated_by, without_cost

__all__ = ["companies_apart", "own_warehouse"]
pytestmark = pytest.mark.usefixtures("companies_apart")
PREFIX = "v2/report/FigureAlert"
REVENUE = "beside/revenue/0"
WISH = {"code": "CustomerProfit", "tab": "all", "figure": REVENUE, "low": "1000000", "way": "message"}
_numbers = iter(range(100, 1000))


@pytest.fixture(autouse=True)
def nothing_yet(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERP_MAIL_URL", raising=False)
    execute(site, "truncate figure_alert, popup_log cascade")
    execute(site, "delete from user_preference where kind = 'scheme'")
    execute(site, "update user_account set email = user_name || '@example.com'")


def ask(site: Site, user: str = "manager_a", **changes: Any) -> Answer:
    return site.as_(user).post(f"{PREFIX}/add", {**WISH, **changes})


def alerted(site: Site, user: str = "manager_a", **changes: Any) -> int:
    answer = ask(site, user, **changes)
    assert answer.ok, answer
    key: int = answer.data["id"]
    return key


def mine(site: Site, user: str = "manager_a") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.as_(user).get(f"{PREFIX}/getMine").data["data"]
    return found


def popups(site: Site) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.as_("manager_a").get("v2/open/Message/getPopUplogList").data
    return found


def value(
    site: Site,
    user: str = "manager_a",
    figure: str = REVENUE,
    scheme: str = "",
    code: str = "CustomerProfit",
) -> float:
    asked = {"code": code, "tab": "all", "figure": figure, "scheme": scheme}
    found: float = site.as_(user).get(f"{PREFIX}/getValue", **asked).data["value"]
    return found


def waiting(site: Site, key: int) -> list[int]:
    """The notices of an alert."""
    with site.engine.connect() as conn:
        asked = text("select notice_id from alert_notice where alert_id = :key")
        return [*conn.execute(asked, {"key": key}).scalars()]


@pytest.fixture
def figures(site: Site) -> Iterator[Any]:
    """Publishes figures whose revenue is so many times that of the small snapshot, and has the alerts looked at."""
    roles = {"manager": site.world.role_manager_a, "clerk": site.world.role_clerk_a}

    def release(times: float = 1, more: str = "") -> None:
        more += f"update mart_customer_profit set revenue = revenue * {times};"
        publish(settings().warehouse_dir, next(_numbers), SCOPES.format(**roles) + more)
        execute(site, "update figure_alert set checked_at = checked_at - interval '5 minutes'")
        checking.check_alerts()

    yield release
    release()


class TestTelling:
    def test_once_when_it_leaves_its_bounds_and_again_only_after_it_was_back(
        self, site: Site, figures: Any
    ) -> None:
        figures()
        base = value(site)
        alerted(site, low=str(base * 0.9))
        for times, told in ((1, 0), (0.5, 1), (0.4, 1), (1, 1), (0.5, 2)):
            figures(times)
            assert len(reminded(site)) == told, times
        [row] = mine(site)
        assert (row["out"], row["last"]["state"]) == (True, "已发送")

    def test_says_what_it_came_to_under_which_filters_and_leads_there(self, site: Site, figures: Any) -> None:
        body = {
            "kind": "scheme",
            "screen": "report_CustomerProfit/all",
            "name": "十月",
            "value": {"filters": {"period": ["2026-10"]}},
        }
        assert site.as_("manager_a").post(f"{SCHEMES}/save", body).ok
        alerted(site, scheme="十月", low=None, high="1")
        figures()
        [words] = reminded(site)
        assert words.startswith("指标预警：“客户毛利分析")
        assert f"{value(site, scheme='十月'):,.2f}，高于上限 1.00" in words
        assert "月＝2026-10" in words
        [row] = site.as_("manager_a").get("v2/open/Message/getPopUplogList").data
        assert row["url"] == "/report/CustomerProfit?report_tab=all&scheme=%E5%8D%81%E6%9C%88"

    def test_is_in_the_scope_of_its_owner(self, site: Site, figures: Any) -> None:
        figures()
        own, other = value(site, "manager_a"), value(site, "clerk_a")
        assert own != other
        alerted(site, "manager_a", low=str(own), high=str(own))
        alerted(site, "clerk_a", low=str(own), high=str(own))
        figures()
        assert reminded(site, "manager_a") == []
        assert len(reminded(site, "clerk_a")) == 1

    def test_a_letter_is_sent_once(self, site: Site, figures: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ERP_MAIL_URL", "file:")
        folder = settings().data_dir / "mail"
        key = alerted(site, way="mail", low=None, high="1")
        figures()
        with site.engine.connect() as conn:
            asked = text("select notice_id from alert_notice where alert_id = :key")
            [notice] = conn.execute(asked, {"key": key}).scalars()
        for _ in range(2):
            checking.send_alert(notice_id=notice)
        [file] = folder.glob("alert-*.eml")
        letter = message_from_bytes(file.read_bytes(), policy=policy.default)
        assert letter["To"] == "manager_a@example.com"
        assert "高于上限 1.00" in letter.get_content()
        assert reminded(site) == []

    def test_an_empty_figure_is_neither_in_nor_out(self, site: Site, figures: Any) -> None:
        assert checking.crossing(None, Decimal(1), Decimal(2)) == ""
        assert [found._number(one) for one in (None, math.nan, math.inf, -math.inf)] == [None] * 4
        assert [found._number(one) for one in (0, Decimal("-1.5"))] == [0, -1.5]
        alerted(site, low=None, high="1")
        figures()
        figures(more="delete from mart_customer_profit;")
        [row] = mine(site)
        assert (row["out"], row["value"], len(reminded(site))) == (True, "（空）", 1)
        figures()
        assert len(reminded(site)) == 1, "it was not back within its bounds meanwhile"

    def test_what_can_not_be_read_now_is_looked_at_again(
        self, site: Site, figures: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        alerted(site, low=None, high="1")
        with monkeypatch.context() as outage:

            def refuse() -> None:
                raise Refusal("报表数据正在按新版本重新计算，请稍后再查询")

            outage.setattr(opening, "published", refuse)
            figures()
            [row] = mine(site)
            assert (row["paused"], row["checked_at"], reminded(site)) == (False, None, [])
        checking.check_alerts()
        [words] = reminded(site)
        assert "高于上限 1.00" in words


class TestRights:
    def test_it_pauses_itself_when_its_owner_sees_the_figure_no_more(self, site: Site, figures: Any) -> None:
        cost = next(
            one["key"]
            for one in site.as_("manager_a")
            .get(f"{PREFIX}/getFigures", code="CustomerProfit", tab="all")
            .data
            if "毛利" in one["label"]
        )
        alerted(site, figure=cost, low=None, high="0")
        with without_cost(site):
            figures()
            [row] = mine(site)
            assert (row["paused"], row["figure_label"], row["value"]) == (True, None, None)
            [words] = reminded(site)
            assert (
                words
                == "您对“客户毛利分析 · 按月分析”的预警已暂停：报表上没有这个数字，或您没有看它的权限，请另选一个"
            )

    def test_a_letter_that_waits_meanwhile_does_not_tell_it_again(
        self, site: Site, figures: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ERP_MAIL_URL", "file:")
        asked = site.as_("manager_a").get(f"{PREFIX}/getFigures", code="CustomerProfit", tab="all").data
        cost = next(one["key"] for one in asked if "毛利" in one["label"])
        key = alerted(site, figure=cost, low=None, high="0", way="mail")
        figures()
        with site.engine.connect() as conn:
            waiting = text("select notice_id from alert_notice where alert_id = :key")
            [notice] = conn.execute(waiting, {"key": key}).scalars()
        with without_cost(site):
            figures()
            checking.send_alert(notice_id=notice)
            assert [row["paused"] for row in mine(site)] == [True]
            assert len(reminded(site)) == 1
        assert [*(settings().data_dir / "mail").glob(f"alert-{notice}-*.eml")] == []

    def test_a_letter_that_waited_tells_what_its_owner_sees_by_then(
        self, site: Site, figures: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ERP_MAIL_URL", "file:")
        key = alerted(site, low=None, high="1", way="mail")
        figures()
        before = value(site)
        [notice] = waiting(site, key)
        manager = site.world.role_manager_a
        figures(
            more="".join(
                f"update {scope} set company_id = 2 where role_id = {manager};"
                for scope in ("role_company_scope", "role_cost_scope")
            )
            + "update mart_customer_profit set revenue = revenue * 3 where company_id = 2;"
        )
        now = value(site)
        assert now not in (0, before)
        checking.send_alert(notice_id=notice)
        [file] = (settings().data_dir / "mail").glob(f"alert-{notice}-*.eml")
        told = message_from_bytes(file.read_bytes(), policy=policy.default).get_content()
        assert f"为 {now:,.2f}" in told and f"{before:,.2f}" not in told
        assert [f"为 {now:,.2f}" in row["last"]["words"] for row in mine(site)] == [True]

    def test_a_letter_that_waited_is_not_sent_of_a_figure_that_is_back(
        self, site: Site, figures: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ERP_MAIL_URL", "file:")
        key = alerted(site, low=None, high="1", way="mail")
        figures()
        [notice] = waiting(site, key)
        figures(times=0)
        checking.send_alert(notice_id=notice)
        assert [*(settings().data_dir / "mail").glob(f"alert-{notice}-*.eml")] == []
        [row] = mine(site)
        assert (row["paused"], row["last"]["failure"]) == (False, "发出之前数字已不在预警范围之外，没有发送")

    def test_a_day_that_runs_is_watched_too(self, site: Site) -> None:
        """Its row at the head is called otherwise: not past."""
        assert value(site, figure="beside/sales/0", code="BusinessDailyReport") == 200
        assert value(site, figure="beside/mtd_sales/0", code="BusinessDailyReport") == 4000

    def test_a_hidden_figure_can_not_be_watched(self, site: Site) -> None:
        hidden = {
            one["key"]
            for one in site.as_("manager_a")
            .get(f"{PREFIX}/getFigures", code="CustomerProfit", tab="all")
            .data
        } - {
            one["key"]
            for one in site.as_("clerk_a").get(f"{PREFIX}/getFigures", code="CustomerProfit", tab="all").data
        }
        assert hidden
        assert {ask(site, "clerk_a", figure=key).code for key in hidden} == {400}

    def test_a_report_without_right_can_not_be_watched(self, site: Site) -> None:
        assert ask(site, "nobody").code == 403

    def test_anothers_alert_is_not_found(self, site: Site) -> None:
        key = alerted(site)
        other = site.as_("clerk_a")
        for call, body in (
            ("edit", {**WISH, "alert_id": key}),
            ("setPaused", {"alert_id": key, "paused": True}),
            ("del", {"alert_id": key}),
        ):
            body.pop("code", None), body.pop("tab", None)
            assert other.post(f"{PREFIX}/{call}", body).msg == "预警不存在或无权访问", call
        assert len(mine(site)) == 1

    def test_who_acts_for_its_owner_and_sees_less_neither_makes_nor_reads_it(
        self, site: Site, figures: Any
    ) -> None:
        key = alerted(site, low=None, high="1")
        figures()
        [own] = mine(site)
        assert own["value"] and own["out"] and "高于上限" in own["last"]["words"]
        [told] = popups(site)
        assert "高于上限" in told["content"]
        changed = {"alert_id": key, "figure": REVENUE, "high": "2", "way": "message"}
        with simulated_by(site, "clerk_a"):
            [row] = mine(site)
            assert (row["value"], row["out"], row["checked_at"], row["last"]) == (None, False, None, None)
            assert popups(site) == [], "nor is told what it came to"
            assert site.as_("manager_a").post("v2/open/Message/setPopUpLog", {"id_str": str(told["id"])}).ok
            for call, body in (
                ("add", WISH),
                ("edit", changed),
                ("setPaused", {"alert_id": key, "paused": True}),
                ("del", {"alert_id": key}),
            ):
                refused = site.as_("manager_a").post(f"{PREFIX}/{call}", body)
                why = "您的数据范围小于被模拟的用户，模拟登录时不能设置预警"
                assert (refused.code, refused.msg) == (403, why), call
        assert mine(site) == [own]
        assert popups(site) == [told], "he himself has not seen it yet"


class TestKeeping:
    @pytest.mark.parametrize(
        ("bound", "told"), [("1e26", "数字过大"), ("1234567890123", "数字过大"), ("0.0000001", "小数位过多")]
    )
    def test_a_bound_is_a_figure_as_reports_have_them(self, site: Site, bound: str, told: str) -> None:
        refused = ask(site, low=bound)
        assert (refused.code, refused.msg) == (400, f"low：{told}")
        assert ask(site, low="123456789012.123456").ok
        assert mine(site)[0]["bounds"] == "不低于 123,456,789,012.12"

    @pytest.mark.parametrize(
        ("call", "change"),
        [
            ("edit", {"figure": REVENUE, "high": "2000000000", "way": "mail"}),
            ("setPaused", {"paused": True}),
        ],
    )
    def test_a_letter_that_waits_is_not_sent_after_a_change(
        self,
        site: Site,
        figures: Any,
        monkeypatch: pytest.MonkeyPatch,
        call: str,
        change: dict[str, Any],
    ) -> None:
        monkeypatch.setenv("ERP_MAIL_URL", "file:")
        key = alerted(site, way="mail", low=None, high="1")
        figures()
        waiting = text("select notice_id from alert_notice where alert_id = :key")
        with site.engine.connect() as conn:
            [notice] = conn.execute(waiting, {"key": key}).scalars()
        assert site.as_("manager_a").post(f"{PREFIX}/{call}", {"alert_id": key, **change}).ok
        sent = len([*(settings().data_dir / "mail").glob("alert-*.eml")])
        checking.send_alert(notice_id=notice)
        assert len([*(settings().data_dir / "mail").glob("alert-*.eml")]) == sent
        with site.engine.connect() as conn:
            assert conn.execute(waiting, {"key": key}).all() == []

    def test_bounds_are_asked_for(self, site: Site) -> None:
        assert ask(site, low=None).msg == "请填写下限或上限"
        assert ask(site, low="2", high="1").msg == "下限不能大于上限"

    def test_a_changed_one_begins_anew(self, site: Site, figures: Any) -> None:
        key = alerted(site, low=None, high="1")
        figures()
        body = {"alert_id": key, "figure": REVENUE, "low": None, "high": "2", "way": "message"}
        assert site.as_("manager_a").post(f"{PREFIX}/edit", body).ok
        [row] = mine(site)
        assert (row["out"], row["checked_at"], row["bounds"]) == (False, None, "不高于 2.00")
        figures()
        assert len(reminded(site)) == 2

    def test_a_paused_one_is_not_looked_at(self, site: Site, figures: Any) -> None:
        key = alerted(site, low=None, high="1")
        assert site.as_("manager_a").post(f"{PREFIX}/setPaused", {"alert_id": key, "paused": True}).ok
        figures()
        assert reminded(site) == []

    def test_filters_that_it_goes_by_are_kept(self, site: Site) -> None:
        body = {
            "kind": "scheme",
            "screen": "report_CustomerProfit/all",
            "name": "我的",
            "value": {"filters": {}},
        }
        assert site.as_("manager_a").post(f"{SCHEMES}/save", body).ok
        alerted(site, scheme="我的")
        gone = site.as_("manager_a").post(
            f"{SCHEMES}/del", {"kind": body["kind"], "screen": body["screen"], "name": "我的"}
        )
        assert (
            gone.msg
            == "“我的”正用于预警：客户毛利分析 · 按月分析，请先在“我的预警”中为它们另选筛选或删除预警"
        )

    def test_it_is_deleted(self, site: Site) -> None:
        key = alerted(site)
        assert site.as_("manager_a").post(f"{PREFIX}/del", {"alert_id": key}).ok
        assert mine(site) == []

    def test_each_publication_is_looked_at_once(self, site: Site, figures: Any) -> None:
        alerted(site, low=None, high="1")
        figures()
        with site.engine.connect() as conn:
            mark = conn.execute(text("select checked_mark from figure_alert")).scalar()
            assert mark == snapshot.published_mark()
            assert checking._keys(checking._unchecked(mark), conn) == []
            assert checking._keys(checking._unchecked("later"), conn) == [], "soon after the last look"
        execute(site, "update figure_alert set checked_at = checked_at - interval '5 minutes'")
        with site.engine.connect() as conn:
            assert len(checking._keys(checking._unchecked("later"), conn)) == 1


class TestAddress:
    def test_carries_no_more_than_an_address_can(self) -> None:
        wish = Wish("salesmulrpt", "all", "很多客户", "message")
        few = {"company_id": ["1"], "customer_id": ["2", "3"]}
        body = ReportExport(code=wish.code, tab="all", form="detail", filters=few)
        assert address_of(wish, body).endswith("?company_id=1&customer_id=2%2C3")
        assert is_whole(wish, body)
        many = {**few, "goods_id": [str(10_000 + number) for number in range(1000)]}
        body = ReportExport(code=wish.code, tab="all", form="detail", filters=many)
        assert address_of(wish, body).endswith("?company_id=1&customer_id=2%2C3")
        assert not is_whole(wish, body)
