"""Lists that name bills: a row is shown to those who may open its bill, so that each link opens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from sqlalchemy import Connection, Text, literal, select
from sqlalchemy.dialects import postgresql

from api import catalogue
from api.identity.sessions import read_principal
from api.kit.declaration import registry
from api.kit.declaration.detail_reports import DetailReport
from api.kit.declaration.document import Bill
from api.kit.declaration.resource import Resource
from api.kit.declaration.view import View
from api.kit.storage.bill_visibility import visible_numbers_column
from api.kit.storage.projection import MASK
from api.reporting.lists.list_report import ListReport
from tests.identity.test_data_scope import export_rows
from tests.support.bill_client import BillClient, SavedBill
from tests.support.bills import BILLS, BillFactory
from tests.support.client import Caller
from tests.support.fixtures import Site
from tests.support.payloads import payload_of

assert catalogue.__all__

NARROWED = ("keeper_a", "department_a", "own_a")
LISTS = [cls for cls in registry.list_resources() if "list" in cls.declaration.actions]
PUBLISHED = [cls for cls in LISTS if issubclass(cls, ListReport)]
BOOKS = [cls for cls in LISTS if not issubclass(cls, ListReport)]
CLOSED = {
    "receipt_write_off": NARROWED,
    "customer_statement": NARROWED,
    "supplier_statement": NARROWED,
    "commission": ("keeper_a", "department_a"),
    "stock_card": ("department_a", "own_a"),
}
"""Reports whose rows don't tell whose a bill is, by whom they are refused to."""
WORDS = re.compile(r"[\s、，。：；（）“”,:;()]+")


