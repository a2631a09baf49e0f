"""Announcements: whom they reach, when they show, what is read, and who may write them; and reminders."""

from __future__ import annotations

from typing import Any

import pytest

from api.shell.workspace.reminders import add_reminder
from tests.support.client import Answer
from tests.support.fixtures import Site

OPEN = "v2/open/Message"
CONFIG = "v2/system/MessageLog"
EVERYBODY, BACK_OFFICE, STATIONS, COMPANIES, ROLES = 1, 2, 3, 4, 5


def save_announcement(site: Site, user: str = "admin", **values: Any) -> Answer:
    body = {
        "message_title": "停电通知",
        "message_content": "周六停电\n请提前保存 <script>alert(1)</script>",
        "company_id": site.world.company_a,
        "audience": EVERYBODY,
        **values,
    }
    return site.as_(user).post(f"{CONFIG}/save", body)


def publish_announcement(site: Site, **values: Any) -> int:
    answer = save_announcement(site, **values)
    assert answer.ok, answer
    key: int = answer.data["id"]
    return key


def read_announcements(site: Site, user: str) -> dict[int, int]:
    """Return the announcements that reach a user, and whether he has read them."""
    page = site.as_(user).get(f"{OPEN}/getUserMessageList", per_page=500).data
    assert page["total"] == len(page["data"])
    return {row["message_log_id"]: row["is_read"] for row in page["data"]}


def count_unread(site: Site, user: str) -> int:
    count: int = site.as_(user).get(f"{OPEN}/getUserMessageCount").data["count"]
    assert site.as_(user).get(f"{OPEN}/getNoticeUnreadQuantity").data["count"] == count
    return count


class TestReach:
    @pytest.mark.parametrize(
        ("audience", "targets", "reached"),
        [
            (EVERYBODY, {}, {"manager_a", "clerk_a", "manager_b", "nobody"}),
            (BACK_OFFICE, {}, {"manager_a", "clerk_a", "manager_b", "nobody"}),
            (STATIONS, {}, set()),
            (COMPANIES, {}, {"manager_a", "clerk_a", "nobody"}),
            (COMPANIES, {"companies": ["company_b"]}, {"manager_a", "clerk_a", "manager_b", "nobody"}),
            (ROLES, {"roles": ["role_manager_b", "role_clerk_a"]}, {"clerk_a", "manager_b"}),
        ],
    )
    def test_it_reaches_whom_it_is_for(
        self, site: Site, audience: int, targets: dict[str, list[str]], reached: set[str]
    ) -> None:
        named = {name: [site.world.ids[one] for one in ids] for name, ids in targets.items()}
        key = publish_announcement(site, audience=audience, **named)
        users = {"manager_a", "clerk_a", "manager_b", "nobody"}
        assert {user for user in users if key in read_announcements(site, user)} == reached
        told = site.as_("admin").get(f"{CONFIG}/getAddressees", id=key).data
        assert {row["realname"] for row in told["readers"]} & users == reached
        assert {name: [one["id"] for one in told[name]] for name in named} == named

    def test_a_service_stations_users_are_told_apart_by_their_company(self, site: Site) -> None:
        for_stations, for_others = (
            publish_announcement(site, audience=STATIONS),
            publish_announcement(site, audience=BACK_OFFICE),
        )
        with site.engine.begin() as conn:
            conn.exec_driver_sql(f"update company set type = 3 where company_id = {site.world.company_b}")
        found = read_announcements(site, "manager_b")
        assert for_stations in found
        assert for_others not in found

    def test_it_shows_between_its_times_and_not_after_it_is_withdrawn(self, site: Site) -> None:
        later = publish_announcement(site, publish="at", publish_at="2099-01-01 08:00:00")
        draft = publish_announcement(site, publish="draft")
        past = publish_announcement(
            site, publish="at", publish_at="2026-01-01 08:00:00", expires_at="2099-01-01 00:00:00"
        )
        with site.engine.begin() as conn:
            conn.exec_driver_sql(
                f"update message_log set expires_at = '2026-01-02' where message_log_id = {past}"
            )
        gone = publish_announcement(site)
        assert gone in read_announcements(site, "clerk_a")
        admin = site.as_("admin")
        assert admin.post(f"{CONFIG}/withdraw", {"ids": [gone]}).ok
        assert not {later, draft, past, gone} & read_announcements(site, "clerk_a").keys()
        states = {row["message_log_id"]: row["state"] for row in admin.get(f"{CONFIG}/getList").data["data"]}
        assert [states[key] for key in (draft, later, past, gone)] == [1, 2, 4, 5]
        again = admin.post(f"{CONFIG}/withdraw", {"ids": [gone]})
        assert (again.code, again.msg.split("”")[-1]) == (400, "未发布或已撤回")


