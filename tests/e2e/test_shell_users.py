"""Who works at the shell: first logins, expired sessions, simulated logins, rights taken away while somebody works."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from api.kit.declaration import menu
from tests.e2e.conftest import START_SECONDS, BrowserUser, UserOpener
from tests.e2e.station_setup import PASSWORD, StationSetup, create_newcomer, create_staff, require_data

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
OWN_PASSWORD = "Ziji#13579"
SELLS = [
    "sales_outbound:list",
    "sales_outbound:add",
    "customer:list",
    "warehouse:list",
    "goods:list",
]


def expect_current_user(page: Page, realname: str) -> None:
    expect(page.get_by_role("button", name=re.compile(f"当前用户.*{realname}"))).to_be_visible()


class TestFirstPassword:
    def test_a_password_that_somebody_else_set_is_changed_first(
        self, seat: UserOpener, office: StationSetup, profile: Callable[[], BrowserUser]
    ) -> None:
        """Nothing is reached before, and the administrator's password is none afterwards."""
        user = create_newcomer(office, ["unit:list"], "新员工")
        desk = seat(user)
        page = desk.page
        desk.open("/system/unit")
        expect(page.get_by_text("新员工，请先设置自己的密码")).to_be_visible()
        expect(page.get_by_role("navigation", name="主菜单")).to_have_count(0)
        page.get_by_label("原密码").fill(user.password)
        page.get_by_label("新密码").fill(OWN_PASSWORD)
        page.get_by_label("确认密码").fill(OWN_PASSWORD)
        page.get_by_role("button", name="修改密码").click()
        expect(page.get_by_role("navigation", name="主菜单")).to_be_visible()
        expect(page.get_by_role("tab", name="单位")).to_be_visible()

        page = profile().page
        page.goto(f"{desk.address}/login")
        page.get_by_placeholder("用户名").fill(user.user_name)
        page.get_by_placeholder("密码").fill(user.password)
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_placeholder("密码").fill(OWN_PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url("**/home")


class TestFormsOutliveTheLogin:
    def test_a_draft_is_offered_after_the_session_was_ended(
        self, seat: UserOpener, office: StationSetup
    ) -> None:
        """Drafts survive an expired session: kept by the shell in the browser and on the server."""
        user = create_staff(office, SELLS, "写单员")
        desk = seat(user)
        page = desk.page
        desk.open("/sales/salesoutAdd")
        page.get_by_label("备注").first.fill("写到一半")
        for session in require_data(office.admin.get("v2/system/User/getSessions", user_id=user.user_id)):
            require_data(
                office.admin.post("v2/system/User/endSession", {"session_id": session["session_id"]})
            )
        page.wait_for_url("**/login")
        page.get_by_placeholder("用户名").fill(user.user_name)
        page.get_by_placeholder("密码").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url("**/sales/salesoutAdd")
        expect(page.get_by_text("未保存的内容")).to_be_visible()
        page.get_by_role("button", name="恢复").click()
        expect(page.get_by_label("备注").first).to_have_value("写到一半")


class TestSimulatedLogin:
    def test_it_is_marked_and_ends_in_ones_own_session(self, seat: UserOpener, office: StationSetup) -> None:
        """ "simulated login (recorded, marked in the header, never above one's own rights)" """
        clerk = create_staff(office, ["unit:list"], "被模拟的开单员")
        rights = ["unit:list", "department:list", "imitate_login:list", "imitate_login:imitate"]
        desk = seat(create_staff(office, rights, "代看的经理"))
        page = desk.page
        desk.open("/system/imitateLogin")
        page.get_by_label("关键字").fill(clerk.user_name)
        page.get_by_role("button", name="查询", exact=True).click()
        row = page.locator(".ant-table-row", has_text=clerk.user_name)
        expect(page.locator(".ant-table-row")).to_have_count(1)
        own = page.evaluate("localStorage.getItem('token')")
        row.dblclick()
        page.get_by_role("dialog").get_by_role("button", name="模拟登录").click()

        mark = page.get_by_text("模拟登录，操作人：代看的经理")
        expect(mark).to_be_visible()
        expect_current_user(page, "被模拟的开单员")
        desk.open("/system/section")
        expect(page.get_by_text("暂无查看权限")).to_be_visible()
        expect(mark).to_be_visible()

        page.get_by_role("button", name="结束模拟").click()
        expect_current_user(page, "代看的经理")
        expect(mark).to_have_count(0)
        assert page.evaluate("localStorage.getItem('token')") == own
        expect(page.get_by_role("tab")).to_have_count(1)
        desk.open("/system/section")
        expect(page.locator(".ant-table-row").first).to_be_visible()
        [recorded, *_] = require_data(
            office.admin.get("v2/system/LoginLog/getList", user_name=clerk.user_name)
        )["data"]
        assert recorded["imitator_name"] == "代看的经理"


class TestRights:
    def test_one_taken_away_bites_on_the_next_request(self, seat: UserOpener, office: StationSetup) -> None:
        """ "a rights change bites on the next request": the role editor at one desk, the user at another."""
        user = create_staff(office, ["unit:list", "department:list"], "少权的人")
        theirs = seat(user).page
        theirs.get_by_role("link", name="单位").first.click()
        expect(theirs.locator(".ant-table-row").first).to_be_visible()

        manager = seat(create_staff(office, list(menu.list_rights()), "管权的人"))
        manager.open(f"/system/roleAdd?id={user.role_id}")
        page = manager.page
        page.get_by_label("查找界面或操作").fill("计量单位")
        seen = page.get_by_role("checkbox", name="查看", exact=True)
        expect(seen).to_have_count(1)
        seen.uncheck()
        page.get_by_role("button", name="保存", exact=True).click()
        page.get_by_role("button", name="确认修改").click()
        expect(page.get_by_text("角色已保存，对正在使用的用户立即生效")).to_be_visible()

        theirs.get_by_role("button", name="查询", exact=True).click()
        expect(theirs.get_by_text(re.compile("没有.*权限")).first).to_be_visible()
        theirs.reload()
        expect(theirs.get_by_text("暂无查看权限")).to_be_visible()
        theirs.goto(f"{manager.address}/system/user")
        expect(theirs.get_by_role("tab", name="暂无权限")).to_be_visible()
