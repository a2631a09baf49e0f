"""Warranty of a demo company (演示三包): tyres that customers bring back, and their return to the suppliers."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from api.demo.company_simulator import CompanySimulator
from api.demo.goods import DemoGoods
from api.demo.names import find_supplier
from api.demo.purchases import Purchaser
from api.inventory.used_tyre_return import UsedTyreReturn
from api.inventory.warranty_inbound import WarrantyInbound
from api.kit.bills.bulk_posting import BulkBill, LineReference

SHARE = 0.035
"""Lines of tyres of which a piece comes back."""


class WarrantyHandler:
    """Handler of failed tyres: receives them, and returns them to their suppliers once a month."""

    def __init__(self, desk: CompanySimulator, buyer: Purchaser) -> None:
        self.desk, self.buyer = desk, buyer
        self._waiting: defaultdict[str, list[BulkBill]] = defaultdict(list)

    def expect_failure(self, outbound: BulkBill, item: DemoGoods) -> None:
        """Schedule the failure of a sold tyre, if it fails within the year."""
        if item.is_tyre and self.desk.has_chance(SHARE):
            self.desk.schedule(self.desk.in_days(20, 300), lambda: self._enter_inbound(outbound, item))

    def _enter_inbound(self, outbound: BulkBill, item: DemoGoods) -> None:
        desk = self.desk
        header = {
            "warehouse_id": desk.branch.guarantee,
            "customer_id": outbound.draft.header["customer_id"],
            "reason": "质量三包",
            **desk.choose_worker(desk.branch.keepers),
        }
        row = desk.build_line(item, 1, Decimal(0), batch=self.buyer.code_of(item))
        self._waiting[find_supplier(item.brand_name)].append(desk.enter_bill(WarrantyInbound, header, [row]))

    def return_tyres(self) -> None:
        """Return what came in since the last time, a bill for each supplier."""
        desk = self.desk
        for name, pieces in sorted(self._waiting.items()):
            supplier = desk.group.suppliers[name]["supplier_id"]
            header = {
                "warehouse_id": desk.branch.guarantee,
                "supplier_id": supplier,
                "claim_no": f"LP{desk.day:%y%m}{desk.branch.code}{supplier:02d}",
                **desk.choose_worker(desk.branch.keepers),
            }
            desk.enter_bill(UsedTyreReturn, header, [self._build_row(piece) for piece in pieces])
        self._waiting.clear()

    def _build_row(self, piece: BulkBill) -> dict[str, Any]:
        [line] = piece.lines
        return {
            "goods_id": line["goods_id"],
            "quantity": line["quantity"],
            "source_line_id": LineReference(piece, 0),
        }
