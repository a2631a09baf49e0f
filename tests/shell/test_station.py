"""The service station's header: counters from its own bills, broadcast, version, super-station activity."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from api.identity import passwords
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site
from tests.support.world import PASSWORD

LINE = {"quantity": "1", "price": "10", "tax_rate": "13"}
BADGES = "v2/open/SalesOutstock/getSalesOutListByType"


@pytest.fixture(scope="module")
def station(site: Site) -> BillClient:
    """The desk of company A's manager, whose company becomes a service station."""
    with site.engine.begin() as conn:
        conn.execute(
            text("update company set type = 3 where company_id = :a"), {"a": site.world.ids["company_a"]}
        )
        conn.execute(
            text("update user_account set password_hash = :hash where user_name = 'manager_a'"),
            {"hash": passwords.hash_password(PASSWORD)},
        )
    return BillClient(site, "manager_a")


def log_in(site: Site) -> dict[str, object]:
    answer = site.anonymous().post("v2/user/Login/login", {"user_name": "manager_a", "password": PASSWORD})
    assert answer.ok, answer
    system: dict[str, object] = answer.data["system"]
    return system


class TestCustomerService:
    def test_the_group_says_whom_stations_turn_to(self, site: Site) -> None:
        path = "v2/open/SuperStation/getCustomerService"
        assert site.as_("nobody").get(path).data == {"contact": "", "phone": "", "hours": ""}
        [row] = site.as_("admin").get("v2/system/GroupInfo/getList").data["data"]
        told = {"hotline": "400-820-8820", "service_contact": "周晓梅", "service_hours": "8:30–18:00"}
        key = {"id": row["group_info_id"]}
        assert site.as_("admin").post("v2/system/GroupInfo/edit", key | told).ok
        expected = {"contact": "周晓梅", "phone": "400-820-8820", "hours": "8:30–18:00"}
        assert site.as_("nobody").get(path).data == expected
        assert site.as_("admin").post("v2/system/GroupInfo/edit", key | {"service_phone": "13800138000"}).ok
        assert site.as_("nobody").get(path).data == expected | {"phone": "13800138000"}


class TestCounters:
    """Header counters (spec/1-shell.md 2, 7)."""

    def test_bills_of_the_own_company_that_wait_are_counted(self, site: Site, station: BillClient) -> None:
        mine, other = site.as_("manager_a"), site.as_("manager_b")
        before = mine.get("v2/open/SalesOutstock/getSalesOutstocksList").data
        bill = station.draft(
            "sales_outbound",
            {"goods_id": station.world.belt, **LINE},
            warehouse_id=station.world.ids["warehouse2_a"],
        )
        station.draft("sales_return", {"goods_id": station.world.oil, **LINE})
        now = mine.get("v2/open/SalesOutstock/getSalesOutstocksList").data
        assert now["count"] == before["count"] + 1
        assert now["not_refund_outstock_count"] == before["not_refund_outstock_count"] + 1
        assert other.get("v2/open/SalesOutstock/getSalesOutstocksList").data["count"] == 0
        assert site.as_("nobody").get("v2/open/SalesOutstock/getSalesOutstocksList").data["count"] == 0

        waiting = mine.get(BADGES, type=2).data
        assert waiting["count"] == now["count"]
        assert waiting["data"][0]["id"] == bill.id
        assert mine.get(BADGES, type=4).data["count"] == now["not_refund_outstock_count"]

    def test_an_audited_outbound_waits_for_its_money(self, site: Site, station: BillClient) -> None:
        mine = site.as_("manager_a")
        before = mine.get("v2/open/SalesOutstock/getSalesOutstocksList").data
        station.stock_in(station.world.tube, 5)
        station.add_audited("sales_outbound", {"goods_id": station.world.tube, **LINE})
        now = mine.get("v2/open/SalesOutstock/getSalesOutstocksList").data
        assert now["count"] == before["count"]
        assert now["unpaid_outstock_count"] == before["unpaid_outstock_count"] + 1

    def test_one_that_waits_too_long_has_timed_out(self, site: Site, station: BillClient) -> None:
        mine = site.as_("manager_a")
        bill = station.draft(
            "sales_outbound",
            {"goods_id": station.world.belt, **LINE},
            warehouse_id=station.world.ids["warehouse2_a"],
        )
        before = mine.get("v2/open/SalesOutstock/getSalesOutTimeoutCount").data["count"]
        with site.engine.begin() as conn:
            conn.execute(
                text(
                    "update sales_outbound set made_at = made_at - interval '3 hours' where bill_id = :bill"
                ),
                {"bill": bill.id},
            )
        assert mine.get("v2/open/SalesOutstock/getSalesOutTimeoutCount").data["count"] == before
        company = {"company_id": site.world.ids["company_a"], "timeout_hours": 2}
        assert site.as_("admin").post("v2/system/StationSetting/add", company).ok
        assert mine.get("v2/open/SalesOutstock/getSalesOutTimeoutCount").data["count"] == before + 1

    def test_a_changed_guide_price_is_told(self, site: Site, station: BillClient) -> None:
        mine, company = site.as_("manager_a"), site.world.ids["company_a"]
        path = "v2/open/GoodsPrice/getGoodsChainPriceNumber"
        before = mine.get(path, company_id=company).data
        assert before["total"] >= 1
        changed = {"id": site.world.ids["company_tube_a"], "sale_price": "131"}
        assert site.as_("admin").post("v2/system/CompanyGoods/edit", changed).ok
        assert mine.get(path).data["goods_price_change"] == before["goods_price_change"] + 1
        assert site.as_("manager_b").get(path, company_id=company).data == {
            "total": 0,
            "goods_price_change": 0,
        }

    def test_lines_out_of_stock_are_told_and_can_be_deleted(self, site: Site, station: BillClient) -> None:
        """Of what others of the group have free only whether it is enough."""
        mine, world, at = site.as_("manager_a"), site.world, "service_station/purchase/ShoppingCart"
        other = {"company_id": world.ids["company_b"], "warehouse_id": world.ids["warehouse_b"]}
        BillClient(site).add_audited(
            "other_inbound", {"goods_id": world.spares[7], "quantity": "4", "price": "10"}, **other
        )
        keys = {}
        for goods, many in ((world.spares[7], "4"), (world.spares[8], "1")):
            body = {"company_id": world.company_a, "goods_id": goods, "quantity": many}
            keys[goods] = mine.post(f"{at}/add", body).data["id"]
        checked = {row["goods_id"]: row for row in mine.get(f"{at}/goodsCheck").data}
        told = [(checked[goods]["is_out_of_stock"], checked[goods]["reason"]) for goods in keys]
        assert told == [(0, "有货"), (1, "缺货")]
        assert "available_stocks" not in checked[world.spares[7]]
        answer = mine.post(f"{at}/delOutOfStock", {"ids": list(keys.values())})
        assert answer.data["success"] == [keys[world.spares[8]]]
        [failure] = answer.data["failures"]
        assert failure["msg"].endswith("有货，没有删除")
        assert mine.post(f"{at}/delete", {"ids": [keys[world.spares[7]]]}).ok
        assert site.as_("nobody").get(f"{at}/goodsCheck").code == 403

    def test_the_cart_is_the_companys(self, site: Site, station: BillClient) -> None:
        mine, path = site.as_("manager_a"), "v2/open/ShoppingCart/newGetCartTabCount"
        wanted = {
            "company_id": site.world.ids["company_a"],
            "goods_id": site.world.oil,
            "quantity": "2",
        }
        assert mine.post("service_station/purchase/ShoppingCart/add", wanted).ok
        assert mine.get(path).data == {"cart_count": 1}
        assert site.as_("manager_b").get(path).data == {"cart_count": 0}
        opened = mine.get("open/RequestOpen/getRequestOpenList", code="shoppingCart").data
        assert (opened["is_role"], opened["service_company_type"]) == ("Y", 1)
        assert (
            site.as_("nobody").get("open/RequestOpen/getRequestOpenList", code="shoppingCart").data["is_role"]
            == "N"
        )


