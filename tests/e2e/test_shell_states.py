"""spec/1-shell.md 4, states and transitions: a test a paragraph, in a real browser against the running product."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Callable

import openpyxl
import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine, text

from tests.e2e.conftest import START_SECONDS, BrowserUser, DemoUserOpener, UserOpener, freeze_clock
from tests.e2e.station_setup import (
    StationSetup,
    create_staff,
    create_station,
    require_data,
    send_announcement,
)
from tests.e2e.test_shell_limits import PATIENCE, CallCounter

pytestmark = pytest.mark.timeout(START_SECONDS + 300)


class TestExportStatus:
    def test_only_finished_ones_are_downloadable_and_the_list_refreshes(
        self, seat: UserOpener, office: StationSetup, books: Engine
    ) -> None:
        """ "Export status: 1 is finished and downloadable; other values are disabled for download. While exports are in
        progress the list refreshes every 60 seconds."
        """
        desk = seat(create_staff(office, ["bank:list", "bank:export"], "导出的人"), timed=True)
        page = desk.page
        desk.open("/system/bank")
        dialog = page.get_by_role("dialog", name="导出任务")
        download = dialog.get_by_role("button", name="下载").first
        again = dialog.get_by_role("button", name="刷新")
        export = page.get_by_role("button", name=re.compile("导出$"))
        expect(export).to_be_enabled()
        with books.begin() as holder:
            # The export waits for its rows, as one of very many rows would.
            holder.execute(text("lock table bank in access exclusive mode"))
            export.click()
            expect(page.get_by_text("系统正在处理，请稍后在导出任务中下载")).to_be_visible()
            page.get_by_role("button", name="导出任务").click()
            expect(download).to_be_disabled()
            asked = CallCounter(page)
            freeze_clock(page)
            asked.await_idle()
            asked.assert_periodic(60, "getExportLogList")
        page.clock.resume()
        ends = time.monotonic() + PATIENCE
        while not download.is_enabled():
            assert time.monotonic() < ends, "the export is not finished"
            again.click()
            page.wait_for_timeout(500)
        with page.expect_download() as file:
            download.click()
        assert file.value.suggested_filename.startswith("银行")


class TestNoticeReadState:
    def test_an_unread_notice_is_read_when_opened(self, seat: UserOpener, office: StationSetup) -> None:
        """ "Notice read state: unread (is_read 0) becomes read when opened." """
        station = create_station(office)
        for title in ("春节放假通知", "盘点通知"):
            send_announcement(office, station, title)
        page = seat(station).page
        dialog = page.get_by_role("dialog", name="公告")
        dialog.get_by_role("button", name=re.compile("春节放假通知")).click()
        expect(page.get_by_text("春节放假通知，请各站知悉。")).to_be_visible()
        expect(page.get_by_role("button", name="系统公告 1")).to_be_attached()
        assert require_data(office.caller(station).get("v2/open/Message/getUserMessageCount"))["count"] == 1


class TestSystemVersion:
    def test_switching_changes_the_layout_and_may_be_saved(
        self, seat: UserOpener, office: StationSetup
    ) -> None:
        """ "System version: simple (2) or standard (1); switching changes the layout, and the side menu shows only in
        standard. Saving as default sends version equal to the chosen value minus 1. Success shows 当前账号已经设置为标准版 or
        当前账号已经设置为简洁版." And of section 2: "Two layout variants exist for service stations, one with a
        customer-service widget and an app navigation; the standard layout shows the side menu".
        """
        page = seat(office.station).page
        menu = page.get_by_role("navigation", name="主菜单")
        apps = page.get_by_role("navigation", name="应用导航")
        service = page.get_by_role("button", name="联系客服")
        expect(menu).to_be_visible()
        for label, version, told in (
            ("简洁版", 1, "当前账号已经设置为简洁版"),
            ("标准版", 0, "当前账号已经设置为标准版"),
        ):
            page.get_by_role("button", name="版本切换").click()
            page.get_by_role("radio", name=label).check()
            page.get_by_role("checkbox", name="保存为默认版本").check()
            with page.expect_request("**/serviceStationSetUpVersion?*") as sent:
                page.get_by_role("button", name="确定").click()
            assert sent.value.post_data_json == {"version": version}
            expect(page.get_by_text(told)).to_be_visible()
            expect(menu).to_be_visible(visible=version == 0)
            expect(apps).to_be_visible(visible=version == 1)
            expect(service).to_be_visible(visible=version == 1)
            if version == 1:
                service.click()
                expect(page.get_by_role("link", name="0571-88990011")).to_be_visible()
                service.click()
                apps.get_by_role("button", name="系统管理").click()
                page.get_by_role("menuitem", name="组织架构").click()
                page.get_by_role("menuitem", name="部门").click()
                page.wait_for_url("**/system/section")
            stored = json.loads(page.evaluate("localStorage.getItem('currentSystem')"))
            assert stored == {"type": 1, "operatingVersion": version + 1, "extendToolbar": "默认"}


def refuse_call(page: Page, call: str, code: int, msg: str) -> None:
    """Refuse a call that the server refuses to nobody who is logged in."""
    answer = json.dumps({"code": code, "msg": msg, "data": None})
    page.route(
        f"**/{call}?*", lambda route: route.fulfill(status=code, body=answer, content_type="application/json")
    )


class TestVoiceBroadcast:
    def test_it_is_kept_on_the_server_and_off_when_the_server_refuses(
        self, seat: UserOpener, office: StationSetup
    ) -> None:
        """ "Voice broadcast: on or off, toggled and saved on the server (is_broadcast 1 or 0). A non-200 answer turns it
        off."
        """
        page = seat(office.station, timed=True).page
        toggle = page.get_by_role("button", name="语音播报", exact=True)
        expect(toggle).to_have_attribute("aria-pressed", "false")
        toggle.click()
        expect(page.get_by_text("设置成功")).to_be_visible()
        expect(toggle).to_have_attribute("aria-pressed", "true")
        asked = "v2/open/BroadcastVoice/getBroadcastVoice"
        assert require_data(office.caller(office.station).get(asked))["is_broadcast"] == 1
        refuse_call(page, "getBroadcastVoice", 400, "播报服务维护中")
        page.clock.run_for(5_100)
        expect(toggle).to_have_attribute("aria-pressed", "false")
        assert page.evaluate("localStorage.getItem('is_broadcast')") == "0"
        page.unroute_all(behavior="ignoreErrors")
        page.clock.run_for(5_100)
        expect(toggle).to_have_attribute("aria-pressed", "true")
        toggle.click()
        expect(toggle).to_have_attribute("aria-pressed", "false")


class TestTheme:
    def test_grey_or_normal_is_stored_locally(self, desks: DemoUserOpener) -> None:
        """ "Theme: grey or normal, stored locally. Default colour #409EFF." """
        page = desks("开单员", "/home").page
        assert page.evaluate("[localStorage.theme, localStorage.COLOR_THEME]") == ["normal", "#409EFF"]
        page.get_by_role("button", name="灰色主题").click()
        assert page.evaluate("getComputedStyle(document.documentElement).filter") == "grayscale(1)"
        page.reload()
        expect(page.get_by_role("button", name="灰色主题")).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="灰色主题").click()
        assert page.evaluate("[localStorage.theme, getComputedStyle(document.documentElement).filter]") == [
            "normal",
            "none",
        ]


class TestInitialisation:
    def test_each_upload_is_enabled_at_its_step(
        self, seat: UserOpener, office: StationSetup, books: Engine
    ) -> None:
        """ "System initialisation (is_initialization): 0 upload goods file; 1 goods processing; 2 upload stock file; 3 stock
        processing; 4 upload customer file; 5 customers processing; 6 done. Each upload button is enabled only at its
        step (goods at 0, stock at 2, customers at 4). The entry shows while the step is below 6. At 1, 3 or 5 the
        dialog polls every 5 s, otherwise it stops."
        """
        station = create_station(office)
        page = seat(station, timed=True).page
        asked = CallCounter(page)
        entry = page.get_by_role("button", name="系统初始化")
        buttons = {0: "上传商品文件", 2: "上传库存文件", 4: "上传客户文件"}
        for step in range(6):
            with books.begin() as conn:
                conn.execute(STATE, {"company": station.company_id, "state": step})
            page.reload()
            entry.click()
            for enabled_at, name in buttons.items():
                expect(page.get_by_role("button", name=name)).to_be_enabled(enabled=step == enabled_at)
            freeze_clock(page)
            asked.await_idle()
            if step in (1, 3, 5):
                asked.assert_periodic(5, "getSon2CompanyInfo")
            else:
                before = asked.count("getSon2CompanyInfo")
                page.clock.run_for(11_000)
                asked.await_idle()
                assert asked.count("getSon2CompanyInfo") == before
            page.clock.resume()
        with books.begin() as conn:
            conn.execute(STATE, {"company": station.company_id, "state": 6})
        page.reload()
        expect(page.get_by_role("button", name="版本切换")).to_be_visible()
        expect(entry).to_have_count(0)


STATE = text("""
insert into initialisation (company_id, state) values (:company, :state)
on conflict (company_id) do update set state = excluded.state
""")


class TestBrandList:
    def test_the_next_page_loads_near_the_bottom_until_the_last(self, desks: DemoUserOpener) -> None:
        """ "Unlimited-scroll brand list: loads the next page near the bottom and ends when last_page is not above
        current_page."
        """
        desk = desks("分公司经理")
        page = desk.page
        asked: list[str] = []
        page.on("request", lambda request: "Brand/getDropdown" in request.url and asked.append(request.url))
        desk.open("/system/goodsbase")
        with page.expect_response("**/*Brand/getDropdown?*") as first:
            page.get_by_role("combobox", name="品牌").click()
        last: int = first.value.json()["data"]["last_page"]
        assert last > 1 and "per_page=20" in asked[0]
        page.locator(".ant-select-item-option").first.hover()
        ends = time.monotonic() + PATIENCE
        while len(asked) < last:
            assert time.monotonic() < ends, f"page {len(asked) + 1} of {last} is not asked for"
            page.mouse.wheel(0, 3_000)
            page.wait_for_timeout(150)
        assert [re.search(r"[?&]page=(\d+)", url)[1] for url in asked[1:]] == [
            str(n) for n in range(2, last + 1)
        ]
        for _ in range(3):
            page.mouse.wheel(0, 3_000)
            page.wait_for_timeout(200)
        assert len(asked) == last, "after the last page nothing is asked"


class TestLogin:
    def test_it_stores_the_token_and_logout_clears_it(self, profile: Callable[[], BrowserUser]) -> None:
        """ "Login stores the token; logout clears the session and goes to /login." """
        (desk := profile()).log_in("开单员")
        page = desk.page
        keys = "['token', 'realname', 'company_name', 'role_id', 'user_id', 'company_id'].map(k => localStorage.getItem(k))"
        assert all(page.evaluate(keys))
        page.get_by_role("button", name=re.compile("当前用户")).click()
        page.get_by_text("退出登录").click()
        page.get_by_role("dialog").get_by_role("button", name="确定").click()
        page.wait_for_url("**/login")
        assert page.evaluate(keys) == [None] * 6


class TestUploadDialog:
    def test_one_file_is_chosen_confirmed_and_closed_or_back_to_ready(
        self, seat: UserOpener, office: StationSetup
    ) -> None:
        """ "Upload dialog: open, choose one file, confirm to submit, close on success; on failure the file returns to the
        ready state." And of section 8: "Upload network failure: 上传失败，请重试！".
        """
        page = seat(create_station(office)).page
        page.get_by_role("button", name="系统初始化").click()
        dialog = page.get_by_role("dialog", name="系统初始化")
        with page.expect_download() as download:
            dialog.get_by_role("button", name="下载模板").first.click()
        sheet = fill_template(
            download.value.path().read_bytes(), {"商品编码": "E2E-1", "商品名称": "测试轮胎"}
        )
        chosen = {"name": "goods.xlsx", "mimeType": "application/octet-stream", "buffer": sheet}
        dialog.get_by_label("选择商品文件").set_input_files(files=[chosen])
        expect(dialog.get_by_text(re.compile("共 1 行"))).to_be_visible()
        page.context.set_offline(True)
        dialog.get_by_role("button", name="确定上传").click()
        expect(page.get_by_text("上传失败，请重试！")).to_be_visible()
        expect(dialog.get_by_role("button", name="确定上传")).to_be_enabled()
        page.context.set_offline(False)
        dialog.get_by_role("button", name="确定上传").click()
        expect(dialog.get_by_text(re.compile("共 1 行"))).to_have_count(0)
        expect(dialog.get_by_role("button", name="上传商品文件")).to_be_disabled()


def fill_template(template: bytes, values: dict[str, str]) -> bytes:
    """Return a template with one row below its headings."""
    book = openpyxl.load_workbook(io.BytesIO(template))
    sheet = book.active
    assert sheet is not None
    headings = [str(cell.value).rstrip("*") for cell in sheet[1]]
    for row in sheet.iter_rows(min_row=2):
        for cell in row:
            cell.value = None
    for at, heading in enumerate(headings, 1):
        sheet.cell(2, at).value = values.get(heading)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()
