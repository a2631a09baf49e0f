"""Open lookups of spec/3-rules.md 7.1 that no declared list answers: their names, shapes, filters and scope."""

from __future__ import annotations

from typing import Any

import pytest

from api.kit.declaration import menu
from api.kit.storage.database import today
from api.kit.storage.projection import MASK
from tests.identity.test_matrix import create_member
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role

CENTRE = "purchase_center/Open"


def list_rows(site: Site, path: str, user: str = "clerk_a", **query: Any) -> list[dict[str, Any]]:
    answer = site.as_(user).get(path, **query)
    assert answer.ok, answer
    found: list[dict[str, Any]] = answer.data
    return found


class TestPurchaseCentre:
    @pytest.mark.parametrize(
        ("path", "name", "key"),
        [
            ("Employee/getEmployeeList", "employee_name", "employee_a"),
            ("Company/getCompanyList", "company_name", "company_a"),
            ("Customer/getCustomerList", "customer_name", "customer_a"),
        ],
    )
    def test_one_finds_what_lies_in_ones_company(self, site: Site, path: str, name: str, key: str) -> None:
        column = name.replace("_name", "_id")
        found = list_rows(site, f"{CENTRE}/{path}")
        assert site.world.ids[key] in [row[column] for row in found]
        assert site.world.ids[key.replace("_a", "_b")] not in [row[column] for row in found]
        assert list_rows(site, f"{CENTRE}/{path}", **{name: "%"}) == []
        wanted = next(row[name] for row in found if row[column] == site.world.ids[key])
        assert wanted in [row[name] for row in list_rows(site, f"{CENTRE}/{path}", **{name: wanted})]

    def test_a_customer_has_the_pickers_shape(self, site: Site) -> None:
        body = {
            "customer_name": "湖滨轮胎店",
            "company_id": site.world.company_a,
            "province_id": site.world.province,
            "city_id": site.world.city,
            "area_id": site.world.area,
            "customer_type_id": site.world.customer_type,
            "contact_name": "周敏",
        }
        key = site.as_("admin").post("v2/custom/Customer/add", body).data["id"]
        [row] = list_rows(site, f"{CENTRE}/Customer/getCustomerList", customer_name="湖滨")
        assert (row["customer_id"], row["type"], row["contact_name"]) == (
            key,
            site.world.customer_type,
            "周敏",
        )
        assert (row["province_name"], row["city_name"], row["area_name"]) == ("浙江省", "杭州市", "西湖区")

    def test_a_customers_type_goes_by_its_short_name_too(self, site: Site) -> None:
        [row] = list_rows(site, "open/Customer/getCustomerList", customer_name="湖滨")
        assert (row["type"], row["customer_type_id"]) == (site.world.customer_type, site.world.customer_type)

    def test_warehouses_need_a_customer(self, site: Site) -> None:
        path = f"{CENTRE}/Warehouse/getWarehouseList"
        assert list_rows(site, path) == []
        found = list_rows(site, path, customer_id=site.world.customer_a)
        assert {row["warehouse_id"] for row in found} >= {site.world.warehouse_a, site.world.warehouse2_a}
        assert list_rows(site, path, customer_id=site.world.customer_b) == []
        assert [
            row["warehouse_id"]
            for row in list_rows(site, path, "keeper_a", customer_id=site.world.customer_a)
        ] == [site.world.warehouse_a]

    def test_warehouses_are_those_of_the_own_company_where_none_is_asked_for(self, site: Site) -> None:
        path, world = "open/Warehouse/getWarehouseList", site.world
        own = list_rows(site, path, "manager_a")
        assert {row["company_id"] for row in own} == {world.company_a}
        other = list_rows(site, path, "admin", company_id=world.ids["company_b"])
        assert {row["company_id"] for row in other} == {world.ids["company_b"]}
        assert list_rows(site, path, "admin") == []  # the head company has none

    def test_methods_suppliers_and_stores_are_the_groups(self, site: Site) -> None:
        methods = list_rows(site, f"{CENTRE}/PaymentMethod/getPaymentMethodList")
        assert (site.world.mode, "现金") in [
            (row["payment_method_id"], row["payment_method_name"]) for row in methods
        ]
        [supplier] = list_rows(site, f"{CENTRE}/Supplier/getSupplierList", supplier_name="正新")
        assert supplier == {"supplier_id": site.world.supplier, "supplier_name": "正新橡胶"}
        place = {f"{level}_id": site.world.ids[level] for level in ("province", "city", "area")}
        contact = {"contact_name": "陈立", "supplier_mobile": "13800138000"}
        edited = {"id": site.world.supplier2, **place, **contact}
        assert site.as_("admin").post("v2/system/Supplier/edit", edited).ok
        [store] = list_rows(site, "system/Supplier/getStoreList", supplier_name="双钱")
        assert (store["store_id"], store["principal_name"]) == (site.world.supplier2, "陈立")
        assert (store["principal_mobile"], store["area_name"]) == ("13800138000", "西湖区")

    def test_what_a_role_may_not_see_is_left_out(self, site: Site) -> None:
        admin, role = site.as_("admin"), site.world.role_clerk_a
        numbers = {"customer": "13500135000", "supplier": "13600136000"}
        told = {"id": site.world.customer_a, "customer_mobile": numbers["customer"]}
        assert admin.post("v2/custom/Customer/edit", told).ok
        told = {"id": site.world.supplier2, "supplier_mobile": numbers["supplier"]}
        assert admin.post("v2/system/Supplier/edit", told).ok
        hidden = [{"screen": kind, "field": f"{kind}_mobile"} for kind in numbers]
        paths = (f"{CENTRE}/Customer/getCustomerList", "system/Supplier/getStoreList")
        assert all(number in str([list_rows(site, path) for path in paths]) for number in numbers.values())
        with changed_role(admin, role, denied=hidden):
            assert not any(
                number in str([list_rows(site, path) for path in paths]) for number in numbers.values()
            )


