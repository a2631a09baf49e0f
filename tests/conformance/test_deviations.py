"""Deviations from the specification, as the rows of docs/specification.md have them."""

from __future__ import annotations

import inspect
from typing import Any

from sqlalchemy import Connection

from api.importing import count_sheets, initialisation_calls, line_sheets, record_sheets, sheet_upload
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.validation_rules import DECIMALS
from api.kit.http import request_body
from tests.conformance.statements import PROJECT
from tests.support.api_document import load_document
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site

NUMBERS = "CGRK CGTH TBRK QTRK DBRK PYRK TCYK XSCK XSDB XSTH TBTH TBCK QTCK DBCK PYCK PKCK KHSK"
_COUNT_REQUESTS = "select (select count(*) from return_request) + (select count(*) from refund_request) + (select count(*) from popup_log)"


def list_paths(method: str = "") -> set[str]:
    """Return the calls that answer, of one method or any."""
    return {path for path, item in load_document()["paths"].items() if not method or method.lower() in item}


def test_bill_numbers_begin_as_written() -> None:
    """Statement 158, as written."""
    assert set(NUMBERS.split()) - set(registry.map_prefixes()) == set()


def test_no_refund_is_asked_for_by_itself(desk: BillClient, conn: Connection) -> None:
    """docs/specification.md#54: goods that never come end with a person who closes the order."""
    order = desk.add_audited(
        "purchase_order", {"goods_id": desk.world.spares[0], "quantity": "5", "price": "10"}
    )
    before = conn.exec_driver_sql(_COUNT_REQUESTS).scalar_one()
    conn.rollback()
    assert desk.apply_action("close", order).ok
    assert conn.exec_driver_sql(_COUNT_REQUESTS).scalar_one() == before


def test_no_call_restores() -> None:
    """docs/specification.md#127: a backup is made, checked and fetched over HTTP, and restored by hand."""
    backup = {path.rsplit("/", 1)[1] for path in list_paths() if path.startswith("/v2/system/Backup/")}
    assert {"backup", "verify", "getFile"} <= backup
    assert [path for path in list_paths() if "restore" in path.lower()] == []


def test_decimals() -> None:
    """docs/specification.md#178: of money, quantities, prices and rates."""
    assert DECIMALS == {"money": 2, "quantity": 3, "price": 6, "rate": 4, "integer": 0}


def test_only_lines_of_bills_come_as_csv() -> None:
    """docs/specification.md#198: every other import takes workbooks alone."""
    assert inspect.signature(sheet_upload.receive_sheet).parameters["csv"].default is False
    taking = {
        module.__name__: inspect.getsource(module).count("csv=True")
        for module in (line_sheets, count_sheets, record_sheets, initialisation_calls)
    }
    assert taking == {
        "api.importing.line_sheets": 1,
        "api.importing.count_sheets": 0,
        "api.importing.record_sheets": 0,
        "api.importing.initialisation_calls": 0,
    }


def test_forms_are_taken_and_the_browser_sends_json(site: Site) -> None:
    """docs/specification.md#208: a form does the same as JSON, which tells nothing from an empty text."""
    admin = site.as_("admin")
    for name, sent in (("卷", {"form": {"unit_name": "卷"}}), ("捆", {"body": {"unit_name": "捆"}})):
        added = admin.post("v2/system/Unit/add", **sent)
        assert added.ok
        assert admin.get("v2/system/Unit/getInfo", id=added.data["id"]).data["unit_name"] == name
    sends = (PROJECT / "web/src/lib/api.ts").read_text("utf-8")
    assert "'Content-Type': 'application/json'" in sends
    assert "x-www-form-urlencoded" not in sends


def test_a_purchase_price_holds_when_it_is_saved(desk: BillClient) -> None:
    """docs/specification.md#232: it has no audit, and every bill of a purchase has."""
    world, goods = desk.world, desk.world.spares[1]
    agreed = {"company_id": world.company_a, "supplier_id": world.supplier, "goods_id": goods}
    assert desk.caller.post("v2/purchase/Price/add", {**agreed, "purchase_price": "75"}).ok
    query = {
        "goods_id": goods,
        "bill_type": "CGDD",
        "supplier_id": world.supplier,
        "company_id": world.company_a,
    }
    [row] = desk.caller.get("v2/inventory/Goods/getGoodsListPopup", **query).data["data"]
    assert (row["unit_price"], row["price_source"]) == ("75.00", "供应商价")
    [change] = desk.caller.get("v2/system/PriceChangeLog/getList", goods_id=goods).data["data"]
    assert change["goods_id"] == goods
    audits = ("auditorPass", "auditorNoPass", "invalid", "antiAuditor")
    assert [name for name in audits if f"/v2/purchase/Price/{name}" in list_paths()] == []
    wanted = ("add", "edit", "getInfo", *audits)
    families = {
        cls.declaration.api
        for cls in registry.list_resources()
        if issubclass(cls, Bill) and "/purchase/" in cls.declaration.api
    }
    lacking = {f"{api}/{name}" for api in families for name in wanted if f"/{api}/{name}" not in list_paths()}
    assert lacking == set()
    assert len(families) >= 8


def test_calls_of_a_customer() -> None:
    """docs/specification.md#234: certified customers and fences come with the screen that they belong to."""
    assert {
        f"/v2/custom/Customer/{name}" for name in ("getCustomerInfo", "edit", "audit", "bindingSalesman")
    } <= list_paths()
    pending = (PROJECT / "tests/shell/pending_screens.txt").read_text("utf-8").splitlines()
    assert "/custom/service_station_list" in pending


def test_a_file_is_asked_for_and_fetched(site: Site) -> None:
    """docs/specification.md#244: by POST; what is fetched by GET is looked at again by right."""
    assert [path for path in list_paths("get") if path.endswith("/export")] == []
    asked: Any = site.as_("admin").post("v2/system/Unit/export").data
    assert set(asked) >= {"export_id"}
    row = site.as_("admin").get("v2/open/ExportLog/getExportLogList").data["data"][0]
    assert row["export_status"] != 1
    assert "url" in row


def test_bodies_have_an_end() -> None:
    """docs/specification.md#269"""
    found = (request_body.LOGIN, request_body.UNAUTHENTICATED, request_body.TEXT, request_body.FILES)
    assert found == (16 * 1024, 64 * 1024, 8 * 1024 * 1024, 52 * 1024 * 1024)


def read_web_source(path: str) -> str:
    return (PROJECT / "web/src" / path).read_text("utf-8")


def test_the_picker_keeps_to_the_window() -> None:
    """docs/specification.md#164: as large as written where the window has room."""
    source = read_web_source("engine/pickers/GoodsPicker.tsx")
    assert "const WIDTH = 1500;" in source
    assert "const HEIGHT = 700;" in source
    assert "100vh" in source


def test_nothing_waits_after_an_audit() -> None:
    """docs/specification.md#173: lists are read anew at once."""
    assert "setTimeout" not in read_web_source("engine/actions.tsx")


def test_sizes_are_observed_not_asked_for() -> None:
    """docs/specification.md#265"""
    source = read_web_source("lib/useElementSize.ts")
    assert "new ResizeObserver" in source
    assert "setInterval" not in source
