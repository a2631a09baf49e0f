"""The calls of every registered type: they answer, to their schema, within their right."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from sqlalchemy import UniqueConstraint

from api.kit.declaration.resource import Declared, Resource
from api.master.lookups.lookup_rights import list_lookup_resources
from tests.support.api_document import find_schema_errors, load_document
from tests.support.declared_types import DECLARED, add_record, addable, find_or_add_record, named
from tests.support.fixtures import Site
from tests.support.payloads import payload_of, text_of
from tests.support.type_rules import for_each_type

pytestmark = pytest.mark.usefixtures("figures")  # declared reports answer from what is published
TWINS = {
    "customer": "customer_mobile",
    "goods": "barcode",
    "company_goods": "goods_id",
    "business_target": "month",
    "shopping_cart": "goods_id",
    "safety_stock": "goods_id",
    "sales_price": "goods_id",
    "supplier_price": "goods_id",
    "supplier_rebate": "cycle_start",
    "customer_rebate": "cycle_start",
    "year_close": "year",
    "account_count": "business_date",
    "stock_area_member": "stock_area_id",
}
"""What two records of a class must differ in, where it is no free text."""
ALONG = {
    "goods_id": ("goods_name", "goods_num"),
    "stock_area_id": ("stock_area_name",),
    "cycle_start": ("cycle_end",),
}
"""What differs with it."""


class TestReading:
    @named
    @pytest.mark.parametrize("user", ["admin", "clerk_a"])
    def test_list_and_detail_answer_to_their_schema(self, site: Site, cls: type[Resource], user: str) -> None:
        api, caller = cls.declaration.api, site.as_(user)
        find_or_add_record(site, cls)
        page = caller.get(f"{api}/getList", per_page=10)
        assert page.ok
        assert find_schema_errors("get", f"{api}/getList", page) == []
        for row in page.data["data"][:3]:
            detail = caller.get(f"{api}/getInfo", id=row[cls.key().key])
            assert detail.ok
            assert find_schema_errors("get", f"{api}/getInfo", detail) == []

    @named
    def test_an_unknown_record_is_not_found(self, site: Site, cls: type[Resource]) -> None:
        for call in ("getInfo", "getLog"):
            answer = site.as_("admin").get(f"{cls.declaration.api}/{call}", id=999_999_999)
            assert (answer.code, answer.msg) == (400, f"{cls.declaration.label}不存在或无权访问")

    @addable
    def test_the_log_says_who_added(self, site: Site, cls: type[Resource]) -> None:
        answer = site.as_("admin").get(f"{cls.declaration.api}/getLog", id=find_or_add_record(site, cls))
        assert find_schema_errors("get", f"{cls.declaration.api}/getLog", answer) == []
        assert [(row["action"], row["action_name"], row["user_name"]) for row in answer.data] == [
            ("add", "新增", "管理员")
        ]

    @for_each_type(cls for cls in DECLARED if cls.bill is None and cls.name() in list_lookup_resources())
    def test_the_dropdown_finds_a_record_by_its_key(self, site: Site, cls: type[Resource]) -> None:
        key = find_or_add_record(site, cls)
        answer = site.as_("admin").get(f"{cls.declaration.api}/getDropdown", id=key, per_page=5, keyword="")
        assert answer.ok
        shown = [row for row in answer.data["data"] if row[cls.key().key] == key]
        enabled = any(item.name == "enabled" for item in cls.fields())
        assert key is None or bool(shown) != enabled  # the generic payload disables what can be disabled


class TestDelete:
    @addable
    def test_an_unused_record_is_deleted(self, site: Site, cls: type[Resource]) -> None:
        key, caller = add_record(site, cls), site.as_("admin")
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
        key = add_record(site, cls)
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


class TestNames:
    """Calls that answer under further names of the specification."""

    def test_every_name_of_a_call_asks_for_its_right(self) -> None:
        """And takes and gives the same."""
        described = load_document()["paths"]
        named = [cls for cls in DECLARED if cls.declaration.also_called or cls.declaration.also_at]
        assert len(named) > 10
        for cls in named:
            usual = {path for path in described if path.rpartition("/")[0] == f"/{cls.declaration.api}"}
            for one in usual & {
                f"/{cls.declaration.api}/{name}" for name in (*cls.declaration.also_called, "getList")
            }:
                [_, *others] = cls.declaration.paths(one.rpartition("/")[2])
                for other in others:
                    for method, operation in described[one].items():
                        found = described[f"/{other}"][method]
                        for part in ("x-right", "responses", "parameters", "requestBody"):
                            assert found.get(part) == operation.get(part), other

    def test_no_name_is_two_calls(self) -> None:
        given = [
            path
            for cls in DECLARED
            for name in {*cls.declaration.also_called, "getList"}
            for path in cls.declaration.paths(name)
        ]
        assert len(given) == len(set(given))


class TestForm:
    @addable
    def test_a_form_encoded_body_is_read_like_json(self, site: Site, cls: type[Resource]) -> None:
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
        own = {cls.key().key, "bill_no", "made_at", "revision", *_unique_texts(cls), "logogram"}
        own |= _list_moments(cls)
        own |= {twin := TWINS.get(cls.name(), ""), *ALONG.get(twin, ())}
        for row in (one, other):
            for block in cls.blocks():
                for line in row[block.name]:
                    for name in ("line_id", *_list_moments(block.cls)):
                        line.pop(name)
        assert {k: v for k, v in one.items() if k not in own} == {
            k: v for k, v in other.items() if k not in own
        }

    @addable
    def test_ids_come_as_a_list_in_a_form(self, site: Site, cls: type[Resource]) -> None:
        key = add_record(site, cls)
        answer = site.as_("admin").post(f"{cls.declaration.api}/del", form={"ids": f"[{key}]"})
        assert answer.ok, answer


def _list_moments(cls: type[Declared]) -> set[str]:
    """Return the server-set timestamp fields."""
    return {item.name for item in cls.fields() if item.kind == "datetime" and not item.form}


def _form_text(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _unique_texts(cls: type[Resource]) -> set[str]:
    """Return text fields under a unique constraint or index, alone or with others."""
    columns = {column.name for column in cls.table().columns if column.unique}
    for constraint in cls.table().constraints:
        if isinstance(constraint, UniqueConstraint):
            columns |= {column.name for column in constraint.columns}
    for index in cls.table().indexes:
        if index.unique:
            columns |= {column.name for column in index.columns}
    return {item.name for item in cls.fields() if item.name in columns and item.kind == "text" and item.form}


class TestExport:
    @for_each_type(cls for cls in DECLARED if "export" in cls.declaration.actions)
    def test_an_export_is_recorded_for_its_asker(self, site: Site, cls: type[Resource]) -> None:
        path = f"{cls.declaration.api}/export"
        asked = site.as_("admin").post(path, query={"per_page": 10})
        assert asked.ok, asked
        assert find_schema_errors("post", path, asked) == []
        newest = site.as_("admin").get("v2/open/ExportLog/getExportLogList").data["data"][0]
        assert newest["export_id"] == asked.data["export_id"]
        others = site.as_("clerk_a").get("v2/open/ExportLog/getExportLogList").data["data"]
        assert asked.data["export_id"] not in [row["export_id"] for row in others]