class CompanyBills:
    """The bills of a company: of two makers, departments and warehouses each."""

    def __init__(self, site: Site) -> None:
        self.site, world = site, site.world
        BillFactory(site)
        BillClient(site).stock_in(
            world.oil, 100000, warehouse_id=world.warehouse2_a, business_date="2026-01-02"
        )
        first = {"warehouse_id": world.warehouse_a, "department_id": world.department_a}
        second = {"warehouse_id": world.warehouse2_a, "department_id": world.department2_a}
        self.made = {
            (cls.name(), user, number)
            for cls in BILLS
            for user, number, place in (
                ("admin", 0, first),
                ("admin", 1, second),
                ("own_a", 0, first),
                ("own2_a", 1, second),
            )
            if self._create_bill(cls, user, place)
        }
        self._repay()

    def _repay(self) -> None:
        """Post the receipt of a customer with a credit limit."""
        desk, world = BillClient(self.site), self.site.world
        customer = desk.partner("customer", "限额客户")
        with self.site.engine.begin() as conn:
            limit = "update customer set credit_limit = 1000 where customer_id = %s"
            conn.exec_driver_sql(limit, (customer,))
        desk.add_audited(
            "sales_outbound", {"goods_id": world.oil, "quantity": "1", "price": "9"}, customer_id=customer
        )
        asked = {"company_id": world.company_a, "customer_id": customer}
        [item] = desk.caller.get(TestOpenItems.PATH, **asked).data["data"]
        paid = {"settlement_id": item["settlement_id"], "amount": "9"}
        desk.add_audited("customer_receipt", paid, customer_id=customer, amount="9")

    def _create_bill(self, cls: type[Bill], user: str, place: dict[str, int]) -> bool:
        desk, body = BillClient(self.site, user), payload_of(cls, self.site.world)
        if "customer_type_id" in body:
            body["customer_type_id"] = None  # the group's customers are of none
        moved = {name: key for name, key in place.items() if name in body}
        if body.get("warehouse_id") != self.site.world.warehouse_a:
            moved.pop("warehouse_id", None)
        elif body["warehouse_id"] != moved.get("warehouse_id", body["warehouse_id"]):
            body["lines"] = [{**line, "allocation_id": None} for line in body.get("lines", ())]
        saved = desk.caller.post(f"{cls.declaration.api}/add", {**body, **moved})
        if not saved.ok:
            return False
        made = SavedBill(cls.name(), saved.data["id"], saved.data["bill_no"])
        return desk.apply_action("auditorPass", made, confirmed=True).ok

    def numbers(self) -> dict[str, tuple[type[Bill], int]]:
        """Return every bill by its number."""
        with self.site.engine.connect() as conn:
            return {
                row.bill_no: (cls, row.bill_id)
                for cls in BILLS
                for row in conn.exec_driver_sql(f"select bill_id, bill_no from {cls.name()}")
            }

    def can_open(self, user: str, number: str) -> bool:
        cls, key = self.known[number]
        return self.is_listed(user, cls, key)

    def is_listed(self, user: str, cls: type[Resource], key: int) -> bool:
        return key in self.keys(user, cls)

    @cache  # noqa: B019
    def keys(self, user: str, cls: type[Resource]) -> frozenset[int]:
        """Return the bills of a type that a user lists, which are those that open for him."""
        found = self.site.as_(user).get(f"{cls.declaration.api}/getList", per_page=500).data
        assert found["total"] <= 500
        return frozenset(row["bill_id"] for row in found["data"])

    @cache  # noqa: B019
    def rows(self, user: str, cls: type[Resource]) -> list[dict[str, Any]]:
        """Return the rows of a list, of all days; nothing where it is closed."""
        days = {
            f"{name}_{end}": day
            for name, (_, item) in cls.search_fields().items()
            if item.kind == "date" and name in ("business_date", "days", "day")
            for end, day in (("start", "2025-12-01"), ("end", "2026-12-31"))
        }
        answer = self.site.as_(user).get(f"{cls.declaration.api}/getList", per_page=500, **days)
        if answer.code == 403:
            return []
        assert answer.ok, (cls.name(), answer)
        found: list[dict[str, Any]] = answer.data["data"]
        return found

    def find_named_bills(self, row: dict[str, Any]) -> Iterator[str]:
        """Yield the bill numbers in the texts of a row."""
        for name, value in row.items():
            if isinstance(value, str) and not name.endswith("_id_name") and name != "policy_name":
                yield from (word for word in WORDS.split(value) if word in self.known)

    def find_foreign_bills(self, user: str, lists: list[type[Resource]]) -> set[tuple[str, str]]:
        """Return the bills that lists name to a user and that don't open for him."""
        return {
            (cls.name(), number)
            for cls in lists
            for row in self.rows(user, cls)
            for number in self.find_named_bills(row)
            if not self.can_open(user, number)
        }

    @property
    def known(self) -> dict[str, tuple[type[Bill], int]]:
        if not hasattr(self, "_known"):
            self._known = self.numbers()
        return self._known


@pytest.fixture(scope="module")
def group(site: Site) -> CompanyBills:
    return CompanyBills(site)


