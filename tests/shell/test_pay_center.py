"""The cashier page's call: what a token holder sees without a login."""

from __future__ import annotations

from sqlalchemy import text

from api.shell.workspace.payment_links import hash_token
from tests.support.bill_client import BillClient, PostingReader
from tests.support.fixtures import Site

PATH = "v2/open/PayCenter/getPayInfo"
_INSERT = text(
    "insert into payment_link (token_hash, company_id, subject, amount, expires_at)"
    " values (:hash, :company, '采购订单货款', 88.5, now() + make_interval(mins => :minutes))"
)


class TestCashier:
    def test_a_holder_of_the_token_sees_amount_and_state(self, site: Site) -> None:
        with site.engine.begin() as conn:
            for token, minutes in (("live-token", 30), ("old-token", -1)):
                values = {"hash": hash_token(token), "company": site.world.ids["company_a"]}
                conn.execute(_INSERT, {**values, "minutes": minutes})
        seen = site.anonymous().get(PATH, pay_token="live-token").data
        assert (seen["subject"], seen["amount"], seen["state_name"]) == ("采购订单货款", "88.50", "待支付")
        for token in ("old-token", "guessed"):
            answer = site.anonymous().get(PATH, pay_token=token)
            assert (answer.code, answer.msg) == (400, "支付单不存在或已失效")


class TestLink:
    """A link is made of a sold bill, and follows what is paid of it."""

    def test_it_asks_for_what_is_owed_until_that_is_paid(self, site: Site) -> None:
        desk, goods = BillClient(site), site.world.spares[20]
        desk.stock_in(goods, 5)
        bill = desk.draft("sales_outbound", {"goods_id": goods, "quantity": "2", "price": "60"})
        refused = desk.apply_action("payLink", bill)
        assert (refused.code, refused.msg) == (400, "单据还未审核，没有应收款")
        assert desk.apply_action("auditorPass", bill).ok
        [note] = desk.apply_action("payLink", bill).data["notes"]
        place, token = note.split("?pay_token=")
        assert place == f"{bill.no}：http://127.0.0.1/placeholder/paycenter"
        seen = site.anonymous().get(PATH, pay_token=token).data
        assert (seen["subject"], seen["amount"], seen["state_name"]) == (
            f"销售单 {bill.no} 货款",
            "120.00",
            "待支付",
        )
        with site.engine.connect() as conn:
            settled = {"settlement_id": PostingReader(conn).item(bill), "amount": "120"}
        desk.add_audited("customer_receipt", settled, amount="120")
        assert site.anonymous().get(PATH, pay_token=token).data["state_name"] == "已支付"
        refused = desk.apply_action("payLink", bill)
        assert (refused.code, refused.msg) == (400, "单据的货款已结清")

    def test_a_bill_that_is_no_more_asks_for_nothing(self, site: Site) -> None:
        desk, goods = BillClient(site), site.world.spares[21]
        desk.stock_in(goods, 5)
        bill = desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "1", "price": "60"})
        [note] = desk.apply_action("payLink", bill).data["notes"]
        assert desk.apply_action("antiAuditor", bill).ok
        token = note.split("=")[1]
        assert site.anonymous().get(PATH, pay_token=token).data["state_name"] == "已关闭"

    def test_it_is_made_by_who_may(self, site: Site) -> None:
        bill = BillClient(site).draft(
            "sales_outbound", {"goods_id": site.world.spares[21], "quantity": "1", "price": "60"}
        )
        assert BillClient(site, "nobody").apply_action("payLink", bill).code == 403
