"""The goods picker (选择商品): found by any text, with stock, last price and place on the row."""

from __future__ import annotations

from decimal import Decimal

import pytest

from api.kit.declaration import registry
from tests.master.test_masters import call_path
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site


class TestPicker:
    PATH = "v2/inventory/Goods/getGoodsListPopup"

    @pytest.fixture(scope="class", autouse=True)
    def marked(self, site: Site) -> None:
        body = {
            "id": site.world.tyre,
            "barcode": "6901234567890",
            "specification_type": "295/80R22.5",
            "pattern": "XZE2",
            "factory_code": "F-77",
            "shorthand_code": "MQL295",
        }
        assert site.as_("admin").post(call_path("goods", "edit"), body).ok

    @pytest.mark.parametrize(
        "keyword",
        ["TYRE", "米其林", "295/80", "xze2", "F-77", "MQL295", "mql", "6901234567890", "米其林 XZE2"],
    )
    def test_one_box_finds_by_any_text(self, site: Site, keyword: str) -> None:
        rows = site.as_("admin").get(self.PATH, keyword=keyword, company_id=site.world.company_a).data["data"]
        assert site.world.tyre in [row["goods_id"] for row in rows]

    def test_an_exact_code_comes_first(self, site: Site) -> None:
        admin, spare = site.as_("admin"), {"goods_type_id": site.world.type2, "unit_id": site.world.unit}
        for number in ("A-TYRE", "TYRE-2"):
            admin.post(call_path("goods", "add"), {**spare, "goods_num": number, "goods_name": number})
        rows = admin.get(self.PATH, keyword="TYRE").data["data"]
        assert rows[0]["goods_num"] == "TYRE"
        assert len(rows) == 3

    def test_a_type_finds_what_lies_below_it(self, site: Site) -> None:
        rows = site.as_("admin").get(self.PATH, goods_type_id=site.world.type1, per_page=500).data
        assert site.world.tyre in [row["goods_id"] for row in rows["data"]]

    def test_stock_last_price_and_cost_stand_on_the_row(self, site: Site) -> None:
        desk, world, goods = BillClient(site), site.world, site.world.spares[0]
        desk.stock_in(goods, 10)
        desk.add_audited("sales_order", {"goods_id": goods, "quantity": "4", "price": "10"})
        desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "1", "price": "150"})
        query = {"goods_id": goods, "company_id": world.company_a, "customer_id": world.customer_a}
        [row] = desk.caller.get(self.PATH, warehouse_id=world.warehouse_a, **query).data["data"]
        assert (row["stocks"], row["available_stocks"]) == ("9.000", "5.000")
        assert (row["last_price"], row["cost_price"]) == ("150.000000", "100.00")

    def test_where_it_is_picked_first_stands_on_the_row(self, site: Site) -> None:
        desk, world, goods = BillClient(site), site.world, site.world.spares[2]
        desk.stock_in(goods, 10)
        query = {"goods_id": goods, "company_id": world.company_a}
        [row] = desk.caller.get(self.PATH, warehouse_id=world.warehouse_a, **query).data["data"]
        [place] = desk.caller.get(
            "v2/inventory/GoodsBatch/getBatchlist", goods_id=goods, warehouse_id=world.warehouse_a
        ).data
        assert row["warehouse_name"] == place["warehouse_name"]
        assert (row["allocation_name"], row["batch"]) == (place["allocation_name"], place["batch"])
        [anywhere] = desk.caller.get(self.PATH, **query).data["data"]
        assert (anywhere["warehouse_name"], anywhere["stocks"]) == (None, "10.000")

    def test_stock_of_one_type_of_warehouse(self, site: Site) -> None:
        desk, world, goods = BillClient(site), site.world, site.world.spares[3]
        desk.stock_in(goods, 10)
        query = {"goods_id": goods, "company_id": world.company_a}
        for kind, stocks in ((1, "10.000"), (2, "0.000")):
            [row] = desk.caller.get(self.PATH, type=kind, **query).data["data"]
            assert Decimal(row["stocks"]) == Decimal(stocks)

    def test_only_the_goods_of_a_bill_one_may_see(self, site: Site) -> None:
        desk, goods = BillClient(site), site.world.spares[4]
        made = desk.draft("sales_order", {"goods_id": goods, "quantity": "4", "price": "10"})
        rows = desk.caller.get(self.PATH, order_id=made.id, order_type="XSDD").data["data"]
        assert [row["goods_id"] for row in rows] == [goods]
        for user, kind in (("manager_b", "XSDD"), ("admin", "NONE")):
            answer = site.as_(user).get(self.PATH, order_id=made.id, order_type=kind)
            assert (answer.code, answer.msg) == (400, "单据不存在或无权访问")
        assert site.as_("nobody").get(self.PATH, order_id=made.id, order_type="XSDD").code == 403

    def test_of_two_partners_the_bill_s_own_gives_the_last_price(self, site: Site) -> None:
        desk, world, goods = BillClient(site), site.world, site.world.spares[5]
        desk.stock_in(goods, 10)
        desk.add_audited("purchase_inbound", {"goods_id": goods, "quantity": "1", "price": "80"})
        desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "1", "price": "150"})
        both = {"customer_id": world.customer_a, "supplier_id": world.supplier, "company_id": world.company_a}
        sold, bought = "150.000000", "80.000000"
        for bill, price in (
            ("XSTH", sold),
            ("CGTH", bought),
            ("sales_return", sold),
            ("purchase_return", bought),
        ):
            [row] = desk.caller.get(self.PATH, goods_id=goods, bill_type=bill, **both).data["data"]
            assert row["last_price"] == price

    def test_a_purchase_row_has_the_prices_that_there_are(self, site: Site) -> None:
        """What was agreed, what was paid last and what the list says, each price once, the one that holds first."""
        desk, world, goods = BillClient(site), site.world, site.world.spares[6]
        asked = {
            "goods_id": goods,
            "bill_type": "CGRK",
            "supplier_id": world.supplier,
            "company_id": world.company_a,
        }
        body = {"company_id": world.company_a, "goods_id": goods, "purchase_price": "70"}
        assert desk.caller.post(call_path("company_goods", "add"), body).ok
        desk.add_audited("purchase_inbound", {"goods_id": goods, "quantity": "1", "price": "80"})
        [row] = desk.caller.get(self.PATH, **asked).data["data"]
        assert (row["purchase_price"], row["purchase_price_list"]) == (
            "70.000000",
            [
                {"purchase_price": "80.000000", "price_source": "上次价"},
                {"purchase_price": "70.000000", "price_source": "商品采购价"},
            ],
        )
        agreed = {"company_id": world.company_a, "supplier_id": world.supplier, "goods_id": goods}
        assert desk.caller.post(call_path("supplier_price", "add"), {**agreed, "purchase_price": "70"}).ok
        [row] = desk.caller.get(self.PATH, **asked).data["data"]
        assert row["purchase_price_list"] == [
            {"purchase_price": "70.000000", "price_source": "供应商价"},
            {"purchase_price": "80.000000", "price_source": "上次价"},
        ]
        [sold] = desk.caller.get(self.PATH, **{**asked, "bill_type": "XSCK", "supplier_id": 0}).data["data"]
        assert sold["purchase_price_list"] is None

    def test_who_may_not_see_costs_sees_no_purchase_prices(self, site: Site) -> None:
        asked = {"goods_id": site.world.spares[6], "bill_type": "CGRK", "supplier_id": site.world.supplier}
        [row] = site.as_("clerk_a").get(self.PATH, **asked).data["data"]
        assert (row["purchase_price"], row["purchase_price_list"]) == ("无权限", "无权限")

    def test_every_bill_form_may_ask(self, site: Site) -> None:
        """The forms name the bill as its screen is named."""
        for bill in (cls.name() for cls in registry.list_resources() if cls.bill):
            assert site.as_("admin").get(self.PATH, bill_type=bill, per_page=1).ok, bill

    def test_only_what_is_in_stock_when_asked(self, site: Site) -> None:
        goods, admin = site.world.spares[1], site.as_("admin")
        query = {"goods_id": goods, "company_id": site.world.company_a, "is_stocks": 1}
        assert admin.get(self.PATH, **query).data["total"] == 0
        BillClient(site).stock_in(goods, 1)
        assert admin.get(self.PATH, **query).data["total"] == 1

    def test_codes_are_fetched_at_once(self, site: Site) -> None:
        codes = ",".join(f"SPARE{n}" for n in range(60))
        for written in (codes, codes.lower()):
            rows = site.as_("admin").get(self.PATH, codes=written, per_page=5000).data["data"]
            assert len(rows) == 60