class TestLists:
    def test_bills_are_of_two_makers_departments_and_warehouses(self, group: CompanyBills) -> None:
        by_admin = {name for name, user, _ in group.made if user == "admin"}
        assert by_admin >= {cls.name() for cls in BILLS}
        for user, number in (("own_a", 0), ("own2_a", 1), ("admin", 1)):
            assert len([1 for _, maker, place in group.made if (maker, place) == (user, number)]) > 25

    @pytest.mark.parametrize("user", NARROWED)
    def test_a_bill_opens_for_who_lists_it_and_for_no_other(self, group: CompanyBills, user: str) -> None:
        """One that he sees and one that he doesn't of each type."""
        told = []
        for cls in BILLS:
            mine, whole = group.keys(user, cls), group.keys("manager_a", cls)
            for key in (*sorted(mine)[:1], *sorted(whole - mine)[:1]):
                answer = group.site.as_(user).get(f"{cls.declaration.api}/getInfo", id=key)
                if answer.ok != (key in mine):
                    told.append((cls.name(), key))
        assert not told

    @pytest.mark.parametrize("user", NARROWED)
    def test_every_bill_that_is_named_opens(self, group: CompanyBills, user: str) -> None:
        """Whatever the list: one that names bills without saying whose they are fails here."""
        assert not group.find_foreign_bills(user, BOOKS)

    @pytest.mark.parametrize("user", NARROWED)
    def test_every_bill_that_ones_own_names_opens(self, group: CompanyBills, user: str) -> None:
        """In its head or its lines, and on the paper and in the files that are made of these."""
        told = set()
        for cls in BILLS:
            for key in group.keys(user, cls):
                found = group.site.as_(user).get(f"{cls.declaration.api}/getInfo", id=key).data
                blocks = [row for part in found.values() if isinstance(part, list) for row in part]
                told |= {
                    (cls.name(), number)
                    for row in (found, *blocks)
                    for number in group.find_named_bills(row)
                    if not group.can_open(user, number)
                }
        assert not told

    @pytest.mark.parametrize("user", NARROWED)
    def test_no_row_of_ones_own_bills_is_lost(self, group: CompanyBills, user: str) -> None:
        lost = []
        for cls in BOOKS:
            if not issubclass(cls, View) or cls.whose != "bill" or cls.name() == "business_log":
                continue
            key = cls.key().key
            whole = [row for row in group.rows("manager_a", cls) if group.can_open(user, row["bill_no"])]
            if [row[key] for row in whole] != [row[key] for row in group.rows(user, cls)]:
                lost.append(cls.name())
        assert not lost

    def test_lists_have_rows_to_tell_apart(self, group: CompanyBills) -> None:
        """Each list that names bills tells a manager of some that others may not open."""
        naming = [cls for cls in BOOKS if issubclass(cls, View) and cls.names_single_bills()]
        told = {
            cls.name()
            for cls in naming
            for row in group.rows("manager_a", cls)
            for number in group.find_named_bills(row)
            if not group.can_open("own_a", number)
        }
        assert {cls.name() for cls in naming} - told == set()

    @pytest.mark.parametrize("user", NARROWED)
    def test_rows_of_details_are_of_bills_that_open(self, group: CompanyBills, user: str) -> None:
        details = [cls for cls in registry.list_resources() if issubclass(cls, DetailReport)]
        told = [
            (cls.name(), row["bill_no"])
            for cls in details
            for row in group.rows(user, cls)
            if not group.is_listed(user, cls.of, row["bill_id"])
        ]
        assert details
        assert not told

    def test_an_export_is_the_list(self, group: CompanyBills, site: Site) -> None:
        for cls in map(registry.get_resource, ("sales_uninvoiced", "stock_move")):
            numbers = {row["bill_no"] for row in group.rows("own_a", cls)}
            assert numbers
            heading, *rows = export_rows(site, "own_a", cls)
            place = heading.index("单据号")
            assert {row[place] for row in rows} == numbers

    def test_totals_are_of_the_rows(self, group: CompanyBills, site: Site) -> None:
        api = "v2/sales/SalesUninvoiced"
        [mine, all_] = [site.as_(user).get(f"{api}/getTotals").data for user in ("own_a", "manager_a")]
        assert mine["total"] == len(group.rows("own_a", registry.get_resource("sales_uninvoiced")))
        assert 0 < mine["total"] < all_["total"]


