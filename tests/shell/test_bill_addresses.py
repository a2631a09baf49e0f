"""单据地址: a bill's number leads whoever may see the bill to it, and nobody else."""

from __future__ import annotations

from tests.kit.client import Answer
from tests.kit.desk import Desk
from tests.kit.fixtures import Site


def address(site: Site, user: str, number: str) -> Answer:
    return site.as_(user).get("v2/open/BillAddress/getAddress", bill_no=number)


def test_a_number_leads_to_its_bill_whatever_its_type(site: Site, desk: Desk) -> None:
    bills = (desk.stock_in(desk.world.spares[48], 1), desk.audited("customer_receipt", amount="5"))
    shown = [address(site, "manager_a", bill.no).data["route"] for bill in bills]
    assert shown == [
        f"/inventory/otheninstorageSee?id={bills[0].id}",
        f"/custom/receiptmanage_search?id={bills[1].id}",
    ]


def test_it_leads_nobody_to_what_he_may_not_see(site: Site, desk: Desk) -> None:
    bill = desk.audited("customer_receipt", amount="5")
    for user in ("nobody", "manager_b"):
        answer = address(site, user, bill.no)
        assert (answer.ok, answer.msg) == (False, f"单据{bill.no}不存在或无权访问")
    assert not address(site, "admin", "没有这张单据").ok


def test_what_a_receipt_settles_and_a_statement_lists_is_marked_to_lead(desk: Desk) -> None:
    for route, name in (
        ("/custom/receiptmanage_search", "bill_no"),
        ("/custom/accountStatement/see", "item_no"),
    ):
        blocks = desk.caller.get("v2/Open/Screen/getScreen", route=route).data["blocks"]
        assert [item["name"] for item in blocks[0]["fields"] if item["bill"]] == [name]


def test_a_role_is_told_which_types_of_bills_it_may_open(site: Site) -> None:
    def told(user: str) -> list[str]:
        found: list[str] = site.as_(user).get("v2/open/BillAddress/getPrefixes").data
        return found

    assert {"XSCK", "KHSK", "CGRK"} <= set(told("admin"))
    assert told("nobody") == []
