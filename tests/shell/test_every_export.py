"""Every list is exported: it opens and says what it holds. What it may show to whom the tests of hidden fields say."""

from __future__ import annotations

import zipfile
from typing import Any

import openpyxl
import pytest
from sqlalchemy import text

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from api.shell.files import export_job
from api.shell.files.export_tasks import DONE
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site
from tests.support.type_rules import for_each_type

assert catalogue.__all__
EXPORTED = [cls for cls in registry.list_resources() if "export" in cls.declaration.actions]
named = for_each_type(EXPORTED)


@pytest.fixture(scope="module", autouse=True)
def trade(site: Site, desk: BillClient, figures: None) -> None:
    """Something to list, with texts that a spreadsheet would compute."""
    world = site.world
    desk.stock_in(world.tube, 10, remark="=1+1")
    line = {"goods_id": world.tube, "quantity": "4", "price": "226", "tax_rate": "13", "remark": "@SUM(A1)"}
    desk.add_audited("sales_outbound", line, remark="\t=cmd|'/c calc'!A0")
    with site.engine.begin() as conn:
        for name in ("goods_name", "specification_type", "pattern", "factory_code"):
            conn.execute(text(f"update goods set {name} = '=' || coalesce({name}, '1+1')"))
        conn.execute(text("update customer set customer_name = '+' || customer_name, address = '-1'"))
        conn.execute(text("update supplier set supplier_name = '@' || supplier_name"))


def export_list(site: Site, cls: type[Resource]) -> tuple[int, dict[str, Any]]:
    answer = site.as_("admin").post(f"{cls.declaration.api}/export")
    assert answer.ok, answer
    key: int = answer.data["export_id"]
    export_job.export_list(export_id=key)
    rows = site.as_("admin").get("v2/open/ExportLog/getExportLogList").data["data"]
    [row] = [row for row in rows if row["export_id"] == key]
    return key, row


@named
def test_it_is_written_without_a_formula(site: Site, cls: type[Resource]) -> None:
    key, row = export_list(site, cls)
    assert (row["export_status"], row["failure"]) == (DONE, None)
    with zipfile.ZipFile(export_job.export_path(key)) as book:
        sheets = [book.read(name).decode() for name in book.namelist() if "worksheets/sheet" in name]
    assert not any("<f>" in sheet or "<hyperlink" in sheet for sheet in sheets)
    book = openpyxl.load_workbook(export_job.export_path(key), read_only=True)
    told = {label.value: value.value for label, value in book["导出说明"].iter_rows()}
    assert told["列表"] == cls.declaration.label
    assert int(told["行数"]) == row["rows"]
    assert told["筛选条件"] == "全部"
