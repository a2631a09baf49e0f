"""Subscribed reports: each run once, under the recipient's rights of the moment, by message or mail; one's own alone."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from api.exporting import report_job
from api.kit.settings import read_settings
from api.messaging.tables import FAILED, SENT, WAITING
from api.subscribing import delivery_jobs
from tests.reporting.conftest import own_warehouse
from tests.reporting.report_files import HEAD, companies_apart
from tests.subscribing.smtp_server import PASSWORD, SmtpServer
from tests.support.client import Answer
from tests.support.fixtures import Site
from tests.support.subscriptions import (
    PREFIX,
    SCHEMES,
    SUBSCRIPTION,
    add_subscription,
    create_due_subscription,
    edit_subscription,
    execute_sql,
    impersonated_by,
    list_deliveries,
    list_reminders,
    list_subscriptions,
    read_attachment,
    run_and_send,
    run_and_write,
    run_twice,
    save_scheme,
    without_cost,
    without_right,
)

# Figures of this module's own: the small snapshot of the reports' tests, in which two roles have a company each.
__all__ = ["companies_apart", "own_warehouse"]
pytestmark = pytest.mark.usefixtures("companies_apart")
NO_RIGHT = "您没有查看或导出此报表的权限"


@pytest.fixture(autouse=True)
def nothing_yet(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ERP_MAIL_URL", "ERP_MAIL_FROM", "ERP_MAIL_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    execute_sql(site, "truncate report_subscription, popup_log cascade")
    execute_sql(site, "delete from user_preference where kind = 'scheme'")
    execute_sql(site, "update user_account set email = user_name || '@example.com'")


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ERP_MAIL_URL", "file:")
    return read_settings().data_dir / "mail"


@pytest.fixture(params=["smtp", "smtps"])
def office(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SmtpServer]:
    found = SmtpServer(tmp_path, request.param == "smtps")
    monkeypatch.setenv("ERP_MAIL_URL", found.url)
    monkeypatch.setenv("ERP_MAIL_FROM", "reports@example.com")
    monkeypatch.setenv("ERP_MAIL_PASSWORD", PASSWORD)
    monkeypatch.setenv("SSL_CERT_FILE", str(found.certificate))
    yield found
    found.stop()


class TestRun:
    def test_a_message_tells_of_the_file_among_the_export_tasks(self, site: Site) -> None:
        key = create_due_subscription(site)
        delivery = run_and_send(site, key)
        assert (delivery.state, delivery.failure, delivery.tries) == (SENT, None, 1)
        assert list_reminders(site) == [
            "您订阅的“客户毛利分析 · 按月分析”已生成，共 4 行，请在导出任务中下载"
        ]
        assert list_reminders(site, "clerk_a") == []
        task = site.as_("manager_a").get("v2/open/ExportLog/getExportLogList").data["data"][0]
        assert (task["export_id"], task["rows"]) == (delivery.export_id, 4)
        [row] = list_subscriptions(site)
        assert (row["title"], row["schedule"], row["paused"]) == (
            "客户毛利分析 · 按月分析",
            "每天 08:00",
            False,
        )
        last = {"state": "已发送", "waiting": False, "export_id": delivery.export_id}
        assert {name: row["last"][name] for name in last} == last
        assert row["next_at"].endswith("08:00:00")
        delivery_jobs.deliver_report(delivery_id=delivery.delivery_id)
        assert len(list_reminders(site)) == 1

    def test_a_letter_has_what_the_recipient_may_see(self, site: Site, folder: Path) -> None:
        found = {}
        for user in ("manager_a", "clerk_a"):
            delivery = run_and_send(site, create_due_subscription(site, user, way="mail"))
            assert delivery.state == SENT, delivery.failure
            [file] = folder.glob(f"report-{delivery.delivery_id}-*.eml")
            letter: Any = message_from_bytes(file.read_bytes(), policy=policy.default)
            assert letter["to"] == f"{user}@example.com"
            assert letter["subject"] == "报表订阅：客户毛利分析 · 按月分析"
            found[user] = read_attachment(letter)
        manager, clerk = found["manager_a"], found["clerk_a"]
        assert "毛利（返利后，已确认）" in manager[HEAD] and not [
            label for label in clerk[HEAD] if "毛利" in label
        ]
        assert [row[0] for row in manager[HEAD + 1 :]] == ["上海公司", "合计"]
        assert [row[0] for row in clerk[HEAD + 1 :]] == ["苏州公司", "合计"]

    def test_a_kept_filter_set_is_followed_and_a_period_it_leaves_open_moves(
        self, site: Site, folder: Path
    ) -> None:
        save_scheme(site, {"company": ["上海公司"]})
        key = create_due_subscription(site, scheme="我的", way="mail")

        def head() -> str:
            execute_sql(site, "update report_subscription set next_at = now()")
            [file] = folder.glob(f"report-{run_and_send(site, key).delivery_id}-*.eml")
            letter: Any = message_from_bytes(file.read_bytes(), policy=policy.default)
            return str(read_attachment(letter)[3][0])

        assert head().startswith("筛选条件：月＝2026-11；公司＝上海公司")
        save_scheme(site, {"period": ["2026-10"]})
        assert head().startswith("筛选条件：月＝2026-10；公司＝全部")
        for filters, reason in (
            ({"price": ["1"]}, "此报表没有筛选项“price”，请在报表上重新选择筛选后再导出"),
            ({"company": "x"}, "常用筛选“我的”的内容不正确，请在报表上重新保存"),
        ):
            save_scheme(site, filters)
            execute_sql(site, "update report_subscription set next_at = now(), paused = false")
            delivery_jobs.run_subscription(subscription_id=key)
            assert list_subscriptions(site)[0]["pause_reason"] == reason
        execute_sql(site, "delete from user_preference where kind = 'scheme'")
        resumed = site.as_("manager_a").post(f"{PREFIX}/setPaused", {"subscription_id": key, "paused": False})
        assert (resumed.code, resumed.msg) == (400, "常用筛选“我的”已删除，请另选一个")
        assert edit_subscription(site, key, way="mail").ok
        assert (list_subscriptions(site)[0]["paused"], list_subscriptions(site)[0]["pause_reason"]) == (
            False,
            None,
        )
        assert head().startswith("筛选条件：月＝2026-11；公司＝全部")

    def test_a_lost_right_pauses_it_and_says_why(self, site: Site) -> None:
        key = create_due_subscription(site)
        resume = {"subscription_id": key, "paused": False}
        with without_right(site):
            delivery_jobs.run_subscription(subscription_id=key)
            assert list_deliveries(site, key) == []
            [row] = list_subscriptions(site)
            assert (row["paused"], row["pause_reason"], row["next_at"]) == (True, NO_RIGHT, None)
            assert list_reminders(site) == [f"您订阅的“客户毛利分析 · 按月分析”已暂停：{NO_RIGHT}"]
            assert site.as_("manager_a").post(f"{PREFIX}/setPaused", resume).code == 403
            assert edit_subscription(site, key).code == 403
            assert add_subscription(site).msg == NO_RIGHT
        assert site.as_("manager_a").post(f"{PREFIX}/setPaused", resume).ok
        [row] = list_subscriptions(site)
        assert (row["paused"], row["pause_reason"]) == (False, None) and row["next_at"]

    def test_a_right_lost_since_the_file_was_written_keeps_it_here(self, site: Site, folder: Path) -> None:
        key = create_due_subscription(site, way="mail")
        delivery = run_and_write(site, key)
        before = sorted(folder.glob("*"))
        with without_right(site):
            delivery_jobs.deliver_report(delivery_id=delivery.delivery_id)
        assert sorted(folder.glob("*")) == before
        [delivery] = list_deliveries(site, key)
        assert (delivery.state, delivery.failure) == (FAILED, NO_RIGHT)
        assert list_subscriptions(site)[0]["pause_reason"] == NO_RIGHT

    def test_what_may_not_be_seen_any_more_is_not_sent_but_written_anew(
        self, site: Site, folder: Path
    ) -> None:
        key = create_due_subscription(site, way="mail")
        delivery = run_and_write(site, key)
        before = sorted(folder.glob("*"))
        with without_cost(site):
            delivery_jobs.deliver_report(delivery_id=delivery.delivery_id)
            assert sorted(folder.glob("*")) == before
            old, new = list_deliveries(site, key)
            told = "您的数据权限在文件写好之后有变化，已按新的权限重新生成"
            assert (old.state, old.failure, new.state) == (FAILED, told, WAITING)
            assert list_subscriptions(site)[0]["paused"] is False
            download = {"query": {"export_id": delivery.export_id}}
            refused = site.as_("manager_a").raw("GET", "v2/open/ExportLog/download", **download)
            assert "您的数据权限在文件写好之后有变化，请重新导出" in refused.text
            report_job.export_report(export_id=new.export_id)
            delivery_jobs.deliver_report(delivery_id=new.delivery_id)
            [letter] = {*folder.glob("*")} - {*before}
            rows = read_attachment(message_from_bytes(letter.read_bytes(), policy=policy.default))
            assert not [label for label in rows[HEAD] if "毛利" in str(label)]
        again = site.as_("manager_a").raw("GET", "v2/open/ExportLog/download", **download)
        assert again.content.startswith(b"PK"), "his rights are again what they were"

    def test_a_disabled_account_gets_nothing(self, site: Site) -> None:
        key = create_due_subscription(site)
        execute_sql(site, "update user_account set enabled = false where user_name = 'manager_a'")
        delivery_jobs.run_subscription(subscription_id=key)
        execute_sql(site, "update user_account set enabled = true where user_name = 'manager_a'")
        assert list_deliveries(site, key) == []
        assert list_subscriptions(site)[0]["pause_reason"] == "账号已停用"


class TestOnce:
    def test_two_workers_at_once_send_one_letter(self, site: Site, office: SmtpServer) -> None:
        key, office.slow = create_due_subscription(site, way="mail"), 0.5
        run_twice(lambda: delivery_jobs.run_subscription(subscription_id=key))
        [delivery] = list_deliveries(site, key)
        report_job.export_report(export_id=delivery.export_id)
        run_twice(lambda: delivery_jobs.deliver_report(delivery_id=delivery.delivery_id))
        [letter] = office.letters
        assert office.recipients == ["manager_a@example.com"]
        assert [row[0] for row in read_attachment(letter)[HEAD + 1 :]] == ["上海公司", "合计"]
        assert list_deliveries(site, key)[0].state == SENT

    def test_the_next_time_is_set_with_the_task(self, site: Site) -> None:
        """A kill leaves both or neither; three days out of order are one run."""
        key = create_due_subscription(site)
        delivery_jobs.run_subscription(subscription_id=key)
        delivery_jobs.run_subscription(subscription_id=key)
        query = """
            select array_agg(distinct x) from (
                select xmin::text as x from report_subscription where subscription_id = :key
                union all select xmin::text from report_delivery where subscription_id = :key
                union all select t.xmin::text from export_task t join report_delivery using (export_id)
                where subscription_id = :key
                union all select j.xmin::text from procrastinate_jobs j
                join report_delivery d on j.args = jsonb_build_object('export_id', d.export_id)
                where j.task_name = 'export_report' and subscription_id = :key
            ) t
        """
        with site.engine.connect() as conn:
            assert len(conn.execute(text(query), {"key": key}).scalar_one()) == 1
        assert len(list_deliveries(site, key)) == 1

    def test_what_is_due_or_written_is_looked_for(self, site: Site) -> None:
        due, waiting = create_due_subscription(site), create_due_subscription(site)
        delivery = run_and_write(site, waiting).delivery_id
        for _ in range(2):
            delivery_jobs.queue_due_subscriptions(timestamp=0)
        with site.engine.connect() as conn:
            query = "select args from procrastinate_jobs where task_name = :task and status = 'todo'"
            queued = {
                task: conn.execute(text(query), {"task": task}).scalars().all()
                for task in ("run_subscription", "deliver_report")
            }
        assert queued["run_subscription"].count({"subscription_id": due}) == 1
        assert {"subscription_id": waiting} not in queued["run_subscription"]
        assert queued["deliver_report"].count({"delivery_id": delivery}) == 1

    @pytest.mark.parametrize("office", ["smtps"], indirect=True)
    def test_a_server_that_cannot_now_is_tried_again_and_a_refusal_is_final(
        self, site: Site, office: SmtpServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        key = create_due_subscription(site, way="mail")
        monkeypatch.setenv("ERP_MAIL_PASSWORD", "another-secret")
        delivery = run_and_send(site, key)
        told = "邮件服务器拒绝登录，请联系管理员检查发信设置"
        assert (delivery.state, delivery.failure) == (WAITING, told)
        delivery_jobs.deliver_report(delivery_id=delivery.delivery_id)
        assert list_deliveries(site, key)[0].tries == 1, "not due yet"
        monkeypatch.setenv("ERP_MAIL_PASSWORD", PASSWORD)
        office.refusal = "451 later"
        for _ in range(3):
            execute_sql(site, "update report_delivery set next_at = now()")
            delivery_jobs.deliver_report(delivery_id=delivery.delivery_id)
        [delivery] = list_deliveries(site, key)
        assert (delivery.state, delivery.tries) == (FAILED, 4)
        assert delivery.failure == "邮件服务器应答 451：later"
        office.refusal = "550 nobody"
        execute_sql(site, "update report_subscription set next_at = now()")
        delivery = run_and_send(site, key)
        assert (delivery.state, delivery.failure) == (FAILED, "邮件服务器应答 550：nobody")
        [row] = list_subscriptions(site)
        assert (row["paused"], row["last"]["failure"]) == (False, delivery.failure)
        assert office.letters == []

    @pytest.mark.parametrize("office", ["smtp"], indirect=True)
    def test_nothing_is_said_to_a_server_that_is_not_proven(
        self, site: Site, office: SmtpServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("SSL_CERT_FILE")
        delivery = run_and_send(site, create_due_subscription(site, way="mail"))
        assert delivery.failure == "邮件服务器没有应答（SSLCertVerificationError）"
        assert office.letters == office.recipients == []


class TestOwn:
    def test_a_stranger_neither_sees_nor_changes_it(self, site: Site) -> None:
        key = create_due_subscription(site)
        other = site.as_("clerk_a")
        assert list_subscriptions(site, "clerk_a") == []
        for name, more in (("setPaused", {"paused": True}), ("edit", SUBSCRIPTION), ("run", {}), ("del", {})):
            answer = other.post(f"{PREFIX}/{name}", {"subscription_id": key, **more})
            assert (answer.code, answer.msg) == (400, "订阅不存在或无权访问"), name
        assert site.anonymous().get(f"{PREFIX}/getMine").code == 401
        assert not list_subscriptions(site)[0]["paused"] and list_deliveries(site, key) == []

    def test_it_is_paused_run_and_deleted(self, site: Site) -> None:
        key, caller = create_due_subscription(site), site.as_("manager_a")
        own = {"subscription_id": key}
        first = caller.post(f"{PREFIX}/run", own)
        assert first.ok and first.data["file_name"].startswith("客户毛利分析_按月分析_明细_")
        assert caller.post(f"{PREFIX}/run", own).msg == "上一次还在处理，请稍后再试"
        assert caller.post(f"{PREFIX}/setPaused", {**own, "paused": True}).ok
        assert caller.post(f"{PREFIX}/run", own).msg == "订阅已暂停，请先恢复"
        delivery_jobs.run_subscription(subscription_id=key)
        assert len(list_deliveries(site, key)) == 1
        assert caller.post(f"{PREFIX}/del", own).ok
        assert list_subscriptions(site) == [] and list_deliveries(site, key) == []

    def test_who_acts_for_its_owner_and_sees_less_neither_changes_nor_reads_it(self, site: Site) -> None:
        key = create_due_subscription(site)
        delivery_jobs.run_subscription(subscription_id=key)
        [own] = list_subscriptions(site)
        assert own["last"]
        told = "您的数据范围小于被模拟的用户，模拟登录时不能设置订阅"
        with impersonated_by(site, "clerk_a"):
            assert [row["last"] for row in list_subscriptions(site)] == [None]
            for call, body in (
                ("add", SUBSCRIPTION),
                ("setPaused", {"subscription_id": key, "paused": True}),
                ("run", {"subscription_id": key}),
                ("del", {"subscription_id": key}),
            ):
                refused = site.as_("manager_a").post(f"{PREFIX}/{call}", body)
                assert (refused.code, refused.msg) == (403, told), call
            assert (changed := edit_subscription(site, key)).msg == told, changed
        assert list_subscriptions(site) == [own]

    def test_a_list_that_is_closed_to_ones_scope_is_not_subscribed(self, site: Site) -> None:
        refused = add_subscription(site, "keeper_a", code="customerdetrpt")
        told = "“客户往来明细”列出的单据不限于您的数据范围（1个仓库），您不能查看"
        assert (refused.code, refused.msg) == (403, told)

    def test_it_is_changed_under_the_rules_of_a_new_one(self, site: Site) -> None:
        save_scheme(site, {"company": ["上海公司"]})
        key = create_due_subscription(site)
        weekly = {"scheme": "我的", "rhythm": "week", "day": 1, "hour": 7}
        for wrong, told in (
            ({"day": 8}, "请选择星期几"),
            ({"scheme": "没有的"}, "常用筛选“没有的”已删除，请另选一个"),
            ({"way": "mail"}, "系统没有设置发信邮箱，请改用站内消息，或联系管理员设置"),
        ):
            assert edit_subscription(site, key, **{**weekly, **wrong}).msg == told
        assert list_subscriptions(site)[0]["schedule"] == "每天 08:00"
        assert edit_subscription(site, key, **weekly).ok
        [row] = list_subscriptions(site)
        assert (row["code"], row["tab"]) == (SUBSCRIPTION["code"], SUBSCRIPTION["tab"])
        assert {name: row[name] for name in weekly} == weekly
        assert (row["schedule"], row["next_at"][11:]) == ("每周一 07:00", "07:00:00")
        delivery_jobs.run_subscription(subscription_id=key)
        assert list_deliveries(site, key) == [], "no longer due"
        pausing = {"subscription_id": key, "paused": True}
        assert site.as_("manager_a").post(f"{PREFIX}/setPaused", pausing).ok
        assert edit_subscription(site, key, hour=9).ok
        assert list_subscriptions(site)[0]["paused"]

    def test_there_is_an_end_to_how_many(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("api.subscribing.subscription_calls.MOST", 1)
        create_due_subscription(site)
        assert add_subscription(site).msg == "最多订阅1个，请先在我的订阅中删除不用的"


class TestForm:
    def test_a_sheet_is_sent_as_one(self, site: Site, folder: Path) -> None:
        key = create_due_subscription(site, way="mail", form="pdf")
        assert list_subscriptions(site)[0]["form_name"] == "PDF"
        delivery = run_and_send(site, key)
        assert (delivery.state, delivery.failure) == (SENT, None)
        [letter] = folder.glob(f"report-{delivery.delivery_id}-*.eml")
        [file] = message_from_bytes(letter.read_bytes(), policy=policy.default).iter_attachments()
        assert (file.get_content_type(), file.get_content()[:5]) == ("application/pdf", b"%PDF-")
        assert str(file.get_filename()).endswith(".pdf")

    def test_it_is_changed_and_is_a_workbook_unless_one_asks(self, site: Site) -> None:
        key = create_due_subscription(site)
        assert list_subscriptions(site)[0]["form"] == "detail"
        assert edit_subscription(site, key, form="pdf").ok
        assert list_subscriptions(site)[0]["form"] == "pdf"


class TestFiltersInUse:
    def delete_scheme(self, site: Site, user: str = "manager_a") -> Answer:
        named = {"kind": "scheme", "screen": "report_CustomerProfit/all", "name": "我的"}
        return site.as_(user).post(f"{SCHEMES}/del", named)

    def test_they_stay_while_a_subscription_goes_by_them(self, site: Site) -> None:
        for user in ("manager_a", "clerk_a"):
            save_scheme(site, {}, user)
        key, other = (
            create_due_subscription(site, scheme="我的"),
            create_due_subscription(site, scheme="我的", rhythm="week", day=3),
        )
        create_due_subscription(site)
        pausing = {"subscription_id": other, "paused": True}
        assert site.as_("manager_a").post(f"{PREFIX}/setPaused", pausing).ok
        refused = self.delete_scheme(site)
        assert (refused.code, refused.msg) == (
            400,
            "“我的”正用于订阅：客户毛利分析 · 按月分析（每天 08:00）、客户毛利分析 · 按月分析（每周三 08:00），"
            "请先在“我的订阅”中为它们另选筛选或删除订阅",
        )
        assert edit_subscription(site, key).ok
        assert self.delete_scheme(site).code == 400
        assert site.as_("manager_a").post(f"{PREFIX}/del", {"subscription_id": other}).ok
        assert self.delete_scheme(site).ok and self.delete_scheme(site, "clerk_a").ok


class TestRefused:
    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"hour": 24}, "请选择 0 到 23 点之间的整点"),
            ({"hour": "八"}, "hour：应为整数"),
            ({"rhythm": "week"}, "请选择星期几"),
            ({"rhythm": "month", "day": 32}, "请选择每月的 1 到 31 日"),
            ({"rhythm": "month", "day": 10**12}, "请选择每月的 1 到 31 日"),
            ({"rhythm": "year"}, "rhythm：格式不正确"),
            ({"way": "fax"}, "way：格式不正确"),
            ({"form": "pivot"}, "form：格式不正确"),
            ({"code": "nothing"}, "报表不存在或无权访问"),
            ({"code": "x" * 101}, "code：内容过长"),
            ({"tab": "nowhere"}, "报表页签不存在或无权访问"),
            ({"scheme": "没有的"}, "常用筛选“没有的”已删除，请另选一个"),
            ({"scheme": "长" * 101}, "scheme：内容过长"),
            ({"way": "mail"}, "系统没有设置发信邮箱，请改用站内消息，或联系管理员设置"),
        ],
    )
    def test_what_can_not_be_subscribed(self, site: Site, changes: dict[str, Any], told: str) -> None:
        answer = add_subscription(site, **changes)
        assert (answer.code, answer.msg) == (400, told)
        assert list_subscriptions(site) == []

    def test_mail_needs_an_address_that_an_administrator_entered(self, site: Site, folder: Path) -> None:
        execute_sql(site, "update user_account set email = null where user_name = 'manager_a'")
        told = "您的账号没有邮箱，请联系管理员在用户中填写，或改用站内消息"
        assert add_subscription(site, way="mail").msg == told
        options = site.as_("manager_a").get(f"{PREFIX}/getMine").data
        assert (options["mail_address"], options["mail_problem"]) == (None, told)
        user = site.as_("admin").get("v2/system/User/getInfo", id=site.world.user_manager_a).data
        body = {name: user[name] for name in ("user_id", "user_name", "realname", "company_id", "role_id")}
        refused = site.as_("admin").post("v2/system/User/save", {**body, "email": "nobody"})
        assert (refused.code, "请输入正确的邮箱地址" in refused.msg) == (400, True)
        assert site.as_("admin").post("v2/system/User/save", {**body, "email": "zhang@example.com"}).ok
        assert add_subscription(site, way="mail").ok

    def test_an_address_of_two_gets_no_letter(self, site: Site, folder: Path) -> None:
        key = create_due_subscription(site, way="mail")
        execute_sql(site, "update user_account set email = 'a,b@example.com' where user_name = 'manager_a'")
        delivery = run_and_send(site, key)
        assert (delivery.state, delivery.failure) == (FAILED, "邮箱地址不正确，请联系管理员修改")