class TestDeclarations:
    def test_what_does_not_say_whose_its_bills_are_is_closed(self, site: Site, conn: Connection) -> None:
        """A view that forgets to say it is told here: it stands with those that are closed on purpose."""
        users = {user: read_principal(conn, site.world.ids[f"user_{user}"]) for user in NARROWED}
        closed = {
            cls.name(): tuple(user for user, principal in users.items() if cls.is_closed_to(principal))
            for cls in LISTS
            if issubclass(cls, View)
        }
        assert {name: users for name, users in closed.items() if users} == CLOSED
        manager = read_principal(conn, site.world.user_manager_a)
        assert not [cls for cls in LISTS if issubclass(cls, View) and cls.is_closed_to(manager)]

    def test_sources_elsewhere_are_asked_for_one_by_one(self, site: Site, conn: Connection) -> None:
        """Postgres joins what does not exist; of several in one negation it makes subqueries, asked row by row."""
        keeper = read_principal(conn, site.world.ids["user_keeper_a"])
        drawn = {cls: asks for cls in BILLS if (asks := cls.table().info.get("of_sources"))}
        assert "purchase_invoice" in {cls.name() for cls in drawn}
        for cls, asks in drawn.items():
            told = str(asks(cls.table(), keeper).compile(dialect=postgresql.dialect()))
            assert cls.bill is not None
            assert told.count("NOT (EXISTS") == len(cls.bill.links), told

    @pytest.mark.parametrize("user", NARROWED)
    def test_what_stands_against_a_month_is_told_to_who_sees_all_bills(self, site: Site, user: str) -> None:
        asked = {"company_id": site.world.company_a, "period": "2026-01"}
        path = "v2/system/MonthClose/getQuestions"
        refused = site.as_(user).get(path, **asked)
        assert (refused.code, refused.msg.startswith("这涉及公司的全部单据")) == (400, True)
        assert site.as_("manager_a").get(path, **asked).ok

    def test_records_name_no_bills(self) -> None:
        """Tables that are no bills have no column of a bill's number: whose it is would be told by nothing."""
        kept = [
            (cls.name(), item.name)
            for cls in registry.list_resources()
            if not issubclass(cls, View | Bill | DetailReport)
            for item in cls.fields()
            if item.bill or item.name == "bill_no"
        ]
        assert kept == []


class TestPlaces:
    def test_a_move_into_ones_warehouse_is_shown_without_anothers_bill(self, site: Site) -> None:
        world, goods = site.world, site.world.spares[11]
        other, line = {"warehouse_id": world.warehouse2_a}, {"goods_id": goods, "quantity": "2"}
        BillClient(site).stock_in(goods, 5, **other)
        BillClient(site).add_audited("defective", line, to_warehouse_id=world.warehouse4_a, kind=1, **other)
        there = {"warehouse_id": world.warehouse4_a, "to_warehouse_id": world.warehouse_a, "kind": 2}
        brought = BillClient(site).add_audited("defective", line, **there)
        api = "v2/inventory/StockMove/getList"
        [seen] = site.as_("keeper_a").get(api, goods_id=goods).data["data"]
        assert (seen["bill_no"], seen["quantity"], seen["warehouse_id"]) == (MASK, "2.000", world.warehouse_a)
        assert site.as_("keeper_a").get(api, bill_no=brought.no).data["total"] == 0
        named = {row["bill_no"] for row in site.as_("manager_a").get(api, goods_id=goods).data["data"]}
        assert brought.no in named


class TestBusinessLog:
    @pytest.mark.parametrize("user", NARROWED)
    def test_entries_are_of_records_that_open(self, group: CompanyBills, site: Site, user: str) -> None:
        told = []
        before = 0
        while before is not None:
            page = site.as_(user).get("v2/system/BusinessLog/getPage", per_page=200, before=before).data
            for entry in page["data"]:
                cls = registry.get_resource(entry["resource"])
                if issubclass(cls, Bill) and not group.is_listed(user, cls, entry["record_id"]):
                    told.append((entry["resource"], entry["bill_no"]))
            before = page["next"]
        assert not told

    def test_a_keeper_is_not_told_of_another_warehouse(self, site: Site) -> None:
        desk, line = BillClient(site), {"goods_id": site.world.oil, "quantity": "1"}
        ours = desk.add_audited("other_inbound", line)
        theirs = desk.add_audited("other_inbound", line, warehouse_id=site.world.warehouse2_a)
        keeper, path = site.as_("keeper_a"), "v2/system/BusinessLog/{}"
        for call in ("getPage", "getList"):
            found = [
                {row["bill_no"] for row in keeper.get(path.format(call), bill_no=no).data["data"]}
                for no in (ours.no, theirs.no)
            ]
            assert found == [{ours.no}, set()]

    def test_what_one_deleted_oneself_stays_known(self, site: Site) -> None:
        desk = BillClient(site, "own_a")
        gone = desk.draft("other_inbound", {"goods_id": site.world.oil, "quantity": "1"})
        assert desk.apply_action("del", gone).ok
        rows = desk.caller.get("v2/system/BusinessLog/getPage", bill_no=gone.no).data["data"]
        assert [row["action"] for row in rows] == ["del", "add"]
        assert not site.as_("keeper_a").get("v2/system/BusinessLog/getPage", bill_no=gone.no).data["data"]


