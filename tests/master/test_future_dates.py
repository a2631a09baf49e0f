"""A bill dated after today is asked about by the server, and whoever goes on is noted."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from api.identity import sessions
from api.kit.bills import bulk_posting
from api.kit.bills.drafts import Draft
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.errors import InvalidInput
from api.kit.storage.database import today
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer
from tests.support.fixtures import Site

NOW = today()
AHEAD = str(NOW + timedelta(days=3))
LATER = str(NOW + timedelta(days=40))
CONFIRMED_REASON = f"业务日期 {AHEAD} 晚于今天（{NOW}），是否继续？"


def list_confirmed_reasons(desk: BillClient, bill: SavedBill) -> list[str]:
    log = desk.caller.get(desk.path(bill.resource, "getLog"), id=bill.id).data
    return [row["reason"] for row in log if row["action"] == "confirmed"]


def build_line(desk: BillClient, **more: Any) -> dict[str, Any]:
    return {"goods_id": desk.world.spares[30], "quantity": "1", "price": "10", **more}


def post_edit(desk: BillClient, bill: SavedBill, **values: Any) -> Answer:
    return desk.caller.post(
        desk.path(bill.resource, "edit"), {**desk.read_bill(bill), "id": bill.id, **values}
    )


class TestSaving:
    @pytest.mark.parametrize(
        ("resource", "more"),
        [
            ("sales_outbound", {}),
            ("purchase_inbound", {}),
            ("other_inbound", {}),
            ("customer_receipt", {"amount": "10"}),
            ("supplier_payment", {"amount": "10"}),
        ],
    )
    def test_it_asks_and_then_saves_with_a_note(
        self, desk: BillClient, resource: str, more: dict[str, Any]
    ) -> None:
        has_lines = registry.get_resource(resource).blocks()[0].name == "lines"
        lines = [build_line(desk)] if has_lines else []
        found = {"business_date_start": AHEAD}
        before = desk.caller.get(desk.path(resource, "getList"), **found).data["total"]
        answer = desk.add(resource, *lines, business_date=AHEAD, **more)
        assert (answer.code, answer.msg) == (363, CONFIRMED_REASON)
        assert desk.caller.get(desk.path(resource, "getList"), **found).data["total"] == before
        bill = desk.draft(resource, *lines, business_date=AHEAD, confirmed=True, **more)
        assert desk.read_bill(bill)["business_date"] == AHEAD
        assert list_confirmed_reasons(desk, bill) == [f"业务日期 {AHEAD} 晚于今天（{NOW}）"]

    def test_an_opening_balance_too(self, desk: BillClient) -> None:
        row = {"customer_id": desk.world.customer_a, "due_date": AHEAD, "amount": "5"}
        answer = desk.add("opening_receivable", row, business_date=AHEAD)
        assert (answer.code, answer.msg) == (363, CONFIRMED_REASON)

    def test_today_is_no_question(self, desk: BillClient) -> None:
        assert desk.add("sales_order", build_line(desk), business_date=str(NOW)).ok

    def test_a_changed_day_is_asked_about_anew(self, desk: BillClient) -> None:
        bill = desk.draft("sales_order", build_line(desk), business_date=AHEAD, confirmed=True)
        assert post_edit(desk, bill, remark="同一日期").ok
        answer = post_edit(desk, bill, business_date=LATER)
        assert (answer.code, answer.msg) == (363, f"业务日期 {LATER} 晚于今天（{NOW}），是否继续？")
        assert desk.read_bill(bill)["business_date"] == AHEAD
        assert post_edit(desk, bill, business_date=LATER, confirmed=True).ok
        assert len(list_confirmed_reasons(desk, bill)) == 2

    def test_every_day_that_has_come_is_told(self, desk: BillClient) -> None:
        world = desk.world
        row = {"goods_id": world.belt, "quantity": "1", "amount": "1", "outbound_line_id": world.shipped_a}
        more = {"customer_id": world.customer3_a, "invoice_no": "AHEAD1", "invoice_date": LATER}
        answer = desk.add("sales_invoice", row, business_date=AHEAD, **more)
        assert (answer.code, answer.msg) == (
            363,
            f"业务日期 {AHEAD}、开票日期 {LATER} 晚于今天（{NOW}），是否继续？",
        )


class TestAuditing:
    def test_who_has_said_so_is_not_asked_again_but_anybody_else_is(
        self, site: Site, desk: BillClient
    ) -> None:
        first, second = (
            desk.draft("sales_order", build_line(desk), business_date=AHEAD, confirmed=True) for _ in range(2)
        )
        assert desk.apply_action("auditorPass", first).ok
        other = BillClient(site, "manager_a")
        answer = other.apply_action("auditorPass", second)
        assert (answer.code, answer.msg) == (363, CONFIRMED_REASON)
        assert desk.read_bill(second)["status"] == 1
        assert other.apply_action("auditorPass", second, confirmed=True).ok
        assert len(list_confirmed_reasons(desk, second)) == 2

    def test_questions_are_asked_at_once(self, site: Site, desk: BillClient) -> None:
        goods = desk.list_price(desk.world.spares[31])
        bill = desk.draft(
            "sales_order", build_line(desk, goods_id=goods, price="70"), business_date=AHEAD, confirmed=True
        )
        desk.set_price_mode(2)
        try:
            answer = BillClient(site, "manager_a").apply_action("auditorPass", bill)
        finally:
            desk.set_price_mode(0)
        assert (answer.code, answer.msg) == (
            363,
            f"业务日期 {AHEAD} 晚于今天（{NOW}）；备件31低于最低售价 80.00 元，是否继续？",
        )

    def test_of_many_each_is_told(self, site: Site, desk: BillClient) -> None:
        late = desk.draft("sales_order", build_line(desk), business_date=AHEAD, confirmed=True)
        plain = desk.draft("sales_order", build_line(desk))
        answer = BillClient(site, "manager_a").apply_action("auditorPass", late, plain)
        assert answer.data["success"] == [plain.id]
        [failed] = answer.data["failures"]
        assert (failed["code"], failed["msg"]) == (363, CONFIRMED_REASON)


class TestInBulk:
    def test_nobody_can_be_asked_so_it_is_refused(self, site: Site, desk: BillClient) -> None:
        cls = registry.get_resource("sales_order")
        assert issubclass(cls, Bill)
        world = desk.world
        header = {
            "company_id": world.company_a,
            "warehouse_id": world.warehouse_a,
            "customer_id": world.customer_a,
            "business_date": NOW + timedelta(days=3),
        }
        figures = {"quantity": 1, "price": 10, "discount_amount": 0, "tax_rate": 13}
        row = {"goods_id": world.spares[30], **{name: Decimal(value) for name, value in figures.items()}}
        with site.engine.connect() as conn:
            ctx = Context(conn, sessions.read_principal(conn, world.user_admin))
            with pytest.raises(InvalidInput, match=f"业务日期 {AHEAD} 晚于今天"):
                bulk_posting.save_bills(ctx, [bulk_posting.BulkBill(cls, Draft(header, {"lines": [row]}))])
