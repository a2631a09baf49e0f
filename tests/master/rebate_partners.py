"""Partners of both directions who earn rebates: their bills, policies, accruals and confirmed rebates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer


@dataclass(frozen=True)
class RebateSide:
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
    RebateSide(
        "supplier",
        "purchase_inbound",
        "purchase_return",
        "supplier_payment",
        "v2/purchase/RebateFind",
        "v2/purchase/RebateLine",
        "v2/money/RebateManagement",
        "v2/money/RebateManagementDetail",
    ),
    RebateSide(
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
class RebatePartner:
    """A new partner, with whom company A trades goods of the world at 100 a piece."""

    side: RebateSide
    desk: BillClient
    id: int

    @property
    def partner_key(self) -> dict[str, int]:
        return {f"{self.side.party}_id": self.id}

    @property
    def goods(self) -> int:
        return self.desk.world.oil

    def trade(self, quantity: str, day: str, **line: Any) -> SavedBill:
        return self._bill(self.side.trading, quantity, day, **line)

    def return_goods(self, quantity: str, day: str, of: SavedBill | None = None) -> SavedBill:
        """Audit a return, of the line of bill `of` where one is given."""
        line = {"source_line_id": self.desk.line_ids(of)[0]} if of else {}
        return self._bill(self.side.returning, quantity, day, **line)

    def _bill(self, kind: str, quantity: str, day: str, **line: Any) -> SavedBill:
        row = {"goods_id": self.goods, "quantity": quantity, "price": "100", **line}
        return self.desk.add_audited(kind, row, business_date=day, **self.partner_key)

    def add_policy(
        self, *tiers: dict[str, str], goods: tuple[dict[str, int], ...] = (), **header: Any
    ) -> SavedBill:
        """Add an audited policy by amount and excess, monthly from January to March 2024, unless given
        otherwise."""
        given = {**self.build_header(), **header, "goods": goods}
        return self.desk.add_audited(f"{self.side.party}_rebate_policy", *tiers, **given)

    def build_header(self) -> dict[str, Any]:
        world = self.desk.world
        kinds = {"rebate_type_id": world.rebate_type, "rebate_cycle_id": world.rebate_cycle}
        days = {"starts_on": "2024-01-01", "ends_on": "2024-03-31"}
        return {
            **self.partner_key,
            **kinds,
            **days,
            "policy_name": "年度返利",
            "measure": 2,
            "rebate_mode": 1,
        }

    def list_accruals(self, policy: SavedBill) -> list[dict[str, Any]]:
        query = {"policy_id": policy.id, "order_key": "cycle_start", "order_by": "asc"}
        answer = self.desk.caller.get(f"{self.side.find}/getList", **query)
        assert answer.ok, answer
        rows: list[dict[str, Any]] = answer.data["data"]
        return rows

    def generate(self, *rows: dict[str, Any]) -> Answer:
        keys = [row[f"{self.side.party}_rebate_accrual_id"] for row in rows]
        return self.desk.caller.post(f"{self.side.find}/generate", {"ids": keys})

    def add_rebate(self, policy: SavedBill, amount: str, **more: Any) -> Answer:
        usual = {"policy_id": policy.id, "cycle_start": "2024-01-15", "amount": amount}
        return self.desk.add(f"{self.side.party}_rebate", **self.partner_key, **{**usual, **more})

    def confirm_rebate(self, policy: SavedBill, amount: str, **more: Any) -> SavedBill:
        answer = self.add_rebate(policy, amount, **more)
        assert answer.ok, answer
        made = SavedBill(f"{self.side.party}_rebate", answer.data["id"], answer.data["bill_no"])
        assert self.desk.apply_action("auditorPass", made).ok
        return made

    def read_account(self) -> tuple[str, ...]:
        [row] = self.desk.caller.get(f"{self.side.accounts}/getList", **self.partner_key).data["data"]
        return tuple(row[name] for name in ("accrued", "confirmed", "used_amount", "left_amount"))