class TestOpenItems:
    PATH = "v2/custom/CustomerReceipt/getOpenItems"

    def test_they_are_of_bills_that_open(self, group: CompanyBills, site: Site) -> None:
        world = site.world
        asked = {"company_id": world.company_a, "customer_id": world.customer_a}
        whole = site.as_("manager_a").get(self.PATH, **asked).data["data"]
        for user in NARROWED:
            found = site.as_(user).get(self.PATH, **asked).data["data"]
            expected = [item for item in whole if group.can_open(user, item["bill_no"])]
            assert [item["settlement_id"] for item in found] == [item["settlement_id"] for item in expected]
            assert 0 < len(found) < len(whole)

    def test_anothers_item_is_not_settled(self, site: Site) -> None:
        """Nor is it asked for by its number, which the receipt would then tell of."""
        world, goods = site.world, site.world.spares[12]
        BillClient(site).stock_in(goods, 5)
        customer = BillClient(site).partner("customer", "只欠他人")
        line = {"goods_id": goods, "quantity": "1", "price": "100"}
        BillClient(site, "own2_a").add_audited("sales_outbound", line, customer_id=customer)
        asked = {"company_id": world.company_a, "customer_id": customer}
        [item] = site.as_("own2_a").get(self.PATH, **asked).data["data"]
        paid = {"settlement_id": item["settlement_id"], "amount": item["open_amount"]}
        header = {"customer_id": customer, "amount": item["open_amount"]}
        refused = BillClient(site, "own_a").add("customer_receipt", paid, **header)
        assert (refused.code, refused.msg) == (400, "第1行：待核销单据不存在或不属于该往来单位")
        assert BillClient(site, "own2_a").add("customer_receipt", paid, **header).ok


@pytest.mark.usefixtures("figures")
class TestPublished:
    """Reports of what is published, which here tell of the group's own bills."""

    @pytest.mark.parametrize("user", NARROWED)
    def test_every_bill_that_is_named_opens(self, group: CompanyBills, user: str) -> None:
        assert not group.find_foreign_bills(user, PUBLISHED)

    def test_free_words_are_searched_and_sorted_by(self, group: CompanyBills) -> None:
        free = [
            (cls, name) for cls in PUBLISHED for name, (_, item) in cls.search_fields().items() if item.free
        ]
        assert {cls.name() for cls, _ in free} == {"aftersales_detail", "guarantee_claim"}
        for cls, name in free:
            asked = {name: "XSCKA01", "order_key": name, "order_by": "asc"}
            answer = group.site.as_("keeper_a").get(f"{cls.declaration.api}/getList", **asked)
            assert answer.ok and answer.data["total"] == 0, answer

    @pytest.mark.parametrize("call", ["getList", "getTotals", "getChart", "getInfo"])
    def test_a_refusal_says_what_one_sees(self, site: Site, call: str) -> None:
        answer = site.as_("keeper_a").get(f"v2/report/CustomerStatement/{call}", id=1)
        told = "“客户往来明细”列出的单据不限于您的数据范围（1个仓库），您不能查看"
        assert (answer.code, answer.msg) == (403, told)
        assert site.as_("manager_a").get("v2/report/CustomerStatement/getList").ok


