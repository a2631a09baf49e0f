"""Area stock: who shares an area sees quantities, nobody else does; and how far each company's books are opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

LIST = "v2/system/AreaStock/getList"


@pytest.fixture(autouse=True)
def alone(site: Site) -> Iterator[None]:
    yield
    with site.engine.begin() as conn:
        conn.exec_driver_sql("delete from stock_area_member")


def join_area(site: Site, *companies: int, area: int = 0) -> None:
    for company in companies:
        body = {"stock_area_id": area or site.world.stock_area, "member_id": company}
        assert site.as_("admin").post("v2/system/StockAreaMember/add", body).ok


def list_area_stock(site: Site, user: str, goods: int) -> list[dict[str, Any]]:
    answer = site.as_(user).get(LIST, goods_id=goods)
    assert answer.ok, answer
    rows: list[dict[str, Any]] = answer.data["data"]
    return rows


class TestAreaStock:
    def test_nothing_is_shown_unless_granted(self, site: Site) -> None:
        goods = site.world.spares[40]
        BillClient(site).stock_in(goods, 4)
        assert list_area_stock(site, "manager_b", goods) == []
        join_area(site, site.world.company_b)
        assert list_area_stock(site, "manager_b", goods) == []

    def test_companies_of_an_area_see_each_others_quantities(self, site: Site) -> None:
        goods, desk = site.world.spares[41], BillClient(site)
        join_area(site, site.world.company_a, site.world.company_b)
        desk.stock_in(goods, 9)
        desk.add_audited("sales_order", {"goods_id": goods, "quantity": "2", "price": "1"})
        [row] = list_area_stock(site, "manager_b", goods)
        assert (row["member_id"], row["member_name"]) == (site.world.company_a, "A分公司")
        assert (row["stocks"], row["available_stocks"]) == ("9.000", "7.000")
        assert not {"cost_price", "amount", "warehouse_id"} & row.keys()
        assert list_area_stock(site, "manager_a", goods) == [], "one's own stock is not an area's"

    def test_an_area_that_is_switched_off_shows_nothing(self, site: Site) -> None:
        goods, admin = site.world.spares[42], site.as_("admin")
        area = admin.post("v2/system/StockArea/add", {"stock_area_name": "华南"}).data["id"]
        join_area(site, site.world.company_a, site.world.company_b, area=area)
        BillClient(site).stock_in(goods, 1)
        assert len(list_area_stock(site, "manager_b", goods)) == 1
        assert admin.post("v2/system/StockArea/edit", {"id": area, "enabled": False}).ok
        assert list_area_stock(site, "manager_b", goods) == []

    def test_a_branch_cannot_join_by_itself(self, site: Site) -> None:
        body = {"stock_area_id": site.world.stock_area, "member_id": site.world.company_b}
        answer = site.as_("manager_b").post("v2/system/StockAreaMember/add", body)
        assert (answer.code, answer.msg) == (403, "库存区域由可管理全部公司的角色设置")

    def test_a_company_is_in_an_area_once(self, site: Site) -> None:
        join_area(site, site.world.company_a)
        body = {"stock_area_id": site.world.stock_area, "member_id": site.world.company_a}
        answer = site.as_("admin").post("v2/system/StockAreaMember/add", body)
        assert (answer.code, answer.msg) == (400, "库存区域、公司已存在，请更换")

    def test_it_takes_the_right(self, site: Site) -> None:
        assert site.as_("nobody").get(LIST).code == 403


class TestInitialisation:
    LIST = "v2/system/CompanyInitialisation/getList"

    def test_each_company_says_how_far_it_is(self, site: Site) -> None:
        admin = site.as_("admin")
        fresh = admin.post("v2/system/Company/add", {"company_name": "新店", "company_code": "XD"}).data["id"]
        rows = {row["company_id"]: row for row in admin.get(self.LIST, per_page=500).data["data"]}
        assert rows[fresh]["state"] == 0
        assert rows[site.world.company_a]["state"] == 6
        assert rows[site.world.company_a]["customers"] == 4
        assert {row["company_id"] for row in site.as_("manager_b").get(self.LIST).data["data"]} == {
            site.world.company_b
        }

    def test_opening_balances_are_summed(self, site: Site) -> None:
        admin, desk = site.as_("admin"), BillClient(site)
        before = admin.get(self.LIST, company_id=site.world.company_a).data["data"][0]
        line = {"goods_id": site.world.spares[43], "quantity": "10", "price": "11.3", "tax_rate": "13"}
        desk.add_audited("opening_stock", line)
        [after] = admin.get(self.LIST, company_id=site.world.company_a).data["data"]
        assert after["opening_stocks"] == before["opening_stocks"] + 1
        assert float(after["opening_stock_amount"]) - float(before["opening_stock_amount"]) == pytest.approx(
            100
        )
        masked = site.as_("clerk_a").get(self.LIST).data["data"][0]
        assert masked["opening_stock_amount"] == "无权限"
