"""Data scope: another company's, clerk's, department's or warehouse's records are not there, whatever the call."""

from __future__ import annotations

from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.resource import Resource
from api.master.lookups.lookup_rights import list_lookup_resources
from api.shell.files import export_job
from tests.support.bill_client import BillClient, SavedBill
from tests.support.fixtures import Site
from tests.support.payloads import ACROSS, payload_of
from tests.support.type_rules import for_each_type

assert catalogue.__all__


def is_scoped(cls: type[Resource]) -> bool:
    """Return whether the class's rows belong to a company, directly or by their warehouse."""
    return cls.name() != "company" and bool({"company_id", "warehouse_id"} & set(cls.table().columns.keys()))


SCOPED = [cls for cls in registry.list_resources() if is_scoped(cls) and "add" in cls.declaration.actions]
every = for_each_type(SCOPED)
BILLS = [cls for cls in SCOPED if issubclass(cls, Bill)]
billed = for_each_type(BILLS)


def create_foreign(site: Site, cls: type[Resource]) -> int:
    """Create a record of company B as the administrator; it is enabled where it can be disabled."""
    body = payload_of(cls, site.world, "b")
    answer = site.as_("admin").post(f"{cls.declaration.api}/add", {**body, "enabled": True})
    assert answer.ok, answer
    key: int = answer.data["id"]
    return key


def export_rows(site: Site, user: str, cls: type[Resource]) -> list[tuple[Any, ...]]:
    """Return the rows of a user's export, the heading first, without the totals."""
    asked = site.as_(user).post(f"{cls.declaration.api}/export")
    assert asked.ok, asked
    export_job.export_list(export_id=asked.data["export_id"])
    book = CalamineWorkbook.from_path(str(export_job.export_path(asked.data["export_id"])))
    rows = map(tuple, book.get_sheet_by_index(0).to_python())
    return [row for row in rows if not str(row[0]).startswith("合计")]


