"""Naming rules: a goods without a name gets one, a type's goods are renamed after a look, one by one in the log."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.client import Answer
from tests.support.fixtures import Site

GOODS, RULE, PREVIEW = "v2/system/Goods", "v2/system/NamingRule", "v2/system/GoodsRenaming"


class GoodsTypeTree:
    """A tree of types of the test's own, and goods in it."""

    def __init__(self, site: Site, mark: str) -> None:
        self.site, self.mark, self.admin = site, mark, site.as_("admin")
        self.top = self.add_type(f"{mark}顶", 1)
        self.low = self.add_type(f"{mark}底", 2, self.top)

    def add_type(self, name: str, level: int, parent: int | None = None) -> int:
        body = {"goods_type_name": name, "level": level, "p_id": parent}
        key: int = self.admin.post("v2/system/GoodsType/add", body).data["id"]
        return key

    def add_rule(self, kind: int, *parts: int, **more: Any) -> Answer:
        places = {f"part{at}": part for at, part in enumerate([*parts, *[0] * (6 - len(parts))], 1)}
        return self.admin.post(
            f"{RULE}/add",
            {"naming_rule_name": f"{self.mark}{kind}{parts}", "goods_type_id": kind, **places, **more},
        )

    def add_goods(self, code: str, **more: Any) -> Answer:
        body = {"goods_num": f"{self.mark}{code}", "goods_type_id": self.low, "unit_id": self.site.world.unit}
        return self.admin.post(f"{GOODS}/add", {**body, **more})

    def read_goods(self, key: int) -> dict[str, Any]:
        found: dict[str, Any] = self.admin.get(f"{GOODS}/getInfo", id=key).data
        return found


TYRE = {"specification_type": "295/80R22.5", "pattern": "XZE2", "load_index": "152/149", "speed_index": "M"}


class TestAdd:
    def test_a_name_is_made_of_the_parts_in_their_order(self, site: Site) -> None:
        types = GoodsTypeTree(site, "甲")
        assert types.add_rule(types.low, 1, 2, 3, 6).ok
        key = types.add_goods("1", brand_id=site.world.brand, **TYRE).data["id"]
        assert types.read_goods(key)["goods_name"] == "米其林 295/80R22.5 XZE2 152/149M"
        assert types.read_goods(key)["logogram"] == "MQL295/80R22.5XZE2152/149M MJL295/80R22.5XZE2152/149M"

    def test_a_part_without_value_is_left_out(self, site: Site) -> None:
        types = GoodsTypeTree(site, "乙")
        assert types.add_rule(types.low, 3, 1, 2, separator=2).ok
        key = types.add_goods("1", brand_id=-1, specification_type="11.00R20").data["id"]
        assert (types.read_goods(key)["goods_name"], types.read_goods(key)["brand_id"]) == ("11.00R20", None)

    def test_the_nearest_rule_counts(self, site: Site) -> None:
        types = GoodsTypeTree(site, "丙")
        assert types.add_rule(types.top, 2, 7, separator=3).ok
        first = types.add_goods("1", **TYRE).data["id"]
        assert types.read_goods(first)["goods_name"] == "295/80R22.5/丙底"
        assert types.add_rule(types.low, 3).ok
        second = types.add_goods("2", **TYRE).data["id"]
        assert types.read_goods(second)["goods_name"] == "XZE2"

    def test_a_given_name_stays(self, site: Site) -> None:
        types = GoodsTypeTree(site, "丁")
        assert types.add_rule(types.low, 2).ok
        key = types.add_goods("1", goods_name="自己起的名", **TYRE).data["id"]
        assert types.read_goods(key)["goods_name"] == "自己起的名"

    @pytest.mark.parametrize(
        ("ruled", "said"),
        [
            (False, "请输入商品名称，该商品类型没有命名规则"),
            (True, "请输入商品名称，命名规则的各组成部分都没有填写"),
        ],
    )
    def test_without_name_and_parts_it_is_refused(self, site: Site, ruled: bool, said: str) -> None:
        types = GoodsTypeTree(site, f"戊{ruled}")
        assert not ruled or types.add_rule(types.low, 2, 3).ok
        answer = types.add_goods("1")
        assert (answer.code, answer.msg) == (400, said)


class TestRule:
    @pytest.mark.parametrize(
        ("parts", "said"), [((), "请至少选择一个组成部分"), ((1, 2, 1), "组成部分不能重复")]
    )
    def test_what_makes_no_name_is_refused(self, site: Site, parts: tuple[int, ...], said: str) -> None:
        types = GoodsTypeTree(site, f"己{len(parts)}")
        assert types.add_rule(types.low, *parts).msg == said

    def test_a_type_has_one_that_is_enabled(self, site: Site) -> None:
        types = GoodsTypeTree(site, "庚")
        assert types.add_rule(types.low, 1).ok
        assert types.add_rule(types.low, 2).msg == "商品类型已存在，请更换"
        assert types.add_rule(types.low, 2, enabled=False).ok


