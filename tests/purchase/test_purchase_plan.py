"""CGJH 采购计划: proposed from safety stock and sales, ordered by supplier, never twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from api.kit.storage.database import today
from tests.support.bill_client import BillClient, SavedBill
from tests.support.database_state import find_broken_checks


def find_proposal(desk: BillClient, call: str, goods: int, **params: Any) -> dict[str, Any] | None:
    place = {"company_id": desk.world.company_a, "warehouse_id": desk.world.warehouse_a}
    answer = desk.caller.get(desk.path("purchase_plan", call), **place, **params)
    assert answer.ok, answer
    return next((row for row in answer.data if row["goods_id"] == goods), None)


def list_order_lines(desk: BillClient, plan: SavedBill) -> list[dict[str, Any]]:
    """List the order lines drawn from a plan, by supplier."""
    path = desk.path("purchase_order_detail", "getList")
    answer = desk.caller.get(path, plan_no=plan.no, per_page=50, order_key="line_id", order_by="asc")
    assert answer.ok, answer
    return list(answer.data["data"])


def audit_plan(desk: BillClient, first: int, second: int) -> SavedBill:
    world = desk.world
    return desk.add_audited(
        "purchase_plan",
        {"goods_id": first, "quantity": "10", "price": "90", "supplier_id": world.supplier},
        {"goods_id": second, "quantity": "4", "price": "50", "supplier_id": world.supplier2},
    )


class TestProposals:
    def test_what_the_safety_stock_lacks_beyond_stock_and_orders(self, desk: BillClient) -> None:
        world, goods = desk.world, desk.world.spares[40]
        place = {"company_id": world.company_a, "warehouse_id": world.warehouse_a}
        limit = {**place, "goods_id": goods, "minimum": "10"}
        assert desk.caller.post(desk.path("safety_stock", "add"), limit).ok
        for supplier, price in ((world.supplier, "80"), (world.supplier2, "75")):
            body = {**place, "goods_id": goods, "supplier_id": supplier, "purchase_price": price}
            assert desk.caller.post(desk.path("supplier_price", "add"), body).ok
        desk.stock_in(goods, 3)
        desk.add_audited("purchase_order", {"goods_id": goods, "quantity": "2", "price": "1"})
        row = find_proposal(desk, "getSafetyProposal", goods)
        assert row is not None
        told = ("quantity", "stocks", "available_stocks", "on_order", "safety_stock", "sales_quantity")
        assert [float(row[name]) for name in told] == [5, 3, 3, 2, 10, 0]
        assert (row["supplier_id"], float(row["price"])) == (world.supplier2, 75)
        desk.stock_in(goods, 5)
        assert find_proposal(desk, "getSafetyProposal", goods) is None

    def test_what_the_coming_days_will_sell_beyond_stock_and_orders(self, desk: BillClient) -> None:
        """9 a day net in the last 10: 54 for 60 days, less 26 there and 8 on order."""
        goods, day = desk.world.spares[41], today()
        bought = {"goods_id": goods, "quantity": "40", "price": "70"}
        desk.add_audited("purchase_inbound", bought, supplier_id=desk.world.supplier2)
        desk.add_audited("purchase_order", {"goods_id": goods, "quantity": "8", "price": "70"})
        for quantity, before in (("10", 0), ("5", 10)):
            line = {"goods_id": goods, "quantity": quantity, "price": "100"}
            desk.add_audited("sales_outbound", line, business_date=str(day - timedelta(days=before)))
        back = {"goods_id": goods, "quantity": "1", "price": "100"}
        desk.add_audited("sales_return", back, business_date=str(day))
        row = find_proposal(desk, "getSalesProposal", goods, sales_days=10, cover_days=60)
        assert row is not None
        told = ("quantity", "available_stocks", "on_order", "sales_quantity", "price")
        assert [float(row[name]) for name in told] == [20, 26, 8, 9, 70]
        assert row["supplier_id"] == desk.world.supplier2
        assert find_proposal(desk, "getSalesProposal", goods, sales_days=10, cover_days=30) is None

    def test_what_was_planned_and_is_still_to_be_ordered_is_not_planned_twice(self, desk: BillClient) -> None:
        world, goods = desk.world, desk.world.spares[58]
        place = {"company_id": world.company_a, "warehouse_id": world.warehouse_a}
        limit = {**place, "goods_id": goods, "minimum": "10"}
        assert desk.caller.post(desk.path("safety_stock", "add"), limit).ok
        line = {"goods_id": goods, "quantity": "6", "price": "5", "supplier_id": world.supplier}
        plan = desk.add_audited("purchase_plan", line)
        for moved in ("turnOrder", "close"):
            row = find_proposal(desk, "getSafetyProposal", goods)
            assert row is not None
            assert (float(row["quantity"]), float(row["on_order"])) == (4, 6)
            assert desk.apply_action(moved, plan).ok
        row = find_proposal(desk, "getSafetyProposal", goods)
        assert row is not None
        assert (float(row["quantity"]), float(row["on_order"])) == (10, 0)

    def test_a_line_by_hand_gets_its_figures_and_the_last_supplier(self, desk: BillClient) -> None:
        goods = desk.world.spares[42]
        bought = {"goods_id": goods, "quantity": "6", "price": "70"}
        desk.add_audited("purchase_inbound", bought, supplier_id=desk.world.supplier2)
        plan = desk.draft("purchase_plan", {"goods_id": goods, "quantity": "1", "price": "1", "stocks": "99"})
        [line] = desk.read_bill(plan)["lines"]
        assert (line["stocks"], line["supplier_id"]) == ("6.000", desk.world.supplier2)

    def test_another_companys_warehouse_is_refused(self, desk: BillClient) -> None:
        place = {"company_id": desk.world.company_a, "warehouse_id": desk.world.warehouse_b}
        answer = desk.caller.get(desk.path("purchase_plan", "getSafetyProposal"), **place)
        assert (answer.code, answer.msg) == (400, "仓库不存在或无权访问")


class TestOrders:
    def test_each_supplier_gets_one_and_nothing_is_ordered_twice(
        self, desk: BillClient, conn: Connection
    ) -> None:
        world = desk.world
        plan = audit_plan(desk, world.spares[43], world.spares[44])
        assert desk.apply_action("turnOrder", plan).ok
        lines = list_order_lines(desk, plan)
        assert [(row["supplier_id"], row["quantity"], row["price"]) for row in lines] == [
            (world.supplier, "10.000", "90.000000"),
            (world.supplier2, "4.000", "50.000000"),
        ]
        assert {row["order_source"] for row in lines} == {2}, "they come from the plan"
        again = desk.apply_action("turnOrder", plan)
        assert (again.code, again.msg) == (400, "采购计划已全部转为采购订单")
        first, second = (SavedBill("purchase_order", row["bill_id"], row["bill_no"]) for row in lines)
        assert desk.apply_action("auditorPass", first).ok
        info = desk.read_bill(plan)
        assert info["ordered_status"] == 3
        assert [line["left_quantity"] for line in info["lines"]] == ["0.000", "4.000"]
        assert desk.apply_action("antiAuditor", plan).code == 400
        assert desk.apply_action("del", second).ok
        assert desk.apply_action("turnOrder", plan).ok
        assert [row["supplier_id"] for row in list_order_lines(desk, plan)] == [
            world.supplier,
            world.supplier2,
        ]
        assert find_broken_checks(conn) == {}

    def test_what_was_planned_without_a_price_is_ordered_at_the_suppliers(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[57], desk.world
        agreed = {"company_id": world.company_a, "goods_id": goods, "supplier_id": world.supplier2}
        assert desk.caller.post(desk.path("supplier_price", "add"), {**agreed, "purchase_price": "61.5"}).ok
        line = {"goods_id": goods, "quantity": "2", "supplier_id": world.supplier2}
        plan = desk.add_audited("purchase_plan", line, {**line, "price": "60"}, {**line, "is_gift": True})
        assert desk.apply_action("turnOrder", plan).ok
        assert [row["price"] for row in list_order_lines(desk, plan)] == [
            "61.500000",
            "60.000000",
            "0.000000",
        ]

    def test_the_rest_is_ordered_at_what_is_left_of_its_money(self, desk: BillClient) -> None:
        """3 × 33.335 is 100.01: 33.34 and 33.33 were ordered before, 33.34 is left."""
        goods, supplier = desk.world.spares[56], desk.world.supplier
        line = {"goods_id": goods, "quantity": "3", "price": "33.335", "supplier_id": supplier}
        plan = desk.add_audited("purchase_plan", line)
        [source] = desk.line_ids(plan)
        one = {"goods_id": goods, "quantity": "1", "price": "33.335", "plan_line_id": source}
        for _ in range(2):
            desk.add_audited("purchase_order", one)
        assert desk.apply_action("turnOrder", plan).ok
        rest = list_order_lines(desk, plan)[-1]
        assert (rest["quantity"], rest["amount"]) == ("1.000", "33.34")

    def test_closing_ends_it(self, desk: BillClient) -> None:
        plan = audit_plan(desk, desk.world.spares[45], desk.world.spares[46])
        assert desk.apply_action("turnOrder", plan).ok
        [row, _] = list_order_lines(desk, plan)
        assert desk.apply_action("close", plan).ok
        late = desk.apply_action("auditorPass", SavedBill("purchase_order", row["bill_id"], row["bill_no"]))
        assert (late.code, late.msg) == (400, f"采购计划{plan.no}不是已审核状态，不能执行")
        assert desk.apply_action("turnOrder", plan).code == 400

    def test_a_line_without_a_supplier_is_named(self, desk: BillClient) -> None:
        plan = desk.add_audited("purchase_plan", {"goods_id": desk.world.spares[47], "quantity": "1"})
        answer = desk.apply_action("turnOrder", plan)
        assert (answer.code, answer.msg) == (400, "采购计划第1行没有供应商，请反审核后补上")

    def test_it_takes_the_right_to_add_orders(self, desk: BillClient) -> None:
        plan, clerk = audit_plan(desk, *desk.world.spares[48:50]), BillClient(desk.site, "clerk_a")
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql(
                "delete from role_right where role_id = %s and code = 'purchase_order:add'",
                (desk.world.role_clerk_a,),
            )
        assert clerk.apply_action("turnOrder", plan).code == 403
