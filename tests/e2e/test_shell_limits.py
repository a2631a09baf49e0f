"""spec/1-shell.md 9, constants and limits: a test a paragraph, under a clock that the test moves."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pytest
from playwright.sync_api import Page, Request, expect
from sqlalchemy import Engine, text

from api.shell.workspace.reminders import add_reminder
from tests.e2e.conftest import START_SECONDS, BrowserUser, DemoUserOpener, UserOpener, freeze_clock
from tests.e2e.station_setup import (
    StationSetup,
    add_outbound,
    change_price,
    create_station,
    send_announcement,
)

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
COUNTERS = (
    "getSalesOutstocksList",
    "getSalesOutTimeoutCount",
    "getSalesOutListByType",
    "getGoodsChainPriceNumber",
    "newGetCartTabCount",
)
MENU = "getLeftMenuList"
PATIENCE = 60
ALL_SENT = """async () => {
    for (let turn = 0; turn < 3; turn++) {
        await crypto.subtle.digest('SHA-256', new Uint8Array(65536));
        await new Promise(resolve => {
            const channel = new MessageChannel();
            channel.port1.onmessage = resolve;
            channel.port2.postMessage(0);
        });
    }
}"""
"""Comes back once all that the page began by now has had its turns, signatures among them."""


class CallCounter:
    """Counter of a page's calls."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.begun: list[str] = []
        self.under_way: list[Request] = []
        page.on("request", self._on_request)
        page.on("requestfinished", self._on_response)
        page.on("requestfailed", self._on_response)

    def _on_request(self, request: Request) -> None:
        self.begun.append(request.url)
        self.under_way.append(request)

    def _on_response(self, request: Request) -> None:
        # What was asked before anybody counted ends too.
        if request in self.under_way:
            self.under_way.remove(request)

    def count(self, call: str) -> int:
        return sum(f"/{call}?" in url for url in self.begun)

    def await_idle(self) -> None:
        """Wait until the page has requested nothing new, and has dealt with all answers."""
        ends = time.monotonic() + PATIENCE
        still = (-1, -1)
        while still != (len(self.begun), len(self.under_way)) or self.under_way:
            assert time.monotonic() < ends, "the page asks and asks"
            still = (len(self.begun), len(self.under_way))
            self.page.wait_for_timeout(500)

    def assert_periodic(self, seconds: int, *calls: str) -> None:
        """Assert that each call is repeated every so many seconds, give or take one, by a clock that only the
        test moves."""
        asked: dict[str, list[int]] = {call: [] for call in calls}
        for second in range(2 * seconds + 5):
            begun = len(self.begun)
            self.page.clock.run_for(1000)
            # However slow the machine: what fell due is signed and sent before the clock goes on.
            self.page.evaluate(ALL_SENT)
            self.page.wait_for_timeout(20)
            if len(self.begun) > begun:
                # An interval counts from the answer: it comes while the clock stands still.
                self.await_idle()
            for call, moments in asked.items():
                moments += [second] * sum(f"/{call}?" in url for url in self.begun[begun:])
        for call, moments in asked.items():
            gaps = [later - earlier for earlier, later in pairwise(moments)]
            assert gaps and all(abs(gap - seconds) <= 1 for gap in gaps), (call, moments)


def ends_with(route: str, url: str) -> bool:
    return url.endswith(route)


def measure_wait(page: Page, answered: str, later_call: str) -> tuple[float, Request]:
    """Load the page anew and return the milliseconds from one call's answer to the other's request, by the
    browser's clock."""
    address = page.url
    # What the page asked before is not taken for what it asks now.
    page.goto("about:blank")
    with (
        page.expect_event("requestfinished", lambda request: f"/{later_call}?" in request.url) as later,
        page.expect_event("requestfinished", lambda request: f"/{answered}?" in request.url) as earlier,
    ):
        page.goto(address, wait_until="commit")
    came: float = earlier.value.timing["startTime"] + earlier.value.timing["responseEnd"]
    return later.value.timing["startTime"] - came, later.value


