"""地图: a provider's script fills in an address and sees nothing else; where it can't be reached, the own regions do."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Frame, Page, Route, expect

from tests.e2e.conftest import MAP_KEY, START_SECONDS, BrowserUser, DemoUserOpener
from tests.e2e.station_setup import StationSetup, require_data

pytestmark = pytest.mark.timeout(START_SECONDS + 300)
SCRIPT = Path(__file__).with_name("map_provider.js").read_text("utf-8")
OUTSIDE = (r"amap\.com", r"autonavi\.com", r"elsewhere\.example")


@pytest.fixture
def biller(desks: DemoUserOpener) -> BrowserUser:
    return desks("开单员")


def serve_provider(page: Page, script: str | None) -> list[str]:
    """Answer the provider's script, or let it be out of reach; return the requests to other hosts."""
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if script is None or "webapi.amap.com" not in route.request.url:
            route.abort()
        else:
            route.fulfill(content_type="application/javascript", body=script)

    page.context.route(re.compile("|".join(OUTSIDE)), answer)
    return asked


def map_frame(page: Page) -> Frame:
    handle = page.locator("iframe[title=地图]").element_handle()
    frame = handle.content_frame() if handle else None
    assert frame
    return frame


def fill_address(page: Page) -> None:
    page.get_by_role("dialog", name="地图").get_by_role("button", name="填入").click()


def test_a_place_on_the_map_fills_in_a_customer(biller: BrowserUser, office: StationSetup) -> None:
    page, name = biller.page, f"地图客户{time.time_ns()}"
    asked = serve_provider(page, SCRIPT)
    biller.open("/custom/customerinfo_add")
    page.get_by_label("客户名称").fill(name)
    assert asked == []
    page.get_by_role("button", name="地图").click()
    dialog = page.get_by_role("dialog", name="地图")
    dialog.get_by_label("查找地点").fill("创业中心")
    dialog.get_by_role("button", name="查找").click()
    dialog.get_by_role("button", name="创业中心").click()
    expect(dialog.get_by_text("浙江省杭州市西湖区 文三路199号创业中心")).to_be_visible()
    [script] = asked
    assert script.startswith(f"https://webapi.amap.com/maps?v=2.0&key={MAP_KEY}&plugin=AMap.PlaceSearch")

    frame = map_frame(page)
    frame.wait_for_function("stolen.refused.length >= 2")
    stolen = frame.evaluate("stolen")
    refused = {address.removeprefix(biller.address) for address in stolen.pop("refused")}
    assert stolen == {
        **{"origin": "null", "document": "SecurityError", "storage": "SecurityError", "top": "SecurityError"},
        **{"own storage": "0", "cookie": "", "window": "null"},
    }
    assert page.evaluate("localStorage.getItem('token')")
    assert refused == {"/v2/open/Map/getRegions", "https://elsewhere.example/?token"}
    assert asked == [script]
    assert page.url == f"{biller.address}/custom/customerinfo_add"

    fill_address(page)
    expect(page.get_by_label("详细地址")).to_have_value("文三路199号创业中心")
    expect(page.get_by_text("地图所选")).to_have_count(4)
    page.keyboard.press("Control+s")
    page.wait_for_url(re.compile(r"/custom/customerinfo(_search.*)?$"))
    [saved] = require_data(office.admin.get("v2/custom/Customer/getList", customer_name=name))["data"]
    assert [saved[field] for field in ("province_name", "city_name", "area_name", "address")] == [
        *("浙江省", "杭州市", "西湖区", "文三路199号创业中心")
    ]

    biller.open(f"/custom/customerinfo_search?id={saved['customer_id']}")
    page.get_by_role("button", name="地图").click()
    frame = map_frame(page)
    frame.wait_for_function("asked.length > 0")
    assert frame.evaluate("asked") == [["Geocoder", "浙江省杭州市西湖区文三路199号创业中心"]]
    page.get_by_role("switch", name="测距").click()
    frame.wait_for_function("asked.length > 1")
    assert frame.evaluate("asked[1]") == ["MouseTool", "rule"]
    house = {"warehouse_name": f"出发仓{name}", "company_id": saved["company_id"], "address": "康桥路1号"}
    require_data(office.admin.post("v2/system/Warehouse/add", house))
    page.get_by_role("combobox", name="出发仓库").fill(house["warehouse_name"])
    page.get_by_title(house["warehouse_name"]).click()
    expect(page.get_by_text("驾车 12.3 公里，约 25 分钟")).to_be_visible()
    assert frame.evaluate("asked.slice(2, 4)") == [
        *(["Geocoder", "康桥路1号"], ["Geocoder", "浙江省杭州市西湖区文三路199号创业中心"])
    ]


def test_a_click_on_the_map_is_a_place_and_so_is_where_one_is(biller: BrowserUser) -> None:
    page = biller.page
    serve_provider(page, SCRIPT)
    biller.open("/custom/customerinfo_add")
    page.get_by_role("button", name="地图").click()
    expect(page.get_by_label("查找地点")).to_be_enabled()
    page.frame_locator("iframe[title=地图]").locator("#map").click()
    expect(page.get_by_text("上海市闵行区 莘松路380号")).to_be_visible()
    fill_address(page)
    expect(page.get_by_label("详细地址")).to_have_value("莘松路380号")

    page.get_by_label("详细地址").fill("")
    page.context.grant_permissions(["geolocation"])
    page.context.set_geolocation({"longitude": 121.4, "latitude": 31.1})
    page.get_by_role("button", name="地图").click()
    frame = map_frame(page)
    frame.wait_for_function("asked.length > 0")
    assert frame.evaluate("asked") == [["DistrictSearch", "310112"]]
    page.get_by_role("button", name="定位").click()
    expect(page.get_by_text("上海市闵行区 莘松路380号")).to_be_visible()
    assert frame.evaluate("asked[1]") == ["convertFrom", "gps"]


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)], ids=lambda size: str(size[0]))
def test_without_its_provider_a_district_is_chosen_among_the_own(
    biller: BrowserUser, size: tuple[int, int]
) -> None:
    page = biller.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    serve_provider(page, None)
    biller.open("/custom/customerinfo_add")
    page.get_by_role("button", name="地图").click()
    dialog = page.get_by_role("dialog", name="地图")
    expect(dialog.get_by_text("地图服务没有加载成功")).to_be_visible()
    expect(dialog.get_by_role("img", name="中国地图").locator("path").first).to_be_visible()
    dialog.get_by_label("查找地区").fill("mhq")
    dialog.get_by_role("button", name="上海市闵行区").click()
    fill_address(page)
    expect(page.locator("[data-field=area_id]").get_by_text("闵行区")).to_be_visible()
    expect(page.get_by_text("地图所选")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
