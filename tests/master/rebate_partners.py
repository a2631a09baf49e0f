"""Partners of both directions who earn rebates: what they trade, their policies, what those earn, and how it is confirmed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.kit.client import Answer
from tests.kit.desk import Desk, Made


@dataclass(frozen=True)
class Side:
    """One direction: its partner, the bills that trade, pay and offset, and the calls that show rebates."""

    party: str
    trading: str
    returning: str
    paying: str
    find: str
    lines: str
    accounts: str
    movements: str


SIDES = (
    Side(
        "supplier",
        "purchase_inbound",
        "purchase_return",
        "supplier_payment",
        "v2/purchase/RebateFind",
        "v2/purchase/RebateLine",
        "v2/money/RebateManagement",
        "v2/money/RebateManagementDetail",
    ),
    Side(
        "customer",
        "sales_outbound",
        "sales_return",
        "customer_receipt",
        "v2/sales/CustomerRebateFind",
        "v2/sales/CustomerRebateLine",
        "v2/sales/CustomerRebateSummary",
        "v2/sales/CustomerRebateDetail",
    ),
)


@dataclass(frozen=True)
class Partner:
    """A new partner, with whom company A trades goods of the world at 100 a piece."""

    side: Side
    desk: Desk
    id: int

    @property
    def named(self) -> dict[str, int]:
        return {f"{self.side.party}_id": self.id}

    @property
    def goods(self) -> int:
        return self.desk.world.oil

    def trade(self, quantity: str, day: str, **line: Any) -> Made:
        return self._bill(self.side.trading, quantity, day, **line)

    def give_back(self, quantity: str, day: str, of: Made | None = None) -> Made:
        """Take a return, of a line of a bill where that is told."""
        line = {"source_line_id": self.desk.line_ids(of)[0]} if of else {}
        return self._bill(self.side.returning, quantity, day, **line)

    def _bill(self, kind: str, quantity: str, day: str, **line: Any) -> Made:
        row = {"goods_id": self.goods, "quantity": quantity, "price": "100", **line}
        return self.desk.audited(kind, row, business_date=day, **self.named)

    def policy(self, *tiers: dict[str, str], goods: tuple[dict[str, int], ...] = (), **header: Any) -> Made:
        """An audited one by amount and excess, monthly from January to March 2024, unless told otherwise."""
        given = {**self.header(), **header, "goods": goods}
        return self.desk.audited(f"{self.side.party}_rebate_policy", *tiers, **given)

    def header(self) -> dict[str, Any]:
        world = self.desk.world
        kinds = {"rebate_type_id": world.rebate_type, "rebate_cycle_id": world.rebate_cycle}
        days = {"starts_on": "2024-01-01", "ends_on": "2024-03-31"}
        return {**self.named, **kinds, **days, "policy_name": "年度返利", "measure": 2, "rebate_mode": 1}

    def accruals(self, policy: Made) -> list[dict[str, Any]]:
        query = {"policy_id": policy.id, "order_key": "cycle_start", "order_by": "asc"}
        answer = self.desk.caller.get(f"{self.side.find}/getList", **query)
        assert answer.ok, answer
        rows: list[dict[str, Any]] = answer.data["data"]
        return rows

    def generate(self, *rows: dict[str, Any]) -> Answer:
        keys = [row[f"{self.side.party}_rebate_accrual_id"] for row in rows]
        return self.desk.caller.post(f"{self.side.find}/generate", {"ids": keys})

    def rebate(self, policy: Made, amount: str, **more: Any) -> Answer:
        usual = {"policy_id": policy.id, "cycle_start": "2024-01-15", "amount": amount}
        return self.desk.add(f"{self.side.party}_rebate", **self.named, **{**usual, **more})

    def confirmed(self, policy: Made, amount: str, **more: Any) -> Made:
        answer = self.rebate(policy, amount, **more)
        assert answer.ok, answer
        made = Made(f"{self.side.party}_rebate", answer.data["id"], answer.data["bill_no"])
        assert self.desk.act("auditorPass", made).ok
        return made

    def account(self) -> tuple[str, ...]:
        [row] = self.desk.caller.get(f"{self.side.accounts}/getList", **self.named).data["data"]
        return tuple(row[name] for name in ("accrued", "confirmed", "used_amount", "left_amount"))
