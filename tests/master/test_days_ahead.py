"""A bill dated after today is asked about by the server, and whoever goes on is noted."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from api.identity import sessions
from api.kit import bulk, registry
from api.kit.context import Context
from api.kit.database import today
from api.kit.document import Bill
from api.kit.drafts import Draft
from api.kit.errors import Invalid
from tests.kit.client import Answer
from tests.kit.desk import Desk, Made
from tests.kit.fixtures import Site

NOW = today()
AHEAD = str(NOW + timedelta(days=3))
LATER = str(NOW + timedelta(days=40))
ASKED = f"业务日期 {AHEAD} 晚于今天（{NOW}），是否继续？"


def confirmed(desk: Desk, bill: Made) -> list[str]:
    log = desk.caller.get(desk.path(bill.resource, "getLog"), id=bill.id).data
    return [row["reason"] for row in log if row["action"] == "confirmed"]


def line(desk: Desk, **more: Any) -> dict[str, Any]:
    return {"goods_id": desk.world.spares[30], "quantity": "1", "price": "10", **more}


def edited(desk: Desk, bill: Made, **values: Any) -> Answer:
    return desk.caller.post(desk.path(bill.resource, "edit"), {**desk.info(bill), "id": bill.id, **values})


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
        self, desk: Desk, resource: str, more: dict[str, Any]
    ) -> None:
        has_lines = registry.get(resource).blocks()[0].name == "lines"
        lines = [line(desk)] if has_lines else []
        found = {"business_date_start": AHEAD}
        before = desk.caller.get(desk.path(resource, "getList"), **found).data["total"]
        answer = desk.add(resource, *lines, business_date=AHEAD, **more)
        assert (answer.code, answer.msg) == (363, ASKED)
        assert desk.caller.get(desk.path(resource, "getList"), **found).data["total"] == before
        bill = desk.draft(resource, *lines, business_date=AHEAD, confirmed=True, **more)
        assert desk.info(bill)["business_date"] == AHEAD
        assert confirmed(desk, bill) == [f"业务日期 {AHEAD} 晚于今天（{NOW}）"]

    def test_an_opening_balance_too(self, desk: Desk) -> None:
        row = {"customer_id": desk.world.customer_a, "due_date": AHEAD, "amount": "5"}
        answer = desk.add("opening_receivable", row, business_date=AHEAD)
        assert (answer.code, answer.msg) == (363, ASKED)

    def test_today_is_no_question(self, desk: Desk) -> None:
        assert desk.add("sales_order", line(desk), business_date=str(NOW)).ok

    def test_a_changed_day_is_asked_about_anew(self, desk: Desk) -> None:
        bill = desk.draft("sales_order", line(desk), business_date=AHEAD, confirmed=True)
        assert edited(desk, bill, remark="同一日期").ok
        answer = edited(desk, bill, business_date=LATER)
        assert (answer.code, answer.msg) == (363, f"业务日期 {LATER} 晚于今天（{NOW}），是否继续？")
        assert desk.info(bill)["business_date"] == AHEAD
        assert edited(desk, bill, business_date=LATER, confirmed=True).ok
        assert len(confirmed(desk, bill)) == 2

    def test_every_day_that_has_come_is_told(self, desk: Desk) -> None:
        world = desk.world
        row = {"goods_id": world.belt, "quantity": "1", "amount": "1", "outbound_line_id": world.shipped_a}
        more = {"customer_id": world.customer3_a, "invoice_no": "AHEAD1", "invoice_date": LATER}
        answer = desk.add("sales_invoice", row, business_date=AHEAD, **more)
        assert (answer.code, answer.msg) == (
            363,
            f"业务日期 {AHEAD}、开票日期 {LATER} 晚于今天（{NOW}），是否继续？",
        )


class TestAuditing:
    def test_who_has_said_so_is_not_asked_again_but_anybody_else_is(self, site: Site, desk: Desk) -> None:
        first, second = (
            desk.draft("sales_order", line(desk), business_date=AHEAD, confirmed=True) for _ in range(2)
        )
        assert desk.act("auditorPass", first).ok
        other = Desk(site, "manager_a")
        answer = other.act("auditorPass", second)
        assert (answer.code, answer.msg) == (363, ASKED)
        assert desk.info(second)["status"] == 1
        assert other.act("auditorPass", second, confirmed=True).ok
        assert len(confirmed(desk, second)) == 2

    def test_questions_are_asked_at_once(self, site: Site, desk: Desk) -> None:
        goods = desk.list_price(desk.world.spares[31])
        bill = desk.draft(
            "sales_order", line(desk, goods_id=goods, price="70"), business_date=AHEAD, confirmed=True
        )
        desk.mind_lowest_prices(2)
        try:
            answer = Desk(site, "manager_a").act("auditorPass", bill)
        finally:
            desk.mind_lowest_prices(0)
        assert (answer.code, answer.msg) == (
            363,
            f"业务日期 {AHEAD} 晚于今天（{NOW}）；备件31低于最低售价 80.00 元，是否继续？",
        )

    def test_of_many_each_is_told(self, site: Site, desk: Desk) -> None:
        late = desk.draft("sales_order", line(desk), business_date=AHEAD, confirmed=True)
        plain = desk.draft("sales_order", line(desk))
        answer = Desk(site, "manager_a").act("auditorPass", late, plain)
        assert answer.data["success"] == [plain.id]
        [failed] = answer.data["failures"]
        assert (failed["code"], failed["msg"]) == (363, ASKED)


class TestInBulk:
    def test_nobody_can_be_asked_so_it_is_refused(self, site: Site, desk: Desk) -> None:
        cls = registry.get("sales_order")
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
            ctx = Context(conn, sessions.principal_of(conn, world.user_admin))
            with pytest.raises(Invalid, match=f"业务日期 {AHEAD} 晚于今天"):
                bulk.save(ctx, [bulk.Entry(cls, Draft(header, {"lines": [row]}))])
