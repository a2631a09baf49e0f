"""Text normalization (录入和查找的文字): full width, zero width and sizes written in any way find what is meant."""

from __future__ import annotations

import pytest

from api.kit.declaration import registry
from tests.master.test_masters import call_path
from tests.support.fixtures import Site
from tests.support.payloads import payload_of


class TestTyped:
    def test_zero_width_marks_are_no_part_of_a_name(self, site: Site) -> None:
        admin = site.as_("admin")
        made = admin.post(call_path("brand", "add"), {"brand_name": "\u200b 马牌\u200d轮胎\ufeff "})
        assert admin.get(call_path("brand", "getInfo"), id=made.data["id"]).data["brand_name"] == "马牌轮胎"

    @pytest.mark.parametrize("words", ["2055516", "20555r16", "205/55R16", "２０５５５１６", "\u200b2055516"])
    def test_goods_are_found_by_their_size_however_it_is_typed(self, site: Site, words: str) -> None:
        admin, body = site.as_("admin"), payload_of(registry.get_resource("goods"), site.world)
        body |= {"specification_type": "205/55R16", "shorthand_code": "", "enabled": True}
        made = admin.post(call_path("goods", "add"), body).data["id"]
        found = admin.get("v2/inventory/Goods/getGoodsListPopup", keyword=words).data["data"]
        assert made in [row["goods_id"] for row in found]

    def test_what_is_typed_in_full_width_finds_what_was_typed_so_or_is_meant_so(self, site: Site) -> None:
        admin = site.as_("admin")
        names = {"AB12（中国）", "AB12A"}
        for name in ("ＡＢ１２（中国）", "AB12A"):
            assert admin.post(call_path("brand", "add"), {"brand_name": name}).ok
        for asked in ({"keyword": "ＡＢ１２"}, {"brand_name": "ＡＢ１２"}):
            rows = admin.get(call_path("brand", "getList"), **asked).data["data"]
            assert {row["brand_name"] for row in rows} == names
        rows = admin.get(call_path("brand", "getDropdown"), keyword="ＡＢ１２（").data["data"]
        assert [row["brand_name"] for row in rows] == ["AB12（中国）"]

    def test_goods_stored_in_full_width_are_found_so(self, site: Site) -> None:
        admin, body = site.as_("admin"), payload_of(registry.get_resource("goods"), site.world)
        made = admin.post(call_path("goods", "add"), {**body, "goods_num": "ＺＫ９", "enabled": True}).data[
            "id"
        ]
        for asked in ({"keyword": "ＺＫ９"}, {"codes": "ＺＫ９"}):
            found = admin.get("v2/inventory/Goods/getGoodsListPopup", **asked).data["data"]
            assert [row["goods_id"] for row in found] == [made]
