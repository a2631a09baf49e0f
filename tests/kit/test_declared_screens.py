"""The document, the screens and the menu of every registered type agree with its calls."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from api.kit.declaration import menu, registry
from api.kit.declaration.flow import TRANSITIONS
from api.kit.declaration.resource import ACTION_LABELS, Resource
from api.kit.scope import alternatives_of
from api.kit.settings import PROJECT_DIR
from tests.support.api_document import find_schema_errors
from tests.support.declared_types import DECLARED, named
from tests.support.fixtures import Site

pytestmark = pytest.mark.usefixtures("figures")  # declared reports answer from what is published
UNLISTED = {
    "/system/stockinitialization",
    "/MoneyManagement/fundTransfer",
    "/MoneyManagement/contra",
    "/MoneyManagement/accountDays",
    "/MoneyManagement/accountCount",
    "/MoneyManagement/accountJournal",
    "/inventory/stockmoves",
    *("/report/board", "/report/businesstarget", "/report/businesstargetAdd", "/report/businesstargetSee"),
    *("/inventory/conversions", "/inventory/conversionsAdd", "/inventory/conversionsSee"),
    *("/inventory/conversionrecipe", "/inventory/conversiondetail"),
    "/inventory/deliverypromise",
    "/inventory/costprice",
    "/inventory/tireregistration",
    "/system/datadictionary",
    "/system/datastate",
    "/system/integrity",
    "/system/stationsetting",
    "/system/superstation",
    "/system/superstationreward",
    "/system/questionnaire",
    "/system/questionnairequestion",
    "/system/initialization",
    "/system/postagetype",
    "/system/supplieraccount",
    "/system/namerulepreview",
    "/system/stockarea",
    "/system/stockareamember",
    "/system/smstemplate",
    "/purchase/rebatedetailAdd",
    "/purchase/rebatelines",
    "/sales/customrebatedetailAdd",
    "/sales/customrebatedetailSee",
    "/sales/customrebatelines",
    "/sales/customrebateentries",
    "/custom/accountStatement",
    "/custom/potentialCustomerNotes",
    "/sales/salesUninvoiced",
    "/sales/salesInvoiceDetail",
    "/sales/salescommissionDetail",
    "/sales/salescommissionReturn",
    "/sales/salescommissionReturnDetail",
    "/sales/salessettlementDetail",
    "/sales/BidManagementDetail",
    "/sales/promotionDetail",
    "/system/customerinitializationDetail",
    "/system/supplierinitializationDetail",
    "/purchase/factoryPolicyDetail",
    "/purchase/planDetail",
    "/purchase/allocationDetail",
    "/purchase/returnRequestDetail",
    "/purchase/refundRequestDetail",
    "/purchase/purchaseUninvoiced",
    "/purchase/purchaseInvoiceDetail",
    "/report/ReportStatistic",
    "/report/explore",
    "/system/reportvisit",
    "/purchase/factoryOpenItems",
    "/custom/accountStatementDetail",
    "/sales/commissionScheme",
    "/report/commissiondetail",
    "/report/commissionsum",
}
"""Screens that the list of routes leaves out: opening stock, the moves behind a stock, registrations of tyre numbers,
what `erp check` proves, files that a company was initialised with, who bears the freight, accounts of suppliers,
what a naming rule would change, areas of stock and their companies, texts of messages, forms of rebates, the lines that
earned them, the movements of customers' rebates, bills to be invoiced and
what was invoiced of them, consigned goods and those that came back, the lines of plans, requests, allocations, quotes,
consignments, promotions, factory policies and opening balances, statements of accounts and their lines, what suppliers are still owed, what salespeople earn, what was spoken
with potential customers, which reports are used by whom, what the columns behind reports mean, of which data users draw their own charts."""
ELSEWHERE = {
    ("backup", "download"): ("get", "/v2/system/Backup/getFile"),
    ("print_template", "setup"): ("post", "/v2/system/PrintSetup/addPrint"),
    ("sms_bill", "send"): ("post", "/v2/system/Sms/sendSms"),
    ("initialisation_task", "upload"): ("post", "/open/Initialization/initializationInventoryGoods"),
}
"""Actions whose call is a file's, or has a place that the specification gives."""
CHOSEN = {item.ref.resource for cls in DECLARED for item in cls.fields() if item.ref}
OWN_RIGHTS = {
    "/v2/system/User/changePassword",
    "/v2/sales/PromotionPolicy/getGifts",
    "/v2/inventory/StockEarlyWarning/checkStock",
}
"""Calls below a type's address that ask no right of it: of oneself, or they prove what they tell on their own."""
NAMED_ELSEWHERE = {
    f"/{path}"
    for cls in DECLARED
    for name in cls.declaration.also_called
    for path in cls.declaration.paths(name)
    if path.rpartition("/")[0] != cls.declaration.api
}
"""What calls of one type go by below the address of another."""
ROUTES = PROJECT_DIR.parent / "shared" / "spec" / "routes.csv"


