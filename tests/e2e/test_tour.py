"""The guided tour: who is led through the shell, and that it is once."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from sqlalchemy import Engine, text

from tests.e2e.conftest import START_SECONDS, BrowserUser, DemoUserOpener
from tests.e2e.station_setup import ADMIN_PASSWORD

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
STOPS = ("主菜单", "搜索菜单", "页签", "待办", "个人中心")


class TestGuidedTour:
    def test_whoever_company_admin_id_marks_is_led_once(
        self, profile: Callable[[], BrowserUser], books: Engine
    ) -> None:
        """ "A stored company_admin_id marks the user for a guided tour." """
        with books.begin() as conn:
            conn.execute(text("delete from user_preference where kind = 'seen' and screen = 'tour'"))
        desk = profile()
        desk.log_in_as("admin", ADMIN_PASSWORD)
        page = desk.page
        assert page.evaluate("localStorage.company_admin_id === localStorage.user_id")
        title = page.locator(".ant-tour-title")
        for stop in STOPS:
            expect(title).to_have_text(stop)
            if stop != STOPS[-1]:
                page.get_by_role("button", name="下一步").click()
        with page.expect_response("**/UserPreference/save?*"):
            page.get_by_role("button", name="结束导览").click()
        expect(title).to_have_count(0)

        with page.expect_response("**/UserPreference/get?*kind=seen*"):
            page.reload()
        expect(page.get_by_text("常用入口")).to_be_visible()
        expect(title).to_have_count(0)

        page.get_by_role("button", name=re.compile("^当前用户")).click()
        page.get_by_role("menuitem", name="新手引导").click()
        expect(title).to_have_text(STOPS[0])

    def test_nobody_else_is(self, desks: DemoUserOpener) -> None:
        page = desks("开单员", "/home").page
        expect(page.get_by_text("常用入口")).to_be_visible()
        assert page.evaluate("localStorage.getItem('company_admin_id')") is None
        expect(page.locator(".ant-tour-title")).to_have_count(0)
        page.get_by_role("button", name=re.compile("^当前用户")).click()
        expect(page.get_by_role("menuitem", name="个人中心")).to_be_visible()
        expect(page.get_by_role("menuitem", name="新手引导")).to_have_count(0)
