"""The checkstand: several ways of paying at once, each an audited receipt, together what is settled."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from api.kit.database import today
from tests.kit.client import Answer
from tests.kit.desk import Books, Desk, Made

COLLECT = "v2/money/Checkstand/collect"


def owed(desk: Desk, books: Books, price: str) -> int:
    goods = desk.world.spares[48]
    desk.stock_in(goods, 1)
    sold = desk.audited("sales_outbound", {"goods_id": goods, "quantity": "1", "price": price})
    return books.item(sold)


def paid(desk: Desk, items: dict[int, str], *amounts: str, **more: Any) -> Answer:
    world = desk.world
    modes = (world.mode, world.ids["mode2_a"])
    payments = [
        {"receivables_mode_id": mode, "amount": amount} for mode, amount in zip(modes, amounts, strict=False)
    ]
    rows = [{"settlement_id": item, "amount": amount} for item, amount in items.items()]
    body = {"company_id": world.company_a, "customer_id": world.customer_a, "payments": payments}
    return desk.caller.post(COLLECT, {**body, "items": rows, **more})


def left(books: Books, item: int) -> str:
    [(amount,)] = books.rows("select open_amount from settlement_item where settlement_id = %s", item)
    return str(amount)


class TestCheckstand:
    def test_each_way_is_a_receipt_and_the_rest_an_advance(self, desk: Desk, books: Books) -> None:
        first, second = owed(desk, books, "100"), owed(desk, books, "60")
        answer = paid(desk, {first: "100", second: "60"}, "120", "50")
        assert answer.ok, answer
        receipts = [Made("customer_receipt", row["id"], row["bill_no"]) for row in answer.data]
        parts = [
            {row["settlement_id"]: row["amount"] for row in desk.info(made)["write_offs"]}
            for made in receipts
        ]
        assert parts == [{first: "100.00", second: "20.00"}, {second: "40.00"}]
        assert [left(books, item) for item in (first, second)] == ["0.00", "0.00"]
        assert [row[2:5] for row in books.settlements(receipts[1])] == [("advance", "-10.00", "-10.00")]
        assert [books.money(made)[0][1] for made in receipts] == ["120.00", "50.00"]
        rows = desk.caller.get("v2/money/Checkstand/getList", business_date_start=today().isoformat()).data
        assert {made.no for made in receipts} <= {row["bill_no"] for row in rows["data"]}

    def test_a_return_is_taken_off(self, desk: Desk, books: Books) -> None:
        item, goods = owed(desk, books, "100"), desk.world.spares[48]
        line = {"goods_id": goods, "quantity": "1", "price": "30"}
        back = books.item(desk.audited("sales_return", line))
        assert paid(desk, {item: "100", back: "-30"}, "50", "20").ok
        assert [left(books, one) for one in (item, back)] == ["0.00", "0.00"]

    def test_too_little_money_is_refused_whole(self, desk: Desk, books: Books) -> None:
        item = owed(desk, books, "100")
        answer = paid(desk, {item: "100"}, "40", "50")
        assert (answer.code, answer.msg) == (400, "收款金额少于核销金额 10.00 元，请核对")
        beyond = paid(desk, {item: "130"}, "130")
        assert beyond.code == 400
        assert Decimal(left(books, item)) == 100

    def test_the_last_way_waives_what_is_short(self, desk: Desk, books: Books) -> None:
        item = owed(desk, books, "100.4")
        assert paid(desk, {item: "100.4"}, "40", "60", waived_amount="0.5").code == 400
        answer = paid(desk, {item: "100.4"}, "40", "60", waived_amount="0.4")
        assert answer.ok, answer
        receipts = [desk.info(Made("customer_receipt", row["id"], row["bill_no"])) for row in answer.data]
        assert [row["waived_amount"] for row in receipts] == ["0.00", "0.40"]
        assert left(books, item) == "0.00"

    def test_it_takes_the_right_to_receive(self, desk: Desk) -> None:
        assert paid(Desk(desk.site, "nobody"), {}, "1").code == 403
