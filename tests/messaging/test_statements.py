"""Account statements by SMS: what they say, to whom, not twice in a minute, and only while they hold."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from sqlalchemy import text

from api.kit.settings import read_settings
from api.messaging import sms_jobs
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer
from tests.support.fixtures import Site

_numbers = itertools.count(1)
DAYS = {"starts_on": "2026-03-01", "ends_on": "2026-03-31"}


@pytest.fixture(scope="module", autouse=True)
def channel(site: Site) -> None:
    body = {"channel_name": "对账测试平台", "is_default": True}
    assert site.as_("admin").post("v2/system/SmsChannel/add", body).ok


@pytest.fixture
def desk(site: Site) -> BillClient:
    return BillClient(site)


def create_statement(desk: BillClient, mobile: str | None = "") -> tuple[int, SavedBill]:
    number = next(_numbers)
    body: dict[str, Any] = {"customer_name": f"短信客户{number}", "company_id": desk.world.company_a}
    body["customer_mobile"] = f"1390000{number:04}" if mobile == "" else mobile
    customer = desk.caller.post("v2/custom/Customer/add", body).data["id"]
    sell_goods(desk, customer, "60")
    return customer, desk.draft("account_statement", customer_id=customer, **DAYS)


def sell_goods(desk: BillClient, customer: int, price: str) -> None:
    goods = desk.world.spares[46]
    desk.stock_in(goods, 1)
    line = {"goods_id": goods, "quantity": "1", "price": price}
    desk.add_audited("sales_outbound", line, customer_id=customer, business_date="2026-03-05")


def send_statements(desk: BillClient, *bills: SavedBill, user: str = "admin") -> Answer:
    return BillClient(desk.site, user).apply_action("send", *bills)


class TestForeseen:
    def test_whom_what_and_what_speaks_against_it(self, desk: BillClient) -> None:
        (_, bill), (_, mute) = create_statement(desk), create_statement(desk, mobile=None)
        asked = {"action": "send", "ids": [bill.id, mute.id]}
        answer = desk.caller.post(desk.path("account_statement", "getConsequence"), asked)
        told = {fact["label"]: fact["value"] for fact in answer.data["facts"]}
        to, nobody = (desk.read_bill(one)["customer_name"] for one in (bill, mute))
        assert told[f"发给 {to}"].startswith("1390000")
        assert told[f"发给 {to}"].endswith("，2026-03-01 至 2026-03-31，期末欠款 60.00 元")
        assert told[f"发给 {nobody}"].startswith("没有手机号，")
        assert answer.data["warnings"] == [
            f"未审核的对账单：{bill.no}、{mute.no}，数字可能还会改",
            f"没有手机号，不会发出：{nobody}",
        ]
        assert answer.data["undo"] == "短信发出后不能收回"


class TestSend:
    def test_the_customer_is_told_what_he_owes(self, desk: BillClient) -> None:
        _, bill = create_statement(desk)
        assert send_statements(desk, bill).ok
        sms_jobs.send_waiting_sms(timestamp=0)
        last = json.loads(
            (read_settings().data_dir / "sms" / "outbox.jsonl").read_text("utf-8").splitlines()[-1]
        )
        assert last["mobile"].startswith("1390000")
        for said in ("2026-03-01至2026-03-31", "期末应收60.00元", bill.no):
            assert said in last["content"]
        log = desk.caller.get(desk.path("account_statement", "getLog"), id=bill.id).data
        assert (log[0]["action_name"], log[0]["after"]["mobile"]) == ("发送", last["mobile"])

    def test_not_twice_within_a_minute(self, desk: BillClient) -> None:
        customer, bill = create_statement(desk)
        assert send_statements(desk, bill).ok
        moved = {"id": customer, "customer_mobile": "13911110000"}
        assert desk.caller.post("v2/custom/Customer/edit", moved).ok
        again = send_statements(desk, bill)
        assert (again.code, again.msg) == (400, f"对账单{bill.no}一分钟内已发送过，请稍后再试")
        with desk.site.engine.begin() as conn:
            conn.execute(
                text("update business_log set at = at - interval '61 seconds' where record_id = :id"),
                {"id": bill.id},
            )
        assert send_statements(desk, bill).ok

    def test_each_of_several_is_told_of(self, desk: BillClient) -> None:
        (_, good), (_, mute) = create_statement(desk), create_statement(desk, mobile=None)
        answer = send_statements(desk, good, mute)
        assert answer.data["success"] == [good.id]
        assert "没有手机号" in answer.data["failures"][0]["msg"]

    def test_what_no_longer_holds_is_not_sent(self, desk: BillClient) -> None:
        customer, bill = create_statement(desk)
        sell_goods(desk, customer, "5")
        assert (
            send_statements(desk, bill).msg == "对账期间的往来已有变化，请修改并保存对账单，重新取数后再发送"
        )
        _, void = create_statement(desk)
        assert desk.apply_action("invalid", void).ok
        assert send_statements(desk, void).msg == f"对账单{void.no}已作废，不能发送"

    def test_it_takes_the_right_and_the_company(self, desk: BillClient) -> None:
        _, bill = create_statement(desk)
        assert send_statements(desk, bill, user="nobody").code == 403
        assert send_statements(desk, bill, user="manager_b").code == 400

    def test_without_its_template_it_says_what_to_do(self, desk: BillClient) -> None:
        _, bill = create_statement(desk)
        with desk.site.engine.begin() as conn:
            conn.execute(text("update sms_template set enabled = false where template_name = '客户对账单'"))
        assert send_statements(desk, bill).msg == "请先在短信模板中新增或启用“客户对账单”"
