"""胎号: a numbered tyre is at one place, travels with the bills that name it, and its whole life is kept."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from api.ledger import periods
from tests.inventory.numbered_tyres import (
    LIFE,
    TIRE,
    build_line,
    create_numbers,
    read_life,
    read_state,
    receive_numbered,
)
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.fixtures import Site


def list_drawn_lines(desk: BillClient, resource: str, source: SavedBill) -> list[tuple[str, str | None]]:
    """List (quantity, numbers) of the lines of a draft from a bill."""
    draft = desk.caller.get(desk.path(resource, "getDraft"), id=source.id)
    assert draft.ok, draft
    return [(str(int(float(row["quantity"]))), row["tire_numbers"]) for row in draft.data["lines"]]


class TestLife:
    def test_bought_moved_sold_and_returned(self, desk: BillClient, goods: int, conn: Connection) -> None:
        one, other = create_numbers(2)
        world = desk.world
        receive_numbered(desk, goods, [one, other], batch="1225")
        desk.add_audited("location_move", build_line(goods, [one], to_allocation_id=world.allocation_a))
        sent = desk.add_audited(
            "transfer_out", build_line(goods, [one, other]), to_warehouse_id=world.warehouse2_a
        )
        assert read_state(desk, one)["state"] == 7
        draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
        assert draft["lines"][0]["tire_numbers"] == f"{one} {other}"
        desk.add_audited("transfer_in", *draft.pop("lines"), **draft)
        sold = desk.add_audited("sales_outbound", build_line(goods, [one]), warehouse_id=world.warehouse2_a)
        here = read_state(desk, one)
        assert (here["state"], here["customer_name"], here["batch"]) == (2, "A客户", "1225")
        desk.add_audited("sales_return", build_line(goods, [one], source_line_id=desk.line_ids(sold)[0]))
        assert [
            (row["state"], row["warehouse_name"]) for row in (read_state(desk, one), read_state(desk, other))
        ] == [
            (1, "A仓"),
            (1, "A仓2"),
        ]
        assert read_life(desk, one) == [
            ("CGRK", "未入库", "A仓", False),
            ("TCYK", "A仓", "A仓 A库位", False),
            ("DBCK", "A仓 A库位", "A分公司在途", False),
            ("DBRK", "A分公司在途", "A仓2", False),
            ("XSCK", "A仓2", "已售出 A客户", False),
            ("XSTH", "已售出 A客户", "A仓", False),
        ]
        assert find_broken_checks(conn) == {}

    def test_each_step_leads_to_its_bill(self, desk: BillClient, goods: int) -> None:
        [number] = create_numbers(1)
        bill = receive_numbered(desk, goods, [number])
        [step] = desk.caller.get(LIFE, number=number).data["data"]
        assert (step["bill_no"], step["route"]) == (bill.no, f"/purchase/instorageSee?id={bill.id}")
        assert step["user_name"] == "管理员"

    def test_the_batch_and_place_of_a_number_decide_what_leaves(
        self, desk: BillClient, goods: int, books: PostingReader, conn: Connection
    ) -> None:
        """The oldest batch would have been picked: it is the younger tyre that was scanned."""
        (old,), (young,) = create_numbers(1), create_numbers(1)
        receive_numbered(desk, goods, [old], batch="0125")
        receive_numbered(desk, goods, [young], batch="5025", allocation_id=desk.world.allocation_a)
        bill = desk.add_audited("sales_outbound", build_line(goods, [young]))
        rows = books.rows(
            "select b.batch, l.allocation_id, l.quantity from stock_ledger l join goods_batch b using (batch_id)"
            " where l.bill_no = %s",
            bill.no,
        )
        assert rows == [("5025", desk.world.allocation_a, "-1")]
        assert find_broken_checks(conn) == {}

    def test_parts_of_a_transfer_keep_their_batches(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        (old,), (young,) = create_numbers(1), create_numbers(1)
        receive_numbered(desk, goods, [old], batch="0125")
        receive_numbered(desk, goods, [young], batch="5025")
        sent = desk.add_audited(
            "transfer_out", build_line(goods, [old, young]), to_warehouse_id=desk.world.warehouse2_a
        )
        for number in (young, old):
            draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
            [rest] = draft.pop("lines")
            kept = {"quantity": "1", "tire_numbers": number}
            desk.add_audited("transfer_in", {**rest, **kept}, **{**draft, "freight_amount": "0.01"})
            assert read_state(desk, number)["batch"] == {old: "0125", young: "5025"}[number]
        assert find_broken_checks(conn) == {}

    def test_a_sale_between_companies_takes_it_along(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        [number] = create_numbers(1)
        receive_numbered(desk, goods, [number])
        desk.add_audited(
            "sales_transfer", build_line(goods, [number]), to_warehouse_id=desk.world.warehouse_b
        )
        assert read_state(desk, number)["company_name"] == "B分公司"
        assert find_broken_checks(conn) == {}

    @pytest.mark.parametrize(
        ("resource", "more", "expected"),
        [
            ("purchase_return", {}, 3),
            ("other_outbound", {}, 6),
            ("stock_loss", {}, 5),
            ("defective", {"kind": 1, "to": True}, 1),
        ],
    )
    def test_where_it_goes(
        self,
        desk: BillClient,
        goods: int,
        conn: Connection,
        resource: str,
        more: dict[str, Any],
        expected: int,
    ) -> None:
        [number] = create_numbers(1)
        bought = receive_numbered(desk, goods, [number])
        header = {**more, "to_warehouse_id": desk.world.warehouse4_a} if more.pop("to", None) else more
        linked = {"source_line_id": desk.line_ids(bought)[0]} if resource == "purchase_return" else {}
        desk.add_audited(resource, build_line(goods, [number], **linked), **header)
        assert read_state(desk, number)["state"] == expected
        assert find_broken_checks(conn) == {}

    def test_what_a_stocktake_misses_and_finds(self, desk: BillClient, goods: int, conn: Connection) -> None:
        one, other, third = create_numbers(3)
        receive_numbered(desk, goods, [one, other, third])
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "2", "tire_numbers": other})
        assert desk.apply_action("auditorPass", take).ok
        assert read_state(desk, other)["state"] == 5
        found = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "3", "tire_numbers": other})
        assert desk.apply_action("auditorPass", found).ok
        assert read_state(desk, other)["state"] == 1
        assert desk.apply_action("antiAuditor", found).ok
        assert read_state(desk, other)["state"] == 5
        assert find_broken_checks(conn) == {}

    def test_a_priced_inbound_is_shared_out_to_the_cent(
        self, desk: BillClient, goods: int, books: PostingReader, conn: Connection
    ) -> None:
        one, other, third = create_numbers(3)
        receive_numbered(desk, goods, [one], batch="0126")
        receive_numbered(desk, goods, [other], batch="0226")
        for number in (one, other):
            desk.add_audited("other_outbound", build_line(goods, [number]))
        back = build_line(goods, [one, other, third], price="33.34", tax_rate="0")
        bill = desk.add_audited("other_inbound", back)
        assert sorted(row[3] for row in books.stock(bill)) == ["33.34", "33.34", "33.34"]
        assert find_broken_checks(conn) == {}


class TestReading:
    def test_scans_are_separated_by_anything(self, desk: BillClient, goods: int) -> None:
        bill = desk.draft(
            "purchase_inbound",
            {**build_line(goods, []), "quantity": "4", "tire_numbers": "ab-1\nAB-2，ab-3、　ＡＢ-4\r\n"},
        )
        assert desk.read_bill(bill)["lines"][0]["tire_numbers"] == "AB-1 AB-2 AB-3 AB-4"

    @pytest.mark.parametrize(
        ("text", "quantity", "msg"),
        [
            ("X1 X2", "3", "第1行：胎号有2个，数量是3，应当一致"),
            ("X1 X2 x1", "3", "第1行：胎号 X1 与第1行重复"),
            ("X1 胎", "2", "第1行：胎号“胎”不正确，应为字母、数字和 - . / _，最多40位"),
            ("X" * 41, "1", f"第1行：胎号“{'X' * 40}”不正确，应为字母、数字和 - . / _，最多40位"),
            ("X1", "1.5", "第1行：胎号有1个，数量是1.5，应当一致"),
        ],
    )
    def test_bad_scans_are_told(
        self, desk: BillClient, goods: int, text: str, quantity: str, msg: str
    ) -> None:
        answer = desk.add(
            "purchase_inbound", {**build_line(goods, []), "quantity": quantity, "tire_numbers": text}
        )
        assert (answer.code, answer.msg) == (400, msg)

    def test_a_number_stands_on_one_line_of_a_bill(self, desk: BillClient, goods: int) -> None:
        answer = desk.add("purchase_inbound", build_line(goods, ["Y1", "Y2"]), build_line(goods, ["Y2"]))
        assert (answer.code, answer.msg) == (400, "第2行：胎号 Y2 与第1行重复")

    def test_goods_kept_by_number_name_every_piece(self, desk: BillClient, goods: int) -> None:
        bill = desk.draft("purchase_inbound", {**build_line(goods, []), "quantity": "2"})
        name = desk.read_bill(bill)["lines"][0]["goods_name"]
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, f"{name}按胎号管理，请录入胎号：应有2个，现有0个")

    def test_what_has_no_number_may_leave_without(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        """Of two pieces from before, one is registered: the other one may go unnamed, and then no more."""
        numbered = desk.caller.post("v2/system/Goods/edit", {"id": goods, "is_numbered": False})
        assert numbered.ok
        desk.stock_in(goods, 2)
        assert desk.caller.post("v2/system/Goods/edit", {"id": goods, "is_numbered": True}).ok
        desk.add_audited("tire_registration", {"goods_id": goods, "tire_numbers": create_numbers(1)[0]})
        bills = [desk.draft("sales_outbound", {**build_line(goods, []), "quantity": "1"}) for _ in range(2)]
        first, second = (desk.apply_action("auditorPass", bill) for bill in bills)
        assert first.ok, first
        name = desk.read_bill(bills[0])["lines"][0]["goods_name"]
        told = f"在库胎号多于库存：{name}在A仓 批次无库存0，胎号1个；出库请录入胎号"
        assert (second.code, second.msg) == (400, told)
        assert find_broken_checks(conn) == {}

    def test_a_receipt_names_all_of_a_line_or_none(self, desk: BillClient, goods: int) -> None:
        numbers = create_numbers(2)
        receive_numbered(desk, goods, numbers)
        sent = desk.add_audited(
            "transfer_out", build_line(goods, numbers), to_warehouse_id=desk.world.warehouse2_a
        )
        draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
        [whole] = draft.pop("lines")
        parts = [{**whole, "quantity": "1", "tire_numbers": number} for number in (numbers[0], None)]
        answer = desk.apply_action("auditorPass", desk.draft("transfer_in", *parts, **draft))
        assert (answer.code, answer.msg) == (400, "同一调拨明细分成几行收货时，胎号请全部录入或全部不录入")

    def test_other_goods_take_no_numbers(self, desk: BillClient) -> None:
        bill = desk.draft("purchase_inbound", build_line(desk.world.tube, ["Z1"]))
        answer = desk.apply_action("auditorPass", bill)
        told = "内胎 11.00R20未按胎号管理，请清空胎号，或在商品资料中设为按胎号管理"
        assert (answer.code, answer.msg) == (400, told)

    def test_numbers_are_searched_by_scan(self, desk: BillClient, goods: int) -> None:
        numbers = create_numbers(11)
        receive_numbered(desk, goods, numbers)
        found = desk.caller.get(TIRE, keyword=numbers[10]).data
        assert [row["number"] for row in found["data"]] == [numbers[10]]
        assert desk.caller.get(TIRE, goods_id=goods, state=1).data["total"] == 11
        assert len(read_life(desk, numbers[0])) == 1, "not the lives of 10 and 11 as well"


class TestRefusals:
    def audit_refused(self, desk: BillClient, conn: Connection, bill: SavedBill) -> str:
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = desk.apply_action("auditorPass", bill)
        assert answer.code == 400, answer
        assert fingerprint_tables(conn) == before
        conn.rollback()
        return answer.msg

    def test_what_is_sold_is_not_sold_again(self, desk: BillClient, goods: int, conn: Connection) -> None:
        numbers = create_numbers(2)
        receive_numbered(desk, goods, numbers)
        sold = desk.add_audited("sales_outbound", build_line(goods, numbers[:1]))
        again = desk.draft("sales_outbound", build_line(goods, numbers[:1]))
        assert self.audit_refused(desk, conn, again) == (
            f"胎号 {numbers[0]} 不在出库仓库，已售给A客户（{sold.no}）"
        )

    def test_what_is_here_does_not_come_again(self, desk: BillClient, goods: int, conn: Connection) -> None:
        [number] = create_numbers(1)
        bill = receive_numbered(desk, goods, [number])
        again = desk.draft("purchase_inbound", build_line(goods, [number]))
        assert self.audit_refused(desk, conn, again) == f"胎号 {number} 已在A仓（{bill.no}），不能再入库"

    def test_what_lies_elsewhere_does_not_leave(self, desk: BillClient, goods: int, conn: Connection) -> None:
        (here,), (there,) = create_numbers(1), create_numbers(1)
        receive_numbered(desk, goods, [here])
        bill = receive_numbered(desk, goods, [there], warehouse_id=desk.world.warehouse2_a)
        gone = desk.draft("sales_outbound", build_line(goods, [there]))
        assert self.audit_refused(desk, conn, gone) == f"胎号 {there} 不在出库仓库，在A仓2（{bill.no}）"

    def test_another_location_than_the_lines_is_told(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        one, other = create_numbers(2)
        receive_numbered(desk, goods, [one], allocation_id=desk.world.allocation_a)
        receive_numbered(desk, goods, [other])
        moved = desk.draft(
            "other_outbound", build_line(goods, [other], allocation_id=desk.world.allocation_a)
        )
        assert "与本行的库位或批次不符" in self.audit_refused(desk, conn, moved)

    def test_a_number_nobody_knows(self, desk: BillClient, goods: int, conn: Connection) -> None:
        receive_numbered(desk, goods, create_numbers(1))
        bill = desk.draft("sales_outbound", build_line(goods, ["NOBODY-1"]))
        assert self.audit_refused(desk, conn, bill) == "胎号 NOBODY-1 不在出库仓库，没有登记过"

    def test_a_number_of_other_goods(self, desk: BillClient, goods: int, conn: Connection) -> None:
        [number] = create_numbers(1)
        receive_numbered(desk, desk.world.numbered, [number])
        receive_numbered(desk, goods, create_numbers(1))
        bill = desk.draft("sales_outbound", build_line(goods, [number]))
        assert self.audit_refused(desk, conn, bill) == f"胎号 {number} 是带号轮胎 11R22.5的，与本行商品不符"

    def test_a_customer_returns_what_he_bought(self, desk: BillClient, goods: int, conn: Connection) -> None:
        [number] = create_numbers(1)
        receive_numbered(desk, goods, [number])
        sold = desk.add_audited("sales_outbound", build_line(goods, [number]))
        other = desk.draft("sales_return", build_line(goods, [number]), customer_id=desk.world.customer2_a)
        assert self.audit_refused(desk, conn, other) == (
            f"胎号 {number} 已售给A客户（{sold.no}），不能由该客户退回"
        )
        bought = desk.draft("purchase_inbound", build_line(goods, [number]))
        assert self.audit_refused(desk, conn, bought) == (
            f"胎号 {number} 已售给A客户（{sold.no}），请用退货单入库"
        )

    def test_what_returns_is_among_what_was_sold(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        """The number of another sale, and one that nobody ever had, don't come back on this one."""
        first, second, here = create_numbers(3)
        receive_numbered(desk, goods, [first, second, here])
        sold = desk.add_audited("sales_outbound", build_line(goods, [first]))
        desk.add_audited("sales_outbound", build_line(goods, [second]))
        [source] = desk.line_ids(sold)
        for number in (second, "NEVER-SOLD", here):
            back = desk.draft("sales_return", build_line(goods, [number], source_line_id=source))
            assert self.audit_refused(desk, conn, back) == (
                f"胎号 {number} 不在销售出库{sold.no}第1行的胎号中，请核对胎号或来源"
            )
        desk.add_audited("sales_return", build_line(goods, [first], source_line_id=source))
        assert find_broken_checks(conn) == {}

    def test_what_was_sold_again_belongs_to_the_later_sale(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        number, other = create_numbers(2)
        receive_numbered(desk, goods, [number, other])
        sold = desk.add_audited("sales_outbound", build_line(goods, [number, other]))
        [first] = desk.line_ids(sold)
        desk.add_audited("sales_return", build_line(goods, [number], source_line_id=first))
        [second] = desk.line_ids(desk.add_audited("sales_outbound", build_line(goods, [number])))
        late = desk.draft("sales_return", build_line(goods, [number], source_line_id=first))
        told = f"胎号 {number} 不在销售出库{sold.no}第1行的胎号中，请核对胎号或来源"
        assert self.audit_refused(desk, conn, late) == told
        desk.add_audited("sales_return", build_line(goods, [number], source_line_id=second))

    def test_an_unlinked_return_brings_what_had_left(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        number, here = create_numbers(2)
        receive_numbered(desk, goods, [here])
        back = desk.draft("sales_return", build_line(goods, [number]))
        assert self.audit_refused(desk, conn, back) == f"胎号 {number} 没有售出过，不能退回"
        back = desk.draft("sales_return", build_line(goods, [here]))
        assert "不能再入库" in self.audit_refused(desk, conn, back)

    def test_what_a_sale_moved_returns_on_its_line(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        """There it is counted and paid back; also once a return of it was taken back, and by the newest of its sales."""
        number, other = create_numbers(2)
        receive_numbered(desk, goods, [number, other])
        sold = desk.add_audited("sales_outbound", build_line(goods, [other]), build_line(goods, [number]))
        told = f"胎号 {number} 是销售出库{sold.no}第2行的，请从该销售出库生成销售退货"
        apart = desk.draft("sales_return", build_line(goods, [number], price="9000"))
        assert self.audit_refused(desk, conn, apart) == told
        back = desk.add_audited(
            "sales_return", build_line(goods, [number], source_line_id=desk.line_ids(sold)[1])
        )
        assert desk.apply_action("antiAuditor", back).ok
        assert self.audit_refused(desk, conn, apart) == told
        assert desk.apply_action("auditorPass", back).ok
        again = desk.add_audited("sales_outbound", build_line(goods, [number]))
        assert self.audit_refused(desk, conn, apart) == (
            f"胎号 {number} 是销售出库{again.no}第1行的，请从该销售出库生成销售退货"
        )

    def test_who_may_not_see_the_bill_is_told_who_can(
        self, site: Site, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        [number] = create_numbers(1)
        bought, other = receive_numbered(desk, goods, [number]), BillClient(site, "own_a")
        apart = other.draft("purchase_return", build_line(goods, [number]))
        assert self.audit_refused(other, conn, apart) == (
            f"胎号 {number} 是您无权查看的采购入库的，请该单的制单人或主管从该采购入库生成采购退货"
        )
        assert bought.no in self.audit_refused(desk, conn, apart)
        desk.add_audited("sales_outbound", build_line(goods, [number]))
        apart = other.draft("sales_return", build_line(goods, [number]))
        assert self.audit_refused(other, conn, apart) == (
            f"胎号 {number} 是您无权查看的销售出库的，请该单的制单人或主管从该销售出库生成销售退货"
        )

    def test_what_a_receipt_brought_goes_back_on_its_line(
        self, desk: BillClient, goods: int, conn: Connection, books: PostingReader
    ) -> None:
        [number] = create_numbers(1)
        bought = receive_numbered(desk, goods, [number])
        apart = desk.draft("purchase_return", build_line(goods, [number], price="9000"))
        told = f"胎号 {number} 是采购入库{bought.no}第1行的，请从该采购入库生成采购退货"
        assert self.audit_refused(desk, conn, apart) == told
        [source] = desk.line_ids(bought)
        desk.add_audited("purchase_return", build_line(goods, [number], source_line_id=source))
        assert books.rows(
            "select returned_quantity from purchase_inbound_line where line_id = %s", source
        ) == [("1",)]
        desk.add_audited("other_inbound", build_line(goods, [number]))
        assert desk.apply_action("auditorPass", apart).ok, "since then no receipt has brought it"
        assert find_broken_checks(conn) == {}

    def test_what_goes_back_to_a_supplier_came_with_the_receipt(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        first, second = create_numbers(2)
        bought = receive_numbered(desk, goods, [first])
        [source] = desk.line_ids(bought)
        receive_numbered(desk, goods, [second])
        back = desk.draft("purchase_return", build_line(goods, [second], source_line_id=source))
        told = f"胎号 {second} 不在采购入库{bought.no}第1行的胎号中，请核对胎号或来源"
        assert self.audit_refused(desk, conn, back) == told
        desk.add_audited("purchase_return", build_line(goods, [first], source_line_id=source))
        assert find_broken_checks(conn) == {}

    def test_a_receipt_of_a_transfer_names_what_its_line_sent(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        first, second = create_numbers(2)
        receive_numbered(desk, goods, [first, second])
        sent = [
            desk.add_audited(
                "transfer_out", build_line(goods, [number]), to_warehouse_id=desk.world.warehouse2_a
            )
            for number in (first, second)
        ]
        [source] = desk.line_ids(sent[0])
        got = {"warehouse_id": desk.world.warehouse2_a}
        late = desk.draft("transfer_in", build_line(goods, [second], source_line_id=source), **got)
        told = f"胎号 {second} 不在仓库调拨{sent[0].no}第1行的胎号中，请核对胎号或来源"
        assert self.audit_refused(desk, conn, late) == told
        desk.add_audited("transfer_in", build_line(goods, [first], source_line_id=source), **got)

    def test_a_number_of_another_sale_on_a_return_is_found(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        first, second = create_numbers(2)
        receive_numbered(desk, goods, [first, second])
        sold, other = (
            desk.add_audited("sales_outbound", build_line(goods, [number])) for number in (first, second)
        )
        [source] = desk.line_ids(sold)
        back = desk.add_audited("sales_return", build_line(goods, [first], source_line_id=source))
        assert find_broken_checks(conn) == {}
        conn.exec_driver_sql(
            "update sales_return_line set source_line_id = %s where bill_id = %s",
            (*desk.line_ids(other), back.id),
        )
        assert "sales_return_line_source_line_id_tire_numbers" in find_broken_checks(conn)
        conn.rollback()

    def test_a_number_that_came_back_beside_its_sale_is_found(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        [number] = create_numbers(1)
        receive_numbered(desk, goods, [number])
        [source] = desk.line_ids(desk.add_audited("sales_outbound", build_line(goods, [number])))
        back = desk.add_audited("sales_return", build_line(goods, [number], source_line_id=source))
        assert find_broken_checks(conn) == {}
        conn.exec_driver_sql(
            "update sales_return_line set source_line_id = null where bill_id = %s", (back.id,)
        )
        assert "sales_return_line_source_line_id_apart" in find_broken_checks(conn)
        conn.rollback()

    def test_a_number_moves_forward_in_time(self, desk: BillClient, goods: int, conn: Connection) -> None:
        """Other pieces are in stock on each day; this one was not there before it came."""
        number, *others = create_numbers(4)
        receive_numbered(desk, goods, others, business_date="2026-02-01")
        receive_numbered(desk, goods, [number])
        early = desk.draft("sales_outbound", build_line(goods, [number]), business_date="2026-03-01")
        assert "本单日期不能早于它" in self.audit_refused(desk, conn, early)
        [source] = desk.line_ids(desk.add_audited("sales_outbound", build_line(goods, [number])))
        back = desk.draft("sales_return", build_line(goods, [number]), business_date="2026-03-04")
        assert "2026-03-05 已售给" in self.audit_refused(desk, conn, back)
        desk.add_audited(
            "sales_return", build_line(goods, [number], source_line_id=source), business_date="2026-03-06"
        )
        assert find_broken_checks(conn) == {}
        conn.exec_driver_sql("alter table tire_step disable trigger user")
        conn.exec_driver_sql("update tire_step set business_date = '2026-01-01' where bill_type = 'XSTH'")
        assert "tire_steps_go_forward" in find_broken_checks(conn)
        conn.rollback()

    def test_a_closed_month_is_told_whatever_the_number(
        self, desk: BillClient, goods: int, conn: Connection
    ) -> None:
        [number] = create_numbers(1)
        receive_numbered(desk, goods, [number])
        with desk.site.engine.begin() as closing:
            periods.close_period(closing, desk.world.company_a, "2025-11")
        bill = desk.draft("sales_outbound", build_line(goods, [number]), business_date="2025-11-15")
        assert self.audit_refused(desk, conn, bill)

    def test_a_number_keeps_its_batch(self, desk: BillClient, goods: int, conn: Connection) -> None:
        [number] = create_numbers(1)
        receive_numbered(desk, goods, [number], batch="1225")
        desk.add_audited("other_outbound", build_line(goods, [number]))
        bill = desk.draft("other_inbound", build_line(goods, [number], batch="1325"))
        assert self.audit_refused(desk, conn, bill) == f"胎号 {number} 的批次是1225，与本行批次不符"

    def test_other_companies_are_not_told(self, site: Site, desk: BillClient, goods: int) -> None:
        [number] = create_numbers(1)
        there = {"company_id": desk.world.company_b, "warehouse_id": desk.world.warehouse_b}
        desk.add_audited("purchase_inbound", build_line(goods, [number]), **there)
        clerk = BillClient(site, "manager_a")
        answer = clerk.apply_action(
            "auditorPass", clerk.draft("purchase_inbound", build_line(goods, [number]))
        )
        assert (answer.code, answer.msg) == (400, f"胎号 {number} 已在其他公司，不能再入库")
        assert clerk.caller.get(TIRE, number=number).data["total"] == 0
        assert clerk.caller.get(LIFE, number=number).data["total"] == 0

    def test_the_flag_stays_while_numbers_lie_there(self, desk: BillClient, goods: int) -> None:
        receive_numbered(desk, goods, create_numbers(1))
        answer = desk.caller.post("v2/system/Goods/edit", {"id": goods, "is_numbered": False})
        assert (answer.code, answer.msg) == (400, "该商品还有在库的胎号，不能取消按胎号管理")


class TestTakingBack:
    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_it_is_a_step_back(self, desk: BillClient, goods: int, conn: Connection, action: str) -> None:
        [number] = create_numbers(1)
        receive_numbered(desk, goods, [number])
        sold = desk.add_audited("sales_outbound", build_line(goods, [number]))
        assert desk.apply_action(action, sold).ok
        assert read_state(desk, number)["state"] == 1
        assert read_life(desk, number)[1:] == [
            ("XSCK", "A仓", "已售出 A客户", False),
            ("XSCK", "已售出 A客户", "A仓", True),
        ]
        assert find_broken_checks(conn) == {}

    def test_what_moved_on_is_not_taken_back(self, desk: BillClient, goods: int, conn: Connection) -> None:
        [number] = create_numbers(1)
        receive_numbered(desk, goods, [number])
        moved = desk.add_audited(
            "location_move", build_line(goods, [number], to_allocation_id=desk.world.allocation_a)
        )
        sold = desk.add_audited("other_outbound", build_line(goods, [number]))
        shelf = {"allocation_id": desk.world.allocation_a}
        back = desk.add_audited("other_inbound", build_line(goods, [number], **shelf))
        answer = desk.apply_action("antiAuditor", moved)
        assert (answer.code, answer.msg) == (
            400,
            f"胎号 {number} 已由后续单据{sold.no}移动，现在A仓库位A库位（{back.no}），不能反审核或作废",
        )
        assert find_broken_checks(conn) == {}

    def test_a_number_typed_wrong_is_free_again(self, desk: BillClient, goods: int, conn: Connection) -> None:
        [number] = create_numbers(1)
        bill = receive_numbered(desk, goods, [number])
        assert desk.apply_action("antiAuditor", bill).ok
        assert read_state(desk, number)["state"] == 0
        receive_numbered(desk, desk.world.numbered, [number])
        assert read_state(desk, number)["goods_num"] == "NUMBERED"
        assert find_broken_checks(conn) == {}


class TestRests:
    """A draft of what is left of a line names the pieces that are left on it, where they are as many."""

    def test_of_a_sale(self, desk: BillClient, goods: int) -> None:
        one, two, three = create_numbers(3)
        receive_numbered(desk, goods, [one, two, three])
        sold = desk.add_audited("sales_outbound", build_line(goods, [one, two, three]))
        assert list_drawn_lines(desk, "sales_return", sold) == [("3", f"{one} {two} {three}")]
        [source] = desk.line_ids(sold)
        back = desk.add_audited("sales_return", build_line(goods, [two], source_line_id=source))
        assert list_drawn_lines(desk, "sales_return", sold) == [("2", f"{one} {three}")]
        desk.add_audited("sales_outbound", build_line(goods, [two]))
        assert list_drawn_lines(desk, "sales_return", sold) == [("2", f"{one} {three}")]
        assert desk.apply_action("antiAuditor", back).code == 400
        draft = desk.caller.get(desk.path("sales_return", "getDraft"), id=sold.id).data
        desk.add_audited("sales_return", *draft.pop("lines"), **draft)

    def test_of_a_sale_from_two_batches(self, desk: BillClient, goods: int) -> None:
        (old,), (young, other) = create_numbers(1), create_numbers(2)
        receive_numbered(desk, goods, [old], batch="0125")
        receive_numbered(desk, goods, [young, other], batch="5025")
        sold = desk.add_audited("sales_outbound", build_line(goods, [old, young, other]))
        assert list_drawn_lines(desk, "sales_return", sold) == [("1", old), ("2", f"{young} {other}")]
        draft = desk.caller.get(desk.path("sales_return", "getDraft"), id=sold.id).data
        desk.add_audited("sales_return", *draft.pop("lines"), **draft)

    def test_of_a_receipt_whose_pieces_went_elsewhere(self, desk: BillClient, goods: int) -> None:
        one, two, three = create_numbers(3)
        bought = receive_numbered(desk, goods, [one, two, three])
        [source] = desk.line_ids(bought)
        desk.add_audited("purchase_return", build_line(goods, [one], source_line_id=source))
        assert list_drawn_lines(desk, "purchase_return", bought) == [("2", f"{two} {three}")]
        desk.add_audited("sales_outbound", build_line(goods, [two]))
        assert list_drawn_lines(desk, "purchase_return", bought) == [("2", None)]

    def test_of_goods_on_their_way(self, desk: BillClient, goods: int) -> None:
        one, two, three = create_numbers(3)
        receive_numbered(desk, goods, [one, two, three])
        there = {"to_warehouse_id": desk.world.warehouse2_a}
        sent = desk.add_audited("transfer_out", build_line(goods, [one, two, three]), **there)
        draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
        [whole] = draft.pop("lines")
        desk.add_audited("transfer_in", {**whole, "quantity": "1", "tire_numbers": three}, **draft)
        assert list_drawn_lines(desk, "transfer_in", sent) == [("2", f"{one} {two}")]

    def test_of_a_consignment(self, desk: BillClient, goods: int) -> None:
        one, two, three = create_numbers(3)
        receive_numbered(desk, goods, [one, two, three])
        sent = desk.add_audited("consignment_sale", build_line(goods, [one, two, three]))
        draft = desk.caller.get(desk.path("consignment_settlement", "getDraft"), id=sent.id).data
        [whole] = draft.pop("lines")
        desk.add_audited("consignment_settlement", {**whole, "quantity": "1", "tire_numbers": two}, **draft)
        for resource in ("consignment_settlement", "consignment_return"):
            assert list_drawn_lines(desk, resource, sent) == [("2", f"{one} {three}")]
            partner = {"company_id": desk.world.company_a, "customer_id": desk.world.customer_a}
            rows = desk.caller.get(desk.path(resource, "getOpenLines"), **partner).data["data"]
            assert [row["tire_numbers"] for row in rows if row["source_no"] == sent.no] == [f"{one} {three}"]
