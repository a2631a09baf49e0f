"""Waivers of receipts and payments (抹零、现金折扣): settled, of no account, within a limit, and shown as such."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks, fingerprint_tables

_names = itertools.count(1)
DAY = "2026-03-05"
_WAIVED = "select amount, business_date::text from settlement_ledger where waived and bill_no = %s order by entry_id"


@dataclass(frozen=True)
class WaiverPartner:
    """A new customer or supplier, and the bills that owe and pay."""

    party: str
    owing: str
    paying: str
    write_offs: str
    desk: BillClient
    books: PostingReader
    id: int

    @property
    def partner_key(self) -> dict[str, int]:
        return {f"{self.party}_id": self.id}

    def audit_debt(self, price: str, day: str = DAY) -> SavedBill:
        line = {"goods_id": self.desk.world.oil, "quantity": "1", "price": price}
        return self.desk.add_audited(self.owing, line, business_date=day, **self.partner_key)

    def build_write_off(self, bill: SavedBill, amount: str) -> dict[str, Any]:
        return {"settlement_id": self.books.item(bill), "amount": amount}

    def add_payment(self, amount: str, waived: str, *rows: dict[str, Any], **more: Any) -> Answer:
        given = {"amount": amount, "waived_amount": waived, **self.partner_key, **more}
        return self.desk.add(self.paying, *rows, **given)

    def draft_payment(self, amount: str, waived: str, *rows: dict[str, Any], **more: Any) -> SavedBill:
        answer = self.add_payment(amount, waived, *rows, **more)
        assert answer.ok, answer
        return SavedBill(self.paying, answer.data["id"], answer.data["bill_no"])

    def read_waived(self, bill: SavedBill) -> list[tuple[Any, ...]]:
        return self.books.rows(_WAIVED, bill.no)


SIDES = (
    ("customer", "sales_outbound", "customer_receipt", "v2/custom/CustomerReceiptDetail"),
    ("supplier", "purchase_inbound", "supplier_payment", "v2/purchase/PaymentDetail"),
)


@pytest.fixture(params=SIDES, ids=lambda side: side[0])
def partner(request: pytest.FixtureRequest, desk: BillClient, books: PostingReader) -> WaiverPartner:
    desk.stock_in(desk.world.oil, 50)
    key = desk.partner(request.param[0], f"抹零往来{next(_names)}", payment_days=0)
    return WaiverPartner(*request.param, desk, books, key)


class TestWaiving:
    def test_it_settles_beyond_the_money_and_is_told_apart(
        self, partner: WaiverPartner, conn: Connection
    ) -> None:
        bill = partner.audit_debt("1000.56")
        paid = partner.draft_payment("1000", "0.56", partner.build_write_off(bill, "1000.56"))
        assert partner.desk.apply_action("auditorPass", paid).ok
        assert partner.books.settlements(bill)[0][4] == "0.00"
        assert partner.books.settlements(paid) == []
        sign = "" if partner.party == "customer" else "-"
        assert [row[1] for row in partner.books.money(paid)] == [f"{sign}1000.00"]
        assert partner.read_waived(paid) == [("-0.56", DAY)]
        rows = partner.desk.caller.get(f"{partner.write_offs}/getList", bill_no=paid.no).data["data"]
        assert sorted((row["manner"], row["amount"]) for row in rows) == [(1, "1000.00"), (2, "0.56")]
        assert partner.desk.apply_action("antiAuditor", paid).ok
        assert partner.books.settlements(bill)[0][4] == "1000.56"
        assert find_broken_checks(conn) == {}

    def test_the_last_items_are_waived_and_credits_are_not(
        self, partner: WaiverPartner, conn: Connection
    ) -> None:
        first, second = partner.audit_debt("100"), partner.audit_debt("0.30")
        advance = partner.desk.add_audited(
            partner.paying, amount="50", business_date=DAY, **partner.partner_key
        )
        rows = (
            partner.build_write_off(first, "100"),
            partner.build_write_off(second, "0.3"),
            partner.build_write_off(advance, "-50"),
        )
        paid = partner.draft_payment("49.5", "0.8", *rows)
        assert partner.desk.apply_action("auditorPass", paid).ok
        found = partner.books.rows(
            "select i.bill_no, l.amount from settlement_ledger l join settlement_item i using (settlement_id)"
            " where l.waived and l.bill_no = %s order by l.entry_id",
            paid.no,
        )
        assert sorted(found) == sorted([(first.no, "-0.50"), (second.no, "-0.30")])
        assert find_broken_checks(conn) == {}

    def test_of_a_later_bill_it_is_waived_on_that_day(self, partner: WaiverPartner, conn: Connection) -> None:
        bill = partner.audit_debt("100", "2026-03-20")
        paid = partner.draft_payment(
            "99.5", "0.5", partner.build_write_off(bill, "100"), business_date="2026-03-02"
        )
        assert partner.desk.apply_action("auditorPass", paid).ok
        assert partner.read_waived(paid) == [("-0.50", "2026-03-20")]
        assert [row[2:5] for row in partner.books.settlements(paid)] == [("advance", "-99.50", "0.00")]
        assert find_broken_checks(conn) == {}

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
        self, partner: WaiverPartner, amount: str, waived: str, written: str, msg: str
    ) -> None:
        bill = partner.audit_debt("100")
        answer = partner.add_payment(amount, waived, partner.build_write_off(bill, written))
        assert (answer.code, answer.msg) == (400, msg)

    def test_a_refund_waives_nothing(self, partner: WaiverPartner) -> None:
        advance = partner.desk.add_audited(
            partner.paying, amount="50", business_date=DAY, **partner.partner_key
        )
        answer = partner.add_payment("-49", "1", partner.build_write_off(advance, "-50"))
        assert (answer.code, answer.msg) == (400, "退款不能抹零")

    def test_beyond_the_limit_it_takes_the_right(self, partner: WaiverPartner, conn: Connection) -> None:
        bill, clerk = partner.audit_debt("100"), BillClient(partner.desk.site, "clerk_a")
        within = partner.draft_payment("49", "1", partner.build_write_off(bill, "50"))
        assert clerk.apply_action("auditorPass", within).ok
        beyond = partner.draft_payment("48.99", "1.01", partner.build_write_off(bill, "50"))
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = clerk.apply_action("auditorPass", beyond)
        told = "抹零/现金折扣 1.01 元超过上限 1.00 元，请由有“超额抹零”权限的人审核"
        assert (answer.code, answer.msg) == (400, told)
        assert fingerprint_tables(conn) == before
        assert partner.desk.apply_action("auditorPass", beyond).ok

    def test_the_limit_holds_for_all_that_one_bill_is_waived(
        self, partner: WaiverPartner, books: PostingReader, conn: Connection
    ) -> None:
        bill, other, clerk = (
            partner.audit_debt("100"),
            partner.audit_debt("9"),
            BillClient(partner.desk.site, "clerk_a"),
        )
        first = partner.draft_payment("0", "0.6", partner.build_write_off(bill, "0.6"))
        assert clerk.apply_action("auditorPass", first).ok
        second = partner.draft_payment(
            "9", "0.5", partner.build_write_off(other, "9"), partner.build_write_off(bill, "0.5")
        )
        before = fingerprint_tables(conn)
        conn.rollback()
        told = f"{bill.no}已抹零 0.60 元，连同本次 0.50 元超过上限 1.00 元，请由有“超额抹零”权限的人审核"
        answer = clerk.apply_action("auditorPass", second)
        assert (answer.code, answer.msg) == (400, told)
        assert fingerprint_tables(conn) == before
        assert clerk.apply_action("antiAuditor", first).ok
        assert clerk.apply_action("auditorPass", second).ok
        assert clerk.apply_action("auditorPass", first).code == 400
        assert partner.desk.apply_action("auditorPass", first).ok
        whole = partner.draft_payment("98.9", "0", partner.build_write_off(bill, "98.9"))
        assert clerk.apply_action("auditorPass", whole).ok
        assert books.settlements(bill)[0][4] == "0.00"
        assert find_broken_checks(conn) == {}

    def test_what_does_not_tie_is_found(self, partner: WaiverPartner, conn: Connection) -> None:
        bill = partner.audit_debt("100")
        paid = partner.draft_payment("99.5", "0.5", partner.build_write_off(bill, "100"))
        assert partner.desk.apply_action("auditorPass", paid).ok
        conn.exec_driver_sql(f"update {paid.resource} set waived_amount = 0.4 where bill_id = %s", (paid.id,))
        assert set(find_broken_checks(conn)) == {f"{paid.resource}_waived"}
        conn.rollback()


def test_a_statement_tells_it_on_a_line_of_its_own(desk: BillClient, books: PostingReader) -> None:
    desk.stock_in(desk.world.oil, 5)
    key = desk.partner("customer", f"抹零往来{next(_names)}", payment_days=0)
    customer = WaiverPartner(*SIDES[0], desk, books, key)
    bill = customer.audit_debt("1000.56")
    paid = customer.draft_payment("1000", "0.56", customer.build_write_off(bill, "1000.56"))
    assert desk.apply_action("auditorPass", paid).ok
    days = {"starts_on": "2026-03-01", "ends_on": "2026-03-31"}
    statement = desk.add_audited("account_statement", customer_id=key, **days)
    info = desk.read_bill(statement)
    names = ("opening", "increase", "settled", "waived", "closing")
    assert [info[f"{name}_amount"] for name in names] == ["0.00", "1000.56", "1000.00", "0.56", "0.00"]
    assert [(row["bill_name"], row["item_no"], row["waived_amount"]) for row in info["lines"]][1:] == [
        ("收款单", paid.no, "0.00"),
        ("抹零/现金折扣", paid.no, "0.56"),
    ]


def test_a_collection_hands_it_to_its_receipt(
    desk: BillClient, books: PostingReader, conn: Connection
) -> None:
    desk.stock_in(desk.world.oil, 5)
    key = desk.partner("customer", f"抹零往来{next(_names)}", payment_days=0)
    customer = WaiverPartner("customer", "sales_outbound", "offline_collection", "", desk, books, key)
    bill = customer.audit_debt("100.2")
    collected = customer.draft_payment("100", "0.2", customer.build_write_off(bill, "100.2"))
    assert desk.apply_action("auditorPass", collected).ok
    assert books.settlements(bill)[0][4] == "0.00"
    assert desk.apply_action("invalid", collected).ok
    assert books.settlements(bill)[0][4] == "100.20"
    assert find_broken_checks(conn) == {}


def test_collections_and_receipts_share_the_limit(desk: BillClient, books: PostingReader) -> None:
    desk.stock_in(desk.world.oil, 5)
    key = desk.partner("customer", f"抹零往来{next(_names)}", payment_days=0)
    customer = WaiverPartner(*SIDES[0], desk, books, key)
    bill, clerk = customer.audit_debt("100"), BillClient(desk.site, "clerk_a")
    row = customer.build_write_off(bill, "50.7")
    desk.add_audited("offline_collection", row, amount="50", waived_amount="0.7", customer_id=key)
    paid = customer.draft_payment("0", "0.31", customer.build_write_off(bill, "0.31"))
    answer = clerk.apply_action("auditorPass", paid)
    told = f"{bill.no}已抹零 0.70 元，连同本次 0.31 元超过上限 1.00 元，请由有“超额抹零”权限的人审核"
    assert (answer.code, answer.msg) == (400, told)
