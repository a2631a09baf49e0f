"""The checkstand: several ways of paying at once, each an audited receipt, together what is settled."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from api.kit.storage.database import today
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer

COLLECT = "v2/money/Checkstand/collect"


def create_receivable(desk: BillClient, books: PostingReader, price: str) -> int:
    goods = desk.world.spares[48]
    desk.stock_in(goods, 1)
    sold = desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "1", "price": price})
    return books.item(sold)


def collect_payments(desk: BillClient, items: dict[int, str], *amounts: str, **more: Any) -> Answer:
    world = desk.world
    modes = (world.mode, world.ids["mode2_a"])
    payments = [
        {"receivables_mode_id": mode, "amount": amount} for mode, amount in zip(modes, amounts, strict=False)
    ]
    rows = [{"settlement_id": item, "amount": amount} for item, amount in items.items()]
    body = {"company_id": world.company_a, "customer_id": world.customer_a, "payments": payments}
    return desk.caller.post(COLLECT, {**body, "items": rows, **more})


def read_open_amount(books: PostingReader, item: int) -> str:
    [(amount,)] = books.rows("select open_amount from settlement_item where settlement_id = %s", item)
    return str(amount)


class TestCheckstand:
    def test_each_way_is_a_receipt_and_the_rest_an_advance(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        first, second = create_receivable(desk, books, "100"), create_receivable(desk, books, "60")
        answer = collect_payments(desk, {first: "100", second: "60"}, "120", "50")
        assert answer.ok, answer
        receipts = [SavedBill("customer_receipt", row["id"], row["bill_no"]) for row in answer.data]
        parts = [
            {row["settlement_id"]: row["amount"] for row in desk.read_bill(made)["write_offs"]}
            for made in receipts
        ]
        assert parts == [{first: "100.00", second: "20.00"}, {second: "40.00"}]
        assert [read_open_amount(books, item) for item in (first, second)] == ["0.00", "0.00"]
        assert [row[2:5] for row in books.settlements(receipts[1])] == [("advance", "-10.00", "-10.00")]
        assert [books.money(made)[0][1] for made in receipts] == ["120.00", "50.00"]
        rows = desk.caller.get("v2/money/Checkstand/getList", business_date_start=today().isoformat()).data
        assert {made.no for made in receipts} <= {row["bill_no"] for row in rows["data"]}

    def test_a_return_is_taken_off(self, desk: BillClient, books: PostingReader) -> None:
        item, goods = create_receivable(desk, books, "100"), desk.world.spares[48]
        line = {"goods_id": goods, "quantity": "1", "price": "30"}
        back = books.item(desk.add_audited("sales_return", line))
        assert collect_payments(desk, {item: "100", back: "-30"}, "50", "20").ok
        assert [read_open_amount(books, one) for one in (item, back)] == ["0.00", "0.00"]

    def test_too_little_money_is_refused_whole(self, desk: BillClient, books: PostingReader) -> None:
        item = create_receivable(desk, books, "100")
        answer = collect_payments(desk, {item: "100"}, "40", "50")
        assert (answer.code, answer.msg) == (400, "收款金额少于核销金额 10.00 元，请核对")
        beyond = collect_payments(desk, {item: "130"}, "130")
        assert beyond.code == 400
        assert Decimal(read_open_amount(books, item)) == 100

    def test_the_last_way_waives_what_is_short(self, desk: BillClient, books: PostingReader) -> None:
        item = create_receivable(desk, books, "100.4")
        assert collect_payments(desk, {item: "100.4"}, "40", "60", waived_amount="0.5").code == 400
        answer = collect_payments(desk, {item: "100.4"}, "40", "60", waived_amount="0.4")
        assert answer.ok, answer
        receipts = [
            desk.read_bill(SavedBill("customer_receipt", row["id"], row["bill_no"])) for row in answer.data
        ]
        assert [row["waived_amount"] for row in receipts] == ["0.00", "0.40"]
        assert read_open_amount(books, item) == "0.00"

    def test_it_takes_the_right_to_receive(self, desk: BillClient) -> None:
        assert collect_payments(BillClient(desk.site, "nobody"), {}, "1").code == 403
