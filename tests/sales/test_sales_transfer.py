"""XSDB 销售调拨: one bill between two companies: stock, value and settlements on both sides."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from api.ledger import periods
from tests.kit.desk import Books, Desk, Made
from tests.kit.fixtures import Site
from tests.kit.state import broken


def draft(desk: Desk, goods: int, quantity: str = "2", **header: Any) -> Made:
    line = {"goods_id": goods, "quantity": quantity, "price": "150"}
    return desk.draft("sales_transfer", line, **{"to_warehouse_id": desk.world.warehouse_b, **header})


class TestBothSides:
    def test_stock_value_and_settlements(self, desk: Desk, books: Books, conn: Connection) -> None:
        goods, world = desk.world.spares[0], desk.world
        desk.stock_in(goods, 5)
        bill = draft(desk, goods)
        assert desk.act("auditorPass", bill).ok
        assert books.stock(bill) == [(goods, "-2", "100", "-200.00"), (goods, "2", "100", "200.00")]
        assert books.cost(goods, world.company_a) == ("3", "300.00")
        assert books.cost(goods, world.company_b) == ("2", "200.00")
        assert books.available(goods, world.warehouse_b) == ("2", "0", "2")
        assert [row[:4] for row in books.settlements(bill)] == [
            ("customer", world.customer_a, "bill", "300.00"),
            ("supplier", world.supplier, "bill", "300.00"),
        ]
        owners = books.rows("select company_id from settlement_item where bill_no = %s order by 1", bill.no)
        assert owners == [(world.company_a,), (world.company_b,)]
        assert broken(conn) == {}
        assert desk.act("antiAuditor", bill).ok
        assert books.cost(goods, world.company_b) == ("0", "0.00")
        assert broken(conn) == {}

    def test_what_the_buyer_sold_is_not_taken_back(self, desk: Desk) -> None:
        goods, world = desk.world.spares[1], desk.world
        desk.stock_in(goods, 5)
        bill = draft(desk, goods)
        assert desk.act("auditorPass", bill).ok
        there = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        sold = desk.audited("other_outbound", {"goods_id": goods, "quantity": "1"}, **there)
        answer = desk.act("antiAuditor", bill)
        assert answer.msg == f"该单据的库存已被使用，不能反审核或作废：备件1（相关单据：{sold.no}）"

    def test_a_closed_period_of_the_buyer_refuses(self, site: Site, desk: Desk) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 5)
        with site.engine.begin() as conn:
            periods.close_period(conn, desk.world.company_b, "2025-10")
        answer = desk.act("auditorPass", draft(desk, goods, business_date="2025-10-08"))
        assert (answer.code, answer.msg) == (400, "会计期间 2025-10 已结账，请修改单据日期或先反结账")


class TestRules:
    def test_a_warehouse_of_the_own_company_is_no_target(self, desk: Desk) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1", "price": "1"}
        answer = desk.add("sales_transfer", line, to_warehouse_id=desk.world.warehouse2_a)
        assert (answer.code, answer.msg) == (400, "调入仓库属于本公司，请用仓库调拨")

    def test_whoever_knows_one_side_only_makes_and_audits_none(self, site: Site, desk: Desk) -> None:
        goods, clerk = desk.world.spares[3], Desk(site, "manager_a")
        desk.stock_in(goods, 5)
        line = {"goods_id": goods, "quantity": "1", "price": "1"}
        answer = clerk.add("sales_transfer", line, to_warehouse_id=desk.world.warehouse_b)
        assert (answer.code, answer.msg) == (400, "“调入仓库”不存在或无权使用，请重新选择")
        answer = clerk.act("auditorPass", draft(desk, goods))
        assert (answer.code, answer.msg) == (403, "销售调拨由两家公司都有权限的人员审核")
