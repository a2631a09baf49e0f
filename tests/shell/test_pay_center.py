"""The cashier page's call: what a token holder sees without a login."""

from __future__ import annotations

from sqlalchemy import text

from api.shell.pay_center import token_hash
from tests.kit.fixtures import Site

PATH = "v2/open/PayCenter/getPayInfo"
_INSERT = text(
    "insert into payment_link (token_hash, company_id, subject, amount, expires_at)"
    " values (:hash, :company, '采购订单货款', 88.5, now() + make_interval(mins => :minutes))"
)


class TestCashier:
    def test_a_holder_of_the_token_sees_amount_and_state(self, site: Site) -> None:
        with site.engine.begin() as conn:
            for token, minutes in (("live-token", 30), ("old-token", -1)):
                values = {"hash": token_hash(token), "company": site.world.ids["company_a"]}
                conn.execute(_INSERT, {**values, "minutes": minutes})
        seen = site.anonymous().get(PATH, pay_token="live-token").data
        assert (seen["subject"], seen["amount"], seen["state_name"]) == ("采购订单货款", "88.50", "待支付")
        for token in ("old-token", "guessed"):
            answer = site.anonymous().get(PATH, pay_token=token)
            assert (answer.code, answer.msg) == (400, "支付单不存在或已失效")
