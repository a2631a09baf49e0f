"""Random bills (随机单据): what a bill of a random sequence holds, likely values more often, each from a `Random`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from api.kit.declaration.document import Bill
from api.kit.declaration.fields import Field
from tests.support.payloads import row_of
from tests.support.world import World

DAYS = ("2026-01-05", "2026-01-20", "2026-02-10", "2026-02-11", "2026-03-05", "2026-03-25")
GOODS = ("tyre", "tube", "oil")
CHOICES = {
    "warehouse": ("warehouse", "warehouse", "warehouse", "warehouse2", "warehouse3", "warehouse4"),
    "customer": ("customer", "customer2"),
}
"""Records of a company that a reference may name, the likely ones more often."""

QUANTITIES = ("1", "1", "2", "2", "3", "0.001", "0.333", "2.5", "40")
RECEIVED = ("5", "30", "60", "90", "90", "0.007", "12.345")
PRICES = ("0", "0.01", "3.33", "99.99", "113", "226", "1000")
WORTHS = ("-500", "-0.01", "0.01", "12.34", "300")
AMOUNTS = ("0", "0.01", "50", "333.33", "2000")
SHARES = {1: ("100",), 2: ("70", "30"), 3: ("33.33", "33.33", "33.34")}
KINDS = {"stock_conversion": [1, 2, 3, 3, 3]}
BATCHES = ("0126", "0226", "5225")


class RandomBills:
    """Values for bills of the world's companies, a and b."""

    def __init__(self, world: World) -> None:
        self.world = world

    def payload(self, cls: type[Bill], chance: Random, mark: str | None = None) -> dict[str, Any]:
        mark = mark or chance.choice("aaab")
        assert cls.bill is not None
        found = dict(self.row(cls, mark, chance))
        spots = {
            self.world.ids[f"warehouse{n}_{mark}"]: self.world.ids[f"allocation{n}_{mark}"]
            for n in ("", "2", "3", "4")
        }
        spot = spots.get(found.get("warehouse_id", 0))
        for block in cls.bill.blocks:
            count = chance.choice([1, 1, 2, 3]) if block.required else 0
            found[block.name] = [
                {
                    **dict(self.row(block.cls, mark, chance)),
                    **({"allocation_id": spot} if chance.random() < 0.25 else {}),
                }
                for _ in range(count)
            ]
            if any("share" in row for row in found[block.name]) and chance.random() < 0.5:
                for row, share in zip(found[block.name], SHARES[count], strict=True):
                    row["share"] = share
        return found

    def row(self, cls: Any, mark: str, chance: Random) -> Iterator[tuple[str, Any]]:
        values = row_of(cls, self.world, mark)
        for item in cls.fields():
            if item.name in values:
                yield item.name, self._value(cls, item, values[item.name], mark, chance)

    def _value(self, cls: Any, item: Field, usual: Any, mark: str, chance: Random) -> Any:
        inbound = any(field.name == "batch" for field in cls.fields())
        makers: dict[str, Callable[[], Any]] = {
            "business_date": lambda: chance.choice(DAYS),
            "goods_id": lambda: (
                usual if cls.name() == "tire_registration_line" else self.world.ids[chance.choice(GOODS)]
            ),
            "freezes": lambda: chance.random() < 0.2,
            "warehouse_id": lambda: self._record(usual, "warehouse", mark, chance),
            "to_warehouse_id": lambda: self._record(usual, "warehouse", mark, chance),
            "customer_id": lambda: self._record(usual, "customer", mark, chance),
            "customer_address_id": lambda: None,
            "allocation_id": lambda: None,
            "batch_id": lambda: None,
            "source_line_id": lambda: None,
            "order_line_id": lambda: None,
            "batch": lambda: chance.choice(BATCHES),
            "quantity": lambda: chance.choice(RECEIVED if inbound else QUANTITIES),
            "price": lambda: chance.choice(PRICES),
            "discount_amount": lambda: "0",
            "amount": lambda: chance.choice(WORTHS if cls.name() == "cost_adjustment_line" else AMOUNTS),
            "is_gift": lambda: chance.random() < 0.1,
            "freight_amount": lambda: chance.choice(AMOUNTS),
            "lost_quantity": lambda: "0",
            "loss_reason": lambda: None,
            "lost_tire_numbers": lambda: None,
            "compensation_amount": lambda: "0",
            "liable_logistics_id": lambda: None,
            "liable_employee_id": lambda: None,
            "due_date": lambda: usual if item.required else None,
            "kind": lambda: chance.choice(KINDS.get(cls.name(), [1, 1, 2])) if item.options else usual,
            "share": lambda: None,
            "unit_value": lambda: chance.choice(PRICES),
        }
        if cls.name() == "stock_take" and item.name in ("allocation_id", "goods_type_id", "brand_id"):
            return None
        return makers[item.name]() if item.name in makers else usual

    def _record(self, usual: Any, kind: str, mark: str, chance: Random) -> Any:
        """Return the usual record, which the bill's rules ask for, or any of its kind in the company."""
        if chance.random() < 0.85:
            return usual
        return self.world.ids[f"{chance.choice(CHOICES[kind])}_{mark}"]
