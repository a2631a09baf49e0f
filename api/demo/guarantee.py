"""Guarantee of a demo company (演示三包): tyres that customers bring back, and their way on to the factories."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from api.demo.assortment import Item
from api.demo.buying import Buyer
from api.demo.desk import Desk
from api.demo.names import supplier_name
from api.inventory.three_inbound import ThreeInbound
from api.inventory.tire_back import TireBack
from api.kit.bulk import Entry, LineOf

SHARE = 0.035
"""Lines of tyres of which a piece comes back."""


class Warrantor:
    """Takes in what failed under its guarantee, and sends it to its factory once a month."""

    def __init__(self, desk: Desk, buyer: Buyer) -> None:
        self.desk, self.buyer = desk, buyer
        self._waiting: defaultdict[str, list[Entry]] = defaultdict(list)

    def sold(self, outbound: Entry, item: Item) -> None:
        """Goods went to a customer: one of them may fail within the year."""
        if item.is_tyre and self.desk.happens(SHARE):
            self.desk.at(self.desk.in_days(20, 300), lambda: self._take_in(outbound, item))

    def _take_in(self, outbound: Entry, item: Item) -> None:
        desk = self.desk
        header = {
            "warehouse_id": desk.branch.guarantee,
            "customer_id": outbound.draft.header["customer_id"],
            "reason": "质量三包",
            **desk.worker(desk.branch.keepers),
        }
        row = desk.line(item, 1, Decimal(0), batch=self.buyer.code_of(item))
        self._waiting[supplier_name(item.brand_name)].append(desk.enter(ThreeInbound, header, [row]))

    def send_back(self) -> None:
        """What came in since the last time, a bill for each factory."""
        desk = self.desk
        for name, pieces in sorted(self._waiting.items()):
            supplier = desk.group.suppliers[name]["supplier_id"]
            header = {
                "warehouse_id": desk.branch.guarantee,
                "supplier_id": supplier,
                "claim_no": f"LP{desk.day:%y%m}{desk.branch.code}{supplier:02d}",
                **desk.worker(desk.branch.keepers),
            }
            desk.enter(TireBack, header, [self._row(piece) for piece in pieces])
        self._waiting.clear()

    def _row(self, piece: Entry) -> dict[str, Any]:
        [line] = piece.lines
        return {
            "goods_id": line["goods_id"],
            "quantity": line["quantity"],
            "source_line_id": LineOf(piece, 0),
        }