class TestRead:
    @pytest.mark.parametrize("call", ["readUserMessage", "getNoticeRead"])
    def test_opening_one_reads_it_for_oneself_alone(self, site: Site, call: str) -> None:
        key = publish_announcement(site)
        before, others = count_unread(site, "clerk_a"), count_unread(site, "manager_a")
        for _ in range(2):
            assert site.as_("clerk_a").post(f"{OPEN}/{call}", {"message_log_id": key}).ok
        assert (count_unread(site, "clerk_a"), count_unread(site, "manager_a")) == (before - 1, others)
        assert read_announcements(site, "clerk_a")[key] == 1
        assert read_announcements(site, "manager_a")[key] == 0
        listed = site.as_("clerk_a").get("v2/system/Information/getList", is_read=1).data["data"]
        assert key in {row["message_log_id"] for row in listed}
        [row] = [
            r
            for r in site.as_("admin").get(f"{CONFIG}/getAddressees", id=key).data["readers"]
            if r["read_at"]
        ]
        assert row["realname"] == "clerk_a"

    def test_what_does_not_reach_one_is_not_there(self, site: Site) -> None:
        key = publish_announcement(site, audience=ROLES, roles=[site.world.role_clerk_a])
        answer = site.as_("manager_a").post(f"{OPEN}/readUserMessage", {"message_log_id": key})
        assert (answer.code, answer.msg) == (400, "公告不存在或无权访问")
        detail = site.as_("manager_a").get("v2/system/Information/getInfo", id=key)
        assert (detail.code, detail.msg) == (400, "公告列表不存在或无权访问")

    def test_the_popup_gets_the_newest_unread_ones(self, site: Site) -> None:
        first, second, third = (publish_announcement(site, message_title=title) for title in "甲乙丙")
        told = site.as_("own_a").get(f"{OPEN}/getNoticeMessageList", is_unread=1, num=2).data
        assert told["more_url"] == "/messageconfig"
        assert [row["message_log_id"] for row in told["list"]] == [third, second]
        assert site.as_("own_a").post(f"{OPEN}/getNoticeRead", {"message_log_id": third}).ok
        told = site.as_("own_a").get(f"{OPEN}/getNoticeMessageList", is_unread=1, num=2).data
        assert [row["message_log_id"] for row in told["list"]] == [second, first]

    def test_the_text_comes_as_it_was_written(self, site: Site) -> None:
        key = publish_announcement(site)
        found = site.as_("clerk_a").get("v2/system/Information/getInfo", id=key).data
        assert found["message_content"] == "周六停电\n请提前保存 <script>alert(1)</script>"


