"""资料导入: prices from a sheet — new ones are added, known ones changed, bad rows come back with what is wrong."""

from __future__ import annotations

import base64
import io
import itertools
from typing import Any

import orjson
import pytest
from openpyxl import load_workbook

from tests.support.bill_client import BillClient
from tests.support.fixtures import Site, site, world
from tests.support.workbooks import build_workbook

__all__ = ["site", "world"]
SALES, BUYING = "v2/sales/SalesPrice", "v2/purchase/Price"
HEADING = ["公司", "商品编码", "客户", "销售价", "生效日期"]
_spares = itertools.count()


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    return BillClient(site)


@pytest.fixture
def goods(desk: BillClient) -> tuple[int, str]:
    key = desk.world.spares[next(_spares)]
    return key, desk.caller.get("v2/system/Goods/getInfo", id=key).data["goods_num"]


def send_sheet(
    desk: BillClient, call: str, *rows: list[Any], api: str = SALES, user: str = "admin"
) -> dict[str, Any]:
    response = desk.site.http.post(
        f"/{api}/{call}",
        files={"excel": ("价格.xlsx", build_workbook(*rows))},
        headers={"token": desk.world.tokens[user]},
    )
    found: dict[str, Any] = orjson.loads(response.content)
    return found


def company_name_of(desk: BillClient, mark: str = "a") -> str:
    key = getattr(desk.world, f"company_{mark}")
    return str(desk.caller.get("v2/system/Company/getInfo", id=key).data["company_name"])


def read_prices(desk: BillClient, goods: int) -> list[tuple[str, str | None, str | None]]:
    rows = desk.caller.get(f"{SALES}/getList", goods_id=goods).data["data"]
    return sorted((row["sale_price"], row["customer_name"], row["starts_on"]) for row in rows)


class TestImport:
    def test_new_prices_are_added_and_known_ones_changed(
        self, desk: BillClient, goods: tuple[int, str]
    ) -> None:
        key, code = goods
        rows = [
            [company_name_of(desk), code, "", 88.5, ""],
            [company_name_of(desk), code, "A客户", "80", "2026-03-01"],
        ]
        first = send_sheet(desk, "import", HEADING, *rows)["data"]
        assert first == {"added": 2, "changed": 0, "refused": 0, "failures": ""}
        rows[1][3] = "79"
        again = send_sheet(desk, "import", HEADING, *rows)["data"]
        assert (again["added"], again["changed"]) == (0, 2)
        assert read_prices(desk, key) == [("79.000000", "A客户", "2026-03-01"), ("88.500000", None, None)]

    def test_bad_rows_come_back_and_the_others_are_taken(
        self, desk: BillClient, goods: tuple[int, str]
    ) -> None:
        key, code = goods
        mine = company_name_of(desk)
        bad = [
            [mine, "没有这个编码", "", "5", ""],
            [mine, code, "", "-5", ""],
            [mine, code, "", "=1+1", "2026-13-01"],
            [mine, code, "没有这个客户", "5", ""],
            [mine, code, "", "6", ""],
        ]
        good = [mine, code, "", "5", ""]
        preview = send_sheet(desk, "previewImport", HEADING, good, *bad)["data"]
        assert (preview["total"], preview["refused"], preview["columns"][0]) == (6, 5, "公司")
        assert read_prices(desk, key) == []
        answer = send_sheet(desk, "import", HEADING, good, *bad)["data"]
        assert (answer["added"], answer["refused"]) == (1, 5)
        assert read_prices(desk, key) == [("5.000000", None, None)]
        page = load_workbook(io.BytesIO(base64.b64decode(answer["failures"]))).active
        assert page is not None
        told = [[cell.value for cell in row] for row in page.iter_rows()]
        assert told[0] == ["行号", "字段", "原因", *HEADING]
        assert [row[0] for row in told[1:]] == ["3", "4", "5", "6", "7"]
        assert told[1][1] == "商品编码"
        assert "没有找到“没有这个编码”" in told[1][2]
        assert told[5][2].endswith("与第2行重复")

    def test_a_rule_over_the_row_refuses_it_alone(self, desk: BillClient, goods: tuple[int, str]) -> None:
        heading = [*HEADING, "最低售价"]
        row = [company_name_of(desk), goods[1], "", "5", "", "6"]
        answer = send_sheet(desk, "import", heading, row)["data"]
        assert (answer["added"], answer["refused"]) == (0, 1)
        page = load_workbook(io.BytesIO(base64.b64decode(answer["failures"]))).active
        assert page is not None
        assert page["C2"].value == "最低售价不能高于销售价"

    def test_a_supplier_s_prices_too(self, desk: BillClient, goods: tuple[int, str]) -> None:
        supplier = desk.caller.get(desk.path("supplier", "getInfo"), id=desk.world.supplier).data
        heading = ["公司", "供应商", "商品编码", "采购价"]
        row = [company_name_of(desk), supplier["supplier_name"], goods[1], "45"]
        assert send_sheet(desk, "import", heading, row, api=BUYING)["data"]["added"] == 1
        [found] = desk.caller.get(f"{BUYING}/getList", goods_id=goods[0]).data["data"]
        assert found["purchase_price"] == "45.00"

    def test_the_template_is_read_back(self, desk: BillClient) -> None:
        for api in (SALES, BUYING):
            response = desk.caller.raw("GET", f"/{api}/getImportTemplate")
            page = load_workbook(io.BytesIO(response.content)).active
            assert page is not None
            heading = [cell.value for cell in page[1]]
            answer = send_sheet(desk, "previewImport", heading, [""] * len(heading), ["x"], api=api)
            assert answer["data"]["ignored"] == []

    def test_rights_scope_and_cost_hold(self, desk: BillClient, goods: tuple[int, str]) -> None:
        row = [company_name_of(desk, "b"), goods[1], "", "5", ""]
        assert send_sheet(desk, "import", HEADING, row, user="nobody")["code"] == 403
        mine = send_sheet(desk, "import", HEADING, row, user="manager_a")["data"]
        assert (mine["added"], mine["refused"]) == (0, 1)
        assert read_prices(desk, goods[0]) == []

    def test_what_is_no_sheet_of_prices_is_refused(self, desk: BillClient) -> None:
        assert "缺少列" in send_sheet(desk, "import", ["公司", "备注"], ["x", "y"])["msg"]
        assert send_sheet(desk, "import", HEADING)["msg"] == "文件里只有表头，没有数据"
