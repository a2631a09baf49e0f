"""明细导入: a template of a bill's lines, and what a filled sheet gives its form; nothing is saved by it."""

from __future__ import annotations

import io
from typing import Any

import orjson
import pytest
from openpyxl import load_workbook
from sqlalchemy import Connection

from api.kit.declaration import registry
from tests.support.bill_client import BillClient
from tests.support.database_state import fingerprint_tables
from tests.support.fixtures import Site, conn, site, world
from tests.support.workbooks import build_workbook as book_of

__all__ = ["conn", "site", "world"]
PATH = "/v2/Open/LineSheet"
BILLS = [cls for cls in registry.list_resources() if cls.bill]
NO_RESULT = "是公式而没有结果，请用 Excel 打开并保存，或改为数值或普通文字"
PRICED = [
    cls
    for cls in BILLS
    if cls.bill
    and any(
        item.name == "price" and item.asked_unless and item.writable
        for block in cls.bill.blocks
        if block.name == "lines"
        for item in block.cls.fields()
    )
]


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    return BillClient(site)


def send_sheet(
    desk: BillClient,
    content: bytes,
    bill: str = "other_inbound",
    name: str = "明细.xlsx",
    user: str = "admin",
    **header: Any,
) -> dict[str, Any]:
    response = desk.site.http.post(
        f"{PATH}/read",
        data={"bill": bill, "block": "lines", "header": orjson.dumps(header).decode()},
        files={"excel": (name, content)},
        headers={"token": desk.world.tokens[user]},
    )
    found: dict[str, Any] = orjson.loads(response.content)
    return found


class TestTemplate:
    @pytest.mark.parametrize("cls", BILLS, ids=lambda cls: cls.name())
    def test_every_block_has_one_that_is_read_back(self, desk: BillClient, cls: Any) -> None:
        for block in cls.bill.blocks:
            response = desk.caller.raw(
                "GET", f"{PATH}/getTemplate", query={"bill": cls.name(), "block": block.name}
            )
            wanted = {item.name for item in block.cls.fields() if item.writable and not item.hidden}
            if not wanted:
                assert orjson.loads(response.content)["msg"] == "明细不存在或无权访问"
                continue
            assert response.status_code == 200
            page = load_workbook(io.BytesIO(response.content)).active
            assert page is not None
            heading = [cell.value for cell in page[1]]
            assert len(heading) == len(wanted)
            assert len(set(heading)) == len(heading)

    def test_cost_that_one_may_not_see_is_not_in_it(self, site: Site, desk: BillClient) -> None:
        for user, shown in (("admin", True), ("clerk_a", False)):
            response = site.as_(user).raw(
                "GET", f"{PATH}/getTemplate", query={"bill": "cost_adjustment", "block": "lines"}
            )
            page = load_workbook(io.BytesIO(response.content)).active
            assert page is not None
            costs = {
                item.label
                for item in registry.get_resource("cost_adjustment").bill.blocks[0].cls.fields()  # type: ignore[union-attr]
                if item.permission and item.writable
            }
            assert bool(costs & {str(cell.value).strip("*") for cell in page[1]}) == (shown and bool(costs))

    @pytest.mark.parametrize(("bill", "block"), [("goods", "lines"), ("x", "lines"), ("other_inbound", "x")])
    def test_what_is_no_bill_has_none(self, desk: BillClient, bill: str, block: str) -> None:
        answer = desk.caller.get(f"{PATH}/getTemplate", bill=bill, block=block)
        assert answer.code == 400
        assert answer.msg.endswith("不存在或无权访问")