class TestAnotherCompany:
    @every
    def test_no_call_reaches_it(self, site: Site, cls: type[Resource]) -> None:
        key, caller, api = create_foreign(site, cls), site.as_("manager_a"), cls.declaration.api
        missing = (400, f"{cls.declaration.label}不存在或无权访问")
        for call in ("getInfo", "getLog"):
            answer = caller.get(f"{api}/{call}", id=key)
            assert (answer.code, answer.msg) == missing
        listed = caller.get(f"{api}/getList", per_page=500).data["data"]
        assert key not in [row[cls.key().key] for row in listed]
        assert site.as_("manager_b").get(f"{api}/getInfo", id=key).ok
        body = {**payload_of(cls, site.world), "id": key, "revision": 1}
        edited = caller.post(f"{api}/edit", body)
        assert (edited.code, edited.msg) == missing
        actions = ("del", *(cls.bill.transitions if cls.bill else ()))
        for action in actions:
            answer = caller.post(f"{api}/{action}", {"ids": [key], "reason": "x"})
            assert (answer.code, answer.msg) == missing
        if not cls.bill and cls.name() in list_lookup_resources():
            assert caller.get(f"{api}/getDropdown", id=key).data["data"] == []

    @every
    def test_filters_do_not_reach_it(self, site: Site, cls: type[Resource]) -> None:
        create_foreign(site, cls)
        if "company_id" not in cls.table().columns:
            pytest.skip("belongs to a company by its warehouse")
        found = site.as_("manager_a").get(f"{cls.declaration.api}/getList", company_id=site.world.company_b)
        assert (found.data["total"], found.data["data"]) == (0, [])

    @every
    def test_it_is_not_counted(self, site: Site, cls: type[Resource]) -> None:
        api = cls.declaration.api
        before = site.as_("manager_a").get(f"{api}/getList").data
        create_foreign(site, cls)
        after = site.as_("manager_a").get(f"{api}/getList").data
        assert (after["total"], after["totals"]) == (before["total"], before["totals"])

    @every
    def test_it_is_not_exported(self, site: Site, cls: type[Resource]) -> None:
        create_foreign(site, cls)
        mine = site.as_("manager_a").get(f"{cls.declaration.api}/getList").data["total"]
        assert len(export_rows(site, "manager_a", cls)) == mine + 1

    @every
    def test_nothing_is_added_to_it(self, site: Site, cls: type[Resource]) -> None:
        answer = site.as_("manager_a").post(f"{cls.declaration.api}/add", payload_of(cls, site.world, "b"))
        assert answer.code == 400
        assert "无权使用" in answer.msg

    @billed
    def test_none_of_its_masters_is_taken(self, site: Site, cls: type[Bill]) -> None:
        """Each reference of a bill of one's own company, pointed at company B, is refused."""
        mine, theirs = payload_of(cls, site.world), payload_of(cls, site.world, "b")
        taken = []
        own = {"company_id", *(name for resource, name in ACROSS if resource == cls.name())}
        for name in mine:
            if mine[name] != theirs[name] and name.endswith("_id") and name not in own:
                answer = site.as_("manager_a").post(
                    f"{cls.declaration.api}/add", {**mine, name: theirs[name]}
                )
                if answer.code != 400 or "无权使用" not in answer.msg:
                    taken.append((name, answer.msg))
        placed = [line for line in mine.get("lines", ()) if "allocation_id" in line]
        if placed:
            line = {**placed[0], "allocation_id": site.world.allocation_b}
            answer = site.as_("manager_a").post(f"{cls.declaration.api}/add", {**mine, "lines": [line]})
            assert "无权使用" in answer.msg
        assert not taken

    def test_the_goods_picker_keeps_to_ones_company(self, site: Site) -> None:
        manager, world = site.as_("manager_a"), site.world
        answer = manager.get("v2/inventory/Goods/getGoodsListPopup", company_id=world.company_b)
        assert (answer.code, answer.msg) == (400, "公司不存在或无权访问")
        BillClient(site).stock_in(world.tube, 7, company_id=world.company_b, warehouse_id=world.warehouse_b)
        for asked in ({}, {"warehouse_id": world.warehouse_b}):
            rows = manager.get("v2/inventory/Goods/getGoodsListPopup", goods_id=world.tube, **asked).data
            assert [row["stocks"] for row in rows["data"]] == ["0"]
        batches = manager.get(
            "v2/inventory/GoodsBatch/getBatchlist", goods_id=world.tube, warehouse_id=world.warehouse_b
        )
        assert batches.data == []

    def test_another_companys_last_price_is_not_told(self, site: Site) -> None:
        desk, world = BillClient(site), site.world
        theirs = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
        desk.stock_in(world.spares[0], 7, **theirs)
        desk.add_audited(
            "sales_outbound",
            {"goods_id": world.spares[0], "quantity": "1", "price": "77"},
            customer_id=world.customer_b,
            **theirs,
        )
        asked = {"goods_id": world.spares[0], "customer_id": world.customer_b}
        path = "v2/inventory/Goods/getGoodsListPopup"
        [row] = site.as_("manager_b").get(path, **asked).data["data"]
        assert row["last_price"] == "77.000000"
        [row] = site.as_("manager_a").get(path, **asked).data["data"]
        assert row["last_price"] is None

    def test_lookups_keep_to_ones_company(self, site: Site) -> None:
        for cls in SCOPED:
            if cls.declaration.lookup:
                answer = site.as_("manager_a").get(cls.declaration.lookup, per_page=500)
                rows = answer.data if isinstance(answer.data, list) else answer.data["data"]
                assert rows
                assert {row["company_id"] for row in rows if "company_id" in row} <= {site.world.company_a}

    def test_open_items_keep_to_ones_company(self, site: Site) -> None:
        for path, partner in (
            ("v2/custom/CustomerReceipt/getOpenItems", "customer_id"),
            ("v2/purchase/Payment/getOpenItems", "supplier_id"),
        ):
            query = {"company_id": site.world.company_b, partner: 1}
            assert site.as_("manager_a").get(path, **query).code == 400

    def test_a_bill_is_not_moved_to_it(self, site: Site) -> None:
        desk, world = BillClient(site, "manager_a"), site.world
        bill = desk.draft("other_inbound", {"goods_id": world.oil, "quantity": "1"})
        body = {
            **desk.read_bill(bill),
            "id": bill.id,
            "company_id": world.company_b,
            "warehouse_id": world.warehouse_b,
        }
        answer = desk.caller.post(desk.path("other_inbound", "edit"), body)
        assert answer.code == 400
        assert desk.read_bill(bill)["company_id"] == world.company_a


