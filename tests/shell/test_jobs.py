"""Jobs are queued in the transaction that enters what they work on: no crash leaves one without the other."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from tests.support.bill_client import BillClient
from tests.support.client import Answer
from tests.support.fixtures import Site

CHANNEL = {"channel_name": "测试平台", "signature": "汽配", "is_default": True}
TEMPLATE = {"template_name": "发货通知", "content": "您好，已发货"}


def assert_one_transaction(
    site: Site, answer: Answer, task: str, table: str, where: str, **args: Any
) -> None:
    """Assert the arguments of a task's newest job, and that one transaction wrote it and the row."""
    assert answer.ok, answer
    job = text(
        "select args, xmin::text from procrastinate_jobs where task_name = :task order by id desc limit 1"
    )
    with site.engine.connect() as conn:
        queued = conn.execute(job, {"task": task}).one()
        entered = conn.execute(text(f"select xmin::text from {table} where {where}"), args).scalar_one()
    assert (queued.args, queued.xmin) == (args, entered)


class TestOneTransaction:
    def test_a_recalculation(self, site: Site) -> None:
        body = {"company_id": site.world.company_a, "period": "2026-03"}
        answer = site.as_("admin").post("v2/system/CostRecalculate/start", body)
        where = "recalculation_id = :recalculation_id"
        assert_one_transaction(site, answer, "recalculate", "cost_recalculation", where, **answer.data)

    def test_an_integrity_check(self, site: Site) -> None:
        api, admin = "v2/system/IntegrityCheck", site.as_("admin")
        [row] = admin.get(f"{api}/getList", check_name="stock_total_is_balance").data["data"]
        answer = admin.post(f"{api}/run", {"ids": [row["integrity_check_id"]]})
        names = [row["check_name"]]
        assert_one_transaction(
            site, answer, "integrity", "integrity_result", "name = any(:names)", names=names
        )

    def test_prints_of_many_bills(self, site: Site, desk: BillClient) -> None:
        made = desk.draft("sales_outbound", {"goods_id": site.world.oil, "quantity": "1", "price": "200"})
        answer = desk.caller.post(desk.path("sales_outbound", "printTask"), {"ids": [made.id]})
        key = answer.data["export_id"]
        assert_one_transaction(
            site, answer, "print_bills", "export_task", "export_id = :export_id", export_id=key
        )

    def test_an_export(self, site: Site) -> None:
        answer = site.as_("admin").post("v2/system/Unit/export")
        key = answer.data["export_id"]
        assert_one_transaction(site, answer, "export", "export_task", "export_id = :export_id", export_id=key)

    def test_a_text_message(self, site: Site) -> None:
        admin = site.as_("admin")
        assert admin.post("v2/system/SmsChannel/add", CHANNEL).ok
        key = admin.post("v2/system/Sms/addSmsTemplate", TEMPLATE).data["sms_template_id"]
        body = {"mobile": "13800138000", "sms_template_id": key}
        answer = admin.post("v2/system/Sms/sendSms", body)
        where = "sms_bill_id = :sms_bill_id"
        assert_one_transaction(
            site, answer, "send_sms", "sms_bill", where, sms_bill_id=answer.data["sms_bill_id"]
        )
