"""What receipts and payments waive (抹零、现金折扣): settled, of no account, within a limit, and told as such."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.kit.client import Answer
from tests.kit.desk import Books, Desk, Made
from tests.kit.state import broken, fingerprint

_names = itertools.count(1)
DAY = "2026-03-05"
_WAIVED = "select amount, business_date::text from settlement_ledger where waived and bill_no = %s order by entry_id"


@dataclass(frozen=True)
class Partner:
    """A new customer or supplier, and the bills that owe and pay."""

    party: str
    owing: str
    paying: str
    write_offs: str
    desk: Desk
    books: Books
    id: int

    @property
    def named(self) -> dict[str, int]:
        return {f"{self.party}_id": self.id}

    def owe(self, price: str, day: str = DAY) -> Made:
        line = {"goods_id": self.desk.world.oil, "quantity": "1", "price": price}
        return self.desk.audited(self.owing, line, business_date=day, **self.named)

    def off(self, bill: Made, amount: str) -> dict[str, Any]:
        return {"settlement_id": self.books.item(bill), "amount": amount}

    def add(self, amount: str, waived: str, *rows: dict[str, Any], **more: Any) -> Answer:
        given = {"amount": amount, "waived_amount": waived, **self.named, **more}
        return self.desk.add(self.paying, *rows, **given)

    def draft(self, amount: str, waived: str, *rows: dict[str, Any], **more: Any) -> Made:
        answer = self.add(amount, waived, *rows, **more)
        assert answer.ok, answer
        return Made(self.paying, answer.data["id"], answer.data["bill_no"])

    def waived(self, bill: Made) -> list[tuple[Any, ...]]:
        return self.books.rows(_WAIVED, bill.no)


SIDES = (
    ("customer", "sales_outbound", "customer_receipt", "v2/custom/CustomerReceiptDetail"),
    ("supplier", "purchase_inbound", "supplier_payment", "v2/purchase/PaymentDetail"),
)


@pytest.fixture(params=SIDES, ids=lambda side: side[0])
def partner(request: pytest.FixtureRequest, desk: Desk, books: Books) -> Partner:
    desk.stock_in(desk.world.oil, 50)
    key = desk.partner(request.param[0], f"抹零往来{next(_names)}", payment_days=0)
    return Partner(*request.param, desk, books, key)


class TestWaiving:
    def test_it_settles_beyond_the_money_and_is_told_apart(self, partner: Partner, conn: Connection) -> None:
        bill = partner.owe("1000.56")
        paid = partner.draft("1000", "0.56", partner.off(bill, "1000.56"))
        assert partner.desk.act("auditorPass", paid).ok
        assert partner.books.settlements(bill)[0][4] == "0.00"
        assert partner.books.settlements(paid) == []
        sign = "" if partner.party == "customer" else "-"
        assert [row[1] for row in partner.books.money(paid)] == [f"{sign}1000.00"]
        assert partner.waived(paid) == [("-0.56", DAY)]
        rows = partner.desk.caller.get(f"{partner.write_offs}/getList", bill_no=paid.no).data["data"]
        assert sorted((row["manner"], row["amount"]) for row in rows) == [(1, "1000.00"), (2, "0.56")]
        assert partner.desk.act("antiAuditor", paid).ok
        assert partner.books.settlements(bill)[0][4] == "1000.56"
        assert broken(conn) == {}

    def test_the_last_items_are_waived_and_credits_are_not(self, partner: Partner, conn: Connection) -> None:
        first, second = partner.owe("100"), partner.owe("0.30")
        advance = partner.desk.audited(partner.paying, amount="50", business_date=DAY, **partner.named)
        rows = (partner.off(first, "100"), partner.off(second, "0.3"), partner.off(advance, "-50"))
        paid = partner.draft("49.5", "0.8", *rows)
        assert partner.desk.act("auditorPass", paid).ok
        found = partner.books.rows(
            "select i.bill_no, l.amount from settlement_ledger l join settlement_item i using (settlement_id)"
            " where l.waived and l.bill_no = %s order by l.entry_id",
            paid.no,
        )
        assert sorted(found) == sorted([(first.no, "-0.50"), (second.no, "-0.30")])
        assert broken(conn) == {}

    def test_of_a_later_bill_it_is_waived_on_that_day(self, partner: Partner, conn: Connection) -> None:
        bill = partner.owe("100", "2026-03-20")
        paid = partner.draft("99.5", "0.5", partner.off(bill, "100"), business_date="2026-03-02")
        assert partner.desk.act("auditorPass", paid).ok
        assert partner.waived(paid) == [("-0.50", "2026-03-20")]
        assert [row[2:5] for row in partner.books.settlements(paid)] == [("advance", "-99.50", "0.00")]
        assert broken(conn) == {}

    @pytest.mark.parametrize(
        ("amount", "waived", "written", "msg"),
        [
            (
                "99",
                "2",
                "100",
                "抹零只用于结清所选单据：核销合计 100.00 元须等于单据金额与抹零合计 101.00 元",
            ),
            (
                "99",
                "0.5",
                "100",
                "抹零只用于结清所选单据：核销合计 100.00 元须等于单据金额与抹零合计 99.50 元",
            ),
            ("99", "-1", "98", "“抹零/现金折扣”请输入大于等于零的数"),
        ],
    )
    def test_it_is_what_closes_the_items(
        self, partner: Partner, amount: str, waived: str, written: str, msg: str
    ) -> None:
        bill = partner.owe("100")
        answer = partner.add(amount, waived, partner.off(bill, written))
        assert (answer.code, answer.msg) == (400, msg)

    def test_a_refund_waives_nothing(self, partner: Partner) -> None:
        advance = partner.desk.audited(partner.paying, amount="50", business_date=DAY, **partner.named)
        answer = partner.add("-49", "1", partner.off(advance, "-50"))
        assert (answer.code, answer.msg) == (400, "退款不能抹零")

    def test_beyond_the_limit_it_takes_the_right(self, partner: Partner, conn: Connection) -> None:
        bill, clerk = partner.owe("100"), Desk(partner.desk.site, "clerk_a")
        within = partner.draft("49", "1", partner.off(bill, "50"))
        assert clerk.act("auditorPass", within).ok
        beyond = partner.draft("48.99", "1.01", partner.off(bill, "50"))
        before = fingerprint(conn)
        conn.rollback()
        answer = clerk.act("auditorPass", beyond)
        told = "抹零/现金折扣 1.01 元超过上限 1.00 元，请由有“超额抹零”权限的人审核"
        assert (answer.code, answer.msg) == (400, told)
        assert fingerprint(conn) == before
        assert partner.desk.act("auditorPass", beyond).ok

    def test_the_limit_holds_for_all_that_one_bill_is_waived(
        self, partner: Partner, books: Books, conn: Connection
    ) -> None:
        bill, other, clerk = partner.owe("100"), partner.owe("9"), Desk(partner.desk.site, "clerk_a")
        first = partner.draft("0", "0.6", partner.off(bill, "0.6"))
        assert clerk.act("auditorPass", first).ok
        second = partner.draft("9", "0.5", partner.off(other, "9"), partner.off(bill, "0.5"))
        before = fingerprint(conn)
        conn.rollback()
        told = f"{bill.no}已抹零 0.60 元，连同本次 0.50 元超过上限 1.00 元，请由有“超额抹零”权限的人审核"
        answer = clerk.act("auditorPass", second)
        assert (answer.code, answer.msg) == (400, told)
        assert fingerprint(conn) == before
        assert clerk.act("antiAuditor", first).ok
        assert clerk.act("auditorPass", second).ok
        assert clerk.act("auditorPass", first).code == 400
        assert partner.desk.act("auditorPass", first).ok
        whole = partner.draft("98.9", "0", partner.off(bill, "98.9"))
        assert clerk.act("auditorPass", whole).ok
        assert books.settlements(bill)[0][4] == "0.00"
        assert broken(conn) == {}

    def test_what_does_not_tie_is_found(self, partner: Partner, conn: Connection) -> None:
        bill = partner.owe("100")
        paid = partner.draft("99.5", "0.5", partner.off(bill, "100"))
        assert partner.desk.act("auditorPass", paid).ok
        conn.exec_driver_sql(f"update {paid.resource} set waived_amount = 0.4 where bill_id = %s", (paid.id,))
        assert set(broken(conn)) == {f"{paid.resource}_waived"}
        conn.rollback()


def test_a_statement_tells_it_on_a_line_of_its_own(desk: Desk, books: Books) -> None:
    desk.stock_in(desk.world.oil, 5)
    key = desk.partner("customer", f"抹零往来{next(_names)}", payment_days=0)
    customer = Partner(*SIDES[0], desk, books, key)
    bill = customer.owe("1000.56")
    paid = customer.draft("1000", "0.56", customer.off(bill, "1000.56"))
    assert desk.act("auditorPass", paid).ok
    days = {"starts_on": "2026-03-01", "ends_on": "2026-03-31"}
    statement = desk.audited("account_statement", customer_id=key, **days)
    info = desk.info(statement)
    names = ("opening", "increase", "settled", "waived", "closing")
    assert [info[f"{name}_amount"] for name in names] == ["0.00", "1000.56", "1000.00", "0.56", "0.00"]
    assert [(row["bill_name"], row["item_no"], row["waived_amount"]) for row in info["lines"]][1:] == [
        ("收款单", paid.no, "0.00"),
        ("抹零/现金折扣", paid.no, "0.56"),
    ]


def test_a_collection_hands_it_to_its_receipt(desk: Desk, books: Books, conn: Connection) -> None:
    desk.stock_in(desk.world.oil, 5)
    key = desk.partner("customer", f"抹零往来{next(_names)}", payment_days=0)
    customer = Partner("customer", "sales_outbound", "offline_collection", "", desk, books, key)
    bill = customer.owe("100.2")
    collected = customer.draft("100", "0.2", customer.off(bill, "100.2"))
    assert desk.act("auditorPass", collected).ok
    assert books.settlements(bill)[0][4] == "0.00"
    assert desk.act("invalid", collected).ok
    assert books.settlements(bill)[0][4] == "100.20"
    assert broken(conn) == {}


def test_collections_and_receipts_share_the_limit(desk: Desk, books: Books) -> None:
    desk.stock_in(desk.world.oil, 5)
    key = desk.partner("customer", f"抹零往来{next(_names)}", payment_days=0)
    customer = Partner(*SIDES[0], desk, books, key)
    bill, clerk = customer.owe("100"), Desk(desk.site, "clerk_a")
    row = customer.off(bill, "50.7")
    desk.audited("offline_collection", row, amount="50", waived_amount="0.7", customer_id=key)
    paid = customer.draft("0", "0.31", customer.off(bill, "0.31"))
    answer = clerk.act("auditorPass", paid)
    told = f"{bill.no}已抹零 0.70 元，连同本次 0.31 元超过上限 1.00 元，请由有“超额抹零”权限的人审核"
    assert (answer.code, answer.msg) == (400, told)