def can_reach(desk: BillClient, bill: SavedBill) -> bool:
    """Return whether the reading and writing calls find the bill; all must agree."""
    path = desk.path(bill.resource, "getList")
    answers = {
        desk.caller.get(desk.path(bill.resource, "getInfo"), id=bill.id).ok,
        desk.caller.get(desk.path(bill.resource, "getLog"), id=bill.id).ok,
        bill.id in [row["bill_id"] for row in desk.caller.get(path, per_page=500).data["data"]],
        desk.apply_action("auditorNoPass", bill, reason="看看").ok,
    }
    assert len(answers) == 1
    return answers.pop()


class TestOwnDocuments:
    def test_only_ones_own_are_reached(self, site: Site) -> None:
        line = {"goods_id": site.world.oil, "quantity": "1"}
        mine, other = BillClient(site, "own_a"), BillClient(site, "own2_a")
        bill = mine.draft("other_inbound", line)
        assert can_reach(mine, bill)
        assert not can_reach(other, bill)
        assert can_reach(BillClient(site, "manager_a"), bill)

    def test_exports_hold_ones_own_only(self, site: Site) -> None:
        line = {"goods_id": site.world.oil, "quantity": "1"}
        BillClient(site, "own_a").draft("other_outbound", line)
        bill = BillClient(site, "own2_a").draft("other_outbound", line)
        rows = export_rows(site, "own2_a", registry.get_resource("other_outbound"))
        assert [row[0] for row in rows[1:]] == [bill.no]

    def test_nothing_is_made_of_anothers(self, site: Site) -> None:
        line = {"goods_id": site.world.oil, "quantity": "2", "price": "5"}
        mine, other = BillClient(site, "own_a"), BillClient(site, "own2_a")
        order = other.add_audited("sales_order", line)
        [source] = other.line_ids(order)
        answer = mine.add("sales_outbound", {**line, "order_line_id": source})
        assert (answer.code, answer.msg) == (400, "第1行：来源销售订单与本单不匹配")
        assert other.add("sales_outbound", {**line, "order_line_id": source}).ok

    def test_masters_are_shared(self, site: Site) -> None:
        assert site.as_("own_a").get("v2/custom/Customer/getInfo", id=site.world.customer_a).ok


class TestOwnDepartment:
    def test_only_the_departments_are_reached(self, site: Site) -> None:
        line, world = {"goods_id": site.world.oil, "quantity": "1"}, site.world
        clerk, admin = BillClient(site, "department_a"), BillClient(site)
        ours = admin.draft("other_inbound", line, department_id=world.department_a)
        theirs = admin.draft("other_inbound", line, department_id=world.department2_a)
        nobodys = admin.draft("other_inbound", line)
        assert [can_reach(clerk, bill) for bill in (ours, theirs, nobodys)] == [True, False, False]

    def test_nothing_is_entered_for_another(self, site: Site) -> None:
        clerk, line = BillClient(site, "department_a"), {"goods_id": site.world.oil, "quantity": "1"}
        for department in (site.world.department2_a, None):
            answer = clerk.add("other_inbound", line, department_id=department)
            assert (answer.code, answer.msg) == (400, "只能录入本部门的单据")
        assert clerk.add("other_inbound", line, department_id=site.world.department_a).ok

    def test_what_tells_no_department_is_its_makers(self, site: Site) -> None:
        count = registry.get_resource("account_count")
        api = count.declaration.api
        clerk, admin = site.as_("department_a"), site.as_("admin")
        ours, theirs = (
            caller.post(f"{api}/add", payload_of(count, site.world)).data["id"] for caller in (clerk, admin)
        )
        listed = clerk.get(f"{api}/getList").data["data"]
        assert [row["account_count_id"] for row in listed] == [ours]
        assert clerk.get(f"{api}/getInfo", id=theirs).code == 400

    def test_a_user_without_department_reaches_nothing(self, site: Site) -> None:
        from sqlalchemy import text

        line = {"goods_id": site.world.oil, "quantity": "1"}
        nobodys = BillClient(site).draft("other_inbound", line)
        change = text("update user_account set employee_id = :employee where user_name = 'department_a'")
        with site.engine.begin() as conn:
            conn.execute(change, {"employee": None})
        clerk = BillClient(site, "department_a")
        assert not can_reach(clerk, nobodys)
        assert clerk.add("other_inbound", line).code == 400
        with site.engine.begin() as conn:
            conn.execute(change, {"employee": site.world.employee_a})