class TestStock:
    def test_the_warehouse_that_moves_most_comes_first(self, site: Site) -> None:

        path = "open/Warehouse/getWarehouseFocus"
        for _ in range(2):
            BillClient(site).stock_in(
                site.world.spares[30],
                1,
                warehouse_id=site.world.warehouse2_a,
                business_date=str(today()),
            )
        found = list_rows(site, path)
        assert [row["warehouse_id"] for row in found] == [site.world.warehouse2_a, site.world.warehouse_a]
        assert {row["type"] for row in found} == {1}
        assert list_rows(site, path, company_id=site.world.company_b) == []

    def test_a_count_is_offered_what_the_books_have(self, site: Site) -> None:
        path, world = "v2/inventory/StockTaking/stockTakingGetGoodsList", site.world
        BillClient(site).stock_in(world.spares[31], 7, allocation_id=world.allocation_a)
        query = {"warehouse_id": world.warehouse_a, "goods_name": "备件31"}
        [row] = list_rows(site, path, **query)
        assert (row["goods_id"], row["allocation_id"], row["stocks"]) == (
            world.spares[31],
            world.allocation_a,
            "7.000",
        )
        assert list_rows(site, path, **query, brand_id=world.brand) == []
        assert len(list_rows(site, path, **query, goods_type_id=world.type1)) == 1
        assert list_rows(site, path, "manager_b", **query) == []
        assert site.as_("nobody").get(path, **query).code == 403

    def test_numbers_are_found_where_they_are(self, site: Site) -> None:
        path, world, desk = "open/Goods/getGoodsSnList", site.world, BillClient(site)
        line = {"goods_id": world.numbered, "quantity": "2", "price": "100", "tire_numbers": "SN1 SN2"}
        came = desk.add_audited("other_inbound", line)

        def numbers(user: str = "clerk_a", **query: Any) -> list[str]:
            answer = site.as_(user).get(path, **query)
            assert answer.ok, answer
            assert answer.data["total"] == len(answer.data["data"])
            return [row["goods_sn"] for row in answer.data["data"]]

        assert numbers() == ["SN1", "SN2"]
        assert numbers(warehouse_id=world.warehouse2_a) == []
        assert numbers(order_id=came.id, bill_type="QTRK") == ["SN1", "SN2"]
        assert numbers(order_id=came.id, bill_type="XSCK") == []
        desk.add_audited("sales_outbound", {**line, "quantity": "1", "tire_numbers": "SN2"})
        assert numbers(goods_name="11R22.5") == ["SN1"]
        assert numbers(customer_id=world.customer_a) == ["SN2"]
        assert numbers("manager_b", company_id=world.company_a) == []


class TestPlaces:
    def test_a_location_tells_what_lies_there(self, site: Site) -> None:
        """Of the goods asked for, else of all."""
        desk, world = BillClient(site), site.world
        where = {"warehouse_id": world.warehouse_a}
        body = {**where, "allocation_name": "查库位"}
        place = desk.caller.post("v2/system/Allocation/add", body).data["id"]
        for goods, many in ((world.spares[40], "3"), (world.spares[41], "5")):
            line = {"goods_id": goods, "quantity": many, "price": "10", "allocation_id": place}
            desk.add_audited("other_inbound", line)
        path = "open/Allocation/getAllocationList"
        for goods, stocks in ((0, "8.000"), (world.spares[40], "3.000"), (world.spares[42], "0.000")):
            [row] = list_rows(site, path, "admin", **where, allocation_name="查库位", goods_id=goods)
            assert (row["allocation_id"], row["stocks"]) == (place, stocks)
        denied = [("stock_detail", "quantity")]
        _, caller = create_member(site, "no-stock", list(menu.list_rights()), denied)
        [row] = caller.get(path, **where, allocation_name="查库位").data
        assert (row["allocation_id"], row["stocks"]) == (place, MASK)


class TestChain:
    def test_a_station_names_who_answers_for_it(self, site: Site) -> None:
        path = "open/Chain/getChainList"
        with site.engine.begin() as conn:
            values = (site.world.ids["company_b"],)
            conn.exec_driver_sql("update company set type = 3 where company_id = %s", values)
            user = conn.exec_driver_sql(
                "select user_id, realname from user_account where company_id = %s and enabled order by user_id limit 1",
                values,
            ).one()
        [row] = list_rows(site, path, "admin")
        assert (row["chain_id"], row["chain_user"], row["chain_user_name"]) == (*values, *user)
        assert set(row) == {"chain_id", "chain_user", "chain_name", "chain_user_name", "customer_mobile"}
        assert list_rows(site, path, "admin", chain_name=row["chain_name"]) == [row]
        assert list_rows(site, path, "admin", chain_name="没有这一家") == []
        assert list_rows(site, path, "clerk_a") == []
        with site.engine.begin() as conn:
            conn.exec_driver_sql("update company set type = 2 where company_id = %s", values)
