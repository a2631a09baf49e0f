"""Settings: each does what it says — a login that ends, prices and overdue debts that stop an audit or ask."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from api.kit.storage.database import today
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

CONFIG, SETTING = "v2/system/Config", "v2/system/BillSetting"


def set_modes(site: Site, kind: int, **values: int) -> None:
    admin = site.as_("admin")
    [row] = admin.get(f"{SETTING}/getList", company_id=site.world.company_a, type=kind).data["data"]
    assert admin.post(f"{SETTING}/edit", {"id": row["bill_setting_id"], **values}).ok


@pytest.fixture(autouse=True)
def free(site: Site) -> Iterator[None]:
    """Nothing is controlled before and after each test."""
    yield
    with site.engine.begin() as conn:
        conn.exec_driver_sql("update bill_setting set price_mode = 0, overdue_mode = 0, print_mode = 0")
        conn.exec_driver_sql("update erp_config set session_hours = 12, overdue_days = 0")


def set_company_price(site: Site, goods: int, **prices: str) -> None:
    body = {"company_id": site.world.company_a, "goods_id": goods, **prices}
    assert site.as_("admin").post("v2/system/CompanyGoods/add", body).ok


class TestConfig:
    def test_it_is_read_and_saved_by_the_specified_calls(self, site: Site) -> None:
        admin = site.as_("admin")
        assert admin.post(f"{CONFIG}/addConfig", {"session_hours": 3}).ok
        found = admin.get(f"{CONFIG}/getConfig").data
        assert (found["session_hours"], found["overdue_days"]) == (3, 0)
        assert site.as_("nobody").post(f"{CONFIG}/addConfig", {"session_hours": 9}).code == 403
        for hours in (0, 169):
            assert admin.post(f"{CONFIG}/addConfig", {"session_hours": hours}).code == 400

    def test_a_login_ends_after_the_hours_that_are_set(self, site: Site) -> None:
        assert site.as_("admin").post(f"{CONFIG}/addConfig", {"session_hours": 2}).ok
        from api.identity import sessions

        with site.engine.begin() as conn:
            sessions.open_session(conn, site.world.user_admin)
            left = conn.exec_driver_sql(
                "select extract(epoch from expires_at - now()) / 3600 from user_session order by session_id desc limit 1"
            ).scalar_one()
        assert 1.9 < float(left) <= 2


class TestPrice:
    def build_line(self, goods: int, price: str) -> dict[str, Any]:
        return {"goods_id": goods, "quantity": "2", "price": price}

    def test_selling_below_the_lowest_price_is_refused(self, site: Site) -> None:
        goods, desk = site.world.spares[20], BillClient(site)
        set_company_price(site, goods, lowest_price="100")
        set_modes(site, 2, price_mode=1)
        bill = desk.draft("sales_order", self.build_line(goods, "99.99"))
        answer = BillClient(site, "clerk_a").apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, "备件20低于最低售价 100.00 元")
        assert desk.read_bill(bill)["status"] == 1
        assert desk.apply_action("auditorPass", desk.draft("sales_order", self.build_line(goods, "100"))).ok

    def test_a_discount_counts_into_the_price_and_a_gift_does_not(self, site: Site) -> None:
        goods, desk = site.world.spares[21], BillClient(site)
        set_company_price(site, goods, lowest_price="100")
        set_modes(site, 2, price_mode=1)
        cut = {**self.build_line(goods, "105"), "discount_amount": "20"}
        assert desk.apply_action("auditorPass", desk.draft("sales_order", cut)).code == 363
        gift = {**self.build_line(goods, "0"), "is_gift": True}
        assert desk.apply_action("auditorPass", desk.draft("sales_order", gift)).ok

    def test_it_may_ask_and_then_go_on_with_a_note(self, site: Site) -> None:
        goods, desk = site.world.spares[22], BillClient(site)
        set_company_price(site, goods, lowest_price="100")
        set_modes(site, 2, price_mode=2)
        bill = desk.draft("sales_order", self.build_line(goods, "90"))
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (363, "备件22低于最低售价 100.00 元，是否继续？")
        assert desk.apply_action("auditorPass", bill, confirmed=True).ok
        log = desk.caller.get(desk.path("sales_order", "getLog"), id=bill.id).data
        assert "备件22低于最低售价" in next(row for row in log if row["action"] == "confirmed")["reason"]

    def test_buying_above_the_purchase_price_is_refused(self, site: Site) -> None:
        goods, desk = site.world.spares[23], BillClient(site)
        set_company_price(site, goods, purchase_price="80")
        set_modes(site, 1, price_mode=1)
        answer = desk.apply_action(
            "auditorPass", desk.draft("purchase_inbound", self.build_line(goods, "80.01"))
        )
        assert (answer.code, answer.msg) == (400, "备件23高于采购价 80.00 元")
        assert desk.apply_action(
            "auditorPass", desk.draft("purchase_inbound", self.build_line(goods, "80"))
        ).ok

    def test_who_sees_no_cost_is_not_told_it(self, site: Site) -> None:
        goods = site.world.spares[24]
        set_company_price(site, goods, purchase_price="80")
        set_modes(site, 1, price_mode=1)
        bill = BillClient(site).draft("purchase_order", self.build_line(goods, "81"))
        answer = BillClient(site, "clerk_a").apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (400, "备件24高于采购价")

    def test_nothing_is_controlled_unless_set_and_elsewhere(self, site: Site) -> None:
        goods, desk = site.world.spares[25], BillClient(site)
        set_company_price(site, goods, lowest_price="100")
        assert desk.apply_action("auditorPass", desk.draft("sales_order", self.build_line(goods, "1"))).ok


class TestOverdue:
    def add_debt(self, site: Site, due: str) -> int:
        body = {"customer_name": f"欠款{due}", "company_id": site.world.company_a}
        customer: int = site.as_("admin").post("v2/custom/Customer/add", body).data["id"]
        desk = BillClient(site)
        desk.stock_in(site.world.spares[26], 5)
        line = {"goods_id": site.world.spares[26], "quantity": "1", "price": "500"}
        desk.add_audited("sales_outbound", line, customer_id=customer, due_date=due)
        return customer

    def add_order(self, site: Site, customer: int) -> Any:
        desk = BillClient(site)
        line = {"goods_id": site.world.spares[26], "quantity": "1", "price": "10"}
        return desk.apply_action("auditorPass", desk.draft("sales_order", line, customer_id=customer))

    def test_who_owes_too_long_is_sold_nothing(self, site: Site) -> None:
        late, in_time = self.add_debt(site, "2026-03-06"), self.add_debt(site, "2099-01-01")
        set_modes(site, 2, overdue_mode=1)
        answer = self.add_order(site, late)
        assert (answer.code, answer.msg) == (400, "客户有逾期欠款 500.00 元，最早于 2026-03-06 到期")
        assert self.add_order(site, in_time).ok

    def test_what_came_back_is_taken_off(self, site: Site) -> None:
        customer = self.add_debt(site, "2026-03-07")
        line = {"goods_id": site.world.spares[26], "quantity": "1", "price": "500"}
        BillClient(site).add_audited("sales_return", line, customer_id=customer, due_date="2026-03-08")
        set_modes(site, 2, overdue_mode=1)
        assert self.add_order(site, customer).ok

    def test_days_of_grace_count(self, site: Site) -> None:
        customer = self.add_debt(site, str(today() - timedelta(days=5)))
        set_modes(site, 2, overdue_mode=1)
        assert self.add_order(site, customer).code == 400
        assert site.as_("admin").post(f"{CONFIG}/addConfig", {"overdue_days": 10}).ok
        assert self.add_order(site, customer).ok


class TestPrints:
    def test_a_company_may_print_only_what_is_audited(self, site: Site) -> None:
        desk = BillClient(site)
        line = {"goods_id": site.world.spares[27], "quantity": "1", "price": "10"}
        bill = desk.draft("sales_order", line)
        told = [desk.caller.post(desk.path("sales_order", "print"), {"ids": [bill.id]})]
        set_modes(site, 2, print_mode=1)
        for call in ("print", "printPdf", "printTask"):
            told.append(desk.caller.post(desk.path("sales_order", call), {"ids": [bill.id]}))
        assert [answer.code for answer in told] == [200, 400, 400, 400]
        assert {answer.msg for answer in told[1:]} == {f"只打印已审核的单据，{bill.no}未审核"}
        assert desk.apply_action("auditorPass", bill).ok
        assert desk.caller.post(desk.path("sales_order", "print"), {"ids": [bill.id]}).ok

    def test_each_kind_has_its_own(self, site: Site) -> None:
        set_modes(site, 3, print_mode=1)
        desk = BillClient(site)
        order = desk.draft("sales_order", {"goods_id": site.world.spares[27], "quantity": "1", "price": "10"})
        inbound = desk.draft(
            "other_inbound", {"goods_id": site.world.spares[27], "quantity": "1", "price": "10"}
        )
        answers = [
            desk.caller.post(desk.path(made.resource, "print"), {"ids": [made.id]})
            for made in (order, inbound)
        ]
        assert [answer.code for answer in answers] == [200, 400]


class TestCalls:
    def test_the_shell_is_told_what_each_bill_type_minds(self, site: Site) -> None:
        """ "GET getSettingInfoOption with type (1, 2 or 3), company_id, repeat; results stored." """
        set_modes(site, 2, price_mode=2, print_mode=1)
        asked = {"company_id": site.world.company_a, "repeat": 1}
        bought, sold, stock = (
            site.as_("clerk_a").get("open/BillSetting/getSettingInfoOption", type=kind, **asked).data
            for kind in (1, 2, 3)
        )
        assert sold["operations"]["sales_order"] == {"price_mode": 2, "overdue_mode": 0, "credit_mode": 1}
        assert sold["operations"]["sales_quote"] == {"price_mode": 2, "overdue_mode": 0}
        assert bought["operations"] == {
            "purchase_order": {"price_mode": 0},
            "purchase_inbound": {"price_mode": 0},
        }
        assert stock["operations"] == {} and stock["audited_prints"] == bought["audited_prints"] == []
        assert {"sales_order", "sales_outbound", "sales_return"} <= set(sold["audited_prints"])
        assert sold["ledger_name"] == stock["ledger_name"] != ""

    def test_a_company_is_told_its_own(self, site: Site) -> None:
        set_modes(site, 2, price_mode=2, overdue_mode=1)
        for path in ("getSettingInfo", "getSettingInfoOption"):
            found = site.as_("clerk_a").get(f"open/BillSetting/{path}", type=2).data
            assert (found["price_mode"], found["overdue_mode"]) == (2, 1)
        other = site.as_("clerk_a").get(
            "open/BillSetting/getSettingInfo", type=2, company_id=site.world.company_b
        )
        assert other.code == 400

    def test_every_company_has_its_rows(self, site: Site) -> None:
        admin = site.as_("admin")
        made = admin.post("v2/system/Company/add", {"company_name": "新公司", "company_code": "NEW1"}).data[
            "id"
        ]
        rows = admin.get(f"{SETTING}/getList", company_id=made).data["data"]
        assert [(row["type"], row["price_mode"]) for row in rows] == [(1, 0), (2, 0), (3, 0)]
        assert admin.post("v2/system/Company/del", {"ids": [made]}).ok

    def test_purchase_bills_have_no_customer(self, site: Site) -> None:
        admin = site.as_("admin")
        [row] = admin.get(f"{SETTING}/getList", company_id=site.world.company_a, type=1).data["data"]
        answer = admin.post(f"{SETTING}/edit", {"id": row["bill_setting_id"], "overdue_mode": 1})
        assert answer.msg == "采购单据没有客户，“客户有逾期欠款”和“客户超信用额度”请选择不控制"

    def test_stock_bills_have_neither_prices_nor_customers(self, site: Site) -> None:
        admin = site.as_("admin")
        [row] = admin.get(f"{SETTING}/getList", company_id=site.world.company_a, type=3).data["data"]
        answer = admin.post(f"{SETTING}/edit", {"id": row["bill_setting_id"], "price_mode": 1})
        assert answer.msg == "库存单据没有价格和客户，只设置打印，其余请选择不控制"
