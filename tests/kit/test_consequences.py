"""What actions would change is told before they do it: of every action of the product, and from what is stored."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from api.kit import consequences, registry
from api.kit.document import Bill
from api.kit.resource import Resource
from tests.kit.client import Answer
from tests.kit.declared import DECLARED, added, named
from tests.kit.desk import Desk, Made
from tests.kit.fixtures import Site


@pytest.fixture
def desk(site: Site) -> Desk:
    return Desk(site)


class TestEveryAction:
    def test_is_foreseen_or_says_why_it_need_not_be(self) -> None:
        known = consequences.CONSEQUENCES.keys() | consequences.PLAIN.keys()
        assert {name for cls in DECLARED for name in cls.declaration.rights} - known == set()
        assert consequences.CONSEQUENCES.keys() & consequences.PLAIN.keys() == set()

    @named
    def test_the_screen_says_so_of_each(self, site: Site, cls: type[Resource]) -> None:
        route = cls.declaration.routes.get("list")
        if not route:
            return
        screen = site.as_("admin").get("v2/Open/Screen/getScreen", route=route).data
        for action in screen["actions"]:
            foreseen = consequences.consequence_of(cls, action["name"]) is not None
            assert action["foreseen"] == foreseen, action
            assert not foreseen or action["confirm"], action

    @named
    def test_deleting_and_voiding_tell_the_record_and_write_nothing(
        self, site: Site, cls: type[Resource]
    ) -> None:
        if not {"add", "del"} <= set(cls.declaration.actions):
            return
        key = added(site, cls)
        for action in ("del", *(("invalid",) if issubclass(cls, Bill) else ())):
            told = foresee(site, cls, action, key)
            assert told.ok, told
            assert told.data["undo"] and told.data["effect"]
            assert told.data["facts"][0]["label"] == cls.declaration.label
            assert told.data["facts"][0]["value"].startswith("1 ")
        assert site.as_("admin").get(f"{cls.declaration.api}/getInfo", id=key).ok


def foresee(site: Site, cls: type[Resource], action: str, *keys: int, user: str = "admin") -> Answer:
    body = {"action": action, "ids": list(keys)}
    return site.as_(user).post(f"{cls.declaration.api}/getConsequence", body)


def facts(answer: Answer) -> dict[str, str]:
    return {fact["label"]: fact["value"] for fact in answer.data["facts"]}


class TestBills:
    def test_voiding_tells_how_many_whose_and_how_much(self, desk: Desk, site: Site) -> None:
        cls: Any = registry.get("other_inbound")
        line = {"goods_id": desk.world.spares[33], "quantity": "3", "price": "10"}
        bills = [desk.draft("other_inbound", line), desk.audited("other_inbound", line)]
        answer = foresee(site, cls, "invalid", *(bill.id for bill in bills))
        told = facts(answer)
        assert told["其他入库"] == f"2 张单据：{bills[0].no}、{bills[1].no}"
        assert told["状态"] == "未审核 1、已审核 1"
        assert told["数量合计"] == "6"
        total = sum((Decimal(str(desk.info(bill)["total_amount"])) for bill in bills), Decimal(0))
        assert told["金额合计"] == f"{total:,.2f}"
        assert answer.data["warnings"] == ["其中 1 张已审核，已过的库存、往来和资金随之冲回"]
        assert [desk.info(bill)["status"] for bill in bills] == [1, 2]

    def test_it_needs_the_right_of_the_action(self, desk: Desk, site: Site) -> None:
        bill: Made = desk.draft(
            "other_inbound", {"goods_id": desk.world.spares[33], "quantity": "1", "price": "1"}
        )
        cls: Any = registry.get("other_inbound")
        assert foresee(site, cls, "del", bill.id, user="nobody").code == 403
        assert foresee(site, cls, "del", bill.id, user="manager_b").code == 400, "another company's"
        assert foresee(site, cls, "export", bill.id).code == 400
        assert foresee(site, cls, "del", 999_999_999).code == 400


class TestMonths:
    def test_closing_tells_the_company_the_bills_and_how_to_undo_it(self, desk: Desk, site: Site) -> None:
        asked = {"action": "closePeriod", "company_id": desk.world.company_a, "period": "2026-03"}
        answer = desk.caller.post("v2/system/MonthClose/getConsequence", asked)
        told = facts(answer)
        assert told["会计期间"] == "2026-03"
        assert told["公司"]
        assert told["锁定单据"].endswith(" 张")
        assert {"期末应收", "期末应付", "期末库存数量"} <= told.keys()
        assert answer.data["undo"].startswith("反结账")

    def test_recalculating_tells_what_it_goes_over(self, desk: Desk) -> None:
        desk.audited("other_inbound", {"goods_id": desk.world.spares[33], "quantity": "1", "price": "1"})
        asked = {"company_id": desk.world.company_a, "period": "2026-03"}
        told = facts(desk.caller.post("v2/system/CostRecalculate/getConsequence", asked))
        assert told["期间"] == "2026-03 起至今"
        assert int(told["出入库流水"].split()[0]) > 0
