"""盘点表: a stocktake's lines to Excel and the counts back."""

from __future__ import annotations

import io
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from openpyxl import Workbook, load_workbook

from api.kit.declaration import menu
from api.kit.http.route_index import RouteIndex
from api.kit.storage.projection import MASK
from api.main import app
from tests.identity.test_matrix import create_member
from tests.support.bill_client import BillClient, SavedBill

PATH = "/v2/inventory/StockTaking"


@pytest.fixture
def take(desk: BillClient) -> SavedBill:
    goods = desk.world.spares[:2]
    for key in goods:
        desk.stock_in(key, 4)
    return desk.draft("stock_take", *({"goods_id": key} for key in goods))


def download_sheet(desk: BillClient, take: SavedBill, **query: Any) -> Workbook:
    response = desk.caller.raw("GET", f"{PATH}/getCountSheet", query={"id": take.id, **query})
    assert response.status_code == 200
    return load_workbook(io.BytesIO(response.content))


def to_bytes(book: Workbook) -> bytes:
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def upload_sheet(
    desk: BillClient, take: SavedBill, book: Workbook | bytes, name: str = "盘点.xlsx", *, command: str = ""
) -> Any:
    content = book if isinstance(book, bytes) else to_bytes(book)
    response = desk.site.http.post(
        f"{PATH}/importCountSheet",
        data={"id": str(take.id)},
        files={"excel": (name, content)},
        headers={"token": desk.world.tokens["admin"], "Idempotency-Key": command},
    )
    return orjson.loads(response.content)


def fill_column(book: Workbook, column: str, *values: Any) -> Workbook:
    page = book.active
    assert page is not None
    at = [cell.value for cell in page[1]].index(column) + 1
    for row, value in enumerate(values, 2):
        page.cell(row, at, value)
    return book


class TestButtons:
    def test_the_screen_tells_of_its_sheets(self, desk: BillClient) -> None:
        screen = desk.caller.get("v2/Open/Screen/getScreen", route="/inventory/takestockSee").data
        assert [(one["label"], one["way"], one["query"], one["from"]) for one in screen["files"]] == [
            ("盘点表", "download", {}, None),
            ("盲盘表", "download", {"blind": "1"}, None),
            ("导入盘点表", "upload", {}, [1]),
        ]
        [directory] = [route for route in app.router.routes if isinstance(route, RouteIndex)]
        assert {f"/{screen['api']}/{one['name']}" for one in screen["files"]} <= directory.routes.keys()

    def test_who_may_not_count_is_offered_none(self, desk: BillClient) -> None:
        answer = desk.site.as_("nobody").get("v2/Open/Screen/getScreen", route="/inventory/takestockSee")
        assert not answer.ok or answer.data["files"] == []


class TestCountSheet:
    def test_counts_go_out_and_come_back(self, desk: BillClient, take: SavedBill) -> None:
        book = download_sheet(desk, take)
        page = book.active
        assert page is not None
        assert [cell.value for cell in page[2]][:3] == [1, "SPARE0", "备件0"]
        assert upload_sheet(desk, take, fill_column(book, "初盘数量", 4, 3.5))["code"] == 200
        lines = desk.read_bill(take)["lines"]
        assert [(line["counted_quantity"], line["difference"]) for line in lines] == [
            ("4.000", "0.000"),
            ("3.500", "-0.500"),
        ]

    def test_a_sheet_has_no_more_rows_than_a_bill(self, desk: BillClient, take: SavedBill) -> None:
        book = Workbook()
        assert book.active is not None
        for row in [["序号", "商品编码", "初盘数量"], *([1, "SPARE0", 9] for _ in range(5001))]:
            book.active.append(row)
        answer = upload_sheet(desk, take, book)
        assert (answer["code"], answer["msg"]) == (400, "盘点表不能超过5000行，请使用导出的盘点表")
        assert [line["counted_quantity"] for line in desk.read_bill(take)["lines"]] == [None, None]

    def test_under_one_key_only_the_same_file_is_the_same_command(
        self, desk: BillClient, take: SavedBill
    ) -> None:
        counted = to_bytes(fill_column(download_sheet(desk, take), "初盘数量", 4, 3.5))
        first = upload_sheet(desk, take, counted, command="counted")
        assert first["code"] == 200
        assert upload_sheet(desk, take, counted, command="counted")["data"] == first["data"]
        other = upload_sheet(
            desk, take, fill_column(download_sheet(desk, take), "初盘数量", 9, 9), command="counted"
        )
        assert (other["code"], other["msg"]) == (400, "同一请求标识不能用于不同的内容，请刷新页面后重试")

    def test_blank_cells_stay_unanswered(self, desk: BillClient, take: SavedBill) -> None:
        assert upload_sheet(desk, take, fill_column(download_sheet(desk, take), "初盘数量", 4))["code"] == 200
        assert desk.read_bill(take)["open_lines"] == 1

    def test_a_blind_sheet_does_not_tell_the_book(self, desk: BillClient, take: SavedBill) -> None:
        page = download_sheet(desk, take, blind=1).active
        assert page is not None
        assert "账面数量" not in [cell.value for cell in page[1]]

    def test_another_sheet_is_refused_whole(self, desk: BillClient, take: SavedBill) -> None:
        book = fill_column(
            fill_column(download_sheet(desk, take), "初盘数量", 1, 1), "商品编码", "SPARE0", "SPARE9"
        )
        answer = upload_sheet(desk, take, book)
        assert (answer["code"], answer["msg"]) == (400, "表格第3行：序号与商品编码和盘点单不一致")
        assert desk.read_bill(take)["open_lines"] == 2

    def test_a_count_that_is_none_is_told(self, desk: BillClient, take: SavedBill) -> None:
        answer = upload_sheet(desk, take, fill_column(download_sheet(desk, take), "初盘数量", "三", -1))
        assert answer["code"] == 400
        assert answer["msg"].startswith("第1行：“初盘数量”请输入数字")

    def test_only_excel_files_are_taken(self, desk: BillClient, take: SavedBill) -> None:
        answer = upload_sheet(desk, take, download_sheet(desk, take), name="盘点.txt")
        assert (answer["code"], answer["msg"]) == (400, "上传文件只能是 xls、xlsx格式!")


def test_who_may_not_see_the_number_gets_the_sheet(desk: BillClient, take: SavedBill) -> None:
    held = list(menu.list_rights())
    _, caller = create_member(desk.site, "no-number", held, [("stock_take", "bill_no")])
    response = caller.raw("GET", f"{PATH}/getCountSheet", query={"id": take.id})
    assert response.status_code == 200
    assert response.headers["content-disposition"].endswith(f"filename*=UTF-8''{quote(MASK)}.xlsx")
