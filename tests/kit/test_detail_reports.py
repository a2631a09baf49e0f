"""Detail reports: a bill type's lines with its headers' columns, within the same scope and masks as the bill."""

from __future__ import annotations

import pytest

from api.identity import rights
from api.kit.declaration import detail_reports, registry
from api.kit.declaration.goods_bills import GoodsBillLine
from api.master.goods.goods_scope import ScopeRow
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

DETAIL = "v2/inventory/OtherStorageDetail"


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    desk, world = BillClient(site), site.world
    desk.stock_in(world.oil, 9)
    lines = [{"goods_id": world.oil, "quantity": quantity} for quantity in ("1", "2")]
    desk.add_audited("other_outbound", *lines, reason="领用")
    desk.draft("other_outbound", {"goods_id": world.tube, "quantity": "5"}, reason="样品")
    there = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
    desk.draft("other_outbound", {"goods_id": world.oil, "quantity": "7"}, reason="样品", **there)
    return desk


class TestList:
    def test_lines_stand_with_their_headers_columns(self, desk: BillClient) -> None:
        found = desk.caller.get(f"{DETAIL}/getList", status="2", order_key="line_no", order_by="asc").data
        assert [(row["quantity"], row["cost_amount"]) for row in found["data"]] == [
            ("1.000", "100.00"),
            ("2.000", "200.00"),
        ]
        row = found["data"][0]
        assert (row["warehouse_name"], row["goods_name"], row["reason"]) == ("A仓", "机油 CI-4", "领用")
        assert found["totals"]["quantity"] == "3.000"

    def test_packs_are_columns_to_choose(self, desk: BillClient) -> None:
        packed = {"goods_id": desk.world.belt, "pack_unit_id": desk.world.carton, "pack_quantity": "2"}
        desk.draft("other_outbound", packed, reason="整箱")
        [row] = desk.caller.get(f"{DETAIL}/getList", reason="整箱").data["data"]
        told = ("pack_unit_name", "pack_quantity", "pack_factor", "quantity")
        assert tuple(row[name] for name in told) == ("箱", "2.000", "2.000", "4.000")
        screen = desk.caller.get("v2/Open/Screen/getScreen", route="/inventory/otherStockDetail").data
        fields = {
            field["name"]: (field["label"], field["list"]) for field in screen["fields"] if field["optional"]
        }
        assert fields == {
            "pack_unit_id": ("辅单位", True),
            "pack_quantity": ("件数", True),
            "pack_factor": ("换算率", True),
        }

    @pytest.mark.parametrize(
        ("query", "count"),
        [({"reason": "样品"}, 2), ({"business_date_start": "2026-03-06"}, 0), ({"keyword": "领用"}, 2)],
        ids=str,
    )
    def test_it_filters_by_header_and_line(self, desk: BillClient, query: dict[str, str], count: int) -> None:
        assert desk.caller.get(f"{DETAIL}/getList", **query).data["total"] == count

    def test_it_filters_by_goods(self, desk: BillClient) -> None:
        found = desk.caller.get(f"{DETAIL}/getList", goods_id=desk.world.tube).data
        assert [row["quantity"] for row in found["data"]] == ["5.000"]

    def test_a_row_opens_its_bill(self, site: Site, desk: BillClient) -> None:
        screen = desk.caller.get("v2/Open/Screen/getScreen", route="/inventory/otherStockDetail").data
        assert (screen["key"], screen["see_key"]) == ("line_id", "bill_id")
        assert screen["routes"]["see"] == "/inventory/othenoutstorageSee"
        row = desk.caller.get(f"{DETAIL}/getList").data["data"][0]
        assert desk.caller.get("v2/inventory/OtherStorage/getInfo", id=row["bill_id"]).ok


class TestScope:
    def test_another_companys_lines_stay_away(self, site: Site, desk: BillClient) -> None:
        rows = BillClient(site, "manager_a").caller.get(f"{DETAIL}/getList").data["data"]
        assert {row["company_id"] for row in rows} == {site.world.company_a}

    def test_cost_is_hidden_as_on_the_bill(self, site: Site, desk: BillClient) -> None:
        found = BillClient(site, "clerk_a").caller.get(f"{DETAIL}/getList", status="2").data
        assert {row["cost_amount"] for row in found["data"]} == {"无权限"}
        assert "cost_amount" not in found["totals"]

    @pytest.mark.parametrize("screen", ["other_outbound", "other_outbound_line"])
    def test_a_field_hidden_on_the_bill_is_hidden_here(
        self, site: Site, desk: BillClient, screen: str
    ) -> None:
        name = "reason" if screen == "other_outbound" else "price"
        assert ("other_outbound_detail", name) in detail_reports.extend_denied_fields([(screen, name)])
        with site.engine.begin() as conn:
            held = rights.read_role_grants(conn, site.world.role_manager_a)
            rights.replace_role_grants(
                conn, site.world.role_manager_a, held["rights"], held["companies"], [], [(screen, name)]
            )
        rows = BillClient(site, "manager_a").caller.get(f"{DETAIL}/getList").data["data"]
        assert {row[name] for row in rows} == {"无权限"}


class TestPlaces:
    def test_the_same_bill_stands_at_two_places(self, site: Site) -> None:
        for route, add in (
            ("/purchase/instorage", "/purchase/instorageAdd"),
            ("/inventory/purchaseinstorage", "/inventory/purchaseinstorageAdd"),
        ):
            screen = site.as_("admin").get("v2/Open/Screen/getScreen", route=route).data
            assert (screen["name"], screen["routes"]["add"]) == ("purchase_inbound", add)

    def test_every_detail_has_a_place_in_the_menu(self) -> None:
        found = [cls for cls in registry.list_resources() if issubclass(cls, detail_reports.DetailReport)]
        assert len(found) >= 6
        assert all(cls.declaration.menu and cls.declaration.see for cls in found)

    @pytest.mark.parametrize("trade", ["purchase", "sales"])
    def test_every_bill_and_policy_of_goods_that_are_bought_and_sold_has_one(self, trade: str) -> None:
        bills = (cls.bill for cls in registry.list_resources() if cls.__module__.startswith(f"api.{trade}."))
        of_goods = [
            bill
            for bill in bills
            if bill and bill.blocks and issubclass(bill.blocks[0].cls, GoodsBillLine | ScopeRow)
        ]
        assert [bill.prefix for bill in of_goods if not bill.detail] == []
