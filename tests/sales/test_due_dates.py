"""Due dates: computed from the partner's terms until somebody types one, never before their bill, never copied."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from api.kit.declaration import registry
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks

BILLS = {
    "sales_outbound": ("customer", "2026-03-20"),
    "sales_return": ("customer", "2026-03-05"),
    "purchase_inbound": ("supplier", "2026-04-04"),
    "purchase_return": ("supplier", "2026-03-05"),
}
"""Partner and due date of a bill of 5 March, by type: 15 days for customers, 30 for the supplier."""


def draft_bill(desk: BillClient, resource: str, **header: Any) -> SavedBill:
    line = {"goods_id": desk.world.spares[20], "quantity": "1", "price": "113"}
    return desk.draft(resource, line, **header)


def edit_bill(desk: BillClient, bill: SavedBill, *without: str, **values: Any) -> Answer:
    body = {**desk.read_bill(bill), "id": bill.id, **values}
    return desk.caller.post(
        desk.path(bill.resource, "edit"), {name: body[name] for name in body if name not in without}
    )


def read_due_date(desk: BillClient, bill: SavedBill) -> tuple[Any, Any]:
    found = desk.read_bill(bill)
    return found["due_date"], found["due_typed"]


class TestComputed:
    @pytest.mark.parametrize("resource", BILLS)
    def test_it_follows_from_the_terms_and_the_date(self, desk: BillClient, resource: str) -> None:
        bill = draft_bill(desk, resource)
        assert read_due_date(desk, bill) == (BILLS[resource][1], False)
        days = {"2026-03-20": "2026-03-25", "2026-03-05": "2026-03-10", "2026-04-04": "2026-04-09"}
        assert edit_bill(desk, bill, business_date="2026-03-10").ok
        assert read_due_date(desk, bill) == (days[BILLS[resource][1]], False)

    @pytest.mark.parametrize("resource", ["sales_outbound", "purchase_inbound"])
    def test_it_follows_the_partner_and_his_terms(self, desk: BillClient, resource: str) -> None:
        party = BILLS[resource][0]
        other = desk.partner(party, f"账期{resource}", payment_days=60)
        bill = draft_bill(desk, resource)
        answer = edit_bill(desk, bill, customer_address_id=None, **{f"{party}_id": other})
        assert answer.ok, answer
        assert read_due_date(desk, bill) == ("2026-05-04", False)
        terms = desk.caller.get(desk.path(party, "getInfo"), id=other).data
        body = {"id": other, "revision": terms["revision"], "payment_days": 10}
        assert desk.caller.post(desk.path(party, "edit"), body).ok
        assert edit_bill(desk, bill, "due_date", "due_typed", remark="再存").ok
        assert read_due_date(desk, bill) == ("2026-03-15", False)

    @pytest.mark.parametrize("resource", ["sales_outbound", "purchase_inbound"])
    def test_terms_that_changed_hold_at_the_audit(
        self, desk: BillClient, books: PostingReader, conn: Connection, resource: str
    ) -> None:
        party = BILLS[resource][0]
        other = desk.partner(party, f"新账期{resource}", payment_days=30)
        header = (
            {f"{party}_id": other, "customer_address_id": None}
            if party == "customer"
            else {f"{party}_id": other}
        )
        bills = [
            draft_bill(desk, resource, **header),
            draft_bill(desk, resource, **header, due_date="2026-09-09"),
        ]
        desk.stock_in(desk.world.spares[20], 5)
        terms = desk.caller.get(desk.path(party, "getInfo"), id=other).data
        body = {"id": other, "revision": terms["revision"], "payment_days": 5}
        assert desk.caller.post(desk.path(party, "edit"), body).ok
        for bill, day in zip(bills, ("2026-03-10", "2026-09-09"), strict=True):
            assert desk.apply_action("auditorPass", bill).ok
            assert (read_due_date(desk, bill)[0], books.settlements(bill)[0][5]) == (day, day)
        assert find_broken_checks(conn) == {}

    def test_a_consigned_sale_hands_it_on(self, desk: BillClient, books: PostingReader) -> None:
        world = desk.world
        line = {"goods_id": world.belt, "quantity": "1", "price": "1", "source_line_id": world.consigned_a}
        header = {"customer_id": world.customer3_a, "due_date": "2026-06-01"}
        desk.add_audited("consignment_settlement", line, **header)
        [made] = books.rows(
            "select due_date::text, due_typed from sales_outbound order by bill_id desc limit 1"
        )
        assert made == ("2026-06-01", True)


class TestTyped:
    @pytest.mark.parametrize("resource", BILLS)
    def test_it_stays_until_it_is_cleared(self, desk: BillClient, resource: str) -> None:
        bill = draft_bill(desk, resource, due_date="2026-05-01")
        assert read_due_date(desk, bill) == ("2026-05-01", True)
        assert edit_bill(desk, bill, "due_date", "due_typed", business_date="2026-03-06").ok
        assert read_due_date(desk, bill) == ("2026-05-01", True)
        assert edit_bill(desk, bill, business_date="2026-03-05", due_date=None).ok
        assert read_due_date(desk, bill) == (BILLS[resource][1], False)

    def test_what_was_computed_and_is_sent_back_is_no_typed_one(self, desk: BillClient) -> None:
        bill = draft_bill(desk, "sales_outbound")
        assert edit_bill(desk, bill, business_date="2026-03-06").ok
        assert read_due_date(desk, bill) == ("2026-03-21", False)
        assert edit_bill(desk, bill, "due_typed", due_date="2026-03-21").ok
        assert read_due_date(desk, bill) == ("2026-03-21", True)

    @pytest.mark.parametrize("resource", BILLS)
    def test_it_is_not_before_its_bill(self, desk: BillClient, resource: str) -> None:
        line = {"goods_id": desk.world.spares[20], "quantity": "1", "price": "113"}
        answer = desk.add(resource, line, due_date="2026-03-04")
        assert (answer.code, answer.msg) == (400, "到期日不能早于业务日期")
        bill = draft_bill(desk, resource, due_date="2026-03-05")
        answer = edit_bill(desk, bill, business_date="2026-03-06")
        assert (answer.code, answer.msg) == (400, "到期日不能早于业务日期")
        assert read_due_date(desk, bill) == ("2026-03-05", True)

    def test_the_debt_falls_due_on_it(self, desk: BillClient, books: PostingReader, conn: Connection) -> None:
        goods = desk.world.spares[20]
        desk.stock_in(goods, 5)
        bill = draft_bill(desk, "sales_outbound", due_date="2026-04-30")
        assert desk.apply_action("auditorPass", bill).ok
        assert [row[5] for row in books.settlements(bill)] == ["2026-04-30"]
        assert find_broken_checks(conn) == {}
        conn.exec_driver_sql(
            "update settlement_item set due_date = business_date - 1 where bill_no = %s", (bill.no,)
        )
        assert "settlement_due_follows_bill" in find_broken_checks(conn)


class TestCopied:
    @pytest.mark.parametrize("resource", [*BILLS, "sales_transfer", "consignment_settlement"])
    def test_a_copy_has_none_of_its_own(self, desk: BillClient, resource: str) -> None:
        route = registry.get_resource(resource).declaration.routes["add"]
        screen = desk.caller.get("v2/Open/Screen/getScreen", route=route).data
        fields = {field["name"]: field for field in screen["fields"]}
        told = {name: (fields[name]["copied"], fields[name]["hidden"]) for name in ("due_date", "due_typed")}
        assert told == {"due_date": (False, False), "due_typed": (False, True)}
        assert (fields["due_date"]["typed_in"], fields["due_date"]["since"]) == ("due_typed", "business_date")

    def test_a_return_is_not_due_when_its_sale_is(self, desk: BillClient) -> None:
        desk.stock_in(desk.world.spares[20], 5)
        sale = draft_bill(desk, "sales_outbound", due_date="2026-12-30")
        assert desk.apply_action("auditorPass", sale).ok
        drawn = desk.caller.get(desk.path("sales_return", "getDraft"), id=sale.id).data
        assert "due_date" not in drawn and "due_typed" not in drawn


class TestDelivery:
    def test_it_is_not_before_the_order(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.spares[20], "quantity": "1", "price": "113"}
        for resource in ("sales_order", "purchase_order", "purchase_plan"):
            answer = desk.add(resource, line, delivery_date="2026-03-04")
            assert (answer.code, answer.msg) == (400, "交货日期不能早于业务日期")

    @pytest.mark.parametrize(("planned", "ordered"), [("2026-03-06", None), ("2099-03-06", "2099-03-06")])
    def test_an_order_of_a_plan_takes_a_day_that_is_to_come(
        self, desk: BillClient, books: PostingReader, planned: str, ordered: str | None
    ) -> None:
        goods, supplier = desk.world.spares[21], desk.world.supplier
        line = {"goods_id": goods, "quantity": "1", "price": "113", "supplier_id": supplier}
        plan = desk.add_audited("purchase_plan", line, delivery_date=planned)
        drawn = desk.caller.get(desk.path("purchase_order", "getDraft"), id=plan.id)
        if drawn.ok:
            assert drawn.data["delivery_date"] == ordered
        assert desk.apply_action("turnOrder", plan).ok
        [made] = books.rows("select delivery_date::text from purchase_order order by bill_id desc limit 1")
        assert made == (ordered,)


class TestHint:
    def test_the_form_is_told_before_it_is_saved(self, desk: BillClient) -> None:
        def propose_due_date(screen: str, partner: int, user: str = "admin") -> Any:
            query = {"screen": screen, "business_date": "2026-03-05", "partner_id": partner}
            answer = BillClient(desk.site, user).caller.get("v2/open/DueDate/getDueDate", **query)
            return answer.data["due_date"] if answer.ok else answer.code

        world = desk.world
        for resource, (party, day) in BILLS.items():
            partner = world.supplier if party == "supplier" else world.customer_a
            assert propose_due_date(resource, partner) == day
        assert propose_due_date("sales_outbound", world.customer_b, "manager_a") is None
        assert propose_due_date("sales_outbound", world.customer_a, "nobody") == 403
        assert propose_due_date("sales_order", world.customer_a) == 400