class TestWarehouses:
    def test_other_warehouses_bills_are_not_reached(self, site: Site) -> None:
        line, admin = {"goods_id": site.world.oil, "quantity": "1"}, BillClient(site)
        keeper = BillClient(site, "keeper_a")
        ours = admin.draft("other_inbound", line)
        theirs = admin.draft("other_inbound", line, warehouse_id=site.world.warehouse2_a)
        assert [can_reach(keeper, bill) for bill in (ours, theirs)] == [True, False]
        answer = keeper.add("other_inbound", line, warehouse_id=site.world.warehouse2_a)
        assert (answer.code, "无权使用" in answer.msg) == (400, True)

    def test_what_was_made_of_a_bill_that_moved_away_is_still_edited(self, site: Site) -> None:
        world, keeper = site.world, BillClient(site, "keeper_a")
        line = {"goods_id": world.oil, "quantity": "2", "price": "5"}
        order = keeper.add_audited("sales_order", line)
        [source] = keeper.line_ids(order)
        bill = keeper.draft("sales_outbound", {**line, "order_line_id": source})
        move = "update sales_order set warehouse_id = %s where bill_id = %s"
        with site.engine.begin() as conn:
            conn.exec_driver_sql(move, (world.warehouse2_a, order.id))
        body = {**keeper.read_bill(bill), "id": bill.id, "remark": "改过"}
        assert keeper.caller.post(keeper.path("sales_outbound", "edit"), body).ok
        assert keeper.add("sales_outbound", {**line, "order_line_id": source}).code == 400

    def test_goods_are_sent_to_any_warehouse_and_received_where_they_come_to(self, site: Site) -> None:
        world, keeper, goods = site.world, BillClient(site, "keeper_a"), site.world.spares[7]
        line, there = {"goods_id": goods, "quantity": "1"}, {"warehouse_id": world.warehouse2_a}
        for place in ({}, there):
            BillClient(site).stock_in(goods, 3, **place)
        path = "v2/system/Warehouse/getDropdown"
        offered = keeper.caller.get(path, beyond=1, company_id=world.company_a).data["data"]
        assert world.warehouse2_a in [row["warehouse_id"] for row in offered]
        assert world.warehouse_b not in [row["warehouse_id"] for row in offered]
        leaving = keeper.add_audited("transfer_out", line, to_warehouse_id=world.warehouse2_a)
        coming = BillClient(site).add_audited(
            "transfer_out", line, to_warehouse_id=world.warehouse_a, **there
        )

        path = keeper.path("transfer_in", "getDraft")
        draft = keeper.caller.get(path, id=coming.id).data
        assert keeper.add_audited("transfer_in", *draft.pop("lines"), **draft)
        answer = keeper.caller.get(path, id=leaving.id)
        assert (answer.code, answer.msg) == (400, "仓库调拨不存在或无权访问")

    def test_dropdowns_offer_ones_own(self, site: Site) -> None:
        keeper = site.as_("keeper_a")
        warehouses = keeper.get("v2/system/Warehouse/getDropdown").data["data"]
        assert [row["warehouse_id"] for row in warehouses] == [site.world.warehouse_a]
        places = keeper.get("v2/system/Allocation/getDropdown").data["data"]
        assert {row["warehouse_id"] for row in places} == {site.world.warehouse_a}

    def test_the_picker_counts_ones_own_stock(self, site: Site) -> None:
        world, goods = site.world, site.world.spares[1]
        BillClient(site).stock_in(goods, 3)
        BillClient(site).stock_in(goods, 4, warehouse_id=world.warehouse2_a)
        path = "v2/inventory/Goods/getGoodsListPopup"

        def stocks(user: str, **more: Any) -> list[str]:
            return [row["stocks"] for row in site.as_(user).get(path, goods_id=goods, **more).data["data"]]

        assert stocks("manager_a") == ["7.000"]
        assert stocks("keeper_a") == ["3.000"]
        assert stocks("keeper_a", warehouse_id=world.warehouse2_a) == ["0"]
        batches = site.as_("keeper_a").get(
            "v2/inventory/GoodsBatch/getBatchlist", goods_id=goods, warehouse_id=world.warehouse2_a
        )
        assert batches.data == []
