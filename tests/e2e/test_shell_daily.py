"""The shell day by day: home on a phone, the cashier without a login, unknown paths, query schemes, parked drafts."""

from __future__ import annotations

import re
from decimal import Decimal
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, ViewportSize, expect
from sqlalchemy import Engine, func, insert, text

from api.launch.process import wait_until
from api.shell.workspace.payment_links import PaymentLink, hash_token
from tests.e2e.conftest import START_SECONDS, DemoUserOpener, RunningProduct, UserOpener
from tests.e2e.station_setup import (
    StationSetup,
    add_outbound,
    build_outbound,
    create_staff,
    create_station,
    require_data,
)
from tests.e2e.test_shell_users import SELLS

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
SETTING = "v2/system/BillSetting"
PHONE: ViewportSize = {"width": 390, "height": 844}


class TestPhone:
    def test_home_fits_and_its_entries_are_reached(self, desks: DemoUserOpener) -> None:
        desk = desks("分公司经理")
        page = desk.page
        page.set_viewport_size(PHONE)
        desk.open("/home")
        expect(page.get_by_text("常用入口")).to_be_visible()
        wider = page.evaluate(
            """() => [document.documentElement, ...document.querySelectorAll('header, main, [role=tabpanel]')]
                .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.className || one.tagName)"""
        )
        assert wider == []
        # Named before the first is opened: what it leads to has links of its own.
        last = page.locator("main a").last.get_attribute("href")
        for route in ("/sales/salesout", last):
            page.locator(f"main a[href='{route}']:visible").last.click()
            page.wait_for_url(f"**{route}")
            page.get_by_role("tab", name="主页").click()
        page.get_by_role("button", name="打开菜单").click()
        menu = page.get_by_role("dialog", name="菜单")
        expect(menu).to_be_visible()
        box = menu.bounding_box()
        assert box is not None and box["width"] <= PHONE["width"]
        menu.get_by_text("销售管理", exact=True).click()
        menu.get_by_text("销售业务", exact=True).click()
        menu.get_by_text("销售出库", exact=True).click()
        page.wait_for_url("**/sales/salesout")
        expect(menu).to_have_count(0)


class TestCashier:
    def test_it_asks_for_no_login(
        self, system: RunningProduct, chromium: Browser, office: StationSetup, books: Engine
    ) -> None:
        """ "One cashier page, /placeholder/paycenter, carries no authentication flag." """
        with chromium.new_context(locale="zh-CN") as context:
            page = context.new_page()
            page.goto(f"{system.address}/placeholder/paycenter")
            expect(page.get_by_text("支付单不存在或已失效")).to_be_visible()
            with page.expect_response("**/getPayInfo?*") as answered:
                page.goto(f"{system.address}/placeholder/paycenter?pay_token=unknown")
            assert answered.value.json()["msg"] == "支付单不存在或已失效"
            assert "token" not in answered.value.request.headers
            expect(page.get_by_text("支付单不存在或已失效")).to_be_visible()
            assert "/placeholder/paycenter" in page.url

            token = uuid4().hex
            paid = {"subject": "轮胎货款", "amount": Decimal("1280.50"), "state": 1}
            owner = {"company_id": office.station.company_id, "token_hash": hash_token(token)}
            with books.begin() as conn:
                tomorrow = func.now() + text("interval '1 day'")
                conn.execute(insert(PaymentLink).values(**paid, **owner, expires_at=tomorrow))
            page.goto(f"{system.address}/placeholder/paycenter?pay_token={token}")
            expect(page.get_by_text("¥ 1,280.50")).to_be_visible()
            expect(page.get_by_text(re.compile("轮胎货款 · 已支付"))).to_be_visible()


class TestToDo:
    def test_each_entry_opens_its_bill(self, seat: UserOpener, office: StationSetup) -> None:
        """ "to-do dropdown (pending items and pending approvals)": an own bill sent back, and one that waits for an audit."""
        user = create_staff(
            office, [*SELLS, "sales_outbound:edit", "sales_outbound:auditorPass"], "有待办的人"
        )
        api, own = "v2/sales/SalesOutstock", office.caller(user)
        waiting = require_data(own.post(f"{api}/add", build_outbound(office, user)))
        back = require_data(own.post(f"{api}/add", build_outbound(office, user)))
        require_data(office.admin.post(f"{api}/auditorNoPass", {"ids": [back["id"]], "reason": "价格不对"}))
        page = seat(user).page
        for tab, bill in (("待处理事项", back), ("待审批", waiting)):
            number = require_data(own.get(f"{api}/getInfo", id=bill["id"]))["bill_no"]
            page.get_by_role("button", name="待办", exact=True).click()
            page.get_by_role("tab", name=re.compile(f"^{tab}")).click()
            page.get_by_role("tabpanel").get_by_role("button", name=number, exact=True).click()
            page.wait_for_url(f"**/sales/salesamend?id={bill['id']}")
            expect(page.get_by_role("heading", name=number)).to_be_visible()


