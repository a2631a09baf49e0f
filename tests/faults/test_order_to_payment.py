"""16 clerks take orders at a few suppliers to inbound, invoice, payment and offset at once, over two processes.

In the end nothing is over-received, over-invoiced or written off twice, and the books tie.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import Connection

from tests.faults.concurrent_clients import ConcurrentClient, assert_consistent, list_refusals, run_clients
from tests.faults.serve_process import ServeProcess
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

SUPPLIERS = 3
OVER_INVOICED = """
select inbound_line_id from purchase_invoice_line l join purchase_invoice using (bill_id)
join purchase_inbound_line b on b.line_id = l.inbound_line_id
where status = 2 group by inbound_line_id, b.amount having sum(l.amount) > b.amount
"""
OVER_SETTLED = """
select settlement_id from (
    select settlement_id, w.amount from supplier_payment_write_off w
    join supplier_payment using (bill_id) where status = 2
    union all select settlement_id, w.amount from prepaid_offset_write_off w
    join prepaid_offset using (bill_id) where status = 2
) w join settlement_item i using (settlement_id)
group by settlement_id, i.amount having sum(w.amount) / i.amount not between 0 and 1
"""


class PurchaseClient(ConcurrentClient):
    party, orders, delivers = "supplier", "purchase_order", "purchase_inbound"
    does = ("order", "deliver", "deliver", "invoice", "pay", "pay", "offset", "undo")

    def invoice(self) -> None:
        lines = self.open_items("purchase_invoice", supplier := self.choose_partner(), "getOpenLines")
        if lines:
            number = str(self.chance.randrange(10**8, 10**9))
            told = {"invoice_kind": 3, "invoice_no": number, "invoice_date": "2026-03-31"}
            line = self.chance.choice(lines)
            self.add_and_audit(
                "purchase_invoice",
                {"lines": [{**line, "amount": self.choose_amount(line["amount"])}], **told, **supplier},
            )

    def pay(self) -> None:
        """Pay most of an open item, and at times something in advance."""
        supplier = self.choose_partner()
        owed = [
            item for item in self.open_items("supplier_payment", supplier) if Decimal(item["open_amount"]) > 0
        ]
        if owed:
            item = self.chance.choice(owed)
            off = {"settlement_id": item["settlement_id"], "amount": self.choose_amount(item["open_amount"])}
            amount = str(Decimal(off["amount"]) + self.chance.choice((0, 150)))
            self.add_and_audit("supplier_payment", {"write_offs": [off], "amount": amount, **supplier})

    def offset(self) -> None:
        """Offset an advance against an open item, as much as both have."""
        items = self.open_items("prepaid_offset", supplier := self.choose_partner())
        owed = [item for item in items if Decimal(item["open_amount"]) > 0]
        advanced = [item for item in items if Decimal(item["open_amount"]) < 0]
        if not owed or not advanced:
            return
        pair = self.chance.choice(owed), self.chance.choice(advanced)
        amount = min(abs(Decimal(item["open_amount"])) for item in pair)
        offs = [
            {"settlement_id": item["settlement_id"], "amount": str(sign * amount)}
            for item, sign in zip(pair, (1, -1), strict=True)
        ]
        self.add_and_audit("prepaid_offset", {"write_offs": offs, **supplier})

    def undo(self) -> None:
        self.take_back(self.chance.choice((self.delivers, "supplier_payment", "prepaid_offset")))


def test_orders_invoices_payments_and_offsets_hold(
    site: Site, server: ServeProcess, conn: Connection
) -> None:
    desk = BillClient(site)
    suppliers = [desk.partner("supplier", f"供货商{at}", payment_days=0) for at in range(SUPPLIERS)]
    told = run_clients(server, desk, PurchaseClient, suppliers)
    refused = [msg for msg in list_refusals(told) if "超过" in msg]
    assert refused, "nobody came in another's way"
    assert conn.exec_driver_sql(OVER_INVOICED).all() == []
    assert conn.exec_driver_sql(OVER_SETTLED).all() == []
    assert_consistent(conn, told, PurchaseClient, "purchase_invoice", "supplier_payment", "prepaid_offset")
