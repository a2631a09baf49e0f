"""The calls of every registered type: they answer, to their schema, within their right."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from api import catalogue
from api.kit import registry
from api.kit.flow import TRANSITIONS
from api.kit.resource import ACTION_LABELS, Resource
from api.kit.settings import PROJECT_DIR
from tests.kit.client import Answer
from tests.kit.fixtures import Site
from tests.kit.payloads import payload_of, text_of

assert catalogue.__all__
DECLARED = list(registry.declared())
named = pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.name())
addable = pytest.mark.parametrize(
    "cls", [cls for cls in DECLARED if "add" in cls.declaration.actions], ids=lambda cls: cls.name()
)
UNLISTED = {
    "/system/stockinitialization",
    "/MoneyManagement/fundTransfer",
    "/MoneyManagement/accountDays",
    "/MoneyManagement/accountJournal",
    "/inventory/stockmoves",
    "/inventory/costprice",
    "/inventory/tireregistration",
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
    "/purchase/purchaseUninvoiced",
    "/purchase/purchaseInvoiceDetail",
}
"""Screens that the list of routes leaves out: opening stock, the moves behind a stock, registrations of tyre numbers,
what `erp check` proves, files that a company was initialised with, who bears the freight, accounts of suppliers,
what a naming rule would change, areas of stock and their companies, texts of messages, forms of rebates, the lines that
earned them, the movements of customers' rebates, bills to be invoiced and
what was invoiced of them, consigned goods and those that came back, statements of accounts, what was spoken with potential customers."""
TWINS = {
    "company_goods": "goods_id",
    "shopping_cart": "goods_id",
    "safety_stock": "goods_id",
    "sales_price": "goods_id",
    "supplier_price": "goods_id",
    "supplier_rebate": "cycle_start",
    "customer_rebate": "cycle_start",
    "year_close": "year",
    "stock_area_member": "stock_area_id",
}
"""What two records of a class must differ in, where it is no free text."""
ELSEWHERE = {
    ("backup", "download"): ("get", "/v2/system/Backup/getFile"),
    ("print_template", "setup"): ("post", "/v2/system/PrintSetup/addPrint"),
    ("sms_bill", "send"): ("post", "/v2/system/Sms/sendSms"),
    ("initialisation_task", "upload"): ("post", "/open/Initialization/initializationInventoryGoods"),
}
"""Actions whose call is a file's, or has a place that the specification gives."""
BILLS = [cls for cls in DECLARED if cls.bill]
billed = pytest.mark.parametrize("cls", BILLS, ids=lambda cls: cls.name())
ROUTES = PROJECT_DIR.parent / "shared" / "spec" / "routes.csv"


@pytest.fixture(scope="module")
def document(site: Site) -> dict[str, Any]:
    found: dict[str, Any] = site.http.app.openapi()  # type: ignore[attr-defined]
    return found


def conforms(document: dict[str, Any], method: str, path: str, answer: Answer) -> list[str]:
    """Where an answer breaks its documented schema."""
    operation = document["paths"]["/" + path][method.lower()]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    validator = Draft202012Validator({**schema, "components": document["components"]})
    sent = {"code": answer.code, "msg": answer.msg, "data": answer.data}
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(sent)]


def added(site: Site, cls: type[Resource]) -> int:
    answer = site.as_("admin").post(f"{cls.declaration.api}/add", payload_of(cls, site.world))
    assert answer.ok, answer
    key: int = answer.data["id"]
    return key


class TestReading:
    @named
    @pytest.mark.parametrize("user", ["admin", "clerk_a"])
    def test_list_and_detail_answer_to_their_schema(
        self, site: Site, document: dict[str, Any], cls: type[Resource], user: str
    ) -> None:
        api, caller = cls.declaration.api, site.as_(user)
        if "add" in cls.declaration.actions:
            added(site, cls)
        page = caller.get(f"{api}/getList", per_page=10)
        assert page.ok
        assert conforms(document, "get", f"{api}/getList", page) == []
        for row in page.data["data"][:3]:
            detail = caller.get(f"{api}/getInfo", id=row[cls.key().key])
            assert detail.ok
            assert conforms(document, "get", f"{api}/getInfo", detail) == []

    @named
    def test_an_unknown_record_is_not_found(self, site: Site, cls: type[Resource]) -> None:
        for call in ("getInfo", "getLog"):
            answer = site.as_("admin").get(f"{cls.declaration.api}/{call}", id=999_999_999)
            assert (answer.code, answer.msg) == (400, f"{cls.declaration.label}不存在或无权访问")

    @addable
    def test_the_log_says_who_added(self, site: Site, document: dict[str, Any], cls: type[Resource]) -> None:
        answer = site.as_("admin").get(f"{cls.declaration.api}/getLog", id=added(site, cls))
        assert conforms(document, "get", f"{cls.declaration.api}/getLog", answer) == []
        assert [(row["action"], row["action_name"], row["user_name"]) for row in answer.data] == [
            ("add", "新增", "管理员")
        ]

    @pytest.mark.parametrize("cls", [c for c in DECLARED if c.bill is None], ids=lambda cls: cls.name())
    def test_the_dropdown_finds_a_record_by_its_key(self, site: Site, cls: type[Resource]) -> None:
        key = added(site, cls) if "add" in cls.declaration.actions else None
        answer = site.as_("admin").get(f"{cls.declaration.api}/getDropdown", id=key, per_page=5, keyword="")
        assert answer.ok
        shown = [row for row in answer.data["data"] if row[cls.key().key] == key]
        enabled = any(item.name == "enabled" for item in cls.fields())
        assert key is None or bool(shown) != enabled  # the generic payload disables what can be disabled


