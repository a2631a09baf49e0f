"""单据地址: a bill's number leads whoever may see the bill to it, and nobody else."""

from __future__ import annotations

from tests.support.bill_client import BillClient
from tests.support.client import Answer
from tests.support.fixtures import Site


def get_address(site: Site, user: str, number: str) -> Answer:
    return site.as_(user).get("v2/open/BillAddress/getAddress", bill_no=number)


def test_a_number_leads_to_its_bill_whatever_its_type(site: Site, desk: BillClient) -> None:
    bills = (desk.stock_in(desk.world.spares[48], 1), desk.add_audited("customer_receipt", amount="5"))
    shown = [get_address(site, "manager_a", bill.no).data["route"] for bill in bills]
    assert shown == [
        f"/inventory/otheninstorageSee?id={bills[0].id}",
        f"/custom/receiptmanage_search?id={bills[1].id}",
    ]


def test_it_leads_nobody_to_what_he_may_not_see(site: Site, desk: BillClient) -> None:
    bill = desk.add_audited("customer_receipt", amount="5")
    for user in ("nobody", "manager_b"):
        answer = get_address(site, user, bill.no)
        assert (answer.ok, answer.msg) == (False, f"单据{bill.no}不存在或无权访问")
    assert not get_address(site, "admin", "没有这张单据").ok


def test_what_a_receipt_settles_and_a_statement_lists_is_marked_to_lead(desk: BillClient) -> None:
    for route, name in (
        ("/custom/receiptmanage_search", "bill_no"),
        ("/custom/accountStatement/see", "item_no"),
    ):
        blocks = desk.caller.get("v2/Open/Screen/getScreen", route=route).data["blocks"]
        assert [item["name"] for item in blocks[0]["fields"] if item["bill"]] == [name]


def test_a_role_is_told_which_types_of_bills_it_may_open(site: Site) -> None:
    def list_prefixes(user: str) -> list[str]:
        found: list[str] = site.as_(user).get("v2/open/BillAddress/getPrefixes").data
        return found

    assert {"XSCK", "KHSK", "CGRK"} <= set(list_prefixes("admin"))
    assert list_prefixes("nobody") == []
