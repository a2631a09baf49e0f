"""Receipts and payments of later days: an advance on every day between, on both sides."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Connection

from api.ledger.periods import close_period
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks, fingerprint_tables

_names = itertools.count(1)
_AS_OF = """
select coalesce(sum(l.amount) filter (where i.kind <> 'advance'), 0.00),
    coalesce(-sum(l.amount) filter (where i.kind = 'advance'), 0.00)
from settlement_ledger l join settlement_item i using (settlement_id)
where l.party_type = %s and l.party_id = %s and l.business_date <= %s
"""


@dataclass(frozen=True)
class SettlementSide:
    """One kind of partner: the bills that owe, give back, pay and offset, and the query of advances."""

    party: str
    owing: str
    returning: str
    paying: str
    offset: str
    accounts: str


SIDES = (
    SettlementSide(
        *("customer", "sales_outbound", "sales_return", "customer_receipt", "deposit"),
        "v2/custom/CustomerDeposits",
    ),
    SettlementSide(
        *("supplier", "purchase_inbound", "purchase_return", "supplier_payment", "prepaid_offset"),
        "v2/purchase/FactoryPrepaid",
    ),
)


@dataclass(frozen=True)
class SettlementPartner:
    """A new partner, and what of him is open on a day."""

    side: SettlementSide
    desk: BillClient
    books: PostingReader
    id: int

    @property
    def partner_key(self) -> dict[str, int]:
        return {f"{self.side.party}_id": self.id}

    def audit_bill(self, price: str, day: str, kind: str | None = None) -> SavedBill:
        line = {"goods_id": self.desk.world.oil, "quantity": "1", "price": price}
        return self.desk.add_audited(kind or self.side.owing, line, business_date=day, **self.partner_key)

    def audit_return(self, price: str, day: str) -> SavedBill:
        return self.audit_bill(price, day, self.side.returning)

    def build_write_off(self, bill: SavedBill, amount: str) -> dict[str, Any]:
        return {"settlement_id": self.books.item(bill), "amount": amount}

    def audit_payment(self, amount: str, day: str, *rows: dict[str, Any]) -> SavedBill:
        return self.desk.add_audited(
            self.side.paying, *rows, amount=amount, business_date=day, **self.partner_key
        )

    def read_open_on(self, day: str) -> tuple[Any, ...]:
        """Return what is owed and what is advanced on a day."""
        [row] = self.books.rows(_AS_OF, self.side.party, self.id, day)
        return row


@pytest.fixture(params=SIDES, ids=lambda side: side.party)
def partner(request: pytest.FixtureRequest, desk: BillClient, books: PostingReader) -> SettlementPartner:
    side: SettlementSide = request.param
    desk.stock_in(desk.world.oil, 50, business_date="2023-12-01")
    return SettlementPartner(
        side, desk, books, desk.partner(side.party, f"预收往来{next(_names)}", payment_days=0)
    )


class TestEarly:
    def test_it_is_an_advance_until_its_bill(self, partner: SettlementPartner, conn: Connection) -> None:
        sale = partner.audit_bill("100", "2024-11-20")
        paid = partner.audit_payment("130", "2024-11-02", partner.build_write_off(sale, "100"))
        days = ("2024-11-01", "2024-11-02", "2024-11-19", "2024-11-20", "2024-12-31")
        assert [partner.read_open_on(day) for day in days] == [
            ("0.00", "0.00"),
            ("0.00", "130.00"),
            ("0.00", "130.00"),
            ("0.00", "30.00"),
            ("0.00", "30.00"),
        ]
        assert partner.books.settlements(sale)[0][4] == "0.00"
        assert [row[2:5] for row in partner.books.settlements(paid)] == [("advance", "-130.00", "-30.00")]
        assert partner.desk.read_bill(paid)["write_offs"][0]["settled_on"] == "2024-11-20"
        [row] = partner.desk.caller.get(f"{partner.side.accounts}/getList", **partner.partner_key).data[
            "data"
        ]
        assert (row["amount"], row["used_amount"], row["left_amount"]) == ("130.00", "100.00", "30.00")
        assert find_broken_checks(conn) == {}

    def test_earlier_and_later_bills_each_settle_on_their_day(self, partner: SettlementPartner) -> None:
        before, soon, late = (partner.audit_bill("100", f"2024-11-{day}") for day in ("01", "10", "20"))
        rows = [
            partner.build_write_off(bill, amount)
            for bill, amount in ((late, "60"), (before, "100"), (soon, "100"))
        ]
        partner.audit_payment("260", "2024-11-02", *rows)
        days = ("2024-11-02", "2024-11-10", "2024-11-20")
        assert [partner.read_open_on(day) for day in days] == [
            ("0.00", "160.00"),
            ("0.00", "60.00"),
            ("40.00", "0.00"),
        ]

    def test_taking_it_back_leaves_no_day_changed(self, partner: SettlementPartner, conn: Connection) -> None:
        sale = partner.audit_bill("100", "2024-12-20")
        paid = partner.audit_payment("100", "2024-11-02", partner.build_write_off(sale, "100"))
        refused = partner.desk.apply_action("antiAuditor", sale)
        assert (refused.code, paid.no in refused.msg) == (400, True)
        assert partner.desk.apply_action("antiAuditor", paid).ok
        days = ("2024-11-02", "2024-12-19", "2024-12-20")
        assert [partner.read_open_on(day)[0] for day in days] == ["0.00", "0.00", "100.00"]
        assert {partner.read_open_on(day)[1] for day in days} == {"0.00"}
        assert partner.desk.apply_action("auditorPass", paid).ok
        assert partner.read_open_on("2024-12-20") == ("0.00", "0.00")
        assert find_broken_checks(conn) == {}

    def test_the_month_it_settles_in_must_be_open(self, partner: SettlementPartner, conn: Connection) -> None:
        """Closing a later month before an earlier one only warns; what stands there stays as it is."""
        sale = partner.audit_bill("100", "2024-12-20")
        waiting = partner.desk.draft(
            partner.side.paying,
            partner.build_write_off(sale, "100"),
            amount="100",
            business_date="2024-11-02",
            **partner.partner_key,
        )
        with partner.desk.site.engine.begin() as own:
            close_period(own, partner.desk.world.company_a, "2024-12")
        answer = partner.desk.apply_action("auditorPass", waiting)
        assert (answer.code, "2024-12" in answer.msg) == (400, True)
        with partner.desk.site.engine.begin() as own:
            own.exec_driver_sql("delete from accounting_period where period = '2024-12'")
        assert partner.desk.apply_action("auditorPass", waiting).ok


class TestNotBefore:
    """Nothing is set against what is not there yet."""

    def test_an_offset_is_no_earlier_than_its_items(self, partner: SettlementPartner) -> None:
        advance = partner.audit_payment("50", "2024-11-05")
        sale = partner.audit_bill("100", "2024-11-20")
        rows = (partner.build_write_off(sale, "50"), partner.build_write_off(advance, "-50"))
        for day, bill in (("2024-11-04", sale), ("2024-11-19", sale)):
            answer = partner.desk.add(partner.side.offset, *rows, business_date=day, **partner.partner_key)
            assert (answer.code, f"业务日期不能早于{bill.no}的日期 2024-11-20" in answer.msg) == (400, True)
        partner.desk.add_audited(
            partner.side.offset, *rows, business_date="2024-11-20", **partner.partner_key
        )
        assert partner.read_open_on("2024-11-20") == ("50.00", "0.00")

    def test_credits_and_refunds_are_no_earlier_than_what_they_give_back(
        self, partner: SettlementPartner, conn: Connection
    ) -> None:
        sale, back = partner.audit_bill("100", "2024-11-01"), partner.audit_return("40", "2024-11-20")
        before = fingerprint_tables(conn)
        told = f"业务日期不能早于{back.no}的日期 2024-11-20"
        for rows, amount in (
            ((partner.build_write_off(sale, "100"), partner.build_write_off(back, "-40")), "60"),
            ((partner.build_write_off(back, "-40"),), "-40"),
        ):
            answer = partner.desk.add(
                partner.side.paying, *rows, amount=amount, business_date="2024-11-02", **partner.partner_key
            )
            assert (answer.code, told in answer.msg) == (400, True)
        conn.rollback()
        assert fingerprint_tables(conn) == before

    def test_a_later_bill_used_for_nothing_but_an_offset_waits(self, partner: SettlementPartner) -> None:
        sale, advance = partner.audit_bill("100", "2024-11-20"), partner.audit_payment("100", "2024-11-01")
        rows = (partner.build_write_off(sale, "100"), partner.build_write_off(advance, "-100"))
        answer = partner.desk.add(
            partner.side.paying, *rows, amount="0", business_date="2024-11-02", **partner.partner_key
        )
        assert answer.msg == f"第1行：业务日期不能早于{sale.no}的日期 2024-11-20"