class TestWriting:
    def test_nobody_writes_beyond_his_companies(self, site: Site) -> None:
        world = site.world
        for audience, more in (
            (EVERYBODY, {}),
            (STATIONS, {}),
            (COMPANIES, {"companies": [world.company_b]}),
            (ROLES, {"roles": [world.role_manager_b]}),
        ):
            assert save_announcement(site, "manager_a", audience=audience, **more).code == 403
        assert (
            save_announcement(site, "manager_a", audience=COMPANIES, company_id=world.company_b).code == 400
        )
        assert save_announcement(site, "manager_a", audience=ROLES, roles=[world.role_clerk_a]).ok
        assert save_announcement(site, "manager_a", audience=COMPANIES).ok

    def test_a_refused_one_leaves_nothing(self, site: Site) -> None:
        before = site.as_("admin").get(f"{CONFIG}/getList").data["total"]
        assert save_announcement(site, publish="at").msg == "请选择发布时间"
        assert save_announcement(site, expires_at="2020-01-01 00:00:00").msg == "过期时间应晚于发布时间"
        assert save_announcement(site, audience=ROLES).msg == "请选择接收的角色"
        assert save_announcement(site, audience=COMPANIES, companies=[999_999]).code == 400
        assert site.as_("admin").get(f"{CONFIG}/getList").data["total"] == before

    def test_a_group_wide_one_is_not_changed_by_a_company(self, site: Site) -> None:
        key = publish_announcement(site)
        manager = site.as_("manager_a")
        assert manager.post(f"{CONFIG}/edit", {"id": key, "message_title": "改"}).code == 403
        assert manager.post(f"{CONFIG}/withdraw", {"ids": [key]}).code == 403
        assert manager.post(f"{CONFIG}/del", {"ids": [key]}).code in (400, 403)
        assert site.as_("manager_b").post(f"{CONFIG}/withdraw", {"ids": [key]}).code == 400

    def test_a_change_is_logged_and_shows(self, site: Site) -> None:
        key = publish_announcement(site)
        assert save_announcement(site, message_log_id=key, message_title="改期", audience=COMPANIES).ok
        assert key not in read_announcements(site, "manager_b")
        log = site.as_("admin").get(f"{CONFIG}/getLog", id=key).data
        assert [row["action"] for row in log][-1] == "add"
        assert any((row["after"] or {}).get("message_title") == "改期" for row in log)


class TestReminders:
    def list_reminders(self, site: Site, user: str) -> list[int]:
        return [row["id"] for row in site.as_(user).get(f"{OPEN}/getPopUplogList").data]

    def test_a_companys_reminder_is_shown_to_each_of_its_users_once(self, site: Site) -> None:
        with site.engine.begin() as conn:
            first = add_reminder(
                conn, site.world.company_a, "CGDD1 的 12R22.5 缺货，已申请退款", url="/purchase/order"
            )
            second = add_reminder(conn, site.world.company_a, "CGDD2 缺货")
        told = site.as_("clerk_a").get(f"{OPEN}/getPopUplogList").data
        assert told[0] == {
            "id": first,
            "content": "CGDD1 的 12R22.5 缺货，已申请退款",
            "url": "/purchase/order",
        }
        body = {"id_str": f"{first}, {second}"}
        for _ in range(2):
            assert site.as_("clerk_a").post(f"{OPEN}/setPopUpLog", body).ok
        assert self.list_reminders(site, "clerk_a") == []
        assert self.list_reminders(site, "manager_a") == [first, second]
        assert self.list_reminders(site, "manager_b") == []

    def test_one_users_reminder_is_his_alone(self, site: Site) -> None:
        with site.engine.begin() as conn:
            key = add_reminder(conn, site.world.company_a, "仅您", user_id=site.world.user_own_a)
        assert key in self.list_reminders(site, "own_a")
        assert key not in self.list_reminders(site, "own2_a")
        assert site.as_("own2_a").post(f"{OPEN}/setPopUpLog", {"id_str": str(key)}).ok
        assert key in self.list_reminders(site, "own_a"), "nobody else reports it as seen"

    @pytest.mark.parametrize("ids", ["", ",", "x", "1;2", "9" * 30])
    def test_what_is_no_list_of_ids_is_refused(self, site: Site, ids: str) -> None:
        assert site.as_("clerk_a").post(f"{OPEN}/setPopUpLog", {"id_str": ids}).code == 400
