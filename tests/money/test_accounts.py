"""Accounts: a transfer moves money between two, and the daily report and journal tie to the ledger."""

from __future__ import annotations

import itertools
from decimal import Decimal
from typing import Any

import pytest

from tests.support.bill_client import BillClient, PostingReader

_names = itertools.count(1)


@pytest.fixture
def modes(desk: BillClient) -> tuple[int, int]:
    """Two new accounts."""
    names = (f"账户{next(_names)}" for _ in range(2))
    first, second = (
        desk.caller.post("v2/system/ReceivablesMode/add", {"receivables_mode_name": name}).data["id"]
        for name in names
    )
    return int(first), int(second)


def read_days(desk: BillClient, mode: int, first: str, last: str) -> dict[str, Any]:
    asked = {"receivables_mode_id": mode, "days_start": first, "days_end": last}
    [row] = desk.caller.get("v2/money/AccountDays/getList", **asked).data["data"]
    return {name: row[name] for name in ("opening", "received", "paid", "closing", "entries")}


def build_figures(*values: str, entries: int) -> dict[str, Any]:
    return dict(zip(("opening", "received", "paid", "closing"), values, strict=True)) | {"entries": entries}


class TestTransfer:
    def test_what_the_bank_keeps_is_a_fee(
        self, desk: BillClient, books: PostingReader, modes: tuple[int, int]
    ) -> None:
        bill = desk.add_audited(
            "fund_transfer", from_mode_id=modes[0], to_mode_id=modes[1], amount="1000", fee="2.50"
        )
        assert books.money(bill) == [(modes[0], "-1000.00"), (modes[1], "997.50")]

    def test_an_account_does_not_pay_itself(self, desk: BillClient, modes: tuple[int, int]) -> None:
        answer = desk.add("fund_transfer", from_mode_id=modes[0], to_mode_id=modes[0], amount="1", fee="1")
        told = [failure["msg"] for failure in answer.data["failures"]]
        assert (answer.code, told) == (400, ["转出账户和转入账户不能相同", "手续费须小于转出金额"])


class TestDays:
    def test_opening_and_moves_make_the_closing(self, desk: BillClient, modes: tuple[int, int]) -> None:
        cash, bank = modes
        for on, amount in (("2026-03-01", "500"), ("2026-03-02", "300")):
            desk.add_audited("customer_receipt", amount=amount, receivables_mode_id=cash, business_date=on)
        desk.add_audited(
            "fund_transfer",
            from_mode_id=cash,
            to_mode_id=bank,
            amount="600",
            fee="1",
            business_date="2026-03-02",
        )
        assert read_days(desk, cash, "2026-03-02", "2026-03-02") == build_figures(
            "500.00", "300.00", "600.00", "200.00", entries=2
        )
        assert read_days(desk, bank, "2026-03-01", "2026-03-31") == build_figures(
            "0.00", "599.00", "0.00", "599.00", entries=1
        )
        assert read_days(desk, cash, "2026-03-03", "2026-03-03") == build_figures(
            "200.00", "0.00", "0.00", "200.00", entries=0
        )

    def test_what_is_taken_back_counts_against_what_it_was(
        self, desk: BillClient, modes: tuple[int, int]
    ) -> None:
        cash, _ = modes
        desk.add_audited("customer_receipt", amount="80", receivables_mode_id=cash)
        wrong = desk.add_audited("customer_receipt", amount="20", receivables_mode_id=cash)
        assert desk.apply_action("antiAuditor", wrong).ok
        found = read_days(desk, cash, "2026-03-01", "2026-03-31")
        assert found == build_figures("0.00", "80.00", "0.00", "80.00", entries=3)

    def test_a_day_in_the_past_leads_to_what_moved_on_it(
        self, desk: BillClient, modes: tuple[int, int]
    ) -> None:
        for on in ("2026-03-01", "2026-03-02", "2026-03-03"):
            desk.add_audited("customer_receipt", amount="10", receivables_mode_id=modes[0], business_date=on)
        asked = {"receivables_mode_id": modes[0], "days_start": "2026-03-02", "days_end": "2026-03-02"}
        [row] = desk.caller.get("v2/money/AccountDays/getList", **asked).data["data"]
        drill = desk.caller.get("v2/Open/Screen/getScreen", route="/MoneyManagement/accountDays").data[
            "drill"
        ]
        led = {name: row[field] for name, field in drill["by"].items()}
        totals = desk.caller.get("v2/money/AccountEntry/getList", **led).data["totals"]
        assert totals == {"received": row["received"], "paid": "0"}

    def test_a_day_that_is_none_is_told(self, desk: BillClient) -> None:
        answer = desk.caller.get("v2/money/AccountDays/getList", days_start="x")
        assert (answer.code, answer.msg) == (400, "“日期”的查询条件不正确")

    def test_a_foreign_company_sees_nothing(self, desk: BillClient, modes: tuple[int, int]) -> None:
        desk.add_audited("customer_receipt", amount="5", receivables_mode_id=modes[0])
        asked = {"receivables_mode_id": modes[0]}
        for name in ("AccountDays", "AccountEntry"):
            found = BillClient(desk.site, "manager_b").caller.get(f"v2/money/{name}/getList", **asked)
            assert found.data["total"] == 0


