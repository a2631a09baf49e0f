"""Cost and denied fields: hidden in every answer, ignored when sent, useless to sort, filter or total by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.kit.declaration import registry
from api.kit.storage.projection import MASK
from tests.identity.test_data_scope import export_rows
from tests.support.bill_client import BillClient, SavedBill
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role

GOODS = "v2/system/CompanyGoods"
PICKER = "v2/inventory/Goods/getGoodsListPopup"


@pytest.fixture(scope="module")
def sold(site: Site) -> SavedBill:
    """Two pieces of stock at 100 sold for 113 each."""
    desk = BillClient(site)
    desk.add_audited(
        "purchase_inbound",
        {"goods_id": site.world.tube, "quantity": "5", "price": "113", "tax_rate": "13"},
    )
    line = {"goods_id": site.world.tube, "quantity": "2", "price": "113", "tax_rate": "13"}
    return desk.add_audited("sales_outbound", line)


class TestCost:
    """`clerk_a` does not see cost, `manager_a` does."""

    def test_lists_and_details_mask_it(self, site: Site) -> None:
        key = site.world.company_tube_a
        for user, seen in (("manager_a", "80.500000"), ("clerk_a", MASK)):
            listed = site.as_(user).get(f"{GOODS}/getList", per_page=500).data["data"]
            [row] = [row for row in listed if row["company_goods_id"] == key]
            detail = site.as_(user).get(f"{GOODS}/getInfo", id=key).data
            assert (row["purchase_price"], detail["purchase_price"]) == (seen, seen)
            assert "80.5" not in str(listed) + str(detail) or user == "manager_a"

    def test_lines_mask_what_goods_cost(self, site: Site, sold: SavedBill) -> None:
        for user, seen in (("manager_a", "200.00"), ("clerk_a", MASK)):
            [line] = BillClient(site, user).read_bill(sold)["lines"]
            assert line["cost_amount"] == seen

    def test_the_picker_masks_it(self, site: Site, sold: SavedBill) -> None:
        asked = {"goods_id": site.world.tube, "supplier_id": site.world.supplier}
        for user, seen in (("manager_a", ("100.00", "80.500000", "113.000000")), ("clerk_a", (MASK,) * 3)):
            [row] = site.as_(user).get(PICKER, **asked).data["data"]
            assert (row["cost_price"], row["purchase_price"], row["last_price"]) == seen

    def test_it_does_not_sort(self, site: Site) -> None:
        assert site.as_("manager_a").get(f"{GOODS}/getList", order_key="purchase_price").ok
        answer = site.as_("clerk_a").get(f"{GOODS}/getList", order_key="purchase_price")
        assert (answer.code, answer.msg) == (400, "不能按该字段排序")

    def test_the_log_leaves_it_out(self, site: Site) -> None:
        key = site.world.company_tube_b
        body = {"id": key, "purchase_price": "66.6", "sale_price": "99"}
        assert site.as_("admin").post(f"{GOODS}/edit", body).ok
        log = site.as_("manager_b").get(f"{GOODS}/getLog", id=key).data
        assert log[0]["after"]["purchase_price"] == "66.600000"[:4]

    def test_the_clerks_log_leaves_it_out(self, site: Site) -> None:
        key = site.world.company_tube_a
        assert site.as_("admin").post(f"{GOODS}/edit", {"id": key, "purchase_price": "80.5"}).ok
        log = site.as_("clerk_a").get(f"{GOODS}/getLog", id=key).data
        assert log
        assert all("purchase_price" not in (row["after"] or {}) for row in log)
        assert all("purchase_price" not in (row["before"] or {}) for row in log)

    def test_exports_leave_it_out(self, site: Site) -> None:
        cls = registry.get_resource("company_goods")
        assert "采购价" in export_rows(site, "manager_a", cls)[0]
        rows = export_rows(site, "clerk_a", cls)
        assert "采购价" not in rows[0]
        assert "80.5" not in str(rows)

    @pytest.mark.parametrize("sent", [MASK, "1", "", None])
    def test_sent_back_it_is_ignored(self, site: Site, sent: Any) -> None:
        key = site.world.company_tube_a
        body = {"id": key, "purchase_price": sent, "sale_price": "121"}
        assert site.as_("clerk_a").post(f"{GOODS}/edit", body).ok
        stored = site.as_("manager_a").get(f"{GOODS}/getInfo", id=key).data
        assert (stored["purchase_price"], stored["sale_price"]) == ("80.500000", "121.000000")

    def test_the_screen_says_so(self, site: Site) -> None:
        for user, masked in (("manager_a", False), ("clerk_a", True)):
            screen = site.as_(user).get("v2/Open/Screen/getScreen", route="/system/companygoods").data
            [item] = [item for item in screen["fields"] if item["name"] == "purchase_price"]
            assert (item["masked"], item["readonly"]) == (masked, masked)
            names = site.as_(user).get("v2/open/FieldAuth/getFieldList", menu_action="companygoods").data
            assert ({"field": "purchase_price"} in names) != masked


class TestDeniedField:
    """Fields taken from the clerk's role on single screens."""

    DENIED = [
        {"screen": "sales_outbound", "field": "total_amount"},
        {"screen": "sales_outbound", "field": "customer_id"},
        {"screen": "sales_outbound", "field": "remark"},
        {"screen": "sales_outbound", "field": "bill_no"},
        {"screen": "sales_outbound_line", "field": "price"},
        {"screen": "sales_outbound_line", "field": "amount"},
        {"screen": "sales_order_line", "field": "goods_id"},
    ]

    @pytest.fixture(scope="class", autouse=True)
    def denied(self, site: Site) -> Iterator[None]:
        with changed_role(site.as_("admin"), site.world.role_clerk_a, denied=self.DENIED):
            yield

    def test_the_value_and_its_label_are_masked(self, site: Site, sold: SavedBill) -> None:
        desk = BillClient(site, "clerk_a")
        info = desk.read_bill(sold)
        assert {info["total_amount"], info["customer_id"], info["customer_name"]} == {MASK}
        assert {info["lines"][0]["price"], info["lines"][0]["amount"]} == {MASK}
        listed = desk.caller.get(desk.path("sales_outbound", "getList")).data["data"]
        assert sold.id in {row["bill_id"] for row in listed}
        for row in listed:
            assert {row["total_amount"], row["customer_id"], row["bill_no"]} == {MASK}
            assert "A客户" not in str(row)

    def test_it_is_not_totalled(self, site: Site, sold: SavedBill) -> None:
        path = BillClient(site).path("sales_outbound", "getList")
        assert "total_amount" in site.as_("manager_a").get(path).data["totals"]
        assert "total_amount" not in site.as_("clerk_a").get(path).data["totals"]

    @pytest.mark.parametrize("key", ["total_amount", "customer_id", "customer_name", "bill_no"])
    def test_it_does_not_sort(self, site: Site, key: str) -> None:
        path = BillClient(site).path("sales_outbound", "getList")
        assert site.as_("manager_a").get(path, order_key=key).ok
        assert site.as_("clerk_a").get(path, order_key=key).code == 400

    def test_it_does_not_filter(self, site: Site, sold: SavedBill) -> None:
        path = BillClient(site).path("sales_outbound", "getList")
        query = {"customer_id": str(site.world.customer_a)}
        assert site.as_("manager_a").get(path, **query).data["total"] == 1
        assert site.as_("clerk_a").get(path, **query).code == 403

    def test_hidden_goods_find_no_bills(self, site: Site) -> None:
        query = {"goods_id": str(site.world.tube)}
        for resource, code in (("sales_order", 403), ("sales_outbound", 200)):
            path = BillClient(site).path(resource, "getList")
            assert site.as_("manager_a").get(path, **query).ok
            assert site.as_("clerk_a").get(path, **query).code == code

    def test_the_keyword_does_not_find_it(self, site: Site, sold: SavedBill) -> None:
        path = BillClient(site).path("sales_outbound", "getList")
        assert site.as_("manager_a").get(path, keyword=sold.no).data["total"] == 1
        assert site.as_("clerk_a").get(path, keyword=sold.no).data["total"] == 0

    def test_an_edit_keeps_what_the_editor_cannot_see(self, site: Site) -> None:
        """The clerk sends 无权限 back, adds a line, and takes one away: prices of the others stay."""
        line = {"goods_id": site.world.tube, "tax_rate": "0"}
        bill = BillClient(site).draft(
            "sales_outbound",
            {**line, "quantity": "1", "price": "10"},
            {**line, "quantity": "1", "price": "20"},
            {**line, "quantity": "1", "price": "30"},
            remark="老板的话",
        )
        clerk = BillClient(site, "clerk_a")
        info = clerk.read_bill(bill)
        lines = [info["lines"][2], {**info["lines"][0], "quantity": "2"}, {**line, "quantity": "1"}]
        body = {**info, "id": bill.id, "lines": lines}
        answer = clerk.caller.post(clerk.path("sales_outbound", "edit"), body)
        assert answer.ok, answer
        stored = BillClient(site).read_bill(bill)
        assert stored["remark"] == "老板的话"
        assert stored["customer_id"] == site.world.customer_a
        assert [(row["quantity"], row["price"]) for row in stored["lines"]] == [
            ("1.000", "30.000000"),
            ("2.000", "10.000000"),
            ("1.000", "0.000000"),
        ]
        assert stored["total_amount"] == "50.00"

    def test_exports_leave_it_out(self, site: Site, sold: SavedBill) -> None:
        cls = registry.get_resource("sales_outbound")
        rows = export_rows(site, "clerk_a", cls)
        assert {"金额合计", "客户", "单据号"} & set(rows[0]) == set()
        assert "A客户" not in str(rows)
        assert {"金额合计", "客户", "单据号"} <= set(export_rows(site, "manager_a", cls)[0])

    def test_the_text_itself_in_a_required_field_is_asked_for(self, site: Site) -> None:
        answer = BillClient(site).add("sales_outbound", {"goods_id": site.world.tube, "quantity": MASK})
        assert (answer.code, answer.msg) == (400, "第1行：“数量”请输入大于0的数")

    def test_the_text_itself_in_one_of_two_remarks_is_no_accident(self, site: Site) -> None:
        line = {"goods_id": site.world.tube, "quantity": "1"}
        assert BillClient(site).add("sales_outbound", {**line, "remark": MASK}, {**line, "remark": "x"}).ok
