"""Alerts on figures of reports: told once when the figure leaves its bounds, in the owner's own scope and filters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from email import message_from_bytes, policy
from typing import Any

import pytest
from sqlalchemy import text

from api.exporting import report_source
from api.exporting.export_request import ExportRequestBody
from api.figures import alert_job, report_figures
from api.figures.figure_watch import build_report_url, is_whole
from api.kit.errors import Refusal
from api.kit.settings import read_settings
from api.reporting.snapshot import snapshot_connection
from api.subscribing.subscription_content import ReportSelection
from tests.reporting.conftest import own_warehouse
from tests.reporting.report_files import SCOPES, companies_apart
from tests.support.client import Answer
from tests.support.fixtures import Site
from tests.support.subscriptions import SCHEMES, execute_sql, impersonated_by, list_reminders, without_cost
from tests.support.superset import publish_snapshot

__all__ = ["companies_apart", "own_warehouse"]
pytestmark = pytest.mark.usefixtures("companies_apart")
PREFIX = "v2/report/FigureAlert"
REVENUE = "beside/revenue/0"
ALERT = {"code": "CustomerProfit", "tab": "all", "figure": REVENUE, "low": "1000000", "way": "message"}
_numbers = iter(range(100, 1000))


@pytest.fixture(autouse=True)
def nothing_yet(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERP_MAIL_URL", raising=False)
    execute_sql(site, "truncate figure_alert, popup_log cascade")
    execute_sql(site, "delete from user_preference where kind = 'scheme'")
    execute_sql(site, "update user_account set email = user_name || '@example.com'")


def add_alert(site: Site, user: str = "manager_a", **changes: Any) -> Answer:
    return site.as_(user).post(f"{PREFIX}/add", {**ALERT, **changes})


def create_alert(site: Site, user: str = "manager_a", **changes: Any) -> int:
    answer = add_alert(site, user, **changes)
    assert answer.ok, answer
    key: int = answer.data["id"]
    return key


def list_alerts(site: Site, user: str = "manager_a") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.as_(user).get(f"{PREFIX}/getMine").data["data"]
    return found


def list_popups(site: Site) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.as_("manager_a").get("v2/open/Message/getPopUplogList").data
    return found


def read_value(
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
        publish_snapshot(read_settings().warehouse_dir, next(_numbers), SCOPES.format(**roles) + more)
        execute_sql(site, "update figure_alert set checked_at = checked_at - interval '5 minutes'")
        alert_job.check_alerts()

    yield release
    release()


class TestTelling:
    def test_once_when_it_leaves_its_bounds_and_again_only_after_it_was_back(
        self, site: Site, figures: Any
    ) -> None:
        figures()
        base = read_value(site)
        create_alert(site, low=str(base * 0.9))
        for times, told in ((1, 0), (0.5, 1), (0.4, 1), (1, 1), (0.5, 2)):
            figures(times)
            assert len(list_reminders(site)) == told, times
        [row] = list_alerts(site)
        assert (row["out"], row["last"]["state"]) == (True, "已发送")

    def test_says_what_it_came_to_under_which_filters_and_leads_there(self, site: Site, figures: Any) -> None:
        body = {
            "kind": "scheme",
            "screen": "report_CustomerProfit/all",
            "name": "十月",
            "value": {"filters": {"period": ["2026-10"]}},
        }
        assert site.as_("manager_a").post(f"{SCHEMES}/save", body).ok
        create_alert(site, scheme="十月", low=None, high="1")
        figures()
        [words] = list_reminders(site)
        assert words.startswith("指标预警：“客户毛利分析")
        assert f"{read_value(site, scheme='十月'):,.2f}，高于上限 1.00" in words
        assert "月＝2026-10" in words
        [row] = site.as_("manager_a").get("v2/open/Message/getPopUplogList").data
        assert row["url"] == "/report/CustomerProfit?report_tab=all&scheme=%E5%8D%81%E6%9C%88"

    def test_is_in_the_scope_of_its_owner(self, site: Site, figures: Any) -> None:
        figures()
        own, other = read_value(site, "manager_a"), read_value(site, "clerk_a")
        assert own != other
        create_alert(site, "manager_a", low=str(own), high=str(own))
        create_alert(site, "clerk_a", low=str(own), high=str(own))
        figures()
        assert list_reminders(site, "manager_a") == []
        assert len(list_reminders(site, "clerk_a")) == 1

    def test_a_letter_is_sent_once(self, site: Site, figures: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ERP_MAIL_URL", "file:")
        folder = read_settings().data_dir / "mail"
        key = create_alert(site, way="mail", low=None, high="1")
        figures()
        with site.engine.connect() as conn:
            asked = text("select notice_id from alert_notice where alert_id = :key")
            [notice] = conn.execute(asked, {"key": key}).scalars()
        for _ in range(2):
            alert_job.send_alert(notice_id=notice)
        [file] = folder.glob("alert-*.eml")
        letter = message_from_bytes(file.read_bytes(), policy=policy.default)
        assert letter["To"] == "manager_a@example.com"
        assert "高于上限 1.00" in letter.get_content()
        assert list_reminders(site) == []

    def test_an_empty_figure_is_neither_in_nor_out(self, site: Site, figures: Any) -> None:
        assert alert_job.find_crossed_bound(None, Decimal(1), Decimal(2)) == ""
        assert [report_figures._to_finite(one) for one in (None, math.nan, math.inf, -math.inf)] == [None] * 4
        assert [report_figures._to_finite(one) for one in (0, Decimal("-1.5"))] == [0, -1.5]
        create_alert(site, low=None, high="1")
        figures()
        figures(more="delete from mart_customer_profit;")
        [row] = list_alerts(site)
        assert (row["out"], row["value"], len(list_reminders(site))) == (True, "（空）", 1)
        figures()
        assert len(list_reminders(site)) == 1, "it was not back within its bounds meanwhile"

    def test_what_can_not_be_read_now_is_looked_at_again(
        self, site: Site, figures: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        create_alert(site, low=None, high="1")
        with monkeypatch.context() as outage:

            def refuse() -> None:
                raise Refusal("报表数据正在按新版本重新计算，请稍后再查询")

            outage.setattr(report_source, "open_snapshot", refuse)
            figures()
            [row] = list_alerts(site)
            assert (row["paused"], row["checked_at"], list_reminders(site)) == (False, None, [])
        alert_job.check_alerts()
        [words] = list_reminders(site)
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
        create_alert(site, figure=cost, low=None, high="0")
        with without_cost(site):
            figures()
            [row] = list_alerts(site)
            assert (row["paused"], row["figure_label"], row["value"]) == (True, None, None)
            [words] = list_reminders(site)
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
        key = create_alert(site, figure=cost, low=None, high="0", way="mail")
        figures()
        with site.engine.connect() as conn:
            waiting = text("select notice_id from alert_notice where alert_id = :key")
            [notice] = conn.execute(waiting, {"key": key}).scalars()
        with without_cost(site):
            figures()
            alert_job.send_alert(notice_id=notice)
            assert [row["paused"] for row in list_alerts(site)] == [True]
            assert len(list_reminders(site)) == 1
        assert [*(read_settings().data_dir / "mail").glob(f"alert-{notice}-*.eml")] == []

    def test_a_letter_that_waited_tells_what_its_owner_sees_by_then(
        self, site: Site, figures: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ERP_MAIL_URL", "file:")
        key = create_alert(site, low=None, high="1", way="mail")
        figures()
        before = read_value(site)
        [notice] = waiting(site, key)
        manager = site.world.role_manager_a
        figures(
            more="".join(
                f"update {scope} set company_id = 2 where role_id = {manager};"
                for scope in ("role_company_scope", "role_cost_scope")
            )
            + "update mart_customer_profit set revenue = revenue * 3 where company_id = 2;"
        )
        now = read_value(site)
        assert now not in (0, before)
        alert_job.send_alert(notice_id=notice)
        [file] = (read_settings().data_dir / "mail").glob(f"alert-{notice}-*.eml")
        told = message_from_bytes(file.read_bytes(), policy=policy.default).get_content()
        assert f"为 {now:,.2f}" in told and f"{before:,.2f}" not in told
        assert [f"为 {now:,.2f}" in row["last"]["words"] for row in list_alerts(site)] == [True]

    def test_a_letter_that_waited_is_not_sent_of_a_figure_that_is_back(
        self, site: Site, figures: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ERP_MAIL_URL", "file:")
        key = create_alert(site, low=None, high="1", way="mail")
        figures()
        [notice] = waiting(site, key)
        figures(times=0)
        alert_job.send_alert(notice_id=notice)
        assert [*(read_settings().data_dir / "mail").glob(f"alert-{notice}-*.eml")] == []
        [row] = list_alerts(site)
        assert (row["paused"], row["last"]["failure"]) == (False, "发出之前数字已不在预警范围之外，没有发送")

    def test_a_day_that_runs_is_watched_too(self, site: Site) -> None:
        """Its row at the head is called otherwise: not past."""
        assert read_value(site, figure="beside/sales/0", code="BusinessDailyReport") == 200
        assert read_value(site, figure="beside/mtd_sales/0", code="BusinessDailyReport") == 4000

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
        assert {add_alert(site, "clerk_a", figure=key).code for key in hidden} == {400}

    def test_a_report_without_right_can_not_be_watched(self, site: Site) -> None:
        assert add_alert(site, "nobody").code == 403

    def test_anothers_alert_is_not_found(self, site: Site) -> None:
        key = create_alert(site)
        other = site.as_("clerk_a")
        for call, body in (
            ("edit", {**ALERT, "alert_id": key}),
            ("setPaused", {"alert_id": key, "paused": True}),
            ("del", {"alert_id": key}),
        ):
            body.pop("code", None), body.pop("tab", None)
            assert other.post(f"{PREFIX}/{call}", body).msg == "预警不存在或无权访问", call
        assert len(list_alerts(site)) == 1

    def test_who_acts_for_its_owner_and_sees_less_neither_makes_nor_reads_it(
        self, site: Site, figures: Any
    ) -> None:
        key = create_alert(site, low=None, high="1")
        figures()
        [own] = list_alerts(site)
        assert own["value"] and own["out"] and "高于上限" in own["last"]["words"]
        [told] = list_popups(site)
        assert "高于上限" in told["content"]
        changed = {"alert_id": key, "figure": REVENUE, "high": "2", "way": "message"}
        with impersonated_by(site, "clerk_a"):
            [row] = list_alerts(site)
            assert (row["value"], row["out"], row["checked_at"], row["last"]) == (None, False, None, None)
            assert list_popups(site) == [], "nor is told what it came to"
            assert site.as_("manager_a").post("v2/open/Message/setPopUpLog", {"id_str": str(told["id"])}).ok
            for call, body in (
                ("add", ALERT),
                ("edit", changed),
                ("setPaused", {"alert_id": key, "paused": True}),
                ("del", {"alert_id": key}),
            ):
                refused = site.as_("manager_a").post(f"{PREFIX}/{call}", body)
                why = "您的数据范围小于被模拟的用户，模拟登录时不能设置预警"
                assert (refused.code, refused.msg) == (403, why), call
        assert list_alerts(site) == [own]
        assert list_popups(site) == [told], "he himself has not seen it yet"


class TestKeeping:
    @pytest.mark.parametrize(
        ("bound", "told"), [("1e26", "数字过大"), ("1234567890123", "数字过大"), ("0.0000001", "小数位过多")]
    )
    def test_a_bound_is_a_figure_as_reports_have_them(self, site: Site, bound: str, told: str) -> None:
        refused = add_alert(site, low=bound)
        assert (refused.code, refused.msg) == (400, f"low：{told}")
        assert add_alert(site, low="123456789012.123456").ok
        assert list_alerts(site)[0]["bounds"] == "不低于 123,456,789,012.12"

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
        key = create_alert(site, way="mail", low=None, high="1")
        figures()
        waiting = text("select notice_id from alert_notice where alert_id = :key")
        with site.engine.connect() as conn:
            [notice] = conn.execute(waiting, {"key": key}).scalars()
        assert site.as_("manager_a").post(f"{PREFIX}/{call}", {"alert_id": key, **change}).ok
        sent = len([*(read_settings().data_dir / "mail").glob("alert-*.eml")])
        alert_job.send_alert(notice_id=notice)
        assert len([*(read_settings().data_dir / "mail").glob("alert-*.eml")]) == sent
        with site.engine.connect() as conn:
            assert conn.execute(waiting, {"key": key}).all() == []

    def test_bounds_are_asked_for(self, site: Site) -> None:
        assert add_alert(site, low=None).msg == "请填写下限或上限"
        assert add_alert(site, low="2", high="1").msg == "下限不能大于上限"

    def test_a_changed_one_begins_anew(self, site: Site, figures: Any) -> None:
        key = create_alert(site, low=None, high="1")
        figures()
        body = {"alert_id": key, "figure": REVENUE, "low": None, "high": "2", "way": "message"}
        assert site.as_("manager_a").post(f"{PREFIX}/edit", body).ok
        [row] = list_alerts(site)
        assert (row["out"], row["checked_at"], row["bounds"]) == (False, None, "不高于 2.00")
        figures()
        assert len(list_reminders(site)) == 2

    def test_a_paused_one_is_not_looked_at(self, site: Site, figures: Any) -> None:
        key = create_alert(site, low=None, high="1")
        assert site.as_("manager_a").post(f"{PREFIX}/setPaused", {"alert_id": key, "paused": True}).ok
        figures()
        assert list_reminders(site) == []

    def test_filters_that_it_goes_by_are_kept(self, site: Site) -> None:
        body = {
            "kind": "scheme",
            "screen": "report_CustomerProfit/all",
            "name": "我的",
            "value": {"filters": {}},
        }
        assert site.as_("manager_a").post(f"{SCHEMES}/save", body).ok
        create_alert(site, scheme="我的")
        gone = site.as_("manager_a").post(
            f"{SCHEMES}/del", {"kind": body["kind"], "screen": body["screen"], "name": "我的"}
        )
        assert (
            gone.msg
            == "“我的”正用于预警：客户毛利分析 · 按月分析，请先在“我的预警”中为它们另选筛选或删除预警"
        )

    def test_it_is_deleted(self, site: Site) -> None:
        key = create_alert(site)
        assert site.as_("manager_a").post(f"{PREFIX}/del", {"alert_id": key}).ok
        assert list_alerts(site) == []

    def test_each_publication_is_looked_at_once(self, site: Site, figures: Any) -> None:
        create_alert(site, low=None, high="1")
        figures()
        with site.engine.connect() as conn:
            mark = conn.execute(text("select checked_mark from figure_alert")).scalar()
            assert mark == snapshot_connection.read_snapshot_mark()
            assert alert_job._select_keys(alert_job._build_unchecked_query(mark), conn) == []
            assert alert_job._select_keys(alert_job._build_unchecked_query("later"), conn) == [], (
                "soon after the last look"
            )
        execute_sql(site, "update figure_alert set checked_at = checked_at - interval '5 minutes'")
        with site.engine.connect() as conn:
            assert len(alert_job._select_keys(alert_job._build_unchecked_query("later"), conn)) == 1


class TestAddress:
    def test_carries_no_more_than_an_address_can(self) -> None:
        wish = ReportSelection("salesmulrpt", "all", "很多客户", "message")
        few = {"company_id": ["1"], "customer_id": ["2", "3"]}
        body = ExportRequestBody(code=wish.code, tab="all", form="detail", filters=few)
        assert build_report_url(wish, body).endswith("?company_id=1&customer_id=2%2C3")
        assert is_whole(wish, body)
        many = {**few, "goods_id": [str(10_000 + number) for number in range(1000)]}
        body = ExportRequestBody(code=wish.code, tab="all", form="detail", filters=many)
        assert build_report_url(wish, body).endswith("?company_id=1&customer_id=2%2C3")
        assert not is_whole(wish, body)