class TestBroadcast:
    def test_it_is_switched_for_oneself_and_names_the_newest_bill(
        self, site: Site, station: BillClient
    ) -> None:
        mine = site.as_("manager_a")
        assert mine.get("v2/open/BroadcastVoice/getBroadcastVoice").data["is_broadcast"] == 0
        assert mine.post("v2/open/BroadcastVoice/setIsBroadcast", {"is_broadcast": 1}).ok
        bill = station.draft(
            "sales_outbound",
            {"goods_id": station.world.belt, **LINE},
            warehouse_id=station.world.ids["warehouse2_a"],
        )
        told = mine.get(
            "v2/open/BroadcastVoice/getBroadcastVoice", user_id=site.world.ids["user_manager_a"]
        ).data
        assert (told["is_broadcast"], told["latest_id"]) == (1, bill.id)
        assert "A客户" in told["content"] and told["jybd_mp3_url"].endswith(".mp3")
        other = site.as_("clerk_a").get(
            "v2/open/BroadcastVoice/getBroadcastVoice", user_id=site.world.ids["user_manager_a"]
        )
        assert other.data["is_broadcast"] == 0, "whatever is asked, it is one's own"
        assert not mine.post("v2/open/BroadcastVoice/setIsBroadcast", {"is_broadcast": 2}).ok


class TestVersion:
    def test_the_saved_version_is_the_next_logins(self, site: Site, station: BillClient) -> None:
        assert log_in(site) == {"type": 1, "operatingVersion": 1, "extendToolbar": "默认"}
        assert site.as_("manager_a").post("v2/open/User/serviceStationSetUpVersion", {"version": 1}).ok
        assert log_in(site)["operatingVersion"] == 2
        assert not site.as_("manager_a").post("v2/open/User/serviceStationSetUpVersion", {"version": 2}).ok


class TestSuperStation:
    def test_progress_is_what_was_bought_and_audited_in_the_period(
        self, site: Site, station: BillClient
    ) -> None:
        mine, admin, path = (
            site.as_("manager_a"),
            site.as_("admin"),
            "v2/open/SuperStation/getSuperStationConfig",
        )
        assert mine.get(path).data is None
        activity = admin.post(
            "v2/system/SuperStation/add",
            {
                "super_station_name": "年度冲刺",
                "start_date": "2020-01-01",
                "end_date": "2099-12-31",
                "rule_desc": "按审核的采购入库计算",
            },
        ).data["id"]
        before = float(mine.get(path).data["purchase_amount"])
        for amount, name in ((before + 1000, "二档"), (before + 100, "一档")):
            tier = {"purchase_amount": str(amount), "reward_name": name, "reward_value": "返利"}
            assert admin.post("v2/system/SuperStationReward/add", {"super_station_id": activity, **tier}).ok
        draft = station.draft("purchase_inbound", {"goods_id": site.world.oil, **LINE, "quantity": "20"})
        assert float(mine.get(path).data["purchase_amount"]) == before, "a draft doesn't count"
        assert station.apply_action("auditorPass", draft).ok
        found = mine.get(path).data
        assert float(found["purchase_amount"]) == before + 200
        assert [tier["reward_name"] for tier in found["rewardList"]] == ["一档", "二档"]
        assert found["reward_key"] == 1
        assert float(found["target_diff_amount"]) == 800