class TestCompanySettings:
    def test_the_shell_keeps_what_the_company_has_set(self, seat: UserOpener, office: StationSetup) -> None:
        """ "GET getSettingInfoOption with type (1, 2 or 3), company_id, repeat; results stored." """
        station = create_station(office)
        [row] = require_data(office.admin.get(SETTING + "/getList", company_id=station.company_id, type=2))[
            "data"
        ]
        mode = {"id": row["bill_setting_id"], "print_mode": 1}
        require_data(office.admin.post(SETTING + "/edit", mode))
        bill = add_outbound(office, station)
        desk = seat(station)
        page = desk.page
        kept = "localStorage.getItem('hasAuditorStatusPrint') !== null"
        assert wait_until(lambda: page.evaluate(kept), 30)
        assert "sales_outbound" in page.evaluate("localStorage.getItem('hasAuditorStatusPrint')")
        assert '"credit_mode":1' in page.evaluate("localStorage.getItem('Documents_operation')")
        assert page.evaluate("localStorage.FDBName_business === localStorage.company_name")
        desk.open(f"/sales/salesamend?id={bill}")
        expect(page.get_by_role("button", name="审核", exact=True)).to_have_attribute(
            "title", re.compile("客户超信用额度：禁止审核")
        )
        page.get_by_role("button", name=re.compile("打印$")).first.click()
        expect(page.get_by_text("只打印已审核的单据，所选有1张未审核")).to_be_visible()


class TestUnknownPaths:
    def test_they_show_a_page_of_their_own(
        self, desks: DemoUserOpener, system: RunningProduct, chromium: Browser
    ) -> None:
        """ "Any other unknown path shows a not-found page. All other routes need login; without a token the user is sent to
        /login."
        """
        with chromium.new_context(locale="zh-CN") as context:
            page = context.new_page()
            for route in ("/", "/home", "/system/unit"):
                page.goto(f"{system.address}{route}")
                page.wait_for_url("**/login")
        desk = desks("开单员")
        desk.open("/centralizedProcurement/inContractManagement")
        expect(desk.page.get_by_role("tab", name="合同管理")).to_be_visible()
        desk.open("/no/such/page")
        expect(desk.page.get_by_text("没有这个页面，请检查地址")).to_be_visible()
        expect(desk.page.get_by_role("tab", name="页面不存在")).to_be_visible()
        desk.page.get_by_role("button", name="返回主页").click()
        desk.page.wait_for_url("**/home")
        desk.open("/")
        desk.page.wait_for_url("**/home")


class TestQuerySchemes:
    def test_one_is_saved_and_chosen_at_another_desk(self, seat: UserOpener, office: StationSetup) -> None:
        user = create_staff(office, ["unit:list"], "查询的人")
        desk = seat(user)
        page = desk.page
        desk.open("/system/unit")
        rows = page.locator(".ant-table-row")
        expect(rows.first).to_be_visible()
        all_rows = rows.count()
        page.get_by_label("关键字").fill("条")
        page.get_by_role("button", name="查询", exact=True).click()
        expect(rows).not_to_have_count(all_rows)
        found = rows.count()
        page.get_by_role("button", name="查询方案").click()
        page.get_by_label("方案名称").fill("只看条")
        page.get_by_role("button", name="保存", exact=True).click()
        expect(page.get_by_text("查询方案已保存")).to_be_visible()

        desk = seat(user)
        page = desk.page
        desk.open("/system/unit")
        rows = page.locator(".ant-table-row")
        expect(rows).to_have_count(all_rows)
        page.get_by_role("button", name="查询方案").click()
        page.get_by_role("button", name="只看条", exact=True).click()
        expect(page.get_by_label("关键字")).to_have_value("条")
        expect(rows).to_have_count(found)


class TestParkedDrafts:
    def test_one_is_put_aside_and_recalled_at_another_desk(
        self, seat: UserOpener, office: StationSetup
    ) -> None:
        user = create_staff(office, SELLS, "暂存的人")
        desk = seat(user)
        page = desk.page
        desk.open("/sales/salesoutAdd")
        remark = page.get_by_label("备注").first
        remark.fill("客户稍后来取")
        page.get_by_role("button", name="暂存", exact=True).click()
        expect(page.get_by_text("已暂存，可在任何电脑上取单继续录入")).to_be_visible()
        expect(remark).to_have_value("")

        page = seat(user).page
        page.goto(f"{desk.address}/sales/salesoutAdd")
        page.get_by_role("button", name="取单").click()
        page.get_by_role("menuitem", name=re.compile("^暂存 ")).click()
        expect(page.get_by_label("备注").first).to_have_value("客户稍后来取")
        expect(page.locator(".form-head .ant-badge-count")).to_have_count(0)