class TestJournal:
    def test_each_row_has_the_balance_after_it_and_leads_to_its_bill(
        self, desk: BillClient, modes: tuple[int, int]
    ) -> None:
        cash, _ = modes
        bills = [
            desk.add_audited(kind, amount=amount, receivables_mode_id=cash, business_date=on)
            for kind, amount, on in (
                ("customer_receipt", "500", "2026-03-01"),
                ("supplier_payment", "120", "2026-03-03"),
                ("customer_receipt", "30", "2026-03-02"),
            )
        ]
        asked = {
            "receivables_mode_id": cash,
            "business_date_start": "2026-03-02",
            "order_key": "business_date",
        }
        rows = desk.caller.get("v2/money/AccountEntry/getList", **asked, order_by="asc").data["data"]
        assert [(row["received"], row["paid"], row["balance"]) for row in rows] == [
            ("30.00", None, "530.00"),
            (None, "120.00", "410.00"),
        ]
        assert [row["route"].split("id=")[1] for row in rows] == [str(bills[2].id), str(bills[1].id)]


class TestCustomerAccounts:
    def test_a_balance_is_what_is_owed_less_what_is_advanced(self, desk: BillClient) -> None:
        customer = desk.partner("customer", f"账户客户{next(_names)}")
        desk.stock_in(desk.world.spares[33], 4)
        line = {"goods_id": desk.world.spares[33], "quantity": "2", "price": "100"}
        desk.add_audited("sales_outbound", line, customer_id=customer, due_date="2026-03-06")
        desk.add_audited("sales_outbound", line, customer_id=customer, due_date="2099-03-06")
        desk.add_audited("customer_receipt", amount="50", customer_id=customer)
        [row] = desk.caller.get("v2/custom/CustomerAccount/getList", customer_id=customer).data["data"]
        names = ("receivable", "advance", "balance", "overdue", "overdue_since")
        assert [row[name] for name in names] == ["400.00", "-50.00", "350.00", "200.00", "2026-03-06"]
        assert Decimal(row["balance"]) == Decimal(row["receivable"]) + Decimal(row["advance"])


class TestCounts:
    API = "v2/money/AccountCount"

    def _add_reconciliation(self, desk: BillClient, mode: int, amount: str, **more: Any) -> Any:
        account = {"company_id": desk.world.company_a, "receivables_mode_id": mode}
        asked = {**account, "business_date": "2026-03-02", "counted_amount": amount, **more}
        return desk.caller.post(f"{self.API}/add", asked)

    def _read_row(self, desk: BillClient, mode: int) -> dict[str, Any]:
        [row] = desk.caller.get(f"{self.API}/getList", receivables_mode_id=mode).data["data"]
        return {name: row[name] for name in ("counted_amount", "book_amount", "difference", "moved")}

    def test_what_is_there_stands_beside_the_books_of_the_day(
        self, desk: BillClient, modes: tuple[int, int]
    ) -> None:
        cash = modes[0]
        for on, amount in (("2026-03-01", "500"), ("2026-03-02", "30"), ("2026-03-03", "7")):
            desk.add_audited("customer_receipt", amount=amount, receivables_mode_id=cash, business_date=on)
        assert (made := self._add_reconciliation(desk, cash, "520", remark="少10元")).ok
        found = {"counted_amount": "520.00", "book_amount": "530.00", "difference": "-10.00", "moved": "0.00"}
        assert self._read_row(desk, cash) == found
        desk.add_audited(
            "supplier_payment", amount="10", receivables_mode_id=cash, business_date="2026-03-02"
        )
        assert self._read_row(desk, cash) == found | {"moved": "-10.00"}
        assert desk.caller.post(f"{self.API}/edit", {"id": made.data["id"], "remark": "已补记"}).ok
        assert self._read_row(desk, cash) == {
            "counted_amount": "520.00",
            "book_amount": "520.00",
            "difference": "0.00",
            "moved": "0.00",
        }

    def test_an_account_is_counted_once_a_day_and_not_ahead(
        self, desk: BillClient, modes: tuple[int, int]
    ) -> None:
        assert self._add_reconciliation(desk, modes[0], "0").ok
        assert self._add_reconciliation(desk, modes[0], "0").code == 400
        assert (
            self._add_reconciliation(desk, modes[0], "0", business_date="2099-03-02").msg
            == "对账日期不能晚于今天"
        )
