"""Every bill type, and a counter that makes bills of any."""

from __future__ import annotations

from typing import Any

import pytest

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.flow import TRANSITIONS
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer
from tests.support.fixtures import Site
from tests.support.payloads import payload_of
from tests.support.type_rules import for_each_type

assert catalogue.__all__
STALE = "单据状态已变化，请刷新后重试"
BILLS: list[type[Bill]] = [cls for cls in registry.list_resources() if issubclass(cls, Bill)]
every = for_each_type(BILLS)


def find_closing_action(cls: type[Bill]) -> str | None:
    """Return the transition that closes bills of a type, if any."""
    assert cls.bill is not None
    return next((name for name in cls.bill.transitions if TRANSITIONS[name].effect == "close"), None)


class BillFactory:
    """Makes generic bills that can be audited, and takes them to a status."""

    def __init__(self, site: Site) -> None:
        self.desk = BillClient(site)
        world = site.world
        early = {"business_date": "2026-01-02"}
        self.desk.stock_in(world.oil, 100000, allocation_id=world.allocation_a, **early)
        claimed = {
            "goods_id": world.oil,
            "quantity": "100000",
            "price": "113",
            "allocation_id": world.allocation3_a,
        }
        self.desk.add_audited("three_inbound", claimed, warehouse_id=world.warehouse3_a, **early)

    def draft(self, cls: type[Bill], **header: Any) -> SavedBill:
        body = {**payload_of(cls, self.desk.world), **header}
        answer = self.desk.caller.post(f"{cls.declaration.api}/add", body)
        assert answer.ok, answer
        return SavedBill(cls.name(), answer.data["id"], answer.data["bill_no"])

    def bill(self, cls: type[Bill], status: int, **header: Any) -> SavedBill:
        """Return a bill in a status: 1 unaudited, 2 audited, 3 voided, 4 closed."""
        made = self.draft(cls, **header)
        for action in {
            1: (),
            2: ("auditorPass",),
            3: ("invalid",),
            4: ("auditorPass", find_closing_action(cls) or ""),
        }[status]:
            # One of a past day may be asked about: a later stocktake stands already.
            answer = self.desk.apply_action(action, made, confirmed=True)
            assert answer.ok, answer
        return made

    def status(self, bill: SavedBill) -> int:
        found: int = self.desk.read_bill(bill)["status"]
        return found

    def edit(self, bill: SavedBill, **changed: Any) -> Answer:
        info = self.desk.read_bill(bill)
        return self.desk.caller.post(
            self.desk.path(bill.resource, "edit"), {**info, "id": bill.id, **changed}
        )


@pytest.fixture(scope="module")
def counter(site: Site) -> BillFactory:
    return BillFactory(site)