class TestList:
    @named
    def test_pages_follow_each_other(self, site: Site, cls: type[Resource]) -> None:
        if "add" in cls.declaration.actions:
            for _ in range(3):
                added(site, cls)
        caller, api, key = site.as_("admin"), cls.declaration.api, cls.key().key
        whole = caller.get(f"{api}/getList", per_page=500, order_key=key, order_by="asc").data
        total, size = whole["total"], max(2, whole["total"] // 20)
        pages = [
            row
            for page in range(1, -(-total // size) + 1)
            for row in caller.get(
                f"{api}/getList", page=page, per_page=size, order_key=key, order_by="asc"
            ).data["data"]
        ]
        assert [row[key] for row in pages][:500] == [row[key] for row in whole["data"]]
        assert len({row[key] for row in pages}) == len(pages) == total
        assert [row[key] for row in pages] == sorted(row[key] for row in pages)

    @named
    def test_every_search_field_takes_a_value(self, site: Site, cls: type[Resource]) -> None:
        """A filter that no row fits empties the list: no declared filter is ignored."""
        if "add" in cls.declaration.actions:
            added(site, cls)
        caller, ignored = site.as_("admin"), []
        for item in cls.fields():
            if not item.search:
                continue
            name, value = item.name, "987654321"
            if item.kind in ("date", "datetime"):
                name, value = f"{item.name}_start", "2999-01-01"
            elif item.is_number:
                name = f"{item.name}_start"
            answer = caller.get(f"{cls.declaration.api}/getList", **{name: value})
            if not answer.ok or answer.data["total"]:
                ignored.append((name, answer.msg))
        assert not ignored

    @named
    def test_a_keyword_that_fits_nothing_finds_nothing(self, site: Site, cls: type[Resource]) -> None:
        if "add" in cls.declaration.actions:
            added(site, cls)
        answer = site.as_("admin").get(f"{cls.declaration.api}/getList", keyword="查无此物%_\\")
        assert answer.ok
        assert answer.data["total"] == 0

    @named
    def test_totals_cover_the_whole_filter(self, site: Site, cls: type[Resource]) -> None:
        from decimal import Decimal

        if "add" in cls.declaration.actions:
            added(site, cls)
        caller, api = site.as_("admin"), cls.declaration.api
        page = caller.get(f"{api}/getList", per_page=1).data
        whole = caller.get(f"{api}/getList", per_page=500).data
        totalled = {item.name for item in cls.fields() if item.total and item.list}
        assert totalled == page["totals"].keys()
        for name, total in page["totals"].items():
            assert Decimal(total) == sum((Decimal(row[name] or 0) for row in whole["data"]), Decimal(0))

    @named
    def test_a_query_beyond_its_bounds_is_refused(self, site: Site, cls: type[Resource]) -> None:
        for query in (
            {"page": "0"},
            {"page": "x"},
            {"per_page": "501"},
            {"order_by": "sideways"},
            {"order_key": "no_such_field"},
            {"order_key": "row_xid"},
            {"keyword": "x" * 101},
        ):
            answer = site.as_("admin").get(f"{cls.declaration.api}/getList", **query)
            assert (answer.status, answer.code) == (400, 400), query

    @named
    def test_odd_filter_values_are_refused_or_find_nothing(self, site: Site, cls: type[Resource]) -> None:
        """Nothing a client can write into a filter of any kind is an accident."""
        caller = site.as_("admin")
        filters = {
            (item.kind, bool(item.ref), bool(item.options)): item for item in cls.fields() if item.search
        }
        for item in filters.values():
            ranged = item.is_number or item.kind in ("date", "datetime")
            for name in (f"{item.name}_start", f"{item.name}_end") if ranged else (item.name,):
                for value in ("²", "9" * 400, "9999-12-31", "NaN", "a\x00b"):
                    answer = caller.get(f"{cls.declaration.api}/getList", **{name: value})
                    assert answer.code in (200, 400), (name, value, answer)


class TestDelete:
    @addable
    def test_an_unused_record_is_deleted(self, site: Site, cls: type[Resource]) -> None:
        key, caller = added(site, cls), site.as_("admin")
        answer = caller.post(f"{cls.declaration.api}/del", {"ids": [key]})
        assert answer.ok
        assert answer.data == {"success": [key], "failures": []}
        assert caller.get(f"{cls.declaration.api}/getInfo", id=key).code == 400

    @addable
    def test_nothing_selected_is_refused(self, site: Site, cls: type[Resource]) -> None:
        answer = site.as_("admin").post(f"{cls.declaration.api}/del", {"ids": []})
        assert (answer.code, answer.msg) == (400, "ids：请选择要操作的信息")

    @addable
    def test_what_is_missing_is_told_in_the_failure_table(self, site: Site, cls: type[Resource]) -> None:
        key = added(site, cls)
        answer = site.as_("admin").post(f"{cls.declaration.api}/del", {"ids": [999_999_999, key]})
        assert answer.data["success"] == [key]
        [failure] = answer.data["failures"]
        assert (failure["index"], failure["serial"]) == (1, "999999999")
        assert failure["msg"] == f"{cls.declaration.label}不存在或无权访问"

    @addable
    def test_odd_ids_are_refused(self, site: Site, cls: type[Resource]) -> None:
        for ids in (
            b"[1000000000000000000000000000000]",
            b"[-1]",
            '["²"]'.encode(),
            b"[1.5]",
            b'"1"',
            b"null",
        ):
            answer = site.as_("admin").post(f"{cls.declaration.api}/del", b'{"ids":' + ids + b"}")
            assert (answer.status, answer.code) == (400, 400), ids


class TestForm:
    @addable
    def test_a_form_encoded_body_is_read_like_json(self, site: Site, cls: type[Resource]) -> None:
        import orjson

        caller, api = site.as_("admin"), cls.declaration.api
        sent = payload_of(cls, site.world)
        form = {
            name: orjson.dumps(value).decode() if isinstance(value, list) else _form_text(value)
            for name, value in sent.items()
        }
        by_form = caller.post(f"{api}/add", form=form)
        assert by_form.ok, by_form
        json_twin = {**sent, **{name: text_of(cls.field(name)) for name in _unique_texts(cls)}}
        if cls.name() in TWINS:
            json_twin[TWINS[cls.name()]] = payload_of(cls, site.world)[TWINS[cls.name()]]
        by_json = caller.post(f"{api}/add", json_twin)
        assert by_json.ok, by_json
        one = caller.get(f"{api}/getInfo", id=by_form.data["id"]).data
        other = caller.get(f"{api}/getInfo", id=by_json.data["id"]).data
        own = {cls.key().key, "bill_no", "made_at", *_unique_texts(cls), "logogram"}
        if TWINS.get(cls.name()) == "goods_id":
            own |= {"goods_id", "goods_name", "goods_num"}
        if TWINS.get(cls.name()) == "stock_area_id":
            own |= {"stock_area_id", "stock_area_name"}
        if TWINS.get(cls.name()) == "cycle_start":
            own |= {"cycle_start", "cycle_end"}
        for row in (one, other):
            for block in cls.bill.blocks if cls.bill else ():
                for line in row[block.name]:
                    line.pop("line_id")
        assert {k: v for k, v in one.items() if k not in own} == {
            k: v for k, v in other.items() if k not in own
        }

    @addable
    def test_ids_come_as_a_list_in_a_form(self, site: Site, cls: type[Resource]) -> None:
        key = added(site, cls)
        answer = site.as_("admin").post(f"{cls.declaration.api}/del", form={"ids": f"[{key}]"})
        assert answer.ok, answer


def _form_text(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _unique_texts(cls: type[Resource]) -> set[str]:
    """Text fields under a unique constraint or index, alone or with others."""
    from sqlalchemy import UniqueConstraint

    columns = {column.name for column in cls.table().columns if column.unique}
    for constraint in cls.table().constraints:
        if isinstance(constraint, UniqueConstraint):
            columns |= {column.name for column in constraint.columns}
    for index in cls.table().indexes:
        if index.unique:
            columns |= {column.name for column in index.columns}
    return {item.name for item in cls.fields() if item.name in columns and item.kind == "text" and item.form}


class TestDocument:
    """The OpenAPI document, from which the web's types are generated."""

    @named
    def test_every_call_is_documented_with_its_right(
        self, document: dict[str, Any], cls: type[Resource]
    ) -> None:
        api = "/" + cls.declaration.api
        expected = {("get", "getList"): "list", ("get", "getInfo"): "list", ("get", "getLog"): "list"}
        expected |= {("post", name): name for name in cls.declaration.actions if name != "list"}
        for (method, name), action in expected.items():
            method, path = ELSEWHERE.get((cls.name(), name), (method, f"{api}/{name}"))
            operation = document["paths"][path][method]
            assert operation["x-right"] == cls.right(action)

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
    def test_a_screen_agrees_with_its_calls(
        self, site: Site, document: dict[str, Any], cls: type[Resource]
    ) -> None:
        for route in cls.declaration.routes.values():
            screen = site.as_("admin").get("v2/Open/Screen/getScreen", route=route)
            assert screen.ok, screen
            assert conforms(document, "get", "v2/Open/Screen/getScreen", screen) == []
            assert {item["name"] for item in screen.data["fields"]} >= {item.name for item in cls.fields()}
            assert {action["name"] for action in screen.data["actions"]} == {
                name for name in cls.declaration.actions if name != "list"
            }

    @named
    def test_references_can_be_chosen(
        self, site: Site, document: dict[str, Any], cls: type[Resource]
    ) -> None:
        """Each reference names a dropdown that exists, answers its value and label, and takes what narrows it."""
        caller = site.as_("admin")
        tables = [cls, *(block.cls for block in (cls.bill.blocks if cls.bill else ()))]
        header = {item.name for item in cls.fields()}
        for table in tables:
            known = header | {item.name for item in table.fields()}
            for item in table.fields():
                if not item.ref:
                    continue
                target = registry.get(item.ref.resource)
                path = f"/{target.declaration.api}/getDropdown"
                parameters = {p["name"] for p in document["paths"][path]["get"]["parameters"]}
                assert set(item.ref.within) <= known
                assert set(item.ref.within) <= parameters
                rows = caller.get(path, per_page=1).data["data"]
                for row in rows:
                    assert {target.key().key, target.declaration.title} <= row.keys()

    @named
    def test_every_label_is_chinese(self, cls: type[Resource]) -> None:
        tables = [cls, *(block.cls for block in (cls.bill.blocks if cls.bill else ()))]
        labels = [item.label for table in tables for item in table.fields()]
        assert [label for label in labels if not any("一" <= sign <= "鿿" for sign in label)] == []

    def test_every_action_has_a_label(self) -> None:
        unnamed = {name for cls in DECLARED for name in cls.declaration.actions} - ACTION_LABELS.keys()
        assert unnamed == set()
        assert TRANSITIONS.keys() <= ACTION_LABELS.keys()

    @pytest.mark.skipif(not ROUTES.is_file(), reason="the product's route list is not beside this checkout")
    @named
    def test_routes_are_the_products_or_lie_below_one(self, cls: type[Resource]) -> None:
        with ROUTES.open(encoding="utf-8") as file:
            known = {row["route"] for row in csv.DictReader(file)} | UNLISTED
        own = {route for route in cls.declaration.routes.values() if route.rsplit("/", 1)[0] not in known}
        assert own - known == set()


class TestMenu:
    def test_list_routes_lead_to_one_screen_each(self) -> None:
        routes = [route for cls in DECLARED for route in cls.declaration.routes.values()]
        assert len(routes) == len(set(routes))

    def test_the_third_segment_names_one_entry(self) -> None:
        from api.kit import menus

        codes = [entry.code for entry in menus.entries()]
        assert len(codes) == len(set(codes))


class TestExport:
    @named
    def test_an_export_is_recorded_for_its_asker(
        self, site: Site, document: dict[str, Any], cls: type[Resource]
    ) -> None:
        if "export" not in cls.declaration.actions:
            pytest.skip("not exported")
        path = f"{cls.declaration.api}/export"
        asked = site.as_("admin").post(path, query={"per_page": 10})
        assert asked.ok, asked
        assert conforms(document, "post", path, asked) == []
        newest = site.as_("admin").get("v2/open/ExportLog/getExportLogList").data["data"][0]
        assert newest["export_id"] == asked.data["export_id"]
        others = site.as_("clerk_a").get("v2/open/ExportLog/getExportLogList").data["data"]
        assert asked.data["export_id"] not in [row["export_id"] for row in others]
