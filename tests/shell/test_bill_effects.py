"""单据影响: from a bill to what it was made from, what was made of it, and its rows in every ledger."""

from __future__ import annotations

from typing import Any

import pytest

from api.kit.storage.projection import MASK
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.fixtures import Site


def get_effects(site: Site, user: str, bill: SavedBill) -> dict[str, list[dict[str, Any]]]:
    answer = site.as_(user).get("v2/open/BillEffect/getEffects", screen=bill.resource, id=bill.id)
    assert answer.ok, answer
    return {found["block"]["label"]: found["rows"] for found in answer.data}


@pytest.fixture(scope="module")
def chain(site: Site) -> tuple[SavedBill, SavedBill, SavedBill]:
    """An order of 5 at 10, 3 of them shipped, 20 of those received."""
    desk = BillClient(site)
    goods = desk.world.spares[0]
    desk.stock_in(goods, 10)
    order = desk.add_audited("sales_order", {"goods_id": goods, "quantity": "5", "price": "10"})
    [line] = desk.line_ids(order)
    shipped = desk.add_audited(
        "sales_outbound", {"goods_id": goods, "quantity": "3", "price": "10", "order_line_id": line}
    )
    with site.engine.connect() as conn:
        item = PostingReader(conn).item(shipped)
    received = desk.add_audited("customer_receipt", {"settlement_id": item, "amount": "20"}, amount="20")
    return order, shipped, received


def test_from_an_order_to_its_outbound(site: Site, chain: tuple[SavedBill, SavedBill, SavedBill]) -> None:
    order, shipped, _ = chain
    found = get_effects(site, "manager_a", order)
    assert set(found) == {"上下游单据", "订单占用"}
    [later] = found["上下游单据"]
    assert (later["relation"], later["bill_name"], later["bill_no"], later["status"]) == (
        "后续",
        "销售出库",
        shipped.no,
        "已审核",
    )
    assert later["route"].endswith(f"?id={shipped.id}")
    assert [(row["bill_no"], row["quantity"]) for row in found["订单占用"]] == [
        (order.no, "5.000"),
        (shipped.no, "-3.000"),
    ]


def test_from_an_outbound_to_its_order_its_stock_and_its_receipt(
    site: Site, chain: tuple[SavedBill, SavedBill, SavedBill]
) -> None:
    order, shipped, received = chain
    found = get_effects(site, "manager_a", shipped)
    assert [(row["relation"], row["bill_no"]) for row in found["上下游单据"]] == [("来源", order.no)]
    [moved] = found["库存流水"]
    assert (moved["quantity"], moved["unit_cost"], moved["amount"]) == ("-3.000", "100.000000", "-300.00")
    [owed] = found["往来项目"]
    assert (owed["kind_name"], owed["amount"], owed["open_amount"]) == ("应收", "30.00", "10.00")
    assert [
        (row["bill_no"], row["settled_no"], row["entry_name"], row["amount"]) for row in found["往来流水"]
    ] == [(shipped.no, shipped.no, "挂账", "30.00"), (received.no, shipped.no, "核销", "-20.00")]
    assert [row["route"].split("=")[-1] for row in found["往来流水"]] == [str(shipped.id), str(received.id)]


def test_from_a_receipt_to_what_it_settled_and_the_account(
    site: Site, chain: tuple[SavedBill, SavedBill, SavedBill]
) -> None:
    _, shipped, received = chain
    found = get_effects(site, "manager_a", received)
    assert [(row["settled_no"], row["amount"]) for row in found["往来流水"]] == [(shipped.no, "-20.00")]
    assert [row["amount"] for row in found["资金流水"]] == ["20.00"]


def test_a_reversal_shows_beside_what_it_took_back(site: Site) -> None:
    desk = BillClient(site)
    goods = desk.world.spares[1]
    back = desk.stock_in(goods, 2)
    assert desk.apply_action("antiAuditor", back).ok
    found = get_effects(site, "manager_a", back)
    assert [(row["quantity"], row["reversal"]) for row in found["库存流水"]] == [
        ("2.000", False),
        ("-2.000", True),
    ]


class TestRights:
    def test_costs_are_masked_for_whoever_may_not_see_them(
        self, site: Site, chain: tuple[SavedBill, SavedBill, SavedBill]
    ) -> None:
        [moved] = get_effects(site, "clerk_a", chain[1])["库存流水"]
        assert (moved["quantity"], moved["unit_cost"], moved["amount"]) == ("-3.000", MASK, MASK)

    def test_who_may_not_see_the_bill_is_refused(
        self, site: Site, chain: tuple[SavedBill, SavedBill, SavedBill]
    ) -> None:
        asked = {"screen": "sales_outbound", "id": chain[1].id}
        answers = [
            site.as_(user).get("v2/open/BillEffect/getEffects", **asked) for user in ("nobody", "manager_b")
        ]
        assert [answer.ok for answer in answers] == [False, False]

    def test_what_is_no_bill_is_not_found(self, site: Site) -> None:
        asked = [
            site.as_("admin").get("v2/open/BillEffect/getEffects", screen=name, id=1)
            for name in ("goods", "pg_user", "")
        ]
        assert [answer.ok for answer in asked] == [False] * 3
