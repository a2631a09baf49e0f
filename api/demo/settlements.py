"""Settlements of a demo company (演示收付款): customers pay by their habits, suppliers are paid mostly when due.

At times more is paid than is owed; most of these advances are set against what is due later.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from api.customers.advance_offset import AdvanceOffset
from api.customers.customer_receipt import CustomerReceipt
from api.demo.company_simulator import CompanySimulator, ItemOf
from api.kit.bills.bulk_posting import BulkBill
from api.purchase.prepaid_offset import PrepaidOffset
from api.purchase.supplier_payment import SupplierPayment

HABITS = {"punctual": (0, 3), "slow": (8, 35), "bad": (30, 95)}
"""Days after the due date on which customers pay."""
DISPUTED, CLEARED_AFTER = 0.2, (10, 75)
"""The share of inbounds whose invoice is questioned, and the days after the due date on which they are paid."""

ADVANCED, OFFSET = 0.03, 0.8
"""The share of payments with an advance, and of the advances those that are set against later bills."""
OFFSETS = {"customer": AdvanceOffset, "supplier": PrepaidOffset}
Due = tuple[BulkBill, int, Decimal | None]
"""A bill to be settled, its sign, and what is left of it after a part was."""


class Cashier:
    """Cashier who collects what customers owe and pays suppliers."""

    def __init__(self, desk: CompanySimulator) -> None:
        self.desk = desk
        habits = desk.chance.choices(list(HABITS), weights=(78, 17, 5), k=len(desk.branch.customers))
        self.habit = {
            row["customer_id"]: habit for row, habit in zip(desk.branch.customers, habits, strict=True)
        }
        self._terms = {row["customer_id"]: row["payment_days"] for row in desk.branch.customers}
        self._days = {row["supplier_id"]: row["payment_days"] for row in desk.group.suppliers.values()}
        self._balances = dict.fromkeys(desk.group.modes, Decimal(0))
        self._piles: defaultdict[tuple[str, int], list[Due]] = defaultdict(list)
        self._advances: defaultdict[tuple[str, int], list[tuple[BulkBill, Decimal]]] = defaultdict(list)

    def expect_receipt(self, entry: BulkBill, sign: int = 1) -> None:
        """Expect a customer's payment of an outbound, or offset a return (−1)."""
        customer = entry.draft.header["customer_id"]
        late = self.desk.chance.randint(*HABITS[self.habit[customer]])
        if self.habit[customer] == "bad" and sign > 0 and self.desk.has_chance(0.015):
            return
        days = self._terms[customer] + late if sign > 0 else 1
        self._expect("customer", customer, entry, sign, self.desk.day + timedelta(days=days))

    def expect_payment(self, entry: BulkBill, sign: int = 1) -> None:
        """Plan the payment of an inbound, or offset a purchase return (−1)."""
        supplier = entry.draft.header["supplier_id"]
        days = self._days[supplier] if sign > 0 else 1
        if sign > 0 and self.desk.has_chance(DISPUTED):
            days += self.desk.chance.randint(*CLEARED_AFTER)
        self._expect("supplier", supplier, entry, sign, self.desk.day + timedelta(days=days))

    def _expect(self, party: str, partner: int, entry: BulkBill, sign: int, day: date) -> None:
        due = max(day, self.desk.day)
        if party == "supplier":
            due += timedelta(days=(2 - due.weekday()) % 7)
        pile = self._piles[party, partner]
        self.desk.schedule(due, lambda: pile.append((entry, sign, None)))

    def settle(self) -> None:
        """Make the receipts and payments of the day."""
        for (party, partner), pile in self._piles.items():
            if pile and self._advances[party, partner]:
                self._offset_advance(party, partner, pile)
            if pile and self._settle(party, partner, pile):
                pile.clear()

    def _settle(self, party: str, partner: int, pile: list[Due]) -> bool:
        desk = self.desk
        rows: list[dict[str, Any]] = [
            {"settlement_id": ItemOf(entry), "amount": rest or sign * entry.draft.header["total_amount"]}
            for entry, sign, rest in pile
        ]
        rows = [row for row in rows if row["amount"]]
        total = sum((row["amount"] for row in rows), Decimal(0))
        if total <= 0:
            return False
        if party == "customer" and desk.has_chance(0.07) and 200 < rows[-1]["amount"] < 2 * total:
            total = self._leave_part(partner, rows, total)
        advance = Decimal(desk.chance.choice((500, 1000, 2000))) if desk.has_chance(ADVANCED) else Decimal(0)
        cls = CustomerReceipt if party == "customer" else SupplierPayment
        header = {
            f"{party}_id": partner,
            "receivables_mode_id": self._account(party, total + advance),
            "amount": total + advance,
            **desk.choose_worker(desk.branch.cashiers),
        }
        paid = desk.enter_bill(cls, header, rows, audited=True)
        if advance and desk.has_chance(OFFSET):
            # An advance is there to be named from the next portion on.
            desk.schedule(desk.next_month(), lambda: self._advances[party, partner].append((paid, advance)))
        return True

    def _offset_advance(self, party: str, partner: int, pile: list[Due]) -> None:
        """Offset the oldest advance against the first bill of a pile."""
        advances = self._advances[party, partner]
        place = next((place for place, (_, sign, _) in enumerate(pile) if sign > 0), None)
        if place is None:
            return
        (paid, left), (entry, _, rest) = advances.pop(0), pile.pop(place)
        owed = rest or entry.draft.header["total_amount"]
        amount = min(left, owed)
        if not amount:
            return
        rows = [
            {"settlement_id": ItemOf(paid), "amount": -amount},
            {"settlement_id": ItemOf(entry), "amount": amount},
        ]
        worker = self.desk.choose_worker(self.desk.branch.cashiers)
        self.desk.enter_bill(OFFSETS[party], {f"{party}_id": partner, **worker}, rows)
        if owed > amount:
            pile.insert(place, (entry, 1, owed - amount))
        if left > amount:
            advances.append((paid, left - amount))

    def _account(self, party: str, amount: Decimal) -> int:
        """Choose an account: customers pay into any; suppliers are paid out of the one with the largest
        balance."""
        if party == "customer":
            chosen = self.desk.chance.choice(self.desk.group.modes)
            self._balances[chosen] += amount
        else:
            chosen = max(self._balances, key=self._balances.__getitem__)
            self._balances[chosen] -= amount
        return chosen

    def _leave_part(self, partner: int, rows: list[dict[str, Any]], total: Decimal) -> Decimal:
        """Pay only a part of the last item; the rest comes three weeks later."""
        row = rows[-1]
        entry = row["settlement_id"].entry
        paid = (row["amount"] * Decimal("0.6")).quantize(Decimal(10))
        rest = row["amount"] - paid
        row["amount"] = paid
        pile = self._piles["customer", partner]
        self.desk.schedule(self.desk.day + timedelta(days=21), lambda: pile.append((entry, 1, rest)))
        return Decimal(total - rest)