class TestReading:
    def test_goods_places_and_figures(self, desk: BillClient, conn: Connection) -> None:
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = send_sheet(
            desk,
            book_of(
                ["商品编码*", "库位", "批次(DOT)", "数量*", "单价", "赠品", "备注"],
                ["TUBE", "A库位", None, 2, "10.5", "是", "好"],
                ["tyre", None, "0126", "1,000", 3, None, None],
            ),
            warehouse_id=desk.world.warehouse_a,
        )
        assert answer["code"] == 200, answer
        assert answer["data"]["problems"] == []
        one, other = answer["data"]["lines"]
        assert (one["row"], other["row"]) == (2, 3)
        assert one["cells"] == {
            "goods_id": {"value": desk.world.tube, "label": "TUBE"},
            "allocation_id": {"value": desk.world.allocation_a, "label": "A库位"},
            "quantity": {"value": "2", "label": None},
            "price": {"value": "10.5", "label": None},
            "is_gift": {"value": True, "label": None},
            "remark": {"value": "好", "label": None},
        }
        assert other["cells"]["quantity"]["value"] == "1000"
        assert fingerprint_tables(conn) == before

    def test_packs_stand_for_the_quantity(self, desk: BillClient) -> None:
        answer = send_sheet(
            desk,
            book_of(["商品编码", "辅单位", "件数"], ["TUBE", "箱", 3], ["TUBE", "箱", None]),
            warehouse_id=desk.world.warehouse_a,
        )
        assert answer["data"]["lines"][0]["cells"] == {
            "goods_id": {"value": desk.world.tube, "label": "TUBE"},
            "pack_unit_id": {"value": desk.world.carton, "label": "箱"},
            "pack_quantity": {"value": "3", "label": None},
        }
        told = [(one["row"], one["label"], one["msg"]) for one in answer["data"]["problems"]]
        assert told == [(3, "数量", "不能为空")]

    def test_the_units_of_goods_are_read_as_lines_are(self, desk: BillClient) -> None:
        response = desk.site.http.post(
            f"{PATH}/read",
            data={"bill": "goods", "block": "units"},
            files={"excel": ("辅助单位.xlsx", book_of(["辅单位", "换算率", "条形码"], ["箱", 12, "0690"]))},
            headers={"token": desk.world.tokens["admin"]},
        )
        [line] = orjson.loads(response.content)["data"]["lines"]
        assert {name: cell["value"] for name, cell in line["cells"].items()} == {
            "unit_id": desk.world.carton,
            "factor": "12",
            "barcode": "0690",
        }

    def test_every_bad_cell_is_told_with_its_row_and_field(self, desk: BillClient) -> None:
        answer = send_sheet(
            desk,
            book_of(
                ["商品编码", "库位", "数量", "单价"],
                ["NOBODY", None, "两", -1],
                [None, "没有的库位", 1, 1],
                ["TUBE", None, None, "1.1234567"],
            ),
            warehouse_id=desk.world.warehouse_a,
        )
        told = [(one["row"], one["label"], one["msg"]) for one in answer["data"]["problems"]]
        assert sorted(told) == sorted(
            [
                (2, "商品编码", "没有找到“NOBODY”"),
                (2, "数量", "请输入数字"),
                (2, "单价", "请输入大于等于零的数"),
                (3, "商品编码", "不能为空"),
                (3, "库位", "没有找到“没有的库位”"),
                (4, "数量", "不能为空"),
                (4, "单价", "最多6位小数"),
            ]
        )
        assert len(answer["data"]["lines"]) == 3, "what could be read is offered all the same"

    def test_locations_are_those_of_the_bills_warehouse(self, desk: BillClient) -> None:
        sheet = book_of(["商品编码", "库位", "数量"], ["TUBE", "A库位2", 1])
        answer = send_sheet(desk, sheet, warehouse_id=desk.world.warehouse_a)
        assert [one["msg"] for one in answer["data"]["problems"]] == ["没有找到“A库位2”"]

    def test_batches_are_those_of_the_rows_goods(self, desk: BillClient) -> None:
        desk.stock_in(desk.world.tyre, 1, batch="2225")
        sheet = book_of(["商品编码", "批次", "数量"], ["TYRE", "2225", 1], ["TUBE", "2225", 1])
        data = send_sheet(desk, sheet, "other_outbound", warehouse_id=desk.world.warehouse_a)["data"]
        assert data["lines"][0]["cells"]["batch_id"]["label"] == "2225"
        assert [(one["row"], one["label"]) for one in data["problems"]] == [(3, "批次")]

    def test_formulas_are_not_computed(self, desk: BillClient) -> None:
        sheet = book_of(
            ["商品编码", "数量", "单价", "优惠金额", "备注"],
            ["TUBE", "=1+1", 1, None, None],
            ['=HYPERLINK("http://x","TUBE")', 1, "=A1", "=B1", "=C1"],
        )
        data = send_sheet(desk, sheet)["data"]
        assert {one["msg"] for one in data["problems"]} == {NO_RESULT}
        assert sorted((one["row"], one["label"]) for one in data["problems"]) == sorted(
            [(2, "数量"), (3, "商品编码"), (3, "单价"), (3, "优惠金额"), (3, "备注")]
        )

    @pytest.mark.parametrize("cls", PRICED, ids=lambda cls: cls.name())
    def test_a_price_is_asked_for_unless_the_row_is_a_gift(self, desk: BillClient, cls: Any) -> None:
        sheet = book_of(
            ["商品编码", "数量", "单价", "赠品"],
            ["TUBE", 1, None, None],
            ["TUBE", 1, 0, "否"],
            ["TUBE", 1, "=A1*2", None],
            ["TUBE", 1, None, "是"],
            ["TUBE", 1, 0, "是"],
            ["TUBE", 1, 5, None],
        )
        data = send_sheet(desk, sheet, cls.name())["data"]
        told = [(one["row"], one["field"], one["msg"]) for one in data["problems"]]
        assert told == [
            (2, "price", "不能为空；赠品请在“赠品”列填“是”"),
            (3, "price", "不能为 0；赠品请在“赠品”列填“是”"),
            (4, "price", NO_RESULT),
        ]

    def test_a_csv_is_read_too(self, desk: BillClient) -> None:
        data = send_sheet(desk, "商品编码,数量\nTUBE,3\n".encode("gb18030"), name="a.csv")["data"]
        assert data["lines"][0]["cells"]["quantity"]["value"] == "3"

    @pytest.mark.parametrize(
        ("content", "name", "msg"),
        [
            (b"x", "a.txt", "上传文件只能是 xls、xlsx格式!"),
            (b"x", "a.xlsx", "文件内容不是 xlsx 或 xls，请用 Excel 另存后再导入"),
            (b"", "a.csv", "文件是空的，请重新选择文件"),
            (b"a,b\n1,2\n", "a.csv", "第一行缺少列：商品编码、数量，请使用下载的模板"),
            ("商品编码,数量\n".encode(), "a.csv", "文件里只有表头，没有明细"),
            ("商品编码,数量,数量*\n".encode(), "a.csv", "“数量”列出现了两次，请只保留一列"),
            (
                "商品编码,数量\n".encode() + b"TUBE,1\n" * 5001,
                "a.csv",
                "入库明细不能超过5000行，请分成多张单据",
            ),
        ],
    )
    def test_other_files_are_refused(self, desk: BillClient, content: bytes, name: str, msg: str) -> None:
        answer = send_sheet(desk, content, name=name)
        assert (answer["code"], answer["msg"]) == (400, msg)

    def test_only_who_may_make_the_bill(self, desk: BillClient) -> None:
        answer = send_sheet(desk, book_of(["商品编码", "数量"], ["TUBE", 1]), user="nobody")
        assert answer["code"] == 403

    def test_names_outside_ones_scope_are_not_found(self, desk: BillClient) -> None:
        sheet = book_of(["商品编码", "库位", "数量"], ["TUBE", "B库位", 1])
        answer = send_sheet(desk, sheet, user="manager_a", warehouse_id=desk.world.warehouse_b)
        assert [one["msg"] for one in answer["data"]["problems"]] == ["没有找到“B库位”"]


class TestFailures:
    def test_they_come_back_as_a_file_of_lines_fields_and_reasons(self, desk: BillClient) -> None:
        failed = {"serial": "第3行", "field": "数量", "msg": "=请输入数字"}
        response = desk.caller.raw("POST", f"{PATH}/getFailures", {"failures": [{"index": 1, **failed}]})
        page = load_workbook(io.BytesIO(response.content)).active
        assert page is not None
        assert [[cell.value for cell in row] for row in page.rows] == [
            ["行/单据号", "字段", "失败原因"],
            list(failed.values()),
        ]
