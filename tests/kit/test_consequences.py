"""Consequences of every action of the product are previewed from what is stored."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from api.kit.bills.bill_consequences import BILL_ACTIONS, Consequence, read_documents, summarize_effects
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.resource import ACTION_LABELS, Resource
from api.kit.http import consequences
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer
from tests.support.declared_types import ADDABLE, DECLARED, add_record, find_or_add_record, named
from tests.support.fixtures import Site


@pytest.fixture
def desk(site: Site) -> BillClient:
    return BillClient(site)


class TestEveryAction:
    def test_is_foreseen_or_says_why_it_need_not_be(self) -> None:
        known = consequences.CONSEQUENCES.keys() | consequences.UNCONFIRMED_ACTIONS.keys() | set(BILL_ACTIONS)
        assert {name for cls in DECLARED for name in cls.declaration.rights} - known == set()
        assert consequences.CONSEQUENCES.keys() & consequences.UNCONFIRMED_ACTIONS.keys() == set()

    @named
    def test_the_screen_says_so_of_each(self, site: Site, cls: type[Resource]) -> None:
        route = cls.declaration.routes.get("list")
        if not route:
            return
        screen = site.as_("admin").get("v2/Open/Screen/getScreen", route=route).data
        for action in screen["actions"]:
            foreseen = consequences.find_consequence(cls, action["name"]) is not None
            assert action["foreseen"] == foreseen, action
            assert not foreseen or action["confirm"], action

    @named
    def test_deleting_and_voiding_tell_the_record_and_write_nothing(
        self, site: Site, cls: type[Resource]
    ) -> None:
        if not {"add", "del"} <= set(cls.declaration.actions):
            return
        key = add_record(site, cls)
        for action in ("del", *(("invalid",) if issubclass(cls, Bill) else ())):
            told = preview_consequence(site, cls, action, key)
            assert told.ok, told
            assert told.data["undo"] and told.data["effect"]
            assert told.data["facts"][0]["label"] == cls.declaration.label
            assert told.data["facts"][0]["value"].startswith("1 ")
        assert site.as_("admin").get(f"{cls.declaration.api}/getInfo", id=key).ok


def preview_consequence(
    site: Site, cls: type[Resource], action: str, *keys: int, user: str = "admin"
) -> Answer:
    body = {"action": action, "ids": list(keys)}
    return site.as_(user).post(f"{cls.declaration.api}/getConsequence", body)


def map_facts(answer: Answer) -> dict[str, str]:
    return {fact["label"]: fact["value"] for fact in answer.data["facts"]}


class TestBills:
    def test_voiding_tells_how_many_whose_and_how_much(self, desk: BillClient, site: Site) -> None:
        cls: Any = registry.get_resource("other_inbound")
        line = {"goods_id": desk.world.spares[33], "quantity": "3", "price": "10"}
        bills = [desk.draft("other_inbound", line), desk.add_audited("other_inbound", line)]
        answer = preview_consequence(site, cls, "invalid", *(bill.id for bill in bills))
        told = map_facts(answer)
        assert told["其他入库"] == f"2 张单据：{bills[0].no}、{bills[1].no}"
        assert told["状态"] == "未审核 1、已审核 1"
        assert told["数量合计"] == "6"
        total = sum((Decimal(str(desk.read_bill(bill)["total_amount"])) for bill in bills), Decimal(0))
        assert told["金额合计"] == f"{total:,.2f}"
        assert answer.data["warnings"] == ["其中 1 张已审核，审核所过的库存随之冲回"]
        assert answer.data["effect"] == "作废后不再计入任何数字，审核所过的库存随之冲回"
        assert [desk.read_bill(bill)["status"] for bill in bills] == [1, 2]

    def test_it_needs_the_right_of_the_action(self, desk: BillClient, site: Site) -> None:
        bill: SavedBill = desk.draft(
            "other_inbound", {"goods_id": desk.world.spares[33], "quantity": "1", "price": "1"}
        )
        cls: Any = registry.get_resource("other_inbound")
        assert preview_consequence(site, cls, "del", bill.id, user="nobody").code == 403
        assert preview_consequence(site, cls, "del", bill.id, user="manager_b").code == 400, (
            "another company's"
        )
        assert preview_consequence(site, cls, "export", bill.id).code == 400
        assert preview_consequence(site, cls, "del", 999_999_999).code == 400


WORDS = ("库存", "往来", "资金", "占用", "胎号", "冲回")
"""What is only said of a bill that does something to it."""
NOTHING = {
    "account_statement",
    "customer_credit",
    "customer_rebate_policy",
    "factory_policy",
    "promotion_policy",
    "purchase_allocation",
    "purchase_invoice",
    "purchase_order",
    "purchase_plan",
    "refund_request",
    "return_request",
    "sales_delivery",
    "sales_invoice",
    "sales_quote",
    "shop_price",
    "supplier_rebate_policy",
}
"""Types that neither reserve nor post, nor make others post."""


def describe_all_actions(site: Site, cls: type[Bill]) -> dict[str, Consequence]:
    """Describe each action on one bill of a type, as if it were audited."""
    key = find_or_add_record(site, cls)
    assert key is not None
    with site.engine.connect() as conn:
        done = summarize_effects(cls, read_documents(conn, cls, [key]))
    found = {action: consequences.find_consequence(cls, action, done) for action in BILL_ACTIONS}
    return {action: told for action, told in found.items() if told and action in cls.declaration.actions}


BILLS = [cls for cls in ADDABLE if issubclass(cls, Bill)]


class TestWhatABillTypeDoes:
    @pytest.mark.parametrize("cls", BILLS, ids=lambda cls: cls.name())
    def test_is_what_its_actions_tell(self, site: Site, cls: type[Bill]) -> None:
        told = describe_all_actions(site, cls)
        for action, one in told.items():
            words = [word for word in WORDS if word in f"{one.effect}{one.undo}"]
            if cls.name() in NOTHING:
                assert words == [], (action, one)
            elif action in ("antiAuditor", "invalid"):
                assert words, (action, one)
        if "antiAuditor" in told:
            assert told["antiAuditor"].effect.endswith("单据回到未审核")

    @pytest.mark.parametrize(
        ("name", "close", "again"),
        [
            ("sales_order", "未执行的数量不再执行，占用的库存放开", "未执行的数量重新可以执行，重新占用库存"),
            ("purchase_order", "未执行的数量不再执行", "未执行的数量重新可以执行"),
            ("purchase_plan", "未执行的数量不再执行", "未执行的数量重新可以执行"),
            ("sales_quote", "未执行的数量不再执行", "未执行的数量重新可以执行"),
            (
                "refund_request",
                "未执行的数量不再执行，没有执行的还给来源单据",
                "未执行的数量重新可以执行，再次计入来源单据的已执行数量",
            ),
            ("promotion_policy", "促销价格和买赠不再生效", "促销价格和买赠重新生效"),
            ("shop_price", "最低价不再生效", "最低价重新生效"),
            ("customer_credit", "额度不再生效", "额度重新生效"),
        ],
    )
    def test_closing_and_opening(self, site: Site, name: str, close: str, again: str) -> None:
        cls: Any = registry.get_resource(name)
        told = describe_all_actions(site, cls)
        assert [told["close"].effect, told["open"].effect] == [close, again]

    def test_un_auditing_a_sale_takes_back_stock_and_the_debt(self, site: Site) -> None:
        cls: Any = registry.get_resource("sales_outbound")
        assert (
            describe_all_actions(site, cls)["antiAuditor"].effect
            == "审核所过的库存和往来随之冲回，单据回到未审核"
        )

    @pytest.mark.parametrize(
        ("name", "action", "question"),
        [
            ("supplier_resource", "cooperate", "确定把所选的 {count} 条转为供应商？"),
            ("supplier_resource", "suspend", "确定停用所选的 {count} 条？"),
            ("potential_customer", "convert", "确定把所选的 {count} 条转为客户？"),
        ],
    )
    def test_questions_are_good_chinese(self, name: str, action: str, question: str) -> None:
        cls: Any = registry.get_resource(name)
        assert consequences.build_question(cls, action, ACTION_LABELS[action]) == question


class TestCreditLimits:
    def test_closing_one_tells_what_the_limit_falls_to(self, desk: BillClient, site: Site) -> None:
        cls: Any = registry.get_resource("customer_credit")
        customer = desk.partner("customer", "额度后果客户", credit_limit="800")
        bill = desk.add_audited("customer_credit", customer_id=customer, kind=1, amount="5000")
        for action in ("close", "antiAuditor", "invalid"):
            told = map_facts(preview_consequence(site, cls, action, bill.id))
            assert told["额度后果客户的长期额度"] == "5,000.00 → 800.00", action
        assert desk.apply_action("close", bill).ok
        told = map_facts(preview_consequence(site, cls, "open", bill.id))
        assert told["额度后果客户的长期额度"] == "800.00 → 5,000.00"
        assert desk.apply_action("open", bill).ok
        later = desk.add_audited("customer_credit", customer_id=customer, kind=1, amount="6000")
        answer = preview_consequence(site, cls, "close", bill.id)
        assert answer.data["warnings"] == [
            f"{bill.no}：该客户的额度之后已调整过，请先处理后来的额度单，或另建额度单调整"
        ]
        assert desk.apply_action("close", later).ok
        assert desk.caller.get("v2/custom/Customer/getInfo", id=customer).data["credit_limit"] == "5000.00"

    def test_a_temporary_one_tells_its_days(self, desk: BillClient, site: Site) -> None:
        cls: Any = registry.get_resource("customer_credit")
        customer = desk.partner("customer", "临时额度客户", credit_limit="800")
        days = {"starts_on": "2026-03-01", "ends_on": "2026-03-31"}
        bill = desk.add_audited("customer_credit", customer_id=customer, kind=2, amount="200", **days)
        told = map_facts(preview_consequence(site, cls, "close", bill.id))
        assert told["临时额度客户的临时额度"] == "200.00（2026-03-01 至 2026-03-31）失效"


class TestMonths:
    def test_closing_tells_the_company_the_bills_and_how_to_undo_it(
        self, desk: BillClient, site: Site
    ) -> None:
        asked = {"action": "closePeriod", "company_id": desk.world.company_a, "period": "2026-03"}
        answer = desk.caller.post("v2/system/MonthClose/getConsequence", asked)
        told = map_facts(answer)
        assert told["会计期间"] == "2026-03"
        assert told["公司"]
        assert told["锁定单据"].endswith(" 张")
        assert {"期末应收", "期末应付", "期末库存数量"} <= told.keys()
        assert answer.data["undo"].startswith("反结账")

    def test_recalculating_tells_what_it_goes_over(self, desk: BillClient) -> None:
        desk.add_audited("other_inbound", {"goods_id": desk.world.spares[33], "quantity": "1", "price": "1"})
        asked = {"company_id": desk.world.company_a, "period": "2026-03"}
        told = map_facts(desk.caller.post("v2/system/CostRecalculate/getConsequence", asked))
        assert told["期间"] == "2026-03 起至今"
        assert int(told["出入库流水"].split()[0]) > 0