class TestRename:
    def list_previewed(self, types: GoodsTypeTree, rule: int) -> dict[str, tuple[str, str]]:
        rows = types.admin.get(f"{PREVIEW}/getList", naming_rule_id=rule, per_page=500).data["data"]
        return {row["goods_num"]: (row["goods_name"], row["new_name"]) for row in rows}

    def test_goods_are_shown_first_and_renamed_when_chosen(self, site: Site) -> None:
        types = GoodsTypeTree(site, "辛")
        old = [
            types.add_goods(str(n), goods_name=f"旧名{n}", specification_type=f"R{n}").data["id"]
            for n in range(3)
        ]
        own = types.add_goods("9", goods_name="旧名9", specification_type="R9", logogram="WOXIE").data["id"]
        rule = types.add_rule(types.low, 2, 10).data["id"]
        assert self.list_previewed(types, rule) == {
            f"辛{n}": (f"旧名{n}", f"R{n} 辛{n}") for n in (0, 1, 2, 9)
        }
        assert types.read_goods(old[0])["goods_name"] == "旧名0", "looking changes nothing"
        answer = types.admin.post(f"{PREVIEW}/rename", {"ids": [old[0], own]})
        assert answer.data == {"success": [old[0], own], "failures": []}
        assert [types.read_goods(key)["goods_name"] for key in old] == ["R0 辛0", "旧名1", "旧名2"]
        assert (types.read_goods(old[0])["logogram"], types.read_goods(own)["logogram"]) == ("R0X0", "WOXIE")
        assert set(self.list_previewed(types, rule)) == {"辛1", "辛2"}
        log = types.admin.get(f"{GOODS}/getLog", id=old[0]).data
        assert (log[0]["before"]["goods_name"], log[0]["after"]["goods_name"]) == ("旧名0", "R0 辛0")

    def test_a_goods_that_fits_its_rule_is_told_so(self, site: Site) -> None:
        types = GoodsTypeTree(site, "壬")
        types.add_rule(types.low, 2)
        key = types.add_goods("1", specification_type="R1").data["id"]
        answer = types.admin.post(f"{PREVIEW}/rename", {"ids": [key]})
        assert (answer.code, answer.msg) == (400, "名称已符合规则，或没有命名规则")

    def test_it_takes_the_right(self, site: Site) -> None:
        assert site.as_("nobody").post(f"{PREVIEW}/rename", {"ids": [site.world.oil]}).code == 403


class TestLookups:
    def test_types_are_read_level_by_level(self, site: Site) -> None:
        types, clerk = GoodsTypeTree(site, "癸"), site.as_("clerk_a")

        def below(key: int | None) -> dict[int, tuple[str, bool]]:
            rows = clerk.get("open/GoodsType/getGoodsTypeList", p_id=key).data
            assert all(row["sub"] == [] for row in rows)
            return {row["goods_type_id"]: (row["goods_type_name"], row["is_leaf"]) for row in rows}

        assert below(None)[types.top] == ("癸顶", False)
        assert below(types.top) == {types.low: ("癸底", True)}
        assert below(types.low) == {}

    def test_goods_come_page_by_page(self, site: Site) -> None:
        """spec/3-rules.md 7.1: goods_name, page, per_page 30; reads data, last_page, current_page."""
        query = {"goods_name": "备件", "per_page": 30}
        first = site.as_("clerk_a").get("open/Goods/getGoodsListDropdown", page=1, **query).data
        second = site.as_("clerk_a").get("open/Goods/getGoodsListDropdown", page=2, **query).data
        assert (first["current_page"], second["current_page"], first["last_page"]) == (1, 2, 2)
        keys = {row["goods_id"] for row in (*first["data"], *second["data"])}
        assert keys == set(site.world.spares)

    def test_goods_without_a_brand_are_found(self, site: Site) -> None:
        rows = site.as_("admin").get(f"{GOODS}/getList", brand_id=-1, per_page=500).data["data"]
        assert set(site.world.spares) <= {row["goods_id"] for row in rows}
        assert {row["brand_id"] for row in rows} == {None}

    def test_a_company_goods_leads_to_the_groups(self, site: Site) -> None:
        path, key = "open/Goods/getLibraryGoods", site.world.company_tube_a
        assert site.as_("manager_a").get(path, inventory_goods_id=key).data["goods_id"] == site.world.tube
        assert site.as_("manager_b").get(path, inventory_goods_id=key).code == 400
