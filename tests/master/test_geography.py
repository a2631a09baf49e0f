"""Geography: every division of the country, choices narrowed by what lies above, and partners placed in it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from api.kit.declaration import registry
from tests.support.fixtures import Site
from tests.support.payloads import payload_of

COUNTS = {"country": 1, "province": 34, "city": 342, "area": 2978}


def list_level(site: Site, level: str, **query: Any) -> list[dict[str, Any]]:
    path = registry.get_resource(level).declaration.lookup
    answer = site.as_("clerk_a").get(path, per_page=500, **query)
    assert answer.ok, answer
    rows: list[dict[str, Any]] = answer.data
    return rows


def find_key(site: Site, level: str, name: str, **query: Any) -> int:
    [key] = [
        row[f"{level}_id"]
        for row in list_level(site, level, **{f"{level}_name": name}, **query)
        if row[f"{level}_name"] == name
    ]
    return int(key)


class TestDivisions:
    @pytest.mark.parametrize(("level", "count"), COUNTS.items())
    def test_all_are_loaded(self, site: Site, level: str, count: int) -> None:
        api = registry.get_resource(level).declaration.api
        assert site.as_("admin").get(f"{api}/getList", per_page=1).data["total"] == count

    def test_each_lies_where_its_code_says(self, conn: Connection) -> None:
        query = """
            select count(*) from area a join city c using (city_id) join province p using (province_id)
            where left(a.code, 4) <> c.code or left(c.code, 2) <> p.code
        """
        assert conn.exec_driver_sql(query).scalar_one() == 0

    def test_choices_are_narrowed_by_what_lies_above(self, site: Site) -> None:
        zhejiang = find_key(site, "province", "浙江省")
        cities = [row["city_name"] for row in list_level(site, "city", province_id=zhejiang)]
        assert len(cities) == 11
        assert {"杭州市", "宁波市", "温州市"} <= set(cities)
        hangzhou = find_key(site, "city", "杭州市", province_id=zhejiang)
        areas = list_level(site, "area", city_id=hangzhou)
        assert len(areas) == 13
        assert {row["province_name"] for row in areas} == {"浙江省"}

    def test_a_municipality_is_its_own_city(self, site: Site) -> None:
        beijing = find_key(site, "province", "北京市")
        [city] = list_level(site, "city", province_id=beijing)
        assert city["city_name"] == "北京市"
        assert len(list_level(site, "area", city_id=city["city_id"])) == 16


class TestPlace:
    @pytest.mark.parametrize("resource", ["customer", "supplier", "company"])
    def test_a_partner_answers_where_he_lies(self, site: Site, resource: str) -> None:
        cls, admin = registry.get_resource(resource), site.as_("admin")
        sent = {**payload_of(cls, site.world), "enabled": True}
        key = admin.post(f"{cls.declaration.api}/add", sent).data["id"]
        names = ("浙江省", "杭州市", "西湖区")
        for row in (
            admin.get(f"{cls.declaration.api}/getInfo", id=key).data,
            admin.get(f"{cls.declaration.api}/getDropdown", id=key).data["data"][0],
        ):
            assert tuple(row[f"{level}_name"] for level in ("province", "city", "area")) == names
        found = admin.get(f"{cls.declaration.api}/getList", city_id=site.world.city).data["data"]
        assert key in [row[cls.key().key] for row in found]

    def test_a_city_of_another_province_is_refused(self, site: Site) -> None:
        cls = registry.get_resource("customer")
        sent = {**payload_of(cls, site.world), "province_id": find_key(site, "province", "江苏省")}
        answer = site.as_("admin").post("v2/custom/Customer/add", sent)
        assert (answer.code, answer.data["failures"][0]["msg"]) == (400, "“市”与单据不匹配，请重新选择")

    def test_what_lies_below_keeps_a_place_from_being_deleted(self, site: Site) -> None:
        for level, key in (("province", site.world.province), ("city", site.world.city)):
            api = registry.get_resource(level).declaration.api
            answer = site.as_("admin").post(f"{api}/del", {"ids": [key]})
            assert (answer.code, answer.msg) == (400, "已被引用，不能删除")

    def test_who_may_not_change_places_is_refused(self, site: Site) -> None:
        assert site.as_("nobody").post("v2/system/City/edit", {"id": site.world.city}).code == 403