class TestIntervals:
    def test_counters_are_asked_after_a_second_and_each_fifteen(
        self, seat: UserOpener, office: StationSetup
    ) -> None:
        """ "Header counters, cart count and questionnaire count refresh every 15 s (first load after 1 s); the broadcast
        check every 5 s; export list every 60 s while in progress; initialisation dialog every 5 s while processing."
        (The last two in test_shell_states.py.)
        """
        page = seat(office.station, timed=True).page
        assert measure_wait(page, MENU, COUNTERS[0])[0] >= 950
        asked = CallCounter(page)
        freeze_clock(page)
        asked.assert_periodic(15, *COUNTERS)
        asked.assert_periodic(5, "getBroadcastVoice")

    def test_the_questionnaire_count_of_the_back_office(self, profile: Callable[[], BrowserUser]) -> None:
        """ "… questionnaire count refresh every 15 s (first load after 1 s)" """
        (desk := profile()).log_in("开单员")
        page = desk.page
        page.clock.install()
        assert measure_wait(page, MENU, "getQuestionnaireCount")[0] >= 950
        asked = CallCounter(page)
        freeze_clock(page)
        asked.assert_periodic(15, "getQuestionnaireCount")


class TestBadges:
    def test_they_show_ninety_nine_at_most_and_lead_to_their_lists(
        self, seat: UserOpener, office: StationSetup, books: Engine
    ) -> None:
        """ "Badge display maximum 99." And of section 2: where each badge leads."""
        station = create_station(office)
        bill = add_outbound(office, station)
        with books.begin() as conn:
            conn.execute(COPIES, {"bill": bill, "more": 119, "late": 7})
        change_price(office, station)
        page = seat(station).page
        badge = page.get_by_role("button", name="待出库 120").locator("..")
        expect(badge.locator("sup")).to_have_text("99+")
        outbound = "/sales/service_station_sales_outstock_list?header_icon_action="
        for name, screen, route in (
            ("待出库 120", "销售出库单", f"{outbound}2"),
            ("出库超时 7", "销售出库单", f"{outbound}3"),
            ("退货待审核 0", "销售出库单", f"{outbound}4"),
            ("采购退款 0", "采购退款", "/service_station_purchase_order_refund?refund_type=2"),
            (
                "指导价变动 1",
                "库存商品",
                "/service_station_goods/service_station_inventory_goods?hasPrice=1&goods_price_change=1",
            ),
        ):
            page.get_by_role("button", name=name).click()
            page.wait_for_url(partial(ends_with, route))
            shown = page.locator(".ant-result:visible")
            expect(shown.locator(".ant-result-title")).to_have_text(screen)
            expect(shown.get_by_text("该功能尚未开放")).to_be_visible()
            expect(page.get_by_text("页面不存在")).to_have_count(0)


COPIES = text("""
insert into sales_outbound
select (jsonb_populate_record(b, jsonb_build_object(
    'bill_id', nextval(pg_get_serial_sequence('sales_outbound', 'bill_id')),
    'bill_no', b.bill_no || '-' || n,
    'made_at', case when n <= :late then now() - interval '2 days' else b.made_at end
))).*
from sales_outbound b, generate_series(1, :more) n
where b.bill_id = :bill
""")
"""As many more bills like one, some of them made the day before yesterday."""


class TestNotices:
    def test_the_popup_shows_once_a_day_and_the_list_grows_by_ten(
        self, seat: UserOpener, office: StationSetup
    ) -> None:
        """ "Notices: at most once per day, 2 unread fetched; message list page size grows by 10 per load." """
        station = create_station(office)
        for number in range(12):
            send_announcement(office, station, f"第{number + 1}号通知")
        page = seat(station).page
        popup = page.get_by_role("dialog", name="公告")
        expect(popup.locator("button:has(time)")).to_have_count(2)
        with page.expect_request(f"**/{COUNTERS[0]}?*"):
            page.reload()
        expect(popup).to_have_count(0)
        page.evaluate(
            "localStorage.isShowNotice = JSON.stringify(Object.fromEntries("
            "Object.keys(JSON.parse(localStorage.isShowNotice)).map((user) => [user, Date.now() - 1])))"
        )
        page.reload()
        expect(popup).to_be_visible()
        with page.expect_request("**/getUserMessageList?*per_page=10&*"):
            popup.get_by_role("button", name="查看更多").click()
        page.wait_for_url("**/messageconfig")
        with page.expect_request("**/getUserMessageList?*per_page=20&*"):
            page.get_by_role("button", name="加载更多").click()