class TestInvoice:
    """An invoice has no warehouse: it is of those whose bills it invoices, with what they came to."""

    CALLS = "v2/purchase/PurchaseInvoice{}/getList"

    def draft_invoice(self, group: CompanyBills, number: str, *places: int) -> SavedBill:
        """Create a draft invoice of purchases into some warehouses."""
        desk, lines = BillClient(group.site), []
        for place in places:
            line = {"goods_id": group.site.world.oil, "quantity": "1", "price": "7"}
            bought = desk.add_audited("purchase_inbound", line, warehouse_id=place)
            lines.append({"inbound_line_id": desk.line_ids(bought)[0], "amount": "7"})
        return desk.draft("purchase_invoice", *lines, invoice_no=number, invoice_date="2026-01-05")

    def test_it_opens_where_all_its_sources_do(self, group: CompanyBills) -> None:
        world, site = group.site.world, group.site
        here, there = world.warehouse_a, world.warehouse2_a
        ours, theirs = (
            self.draft_invoice(group, "26000001", here),
            self.draft_invoice(group, "26000002", there),
        )
        mixed = self.draft_invoice(group, "26000003", here, there)
        for user, opened in (("keeper_a", [ours]), ("manager_a", [ours, theirs, mixed])):
            caller = site.as_(user)
            for invoice in (ours, theirs, mixed):
                info = caller.get("v2/purchase/PurchaseInvoice/getInfo", id=invoice.id)
                assert info.ok == (invoice in opened)
                for kind in ("", "Detail"):
                    found = caller.get(self.CALLS.format(kind), bill_no=invoice.no).data
                    assert bool(found["data"]) == bool(found["total"]) == (invoice in opened)

    def test_it_is_neither_printed_nor_changed_by_another_warehouse(self, group: CompanyBills) -> None:
        theirs = self.draft_invoice(group, "26000004", group.site.world.warehouse2_a)
        keeper, desk = BillClient(group.site, "keeper_a"), BillClient(group.site)
        changed = {**desk.read_bill(theirs), "id": theirs.id, "remark": "改过"}
        answers = {
            call: keeper.apply_action(call, theirs) for call in ("print", "printPdf", "printTask", "del")
        }
        answers["edit"] = keeper.caller.post(keeper.path("purchase_invoice", "edit"), changed)
        assert {call: answer.msg for call, answer in answers.items()} == dict.fromkeys(
            answers, "采购发票不存在或无权访问"
        )
        assert desk.caller.post(desk.path("purchase_invoice", "edit"), changed).ok
        assert desk.apply_action("del", theirs).ok


