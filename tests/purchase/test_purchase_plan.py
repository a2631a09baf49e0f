"""CGJH 采购计划: proposed from safety stock and sales, ordered by supplier, never twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from api.kit.database import today
from tests.kit.desk import Desk, Made
from tests.kit.state import broken


def proposed(desk: Desk, call: str, goods: int, **asked: Any) -> dict[str, Any] | None:
    place = {"company_id": desk.world.company_a, "warehouse_id": desk.world.warehouse_a}
    answer = desk.caller.get(desk.path("purchase_plan", call), **place, **asked)
    assert answer.ok, answer
    return next((row for row in answer.data if row["goods_id"] == goods), None)


def orders_of(desk: Desk, plan: Made) -> list[dict[str, Any]]:
    """The order lines drawn from a plan, by supplier."""
    path = desk.path("purchase_order_detail", "getList")
    answer = desk.caller.get(path, plan_no=plan.no, per_page=50, order_key="line_id", order_by="asc")
    assert answer.ok, answer
    return list(answer.data["data"])


def planned(desk: Desk, first: int, second: int) -> Made:
    world = desk.world
    return desk.audited(
        "purchase_plan",
        {"goods_id": first, "quantity": "10", "price": "90", "supplier_id": world.supplier},
        {"goods_id": second, "quantity": "4", "price": "50", "supplier_id": world.supplier2},
    )


class TestProposals:
    def test_what_the_safety_stock_lacks_beyond_stock_and_orders(self, desk: Desk) -> None:
        world, goods = desk.world, desk.world.spares[40]
        place = {"company_id": world.company_a, "warehouse_id": world.warehouse_a}
        limit = {**place, "goods_id": goods, "minimum": "10"}
        assert desk.caller.post(desk.path("safety_stock", "add"), limit).ok
        for supplier, price in ((world.supplier, "80"), (world.supplier2, "75")):
            body = {**place, "goods_id": goods, "supplier_id": supplier, "purchase_price": price}
            assert desk.caller.post(desk.path("supplier_price", "add"), body).ok
        desk.stock_in(goods, 3)
        desk.audited("purchase_order", {"goods_id": goods, "quantity": "2", "price": "1"})
        row = proposed(desk, "getSafetyProposal", goods)
        assert row is not None
        told = ("quantity", "stocks", "available_stocks", "on_order", "safety_stock", "sales_quantity")
        assert [float(row[name]) for name in told] == [5, 3, 3, 2, 10, 0]
        assert (row["supplier_id"], float(row["price"])) == (world.supplier2, 75)
        desk.stock_in(goods, 5)
        assert proposed(desk, "getSafetyProposal", goods) is None

    def test_what_the_coming_days_will_sell_beyond_stock_and_orders(self, desk: Desk) -> None:
        """9 a day net in the last 10: 54 for 60 days, less 26 there and 8 on order."""
        goods, day = desk.world.spares[41], today()
        bought = {"goods_id": goods, "quantity": "40", "price": "70"}
        desk.audited("purchase_inbound", bought, supplier_id=desk.world.supplier2)
        desk.audited("purchase_order", {"goods_id": goods, "quantity": "8", "price": "70"})
        for quantity, before in (("10", 0), ("5", 10)):
            line = {"goods_id": goods, "quantity": quantity, "price": "100"}
            desk.audited("sales_outbound", line, business_date=str(day - timedelta(days=before)))
        back = {"goods_id": goods, "quantity": "1", "price": "100"}
        desk.audited("sales_return", back, business_date=str(day))
        row = proposed(desk, "getSalesProposal", goods, sales_days=10, cover_days=60)
        assert row is not None
        told = ("quantity", "available_stocks", "on_order", "sales_quantity", "price")
        assert [float(row[name]) for name in told] == [20, 26, 8, 9, 70]
        assert row["supplier_id"] == desk.world.supplier2
        assert proposed(desk, "getSalesProposal", goods, sales_days=10, cover_days=30) is None

    def test_what_was_planned_and_is_still_to_be_ordered_is_not_planned_twice(self, desk: Desk) -> None:
        world, goods = desk.world, desk.world.spares[58]
        place = {"company_id": world.company_a, "warehouse_id": world.warehouse_a}
        limit = {**place, "goods_id": goods, "minimum": "10"}
        assert desk.caller.post(desk.path("safety_stock", "add"), limit).ok
        line = {"goods_id": goods, "quantity": "6", "price": "5", "supplier_id": world.supplier}
        plan = desk.audited("purchase_plan", line)
        for moved in ("turnOrder", "close"):
            row = proposed(desk, "getSafetyProposal", goods)
            assert row is not None
            assert (float(row["quantity"]), float(row["on_order"])) == (4, 6)
            assert desk.act(moved, plan).ok
        row = proposed(desk, "getSafetyProposal", goods)
        assert row is not None
        assert (float(row["quantity"]), float(row["on_order"])) == (10, 0)

    def test_a_line_by_hand_gets_its_figures_and_the_last_supplier(self, desk: Desk) -> None:
        goods = desk.world.spares[42]
        bought = {"goods_id": goods, "quantity": "6", "price": "70"}
        desk.audited("purchase_inbound", bought, supplier_id=desk.world.supplier2)
        plan = desk.draft("purchase_plan", {"goods_id": goods, "quantity": "1", "price": "1", "stocks": "99"})
        [line] = desk.info(plan)["lines"]
        assert (line["stocks"], line["supplier_id"]) == ("6.000", desk.world.supplier2)

    def test_another_companys_warehouse_is_refused(self, desk: Desk) -> None:
        place = {"company_id": desk.world.company_a, "warehouse_id": desk.world.warehouse_b}
        answer = desk.caller.get(desk.path("purchase_plan", "getSafetyProposal"), **place)
        assert (answer.code, answer.msg) == (400, "仓库不存在或无权访问")


class TestOrders:
    def test_each_supplier_gets_one_and_nothing_is_ordered_twice(self, desk: Desk, conn: Connection) -> None:
        world = desk.world
        plan = planned(desk, world.spares[43], world.spares[44])
        assert desk.act("turnOrder", plan).ok
        lines = orders_of(desk, plan)
        assert [(row["supplier_id"], row["quantity"], row["price"]) for row in lines] == [
            (world.supplier, "10.000", "90.000000"),
            (world.supplier2, "4.000", "50.000000"),
        ]
        assert {row["order_source"] for row in lines} == {2}, "they come from the plan"
        again = desk.act("turnOrder", plan)
        assert (again.code, again.msg) == (400, "采购计划已全部转为采购订单")
        first, second = (Made("purchase_order", row["bill_id"], row["bill_no"]) for row in lines)
        assert desk.act("auditorPass", first).ok
        info = desk.info(plan)
        assert info["ordered_status"] == 3
        assert [line["left_quantity"] for line in info["lines"]] == ["0.000", "4.000"]
        assert desk.act("antiAuditor", plan).code == 400
        assert desk.act("del", second).ok
        assert desk.act("turnOrder", plan).ok
        assert [row["supplier_id"] for row in orders_of(desk, plan)] == [world.supplier, world.supplier2]
        assert broken(conn) == {}

    def test_what_was_planned_without_a_price_is_ordered_at_the_suppliers(self, desk: Desk) -> None:
        goods, world = desk.world.spares[57], desk.world
        agreed = {"company_id": world.company_a, "goods_id": goods, "supplier_id": world.supplier2}
        assert desk.caller.post(desk.path("supplier_price", "add"), {**agreed, "purchase_price": "61.5"}).ok
        line = {"goods_id": goods, "quantity": "2", "supplier_id": world.supplier2}
        plan = desk.audited("purchase_plan", line, {**line, "price": "60"}, {**line, "is_gift": True})
        assert desk.act("turnOrder", plan).ok
        assert [row["price"] for row in orders_of(desk, plan)] == ["61.500000", "60.000000", "0.000000"]

    def test_the_rest_is_ordered_at_what_is_left_of_its_money(self, desk: Desk) -> None:
        """3 × 33.335 is 100.01: 33.34 and 33.33 were ordered before, 33.34 is left."""
        goods, supplier = desk.world.spares[56], desk.world.supplier
        line = {"goods_id": goods, "quantity": "3", "price": "33.335", "supplier_id": supplier}
        plan = desk.audited("purchase_plan", line)
        [source] = desk.line_ids(plan)
        one = {"goods_id": goods, "quantity": "1", "price": "33.335", "plan_line_id": source}
        for _ in range(2):
            desk.audited("purchase_order", one)
        assert desk.act("turnOrder", plan).ok
        rest = orders_of(desk, plan)[-1]
        assert (rest["quantity"], rest["amount"]) == ("1.000", "33.34")

    def test_closing_ends_it(self, desk: Desk) -> None:
        plan = planned(desk, desk.world.spares[45], desk.world.spares[46])
        assert desk.act("turnOrder", plan).ok
        [row, _] = orders_of(desk, plan)
        assert desk.act("close", plan).ok
        late = desk.act("auditorPass", Made("purchase_order", row["bill_id"], row["bill_no"]))
        assert (late.code, late.msg) == (400, f"采购计划{plan.no}不是已审核状态，不能执行")
        assert desk.act("turnOrder", plan).code == 400

    def test_a_line_without_a_supplier_is_named(self, desk: Desk) -> None:
        plan = desk.audited("purchase_plan", {"goods_id": desk.world.spares[47], "quantity": "1"})
        answer = desk.act("turnOrder", plan)
        assert (answer.code, answer.msg) == (400, "采购计划第1行没有供应商，请反审核后补上")

    def test_it_takes_the_right_to_add_orders(self, desk: Desk) -> None:
        plan, clerk = planned(desk, *desk.world.spares[48:50]), Desk(desk.site, "clerk_a")
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql(
                "delete from role_right where role_id = %s and code = 'purchase_order:add'",
                (desk.world.role_clerk_a,),
            )
        assert clerk.act("turnOrder", plan).code == 403
