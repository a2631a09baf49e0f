"""Opening a report asks for nothing that fails and says no error: framed ones, native ones, and where analysts explore."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response, expect

from reports.catalogue import find_report
from tests.e2e.conftest import START_SECONDS, DemoUserOpener
from tests.e2e.report_reader import HOLDER, IS_DRAWN

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
GROUP, ANALYST = "集团经理", "数据分析员"
FRAMED = ("OperatingRevenue", "BestSeller", "accountsReceivable", "IncomeStatement")
NATIVE = (
    *("/report/ReportHome", "/report/salesdetrpt", "/report/salesmulrpt", "/report/inventorysumrpt"),
    *("/report/customersumrpt", "/report/commissiondetail", "/groupManagement/InventoryBigData"),
)


class PageErrors:
    """Errors of the pages of a browser profile, their frames and workers included."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.wrong: list[str] = []
        self._listen: tuple[tuple[str, Callable[..., None]], ...] = (
            ("console", self._on_console),
            ("response", self._on_response),
            ("requestfailed", self._on_failed),
            ("weberror", lambda error: self.wrong.append(f"thrown: {error.error}")),
        )
        for event, heard in self._listen:
            context.on(event, heard)  # type: ignore[call-overload]

    def stop(self) -> None:
        for event, heard in self._listen:
            self.context.remove_listener(event, heard)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.wrong.append(f"console: {message.text[:300]}")

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self.wrong.append(f"{response.status} {response.request.method} {response.url[:200]}")

    def _on_failed(self, request: Request) -> None:
        # A page that is left takes back what it still asks for.
        if request.failure != "net::ERR_ABORTED":
            self.wrong.append(f"{request.failure} {request.method} {request.url[:200]}")


def await_drawn(page: Page) -> None:
    """Wait until a report's frame is drawn, and for what it asks for after that: newer figures, the next frame."""
    expect(page.frame_locator("iframe[title]").first.locator(HOLDER).first).to_be_visible(timeout=60_000)
    for _ in range(240):
        if any(frame.evaluate(IS_DRAWN) for frame in page.frames[1:]):
            break
        page.wait_for_timeout(250)
    else:
        raise AssertionError("the report is not drawn")
    page.wait_for_timeout(4_000)


class TestQuiet:
    @pytest.mark.parametrize("code", FRAMED)
    @pytest.mark.parametrize("afresh", [True, False], ids=["by-address", "in-the-shell"])
    def test_a_framed_report(self, desks: DemoUserOpener, code: str, afresh: bool) -> None:
        desk = desks(GROUP)
        route = find_report(code).route
        heard = PageErrors(desk.page.context)
        if afresh:
            desk.open(route)
        else:
            desk.open("/home")
            desk.page.evaluate(
                "route => { history.pushState({}, '', route); dispatchEvent(new PopStateEvent('popstate')); }",
                route,
            )
        await_drawn(desk.page)
        heard.stop()
        assert heard.wrong == []

    @pytest.mark.parametrize("route", NATIVE)
    def test_a_native_report(self, desks: DemoUserOpener, route: str) -> None:
        desk = desks(GROUP)
        heard = PageErrors(desk.page.context)
        desk.open(route)
        expect(desk.page.locator("main, .ant-layout-content").first).to_be_visible()
        desk.page.wait_for_load_state("networkidle")
        heard.stop()
        assert heard.wrong == []

    def test_the_exploring_door(self, desks: DemoUserOpener) -> None:
        desk = desks(ANALYST)
        heard = PageErrors(desk.page.context)
        desk.open("/report/explore")
        with desk.page.expect_popup() as opening:
            desk.page.get_by_role("button", name="进入分析").click()
        page = opening.value
        page.wait_for_url(re.compile(r":\d+/chart/list/"))
        expect(page.get_by_text("看板", exact=True).first).to_be_visible()
        page.wait_for_load_state("networkidle")
        door = page.url.partition("/chart/")[0]
        page.goto(f"{door}/chart/add")
        expect(page.get_by_role("button", name="饼图")).to_be_visible()
        page.wait_for_load_state("networkidle")
        page.get_by_role("combobox").first.fill("商品毛利（")
        page.locator(".ant-select-item-option:visible").filter(has_text="商品毛利（含成本）").click()
        page.get_by_role("button", name="饼图").click()
        page.get_by_role("button", name="创建新图表").click()
        page.wait_for_url(re.compile("/explore/"))
        expect(page.get_by_text("销售收入", exact=True)).to_be_visible()
        page.wait_for_load_state("networkidle")
        page.goto(f"{door}/dashboard/list/")
        page.wait_for_load_state("networkidle")
        heard.stop()
        assert heard.wrong == []