class TestHiddenNumbers:
    """By a number that is hidden from him nobody finds a row, or learns its place among others."""

    API = "v2/sales/DeliveryDetail/getList"

    @pytest.fixture(scope="class")
    def shipped(self, group: CompanyBills) -> list[SavedBill]:
        """Outbounds of another, one's own, and the other warehouse again, each on a delivery."""
        desk, world, made = BillClient(group.site), group.site.world, []
        header = payload_of(registry.get_resource("sales_delivery"), world)  # type: ignore[arg-type]
        header.pop("lines")
        for place in (world.warehouse2_a, world.warehouse_a, world.warehouse2_a):
            line = {"goods_id": world.oil, "quantity": "1", "price": "9"}
            customer = header["customer_id"]
            outbound = desk.add_audited("sales_outbound", line, warehouse_id=place, customer_id=customer)
            drawn = {"source_line_id": desk.line_ids(outbound)[0], "goods_id": world.oil, "quantity": "1"}
            desk.draft("sales_delivery", drawn, **header)
            made.append(outbound)
        return made

    def test_it_is_not_searched(self, group: CompanyBills, shipped: list[SavedBill]) -> None:
        keeper, manager = group.site.as_("keeper_a"), group.site.as_("manager_a")
        for asked in ("source_no", "keyword"):
            told = [
                [caller.get(self.API, **{asked: one.no}).data["total"] for one in shipped]
                for caller in (keeper, manager)
            ]
            assert told == [[0, 1, 0], [1, 1, 1]]

    @pytest.mark.parametrize("direction", ["asc", "desc"])
    def test_it_is_not_sorted_by(self, group: CompanyBills, shipped: list[SavedBill], direction: str) -> None:
        """What is hidden stands together, by when it was written."""
        asked = {"per_page": 500, "order_key": "source_no", "order_by": direction}
        rows = group.site.as_("keeper_a").get(self.API, **asked).data["data"]
        hidden = [place for place, row in enumerate(rows) if row["source_no"] == MASK]
        assert len(hidden) >= 2
        assert {row["source_no"] for row in rows} >= {shipped[1].no}
        assert hidden in ([*range(len(hidden))], [*range(len(rows) - len(hidden), len(rows))])

    @pytest.mark.parametrize("user", NARROWED)
    def test_no_list_finds_by_it(self, group: CompanyBills, shipped: list[SavedBill], user: str) -> None:
        told, asked = [], set()
        for cls in BOOKS:
            names = [name for name, (_, item) in cls.search_fields().items() if item.bill]
            closed = {no for row in group.rows("manager_a", cls) for no in group.find_named_bills(row)}
            foreign = [no for no in sorted(closed) if not group.can_open(user, no)][-5:]
            for name in names:
                asked |= {cls.name()} if foreign else set()
                told += [
                    (cls.name(), name, no)
                    for no in foreign
                    if group.site.as_(user).get(f"{cls.declaration.api}/getList", **{name: no}).data["total"]
                ]
        assert not told
        searched = {
            cls.name()
            for cls in BOOKS
            if issubclass(cls, View) and any(item.bill for _, item in cls.search_fields().values())
        }
        # Of a keeper of one warehouse not every list hides a number.
        assert asked and searched, "lists are asked for numbers that they hide from him"
        assert user == "keeper_a" or searched <= asked

    def test_no_list_finds_free_words_by_it(self, group: CompanyBills, shipped: list[SavedBill]) -> None:
        """What else is written there is found, by others the number too; nor does a row stand by it."""
        keeper, manager = group.site.as_("keeper_a"), group.site.as_("manager_a")
        numbers, asked = sorted((shipped[0].no, shipped[2].no), reverse=True), set()
        for cls in BILLS:
            free = [name for name, (owner, item) in cls.search_fields().items() if owner is cls and item.free]
            keys = sorted(group.keys("keeper_a", cls))[:2]
            for name in free if len(keys) == 2 else ():
                with group.site.engine.begin() as conn:
                    for number, key in zip(numbers, keys, strict=True):
                        statement = f"update {cls.name()} set {name} = %s where bill_id = %s"
                        conn.exec_driver_sql(statement, (f"随{number}件", key))

                def found(caller: Caller, cls: type[Bill] = cls, **query: str) -> list[int]:
                    path = f"{cls.declaration.api}/getList"
                    return [row["bill_id"] for row in caller.get(path, per_page=500, **query).data["data"]]

                for by in (name, "keyword"):
                    for number, key in zip(numbers, keys, strict=True):
                        assert found(keeper, **{by: number}) == [], (cls, by)
                        assert found(manager, **{by: number}) == [key], (cls, by)
                        assert found(keeper, **{by: number[:-2]}) == [], (cls, by)
                placed = {name: "随", "order_key": name, "order_by": "asc"}
                assert (found(keeper, **placed), found(manager, **placed)) == (keys, keys[::-1]), cls
                asked.add(cls.name())
        assert asked >= {"other_inbound", "other_outbound", "stock_conversion", "transfer_out"}

    def test_several_numbers_are_shown_one_by_one(self, group: CompanyBills, conn: Connection) -> None:
        """As the list sorts by them."""
        world = group.site.world
        keeper = read_principal(conn, world.ids["user_keeper_a"])
        ours, theirs = (
            next(no for no in group.known if group.can_open("keeper_a", no) == opened)
            for opened in (True, False)
        )
        told = [f"{ours}、{theirs}", f"{theirs}、{ours}", ours, "其他", None]
        shown = [
            conn.execute(select(visible_numbers_column(keeper, literal(one, Text)))).scalar() for one in told
        ]
        assert shown == [f"{ours}、{MASK}", f"{MASK}、{ours}", ours, "其他", None]
