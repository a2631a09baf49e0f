"""Pending items: bills to audit within scope and right, and one's own that were sent back."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

PENDING, APPROVALS = "v2/open/Message/getPendingMessage", "v2/open/Message/getMessageList"
AWAITING = "v2/system/Console/getAwaitList"
LINE = {"quantity": "1", "price": "10", "tax_rate": "13"}


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    return BillClient(site, "manager_a")


def list_pending(site: Site, user: str, kind: int) -> list[tuple[str, str]]:
    items = site.as_(user).get(PENDING).data
    return [(item["content"], item["url"]) for item in items if item["type"] == kind]


class TestPending:
    def test_bills_wait_for_those_who_may_audit_them(self, site: Site, desk: BillClient) -> None:
        for _ in range(2):
            desk.draft("other_inbound", {"goods_id": desk.world.oil, **LINE})
        [(content, url)] = list_pending(site, "manager_a", 1)
        assert content == "2 张其他入库单待审核" or content.startswith("2 张其他入库")
        screen = site.as_("manager_a").get("v2/Open/Screen/getScreen", route=url.split("?")[0]).data
        listed = site.as_("manager_a").get(f"{screen['api']}/getList", status=1).data
        assert listed["total"] == 2
        [approval] = site.as_("manager_a").get(APPROVALS).data
        assert (approval["title"], approval["count"], approval["url"]) == (content, 2, url)
        for user in ("manager_b", "nobody"):
            assert list_pending(site, user, 1) == []
            assert site.as_(user).get(APPROVALS).data == []

    def test_a_bill_sent_back_waits_for_its_maker(self, site: Site, desk: BillClient) -> None:
        bill = desk.draft("sales_order", {"goods_id": desk.world.oil, **LINE})
        assert desk.apply_action("auditorNoPass", bill, reason="价格有误").ok
        [(content, _)] = list_pending(site, "manager_a", 2)
        assert content.endswith("被驳回")
        assert list_pending(site, "clerk_a", 2) == []
        assert not [item for item in list_pending(site, "manager_a", 1) if "销售订单" in item[0]]
        [(_, url)] = list_pending(site, "manager_a", 2)
        route, query = url.split("?")
        screen = site.as_("manager_a").get("v2/Open/Screen/getScreen", route=route).data
        desk.draft("sales_order", {"goods_id": desk.world.oil, **LINE})
        listed = site.as_("manager_a").get(f"{screen['api']}/getList", **dict(parse_qsl(query))).data
        assert [row["bill_id"] for row in listed["data"]] == [bill.id]

    def test_overdue_receivables_wait_for_who_takes_money(self, site: Site, desk: BillClient) -> None:
        goods = desk.world.spares[30]
        desk.stock_in(goods, 2)
        bill = desk.add_audited("sales_outbound", {"goods_id": goods, **LINE})
        falls_due = "update settlement_item set due_date = current_date - %s where bill_no = %s"
        with site.engine.begin() as conn:
            conn.exec_driver_sql(
                "update settlement_item set due_date = current_date where bill_type = 'XSCK'"
            )
        assert list_pending(site, "manager_a", 5) == []
        with site.engine.begin() as conn:
            conn.exec_driver_sql(falls_due, (1, bill.no))
        [(content, url)] = list_pending(site, "manager_a", 5)
        assert content == "1 笔客户应收已逾期"
        route, query = url.split("?")
        screen = site.as_("manager_a").get("v2/Open/Screen/getScreen", route=route).data
        assert (
            site.as_("manager_a").get(f"{screen['api']}/getList", **dict(parse_qsl(query))).data["total"] == 1
        )
        assert list_pending(site, "manager_b", 5) == list_pending(site, "nobody", 5) == []

    def test_a_transfer_waits_for_its_receiver_until_all_of_it_came(
        self, site: Site, desk: BillClient
    ) -> None:
        goods, world = desk.world.oil, desk.world
        desk.stock_in(goods, 4)
        sent = desk.add_audited(
            "transfer_out", {"goods_id": goods, "quantity": "4"}, to_warehouse_id=world.warehouse2_a
        )
        add = "/inventory/transferware/receiptAdd"

        def waiting(user: str = "manager_a") -> dict[str, str]:
            entries = [one for one in site.as_(user).get(PENDING).data if one["type"] == 4]
            assert all(
                entry["url"] == add and entry["content"].endswith("仓库调拨在途待收货") for entry in entries
            )
            return {bill["bill_no"]: bill["url"] for entry in entries for bill in entry["bills"]}

        assert waiting()[sent.no] == f"{add}?from={sent.id}"
        with site.engine.begin() as conn:
            conn.exec_driver_sql(
                "update transfer_out set made_at = audited_at - interval '3 days' where status = 2"
            )
            left = conn.exec_driver_sql("select min(audited_at) from transfer_out where status = 2").scalar()
        [entry] = [one for one in site.as_("manager_a").get(PENDING).data if one["type"] == 4]
        assert left is not None and entry["since"] == f"{left:%Y-%m-%d %H:%M:%S}"
        assert sent.no not in waiting("manager_b") and not waiting("nobody")
        [key] = desk.line_ids(sent)
        for quantity, waits in (("1", True), ("3", False)):
            row = {"goods_id": goods, "quantity": quantity, "source_line_id": key}
            desk.add_audited("transfer_in", row, warehouse_id=world.warehouse2_a)
            assert (sent.no in waiting()) == waits

    def test_an_entry_names_its_newest_bills(self, site: Site, desk: BillClient) -> None:
        drafts = [desk.draft("other_outbound", {"goods_id": desk.world.oil, **LINE}) for _ in range(6)]
        for path in (PENDING, APPROVALS):
            [entry] = [
                one for one in site.as_("manager_a").get(path).data if one["id"].startswith("other_outbound")
            ]
            assert entry["count"] == 6
            assert [int(bill["url"].split("?id=")[1]) for bill in entry["bills"]] == [
                draft.id for draft in reversed(drafts[1:])
            ]
            assert all(bill["bill_no"].startswith("QTCK") for bill in entry["bills"])

    def test_customers_wait_for_those_who_may_audit_them(self, site: Site) -> None:
        admin = site.as_("admin")
        [config] = admin.get("v2/system/Config/getList").data["data"]
        for kind in (1, 0):
            body = {"customer_name": f"待审客户{kind}", "company_id": site.world.company_a}
            setting = {"id": config["erp_config_id"], "customer_audit": kind}
            assert admin.post("v2/system/Config/edit", setting).ok
            assert admin.post("v2/custom/Customer/add", body).ok
        item = ("1 个客户待审核", "/custom/customer_auditor_list?audit_state=1")
        assert item in list_pending(site, "admin", 1)
        assert item[0] in [row["title"] for row in admin.get(APPROVALS).data]
        assert item not in list_pending(site, "manager_b", 1)
        assert item not in list_pending(site, "nobody", 1)

    def test_the_home_page_has_it_by_type_with_the_oldest_first(self, site: Site, desk: BillClient) -> None:
        for name in ("customer_receipt", "sales_order"):
            lines = () if name == "customer_receipt" else ({"goods_id": desk.world.oil, **LINE},)
            desk.draft(name, *lines, **({"amount": "1"} if not lines else {}))
        groups = site.as_("manager_a").get(AWAITING).data
        items = [item for group in groups for item in group["items"]]
        assert sorted(item["id"] for item in items) == sorted(
            item["id"] for item in site.as_("manager_a").get(PENDING).data
        )
        [waiting] = [group for group in groups if group["title"] == "待审核"]
        assert waiting["count"] == sum(item["count"] for item in waiting["items"])
        told = [item["since"] for item in waiting["items"] if item["since"]]
        assert len(told) >= 2
        assert told == sorted(told)
        assert site.as_("nobody").get(AWAITING).data == []
