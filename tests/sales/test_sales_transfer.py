"""XSDB 销售调拨: one bill between two companies: stock, value and settlements on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection

from api.ledger import periods
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site


def draft_transfer(desk: BillClient, goods: int, quantity: str = "2", **header: Any) -> SavedBill:
    line = {"goods_id": goods, "quantity": quantity, "price": "150"}
    return desk.draft("sales_transfer", line, **{"to_warehouse_id": desk.world.warehouse_b, **header})


class TestBothSides:
    def test_stock_value_and_settlements(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, world = desk.world.spares[0], desk.world
        desk.stock_in(goods, 5)
        bill = draft_transfer(desk, goods)
        assert desk.apply_action("auditorPass", bill).ok
        assert books.stock(bill) == [(goods, "-2", "100", "-200.00"), (goods, "2", "100", "200.00")]
        assert books.cost(goods, world.company_a) == ("3", "300.00")
        assert books.cost(goods, world.company_b) == ("2", "200.00")
        assert books.available(goods, world.warehouse_b) == ("2", "0", "2")
        assert [row[:4] for row in books.settlements(bill)] == [
            ("customer", world.inner_customer_a, "bill", "300.00"),
            ("supplier", world.inner_supplier_a, "bill", "300.00"),
        ]
        owners = books.rows("select company_id from settlement_item where bill_no = %s order by 1", bill.no)
        assert owners == [(world.company_a,), (world.company_b,)]
        assert find_broken_checks(conn) == {}
        assert desk.apply_action("antiAuditor", bill).ok
        assert books.cost(goods, world.company_b) == ("0", "0.00")
        assert find_broken_checks(conn) == {}

    def test_what_the_buyer_sold_is_not_taken_back(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[1], desk.world
        desk.stock_in(goods, 5)
        bill = draft_transfer(desk, goods)
        assert desk.apply_action("auditorPass", bill).ok
        there = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        sold = desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "1"}, **there)
        answer = desk.apply_action("antiAuditor", bill)
        assert answer.msg == f"该单据的库存已被使用，不能反审核或作废：备件1（相关单据：{sold.no}）"

    def test_a_closed_period_of_the_buyer_refuses(self, site: Site, desk: BillClient) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 5)
        with site.engine.begin() as conn:
            periods.close_period(conn, desk.world.company_b, "2025-10")
        answer = desk.apply_action("auditorPass", draft_transfer(desk, goods, business_date="2025-10-08"))
        assert (answer.code, answer.msg) == (400, "会计期间 2025-10 已结账，请修改单据日期或先反结账")


class TestRules:
    def test_a_warehouse_of_the_own_company_is_no_target(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1", "price": "1"}
        answer = desk.add("sales_transfer", line, to_warehouse_id=desk.world.warehouse2_a)
        assert (answer.code, answer.msg) == (400, "调入仓库属于本公司，请用仓库调拨")

    def test_whoever_knows_one_side_only_makes_and_audits_none(self, site: Site, desk: BillClient) -> None:
        goods, clerk = desk.world.spares[3], BillClient(site, "manager_a")
        desk.stock_in(goods, 5)
        line = {"goods_id": goods, "quantity": "1", "price": "1"}
        answer = clerk.add("sales_transfer", line, to_warehouse_id=desk.world.warehouse_b)
        assert (answer.code, answer.msg) == (400, "“调入仓库”不存在或无权使用，请重新选择")
        answer = clerk.apply_action("auditorPass", draft_transfer(desk, goods))
        assert (answer.code, answer.msg) == (403, "销售调拨由两家公司都有权限的人员审核")


@contextmanager
def changed_setting(site: Site, statement: str, back: str) -> Iterator[None]:
    """Change a master or setting meanwhile."""
    with site.engine.begin() as conn:
        conn.exec_driver_sql(statement)
    try:
        yield
    finally:
        with site.engine.begin() as conn:
            conn.exec_driver_sql(back)


class TestParties:
    def test_they_are_the_two_companies_whoever_is_sent(self, desk: BillClient) -> None:
        world = desk.world
        sent = {"customer_id": world.customer_a, "supplier_id": world.supplier2}
        bill = draft_transfer(desk, world.spares[4], **sent)
        found = desk.read_bill(bill)
        assert (found["customer_id"], found["supplier_id"]) == (
            world.inner_customer_a,
            world.inner_supplier_a,
        )
        assert found["due_date"] == "2026-03-20"

    def test_where_nobody_is_bound_there_is_no_bill(self, desk: BillClient) -> None:
        world = desk.world
        line = {"goods_id": world.spares[4], "quantity": "1", "price": "1"}
        with (
            desk.without_inner_company("customer", world.inner_customer_a),
            desk.without_inner_company("supplier", world.inner_supplier_a),
        ):
            answer = desk.add("sales_transfer", line, to_warehouse_id=world.warehouse_b)
        assert [row["msg"] for row in answer.data["failures"]] == [
            "A分公司没有内部公司为B分公司的客户，请先在客户资料中指定",
            "没有内部公司为A分公司的供应商，请先在供应商资料中指定",
        ]

    def test_a_disabled_one_begins_nothing(self, site: Site, desk: BillClient) -> None:
        world = desk.world
        line = {"goods_id": world.spares[4], "quantity": "1", "price": "1"}
        bill = draft_transfer(desk, world.spares[4])
        change = "update customer set enabled = {} where customer_id = " + str(world.inner_customer_a)
        with changed_setting(site, change.format("false"), change.format("true")):
            answer = desk.add("sales_transfer", line, to_warehouse_id=world.warehouse_b)
            body = {**desk.read_bill(bill), "id": bill.id}
            kept = desk.caller.post(desk.path("sales_transfer", "edit"), body)
        assert (answer.code, answer.msg) == (400, "内部客户B分公司已停用或未审核，请先启用或审核")
        assert kept.ok, kept

    def test_a_draft_from_before_is_saved_anew(self, site: Site, desk: BillClient) -> None:
        bill = draft_transfer(desk, desk.world.spares[4])
        outsider = (
            f"update sales_transfer set customer_id = {desk.world.customer_a} where bill_id = {bill.id}"
        )
        with site.engine.begin() as conn:
            conn.exec_driver_sql(outsider)
        answer = desk.apply_action("auditorPass", bill)
        assert answer.msg == "单据的客户和供应商不是调入、调出公司，请打开单据重新保存后再审核"
        assert desk.caller.post(
            desk.path("sales_transfer", "edit"), {**desk.read_bill(bill), "id": bill.id}
        ).ok
        assert desk.read_bill(bill)["customer_id"] == desk.world.inner_customer_a

    def test_the_check_finds_an_outsider(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[5]
        desk.stock_in(goods, 5)
        bill = draft_transfer(desk, goods)
        assert desk.apply_action("auditorPass", bill).ok
        assert find_broken_checks(conn) == {}
        planted = "update sales_transfer set {0}_id = %s where bill_id = %s"
        for party, other in (("customer", desk.world.customer_a), ("supplier", desk.world.supplier2)):
            conn.exec_driver_sql(planted.format(party), (other, bill.id))
            assert list(find_broken_checks(conn)) == ["sales_transfer_is_between_companies"]
            conn.rollback()


class TestBinding:
    def bind_company(self, desk: BillClient, party: str, key: int, company: int | None) -> str:
        answer = desk.caller.get(desk.path(party, "getInfo"), id=key)
        body = {"id": key, "revision": answer.data["revision"], "inner_company_id": company}
        return desk.caller.post(desk.path(party, "edit"), body).msg

    def test_one_company_is_one_partner(self, desk: BillClient) -> None:
        world = desk.world
        assert self.bind_company(desk, "customer", world.customer2_a, world.company_b).endswith(
            "内部公司已存在，请更换"
        )
        assert (
            self.bind_company(desk, "supplier", world.supplier2, world.company_a) == "内部公司已存在，请更换"
        )
        own = self.bind_company(desk, "customer", world.customer2_a, world.company_a)
        assert own == "内部公司不能是客户所属的公司"

    def test_it_stays_while_bills_stand(self, desk: BillClient) -> None:
        world = desk.world
        home = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        line = {"goods_id": world.spares[6], "quantity": "1", "price": "1"}
        bill = desk.draft("sales_transfer", line, **home, to_warehouse_id=world.warehouse_a)
        for party in ("customer", "supplier"):
            told = self.bind_company(desk, party, world.ids[f"inner_{party}_b"], None)
            assert told == f"内部公司不能修改：已有销售调拨{bill.no}"
        assert desk.apply_action("invalid", bill).ok
        for party, company in (("customer", world.company_a), ("supplier", world.company_b)):
            key = world.ids[f"inner_{party}_b"]
            assert [self.bind_company(desk, party, key, one) for one in (None, company)] == ["操作成功"] * 2

    def test_who_does_not_see_the_company_binds_none_and_keeps_what_is_bound(
        self, site: Site, desk: BillClient
    ) -> None:
        world, clerk = desk.world, BillClient(site, "manager_a")
        answer = self.bind_company(clerk, "customer", world.customer2_a, world.company_b)
        assert answer == "“内部公司”不存在或无权使用，请重新选择"
        found = clerk.caller.get(clerk.path("customer", "getInfo"), id=world.inner_customer_a).data
        body = {**found, "id": world.inner_customer_a, "address": "新路1号"}
        assert clerk.caller.post(clerk.path("customer", "edit"), body).ok
        assert desk.caller.get(desk.path("customer", "getInfo"), id=world.inner_customer_a).data[
            "inner_company_id"
        ] == world.company_b  # fmt: skip


class TestControls:
    def test_credit_is_asked_as_at_any_sale(self, site: Site, desk: BillClient) -> None:
        goods, world = desk.world.spares[7], desk.world
        desk.stock_in(goods, 5)
        bill = draft_transfer(desk, goods)
        limit = "update customer set credit_limit = {} where customer_id = " + str(world.inner_customer_a)
        with changed_setting(site, limit.format("0"), limit.format("null")):
            answer = desk.apply_action("auditorPass", bill)
            assert answer.code == 363 and answer.msg.startswith(
                "客户已超信用额度（额度 0.00 元，欠款与未出库订单将达 "
            )
            assert desk.read_bill(bill)["status"] == 1
            assert desk.apply_action("auditorPass", bill, confirmed=True).ok
        log = desk.caller.get(desk.path("sales_transfer", "getLog"), id=bill.id).data
        assert "客户已超信用额度" in next(row for row in log if row["action"] == "confirmed")["reason"]

    def test_overdue_debts_are_minded(self, site: Site, desk: BillClient) -> None:
        goods = desk.world.spares[8]
        desk.stock_in(goods, 5, business_date="2026-01-02")
        assert desk.apply_action("auditorPass", draft_transfer(desk, goods, business_date="2026-01-05")).ok
        mode = "update bill_setting set overdue_mode = {} where type = 2"
        with changed_setting(site, mode.format("1"), mode.format("0")):
            answer = desk.apply_action("auditorPass", draft_transfer(desk, goods))
        assert answer.code == 400 and answer.msg.startswith("客户有逾期欠款 ")

    def test_the_lowest_price_holds(self, site: Site, desk: BillClient) -> None:
        goods = desk.list_price(desk.world.spares[9])
        desk.stock_in(goods, 5)
        line = {"goods_id": goods, "quantity": "2", "price": "79"}
        bill = desk.draft("sales_transfer", line, to_warehouse_id=desk.world.warehouse_b)
        mode = "update bill_setting set price_mode = {} where type = 2"
        with changed_setting(site, mode.format("1"), mode.format("0")):
            answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (363, "备件9低于最低售价 80.00 元，是否继续？")

    def test_the_buyer_minds_his_purchase_price(self, site: Site, desk: BillClient) -> None:
        goods, world = desk.world.spares[10], desk.world
        body = {"company_id": world.company_b, "goods_id": goods, "purchase_price": "140"}
        assert desk.caller.post("v2/system/CompanyGoods/add", body).ok
        desk.stock_in(goods, 5)
        mode = f"update bill_setting set price_mode = {{}} where type = 1 and company_id = {world.company_b}"
        with changed_setting(site, mode.format("1"), mode.format("0")):
            answer = desk.apply_action("auditorPass", draft_transfer(desk, goods))
        assert (answer.code, answer.msg) == (400, "调入公司：备件10高于采购价 140.00 元")
