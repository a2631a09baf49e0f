"""地图: the provider's page is for users alone, reaches its provider alone, and without a key there is none."""

from __future__ import annotations

import re

import pytest

from api.kit.settings import PROJECT_DIR, SettingError, read_settings
from tests.support.api_document import find_schema_errors
from tests.support.fixtures import Site

PAGE, REGIONS = "v2/open/Map/getPage", "v2/open/Map/getRegions"
KEY, CODE = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERP_MAP_KEY", KEY)
    monkeypatch.setenv("ERP_MAP_CODE", CODE)


class TestPage:
    def test_it_loads_the_provider_by_the_key_with_each_plugin(self, site: Site, keyed: None) -> None:
        page = site.as_("nobody").raw("GET", PAGE)
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        [address] = re.findall(r"script\.src = '([^']+)'", page.text)
        assert address.startswith(f"https://webapi.amap.com/maps?v=2.0&key={KEY}&plugin=")
        assert set(address.rsplit("=", 1)[1].split(",")) == {
            *("AMap.PlaceSearch", "AMap.Driving", "AMap.Geocoder", "AMap.MouseTool"),
            *("AMap.DistrictSearch", "AMap.Geolocation"),
        }
        assert f"securityJsCode: '{CODE}'" in page.text
        assert "{{" not in page.text

    def test_it_runs_without_an_origin_and_reaches_its_provider_alone(self, site: Site, keyed: None) -> None:
        page = site.as_("nobody").raw("GET", PAGE)
        policy = page.headers["content-security-policy"].split("; ")
        assert "sandbox allow-scripts" in policy
        given = dict(one.split(" ", 1) for one in policy)
        assert given["default-src"] == "'none'"
        hosts = {word for words in given.values() for word in words.split() if "." in word}
        assert hosts == {"https://*.amap.com", "https://*.autonavi.com"}
        [nonce] = re.findall(r"'nonce-([^']+)'", given["script-src"])
        assert "'unsafe-inline'" not in given["script-src"]
        assert f'<script nonce="{nonce}">' in page.text
        # In the web's frame, into which the page is written, its own policy is the one that holds.
        assert f'content="{"; ".join(policy[:-1])}"' in page.text
        again = site.as_("nobody").raw("GET", PAGE).text
        assert nonce not in again
        assert page.headers["cache-control"] == "no-store"

    def test_nobody_else_is_given_the_key(self, site: Site, keyed: None) -> None:
        page = site.anonymous().raw("GET", PAGE)
        assert page.status_code == 401
        assert KEY not in page.text
        assert CODE not in page.text

    def test_without_a_key_there_is_none(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("ERP_MAP_KEY", raising=False)
        refused = site.as_("nobody").get(PAGE)
        assert (refused.code, refused.msg) == (400, "没有配置地图服务")

    def test_what_is_no_key_is_told_at_the_start(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ERP_MAP_KEY", "'</script>")
        with pytest.raises(SettingError, match="ERP_MAP_KEY 应由字母和数字组成"):
            read_settings()


class TestRegions:
    def test_every_district_in_its_city_with_its_initials(self, site: Site) -> None:
        answer = site.as_("nobody").get(REGIONS)
        assert find_schema_errors("get", REGIONS, answer) == []
        provinces = {one["name"]: one for one in answer.data}
        assert len(provinces) == 34
        [hangzhou] = [one for one in provinces["浙江省"]["cities"] if one["name"] == "杭州市"]
        assert [one["initials"].split()[0] for one in hangzhou["areas"] if one["name"] == "西湖区"] == ["XHQ"]
        [shanghai] = provinces["上海市"]["cities"]
        [minhang] = [one for one in shanghai["areas"] if one["name"] == "闵行区"]
        assert "MHQ" in minhang["initials"].split()

    def test_what_is_out_of_use_is_not_offered(self, site: Site) -> None:
        admin = site.as_("admin")
        [area] = admin.get("v2/system/Area/getList", area_name="滨江区").data["data"]
        assert admin.post("v2/system/Area/edit", {"id": area["area_id"], "enabled": False}).ok
        assert "滨江区" not in str(admin.get(REGIONS).data)

    def test_a_district_is_found_by_initials_in_a_field_too(self, site: Site) -> None:
        found = site.as_("admin").get("v2/system/Area/getDropdown", keyword="MHQ").data["data"]
        assert "闵行区" in [one["area_name"] for one in found]

    def test_nobody_else_is_told(self, site: Site) -> None:
        assert site.anonymous().get(REGIONS).code == 401


PLACES = {
    **{
        "/custom/customerinfo_add": "address",
        "/system/supplier": "address",
        "/system/repertorymanage": "address",
    },
    **{"/system/company": "address", "/system/companyinfo": "address", "/system/logisticscompany": "address"},
    **{"/system/newsupplier": "address", "/custom/customaddress": "address"},
    "/sales/salesdelieverySee": "customer_address_id",
}


@pytest.mark.parametrize("route", PLACES)
def test_addresses_are_places(site: Site, route: str) -> None:
    fields = site.as_("admin").get("v2/Open/Screen/getScreen", route=route).data["fields"]
    assert [one["name"] for one in fields if one["place"]] == [PLACES[route]]


def test_the_shell_itself_loads_no_script_of_others() -> None:
    """They run in pages of their own, where neither token nor records are."""
    assert "http" not in (PROJECT_DIR / "web/index.html").read_text("utf-8")
    loading = [
        one.name
        for one in (PROJECT_DIR / "web/src").rglob("*.ts*")
        if "createElement('script')" in one.read_text("utf-8")
    ]
    assert loading == []
