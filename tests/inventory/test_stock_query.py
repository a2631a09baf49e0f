"""Stock queries: figures by warehouse and by place, now and as of a day, tied to the ledger and cut to one's scope."""

from __future__ import annotations

import inspect
from decimal import Decimal
from typing import Any

import pytest

from tests.support.bill_client import BillClient, PostingReader
from tests.support.declared_types import DECLARED
from tests.support.fixtures import Site

SUMMARY, DETAIL = "v2/inventory/InventorySummer", "v2/inventory/InventoryGoods"


@pytest.fixture(scope="module", autouse=True)
def moves(desk: BillClient) -> None:
    """In January 10 at 100 come in, in February 4 leave, in March 6 come in at 200 under a location; 2 are ordered."""
    goods, world = desk.world.spares[0], desk.world
    desk.stock_in(goods, 10, business_date="2026-01-10")
    desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "4"}, business_date="2026-02-10")
    desk.stock_in(goods, 6, "226", business_date="2026-03-10", allocation_id=world.allocation_a)
    line = {"goods_id": goods, "quantity": "2", "price": "10", "tax_rate": "13"}
    desk.add_audited("sales_order", line, business_date="2026-03-12")
    desk.stock_in(goods, 3, business_date="2026-03-11", **_company_b(desk))


def _company_b(desk: BillClient) -> dict[str, Any]:
    return {"company_id": desk.world.company_b, "warehouse_id": desk.world.warehouse_b}


def list_rows(site: Site, path: str, user: str = "admin", **query: Any) -> list[dict[str, Any]]:
    answer = site.as_(user).get(f"{path}/getList", goods_id=site.world.spares[0], **query)
    assert answer.ok, answer
    found: list[dict[str, Any]] = answer.data["data"]
    return found


def format_figures(found: list[dict[str, Any]], *names: str) -> list[tuple[str, ...]]:
    return [tuple(f"{Decimal(row[name]).normalize():f}" for name in names) for row in found]


class TestManyGoods:
    """Stock of many goods, as integrations read it."""

    def get_stocks(self, site: Site, user: str, **more: Any) -> list[tuple[Any, ...]]:
        world = site.world
        wanted = {"goods_ids": [world.spares[0], world.spares[49]], **more}
        found = site.as_(user).post("v2/inventory/Stock/getStocks", wanted).data
        assert {row["goods_id"] for row in found} <= {world.spares[0]}, "what never lay anywhere is absent"
        names = ("stocks", "reserved", "frozen", "available_stocks")
        return [(row["warehouse_id"], *map(Decimal, (row[name] for name in names))) for row in found]

    def test_by_warehouse_within_ones_scope(self, site: Site) -> None:
        world = site.world
        theirs, others = (world.warehouse_a, 12, 2, 0, 10), (world.warehouse_b, 3, 0, 0, 3)
        assert self.get_stocks(site, "admin") == sorted([theirs, others])
        assert self.get_stocks(site, "admin", warehouse_ids=[world.warehouse_b]) == [others]
        assert self.get_stocks(site, "clerk_a") == [theirs]


class TestSummary:
    def test_the_present_by_warehouse(self, site: Site) -> None:
        found = list_rows(site, SUMMARY, warehouse_id=site.world.warehouse_a)
        names = ("quantity", "reserved", "frozen", "available_stocks", "unit_cost", "amount")
        assert format_figures(found, *names) == [("12", "2", "0", "10", "150", "1800")]
        assert found[0]["goods_num"] == "SPARE0"

    @pytest.mark.parametrize(
        ("day", "expected"),
        [
            ("2026-01-09", []),
            ("2026-01-10", [("10", "0", "100", "1000")]),
            ("2026-02-10", [("6", "0", "100", "600")]),
            ("2026-03-11", [("12", "0", "150", "1800")]),
            ("2026-03-12", [("12", "2", "150", "1800")]),
        ],
    )
    def test_the_end_of_a_day(self, site: Site, day: str, expected: list[tuple[str, ...]]) -> None:
        found = list_rows(site, SUMMARY, warehouse_id=site.world.warehouse_a, as_of_end=day)
        live = [row for row in found if Decimal(row["quantity"])]
        assert format_figures(live, "quantity", "reserved", "unit_cost", "amount") == expected

    def test_a_day_to_come_is_now(self, site: Site) -> None:
        now = list_rows(site, SUMMARY, as_of_end="2099-12-31")
        assert format_figures(now, "quantity") == format_figures(list_rows(site, SUMMARY), "quantity")

    def test_totals_cover_the_whole_filter(self, site: Site) -> None:
        answer = site.as_("admin").get(f"{SUMMARY}/getList", goods_id=site.world.spares[0], per_page=1)
        assert answer.data["total"] == 2
        assert Decimal(answer.data["totals"]["quantity"]) == 15
        assert Decimal(answer.data["totals"]["amount"]) == 2100

    @pytest.mark.parametrize("keyword", ["SPARE0", "备件0"])
    def test_goods_are_found_by_what_they_are_known_by(self, site: Site, keyword: str) -> None:
        answer = site.as_("admin").get(f"{SUMMARY}/getList", keyword=keyword)
        assert {row["goods_num"] for row in answer.data["data"]} == {"SPARE0"}

    def test_a_branch_sees_its_own_and_no_cost(self, site: Site) -> None:
        found = list_rows(site, SUMMARY, "clerk_a")
        assert {row["warehouse_name"] for row in found} == {"A仓"}
        assert {row["unit_cost"] for row in found} == {"无权限"}
        for call in ("getList", "getTotals"):
            totals = site.as_("clerk_a").get(f"{SUMMARY}/{call}").data["totals"]
            assert "amount" not in totals
        answer = site.as_("clerk_a").get(f"{SUMMARY}/getList", order_key="amount")
        assert answer.code == 400

    def test_a_keeper_sees_his_warehouse_alone(self, site: Site, desk: BillClient) -> None:
        desk.stock_in(desk.world.spares[0], 1, warehouse_id=desk.world.warehouse2_a)
        assert {row["warehouse_name"] for row in list_rows(site, SUMMARY, "keeper_a")} == {"A仓"}
        [known] = [r for r in list_rows(site, SUMMARY) if r["warehouse_id"] == desk.world.warehouse2_a]
        key = known["stock_summary_id"]
        assert site.as_("manager_a").get(f"{SUMMARY}/getInfo", id=key).ok
        assert site.as_("keeper_a").get(f"{SUMMARY}/getInfo", id=key).code == 400


