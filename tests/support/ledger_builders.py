"""Builders of bills and moves for the ledger's tests, and readers of the balances that postings leave."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection

from api.kit.declaration.posting import BillRef, Postings, Reservation, SettlementOpen, StockMove
from api.ledger import STRICT, Policy, integrity_checks, post_bill, reverse_bill

COMPANY = 1
WAREHOUSE = 10
TYRE = 100
TUBE = 101
DAY = date(2026, 1, 15)
DUE = date(2026, 2, 14)
NEGATIVE = Policy(negative_warehouses=frozenset({WAREHOUSE}))


def build_ref(bill_no: str, day: date = DAY, company_id: int = COMPANY) -> BillRef:
    """Build the reference of a bill numbered like `XSCK7`: prefix and id."""
    return BillRef(bill_no[:4], int(bill_no[4:]), bill_no, company_id, day)


def build_move(quantity: str | int, goods_id: int = TYRE, *, line: int = 1, **more: Any) -> StockMove:
    """Build a stock move; `amount` and the like may be given as text."""
    for name in ("amount", "fallback_unit_cost"):
        if isinstance(more.get(name), str | int):
            more[name] = Decimal(more[name])
    return StockMove(
        line_id=line,
        warehouse_id=more.pop("warehouse_id", WAREHOUSE),
        goods_id=goods_id,
        quantity=Decimal(quantity),
        **more,
    )


class LedgerBench:
    """Posts bills on a connection; line ids are the bill's id × 10 + place."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn

    def post(
        self, bill_no: str, *moves: StockMove, policy: Policy = STRICT, day: date = DAY, **parts: Any
    ) -> None:
        post_bill(self.conn, build_ref(bill_no, day), Postings(stock=moves, **parts), policy)

    def reserve(self, bill_no: str, order_line_id: int, quantity: int, policy: Policy = STRICT) -> None:
        claim = Reservation(order_line_id, WAREHOUSE, TYRE, Decimal(quantity))
        post_bill(self.conn, build_ref(bill_no), Postings(reservations=(claim,)), policy)

    def open_receivable(self, bill_no: str, amount: str) -> int:
        """Open a customer's item and return its id."""
        item = SettlementOpen("customer", 5, Decimal(amount), DUE)
        post_bill(self.conn, build_ref(bill_no), Postings(settlements=(item,)))
        return self.value("select max(settlement_id) from settlement_item")

    def reverse(self, bill_no: str, policy: Policy = STRICT, day: date = DAY) -> None:
        reverse_bill(self.conn, build_ref(bill_no, day), policy)

    def value(self, sql: str) -> Any:
        return self.conn.exec_driver_sql(sql).scalar()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.conn.exec_driver_sql(sql)]

    def amounts(self, bill_no: str) -> list[str]:
        """Return the amounts of a bill's rows, in posting order."""
        return [
            str(row[0])
            for row in self.rows(
                f"select amount from stock_ledger where bill_no = '{bill_no}' order by ledger_id"
            )
        ]

    def average(self, goods_id: int = TYRE) -> tuple[str, str]:
        """Return quantity and amount of a goods in the company."""
        [(quantity, amount)] = self.rows(
            f"select quantity, amount from cost_balance where goods_id = {goods_id}"
        )
        return f"{quantity.normalize():f}", str(amount)

    def list_broken_checks(self) -> list[str]:
        """Return the names of the checks that find something."""
        return [
            finding.check.name
            for finding in integrity_checks.run_checks(self.conn, integrity_checks.LEDGER_CHECKS)
            if finding.count
        ]


BALANCES = {
    "stock": "select warehouse_id, goods_id, allocation_id, batch_id, company_id, quantity from stock_balance"
    " where quantity <> 0",
    "total": "select warehouse_id, goods_id, company_id, quantity, reserved, frozen from stock_total"
    " where quantity <> 0 or reserved <> 0",
    "cost": "select company_id, goods_id, quantity, amount, last_unit_cost from cost_balance"
    " where quantity <> 0 or last_unit_cost is not null",
    "open": "select settlement_id, open_amount from settlement_item where open_amount <> 0",
    "money": "select company_id, receivables_mode_id, amount from money_balance where amount <> 0",
}


def read_balances(conn: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Read all balances, empty rows left out."""
    return {name: sorted(map(tuple, conn.exec_driver_sql(sql))) for name, sql in BALANCES.items()}
