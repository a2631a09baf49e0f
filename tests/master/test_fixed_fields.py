"""A master's fields that give posted figures their meaning: 96 pieces never become 96 boxes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.bill_client import BillClient
from tests.support.client import Answer
from tests.support.fixtures import Site


def post_edit(desk: BillClient, resource: str, key: int, **values: Any) -> Answer:
    found = desk.caller.get(desk.path(resource, "getInfo"), id=key).data
    body = {"id": key, "revision": found["revision"], **values}
    return desk.caller.post(desk.path(resource, "edit"), body)


def add_record(desk: BillClient, resource: str, **values: Any) -> int:
    answer = desk.caller.post(desk.path(resource, "add"), values)
    assert answer.ok, answer
    return int(answer.data["id"])


class TestGoods:
    def test_the_unit_stays_with_stock(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[0], desk.world
        bill = desk.stock_in(goods, 96)
        answer = post_edit(desk, "goods", goods, unit_id=world.carton)
        told = f"商品的单位不能修改：已有库存 96、其他入库{bill.no}；请另建商品"
        assert (answer.code, answer.msg) == (400, told)
        found = desk.caller.get(desk.path("goods", "getInfo"), id=goods).data
        assert found["unit_id"] == world.unit
        assert post_edit(desk, "goods", goods, unit_id=world.unit, pattern="新花纹").ok

    def test_the_unit_stays_with_bills_that_wait_or_are_over(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[1], desk.world
        line = {"goods_id": goods, "quantity": "1", "price": "1"}
        bill = desk.draft("purchase_order", line)
        told = f"商品的单位不能修改：已有采购订单{bill.no}；请另建商品"
        assert post_edit(desk, "goods", goods, unit_id=world.carton).msg == told
        assert desk.apply_action("auditorPass", bill).ok and desk.apply_action("invalid", bill).ok
        assert post_edit(desk, "goods", goods, unit_id=world.carton).msg == told

    def test_without_any_it_is_free(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[2], desk.world
        assert post_edit(desk, "goods", goods, unit_id=world.carton).ok
        line = {"goods_id": goods, "quantity": "1", "price": "1"}
        bill = desk.draft("purchase_order", line)
        assert desk.caller.post(desk.path("purchase_order", "del"), {"ids": [bill.id]}).ok
        assert post_edit(desk, "goods", goods, unit_id=world.unit).ok

    def test_bills_of_other_companies_are_not_told(self, site: Site, desk: BillClient) -> None:
        goods, world = desk.world.spares[3], desk.world
        line = {"goods_id": goods, "quantity": "1", "price": "1"}
        desk.draft("purchase_order", line, company_id=world.company_b, warehouse_id=world.warehouse_b)
        answer = post_edit(BillClient(site, "manager_a"), "goods", goods, unit_id=world.carton)
        assert answer.msg == "商品的单位不能修改：已有无权查看的单据；请另建商品"

    def test_batches_begin_and_end_without_stock(self, desk: BillClient) -> None:
        goods = desk.world.spares[4]
        desk.stock_in(goods, "2.5")
        for wanted in (True, False):
            line = {"goods_id": goods, "quantity": "2.5", "price": "1"}
            answer = post_edit(desk, "goods", goods, is_batch=wanted)
            if wanted:
                assert answer.msg == "商品的按批次管理不能修改：已有库存 2.5；请另建商品"
                desk.add_audited("other_outbound", line)
                assert post_edit(desk, "goods", goods, is_batch=True).ok
                desk.stock_in(goods, "1", batch="0126")
            else:
                assert answer.msg == "商品的按批次管理不能修改：已有库存 1；请另建商品"

    def test_a_unit_that_goods_are_counted_in_keeps_its_name(self, desk: BillClient) -> None:
        world = desk.world
        answer = post_edit(desk, "unit", world.unit, unit_name="箱二")
        assert answer.code == 400 and answer.msg.startswith("计量单位的单位名称不能修改：已有商品")
        fresh = add_record(desk, "unit", unit_name="副")
        assert post_edit(desk, "unit", fresh, unit_name="付").ok


class TestPlaces:
    def test_a_warehouse_keeps_its_company_and_once_used_its_type(self, desk: BillClient) -> None:
        world = desk.world
        answer = post_edit(desk, "warehouse", world.warehouse2_a, company_id=world.company_b)
        assert answer.msg == "仓库的公司不能修改，请另建仓库"
        fresh = add_record(desk, "warehouse", warehouse_name="新仓", company_id=world.company_a, type=1)
        assert (
            post_edit(desk, "warehouse", fresh, type=2).ok and post_edit(desk, "warehouse", fresh, type=1).ok
        )
        line = {"goods_id": world.spares[5], "quantity": "1", "price": "1"}
        order = desk.draft("purchase_order", line, warehouse_id=fresh)
        told = f"仓库的仓库类型不能修改：已有采购订单{order.no}；请另建仓库"
        assert post_edit(desk, "warehouse", fresh, type=2).msg == told
        answer = post_edit(desk, "warehouse", world.warehouse_a, type=2)
        assert answer.msg.startswith("仓库的仓库类型不能修改：已有出入库流水、")

    def test_a_location_stays_where_it_is(self, desk: BillClient) -> None:
        world = desk.world
        answer = post_edit(desk, "allocation", world.allocation_a, warehouse_id=world.warehouse2_a)
        assert answer.msg == "库位的仓库不能修改，请另建库位"


class TestPeople:
    @pytest.mark.parametrize("resource", ["department", "employee"])
    def test_who_bills_name_stays_with_his_company(self, desk: BillClient, resource: str) -> None:
        world = desk.world
        name = {f"{resource}_name": "新来的"}
        fresh = add_record(desk, resource, company_id=world.company_a, **name)
        assert post_edit(desk, resource, fresh, company_id=world.company_b).ok
        assert post_edit(desk, resource, fresh, company_id=world.company_a).ok
        line = {"goods_id": world.spares[6], "quantity": "1", "price": "1"}
        bill = desk.draft("purchase_order", line, **{f"{resource}_id": fresh})
        answer = post_edit(desk, resource, fresh, company_id=world.company_b)
        label = {"department": "部门", "employee": "员工"}[resource]
        assert answer.msg == f"{label}的公司不能修改：已有采购订单{bill.no}；请另建{label}"

    def test_a_department_stays_with_its_employees(self, desk: BillClient) -> None:
        world = desk.world
        fresh = add_record(desk, "department", company_id=world.company_a, department_name="采购部")
        staff = {"company_id": world.company_a, "department_id": fresh, "employee_name": "小吴"}
        add_record(desk, "employee", **staff)
        answer = post_edit(desk, "department", fresh, company_id=world.company_b)
        assert answer.msg == "部门的公司不能修改：已有员工小吴；请另建部门"

    def test_a_customer_stays_with_his_company(self, desk: BillClient) -> None:
        world = desk.world
        answer = post_edit(
            desk, "customer", world.customer_a, company_id=world.company_b, employee_id=world.employee_b
        )
        assert answer.msg == "客户的公司不能修改，请另建客户"


class TestMoney:
    def test_an_account_that_was_used_stays_what_it_is(self, desk: BillClient) -> None:
        world = desk.world
        fresh = add_record(desk, "receivables_mode", receivables_mode_name="备用金", account_kind=1)
        assert post_edit(desk, "receivables_mode", fresh, account_kind=2).ok
        bill = desk.draft("customer_receipt", amount="10", receivables_mode_id=fresh)
        answer = post_edit(desk, "receivables_mode", fresh, account_kind=1)
        told = f"结算方式的账户类别不能修改：已有收款单{bill.no}；请另建结算方式"
        assert (answer.code, answer.msg) == (400, told)
        assert post_edit(desk, "receivables_mode", fresh, bank_id=world.bank).ok