class TestDetail:
    def test_each_place_stands_by_itself(self, site: Site) -> None:
        found = list_rows(site, DETAIL, warehouse_id=site.world.warehouse_a)
        told = {row["allocation_name"]: row["quantity"] for row in found}
        assert told == {"A库位": "6.000", None: "6.000"}

    def test_places_as_of_a_day(self, site: Site) -> None:
        found = list_rows(site, DETAIL, warehouse_id=site.world.warehouse_a, as_of_end="2026-02-01")
        assert [(row["allocation_name"], row["quantity"], row["amount"]) for row in found] == [
            (None, "10.000", "1000.00")
        ]

    def test_a_row_is_found_by_its_key(self, site: Site) -> None:
        for row in list_rows(site, DETAIL):
            key = row["stock_detail_id"]
            again = site.as_("admin").get(f"{DETAIL}/getInfo", id=key).data
            assert again["quantity"] == row["quantity"]


class TestGoods:
    def test_stock_is_counted_within_the_scope(
        self, site: Site, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[1]
        for place in ({}, {"warehouse_id": desk.world.warehouse2_a}, _company_b(desk)):
            desk.stock_in(goods, 5, **place)
        counted = {
            user: site.as_(user).get("v2/inventory/GoodsInfomation/getInfo", id=goods).data["quantity"]
            for user in ("admin", "manager_a", "manager_b", "keeper_a")
        }
        assert counted == {
            "admin": "15.000",
            "manager_a": "10.000",
            "manager_b": "5.000",
            "keeper_a": "5.000",
        }


class TestMoves:
    def test_each_row_leads_to_its_bill(self, site: Site) -> None:
        found = list_rows(site, "v2/inventory/StockMove", warehouse_id=site.world.warehouse_a)
        assert sum(Decimal(row["quantity"]) for row in found) == 12
        for row in found:
            path, _, key = row["route"].partition("?id=")
            screen = site.as_("admin").get("v2/Open/Screen/getScreen", route=path).data
            bill = site.as_("admin").get(f"{screen['api']}/getInfo", id=int(key)).data
            assert bill["bill_no"] == row["bill_no"]

    @pytest.mark.parametrize(
        ("route", "kind", "name"),
        [
            ("/inventory/stockmoves", "QTCK", "其他出库"),
            ("/report/costdetail", "XSTH", "销售退货"),
            ("/inventory/tiremanagementSee", "THDJ", "胎号登记"),
        ],
    )
    def test_a_kind_of_bill_is_told_and_chosen_by_its_name(
        self, site: Site, route: str, kind: str, name: str
    ) -> None:
        screen = site.as_("admin").get("v2/Open/Screen/getScreen", route=route).data
        [field] = [item for item in screen["fields"] if item["name"] == "bill_type"]
        assert field["type"] == "enum" and field["search"]
        assert {"value": kind, "label": name} in field["options"]
        assert "XSDD" not in {option["value"] for option in field["options"]}, "an order moves nothing"

    @pytest.mark.parametrize("day", [None, "2026-01-10", "2026-02-10"])
    def test_a_stock_leads_to_its_moves_up_to_its_day(self, site: Site, day: str | None) -> None:
        screen = site.as_("admin").get("v2/Open/Screen/getScreen", route="/inventory/inventorysummer").data
        drill = screen["drill"]
        assert drill["route"] == "/inventory/stockmoves"
        [row] = list_rows(site, SUMMARY, warehouse_id=site.world.warehouse_a, as_of_end=day)
        asked = {name: row[field] for name, field in drill["by"].items()}
        answer = site.as_("admin").get("v2/inventory/StockMove/getList", **asked)
        assert Decimal(answer.data["totals"]["quantity"]) == Decimal(row["quantity"])


@pytest.mark.parametrize("kind", [one for one in DECLARED if one.bill], ids=lambda kind: kind.bill.prefix)
def test_bills_that_write_stock_or_the_lives_of_tyres_are_offered_and_no_others(kind: Any) -> None:
    written = inspect.getsource(kind.postings)
    assert kind.bill.moves is any(f"{part}=" in written for part in ("stock", "adjustments", "registrations"))