class TestDocument:
    """The OpenAPI document, from which the web's types are generated."""

    @named
    def test_every_call_is_documented_with_its_right(
        self, document: dict[str, Any], cls: type[Resource]
    ) -> None:
        api = "/" + cls.declaration.api
        expected = {("get", name): "list" for name in ("getList", "getInfo", "getLog", "getTotals")}
        expected |= {("post", name): name for name in cls.declaration.actions if name != "list"}
        for (method, name), action in expected.items():
            method, path = ELSEWHERE.get((cls.name(), name), (method, f"{api}/{name}"))
            operation = document["paths"][path][method]
            assert operation["x-right"] == cls.right(action)

    @named
    def test_every_call_below_a_type_asks_one_of_its_rights(
        self, document: dict[str, Any], cls: type[Resource]
    ) -> None:
        """Any user may but choose among what others refer to; types that share an address share its rights, and what a
        call of another type goes by here asks for that one's."""
        api = "/" + cls.declaration.api
        kin = [other for other in DECLARED if other.declaration.api == cls.declaration.api]
        own = {one.right(action) for one in kin for action in one.declaration.rights}
        chosen = cls.bill is None and (cls.name() in CHOSEN or bool(cls.declaration.lookup))
        free = OWN_RIGHTS | NAMED_ELSEWHERE | ({f"{api}/getDropdown"} if chosen else set())
        asked = {
            path: operation["x-right"]
            for path, item in document["paths"].items()
            for operation in item.values()
            if path.rsplit("/", 1)[0] == api and path not in free
        }
        assert {
            path: right for path, right in asked.items() if not own.issuperset(alternatives_of(right))
        } == {}

    def test_every_operation_has_a_typed_answer_and_a_right(self, document: dict[str, Any]) -> None:
        loose = [
            path
            for path, item in document["paths"].items()
            for operation in item.values()
            if "x-right" not in operation
            or "schema" not in operation["responses"]["200"].get("content", {}).get("application/json", {})
        ]
        assert loose == []

    def test_operation_ids_are_unique(self, document: dict[str, Any]) -> None:
        names = [op["operationId"] for item in document["paths"].values() for op in item.values()]
        assert len(names) == len(set(names))

    def test_a_row_documents_each_of_its_fields(self, document: dict[str, Any]) -> None:
        for cls in DECLARED:
            members = document["components"]["schemas"][f"{cls.__name__}Row"]["properties"]
            assert {item.name for item in cls.fields()} <= members.keys()


class TestScreen:
    @named
    def test_a_screen_agrees_with_its_calls(self, site: Site, cls: type[Resource]) -> None:
        for route in cls.declaration.routes.values():
            screen = site.as_("admin").get("v2/Open/Screen/getScreen", route=route)
            assert screen.ok, screen
            assert find_schema_errors("get", "v2/Open/Screen/getScreen", screen) == []
            assert {item["name"] for item in screen.data["fields"]} >= {item.name for item in cls.fields()}
            assert {action["name"] for action in screen.data["actions"]} == {
                name for name in cls.declaration.actions if name != "list"
            }

    @pytest.fixture(scope="class")
    def offered(self, site: Site) -> Callable[[str], list[dict[str, Any]]]:
        """Answers of dropdowns: many references lead to the same."""
        return cache(lambda path: site.as_("admin").get(path, per_page=1).data["data"])

    @named
    def test_references_can_be_chosen(
        self,
        offered: Callable[[str], list[dict[str, Any]]],
        document: dict[str, Any],
        cls: type[Resource],
    ) -> None:
        """Each reference names a dropdown that exists, answers its value and label, and takes what narrows it."""
        tables = [cls, *(block.cls for block in cls.blocks())]
        header = {item.name for item in cls.fields()}
        for table in tables:
            known = header | {item.name for item in table.fields()}
            for item in table.fields():
                if not item.ref:
                    continue
                target = registry.get_resource(item.ref.resource)
                path = f"/{target.declaration.api}/getDropdown"
                parameters = {p["name"] for p in document["paths"][path]["get"]["parameters"]}
                assert set(item.ref.within) <= known
                assert set(item.ref.within) <= parameters
                for row in offered(path):
                    assert {target.key().key, target.declaration.title} <= row.keys()

    @named
    def test_every_label_is_chinese(self, cls: type[Resource]) -> None:
        tables = [cls, *(block.cls for block in cls.blocks())]
        labels = [item.label for table in tables for item in table.fields()]
        assert [label for label in labels if not any("一" <= sign <= "鿿" for sign in label)] == []

    def test_every_action_has_a_label(self) -> None:
        unnamed = {name for cls in DECLARED for name in cls.declaration.rights} - ACTION_LABELS.keys()
        assert unnamed == set()
        assert TRANSITIONS.keys() <= ACTION_LABELS.keys()

    @pytest.mark.skipif(not ROUTES.is_file(), reason="the product's route list is not beside this checkout")
    @named
    def test_routes_are_the_products_or_lie_below_one(self, cls: type[Resource]) -> None:
        with ROUTES.open(encoding="utf-8") as file:
            known = {row["route"] for row in csv.DictReader(file)} | UNLISTED
        own = {route for route in cls.declaration.routes.values() if route.rsplit("/", 1)[0] not in known}
        assert own - known == set(), "a route of our own is named in UNLISTED"


class TestMenu:
    def test_list_routes_lead_to_one_screen_each(self) -> None:
        routes = [route for cls in DECLARED for route in cls.declaration.routes.values()]
        assert len(routes) == len(set(routes))

    def test_the_third_segment_names_one_entry(self) -> None:
        codes = [entry.code for entry in menu.list_entries()]
        assert len(codes) == len(set(codes))

    def test_forms_and_details_belong_to_the_entry_of_their_list(self, site: Site) -> None:
        answer = site.as_("admin").get("v2/Open/RoleAuth/getLeftMenuList").data
        leaves = [leaf for module in answer for group in module["sub"] for leaf in group["sub"]]
        pages = {page: leaf["route"] for leaf in leaves for page in leaf["pages"]}
        assert pages["/sales/salesReturnSee"] == "/sales/salesrefund"
        assert pages["/inventory/salesoutSee"] == "/inventory/salesoutstorage"
        assert pages["/sales/customreSee"] == "/sales/salesorder"