class TestDialogs:
    def test_the_reminder(self, seat: UserOpener, office: StationSetup, books: Engine) -> None:
        """ "Reminder dialog titled 提醒 (600 px): … and has a 查看更多 button. Shown items are reported as seen 2 seconds
        later." (Sections 2 and 9.)
        """
        station = create_station(office)
        page = seat(station).page
        with books.begin() as conn:
            key = add_reminder(conn, station.company_id, "缺货已自动退款")
        after, seen = measure_wait(page, "getPopUplogList", "setPopUpLog")
        assert after >= 1_950
        assert seen.post_data_json == {"id_str": str(key)}
        reminder = page.get_by_role("dialog", name="提醒")
        expect(reminder.get_by_role("button", name="查看更多")).to_be_visible()
        expect(reminder).to_have_css("width", "600px")

    def test_their_widths(
        self, seat: UserOpener, office: StationSetup, publish: Callable[[str], int]
    ) -> None:
        """ "Survey score 0 to 100; survey dialog 1100 px; init and reminder dialogs 600 px; rule dialog 800 px; report frame
        height 90vh." (The score in test_shell_rules.py.)
        """
        page = seat(create_station(office)).page
        page.get_by_role("button", name="系统初始化").click()
        initialisation = page.get_by_role("dialog", name="系统初始化")
        expect(initialisation).to_have_css("width", "600px")
        initialisation.locator(".ant-modal-close").click()
        page.get_by_role("button", name="超级服务站").click()
        rules = page.get_by_role("dialog").filter(has_text="活动规则")
        expect(rules).to_have_css("width", "800px")

        publish("宽度问卷")
        page = seat(office.station).page
        page.get_by_role("button", name="去填写").click()
        survey = page.get_by_role("dialog", name="宽度问卷")
        expect(survey).to_have_css("width", "1100px")
        frame = page.frame_locator("iframe[title='宽度问卷']")
        frame.get_by_text("满意", exact=True).click()
        frame.get_by_role("button", name="提交").click()
        expect(survey).to_have_count(0)

    def test_a_report_frame(self, desks: DemoUserOpener) -> None:
        """ "report frame height 90vh" """
        desk = desks("分公司经理")
        desk.open("/report/BestSeller")
        frame = desk.page.locator("iframe").first
        expect(frame).to_be_attached()
        height = frame.evaluate("frame => frame.getBoundingClientRect().height / window.innerHeight")
        assert abs(height - 0.9) < 0.01


class TestTabs:
    def test_closing_runs_after_a_tenth_of_a_second(self, profile: Callable[[], BrowserUser]) -> None:
        """ "Select change debounce 100 ms; tab closing runs after a 100 ms delay." (Page tabs: section 2.)"""
        (desk := profile()).log_in("分公司经理")
        page = desk.page
        for route in ("/system/section", "/system/employee", "/system/section?company_id=1"):
            desk.open(route)
            expect(page.get_by_role("searchbox").or_(page.get_by_role("search")).first).to_be_visible()
        tabs = page.get_by_role("tab")
        expect(tabs).to_have_count(3)
        page.clock.install()
        freeze_clock(page)
        page.get_by_role("tab", name="员工").click(button="middle")
        page.clock.run_for(90)
        expect(tabs).to_have_count(3)
        page.clock.run_for(20)
        expect(tabs).to_have_count(2)
        page.get_by_role("tab", name="部门").click(button="right")
        page.clock.run_for(500)
        for name in ("关闭当前", "关闭其他", "关闭全部"):
            expect(page.get_by_role("menuitem", name=name)).to_be_visible()
        page.get_by_role("menuitem", name="关闭全部").click()
        page.clock.run_for(200)
        expect(tabs).to_have_count(1)
        assert page.url.endswith("/home")
