"""A file beyond its limit is refused by what of it was read up to there: neither its size nor its shape costs memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from openpyxl import Workbook

from api.importing import files, initialisation_calls
from api.importing.files import read_rows
from api.kit.errors import Refusal
from tests.importing.test_line_sheets import send_sheet
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site, conn, site, world

__all__ = ["conn", "site", "world"]
MEGABYTE = 1024 * 1024
MOST = 150 * MEGABYTE
SIZE = 24 * MEGABYTE
HEADING, LINE = "商品编码,数量\n".encode(), b"TUBE,1\n"


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    return BillClient(site)


@contextmanager
def peak_growth() -> Iterator[list[int]]:
    """Peak memory of the process while the block runs, beyond what it had before."""
    found: list[int] = []
    tracemalloc.start()
    try:
        yield found
        found.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


def test_a_large_csv_of_lines_is_refused_by_its_first_rows(desk: BillClient) -> None:
    content = HEADING + LINE * (SIZE // len(LINE))
    with peak_growth() as peak:
        answer = send_sheet(desk, content, name="a.csv")
    assert (answer["code"], answer["msg"]) == (400, "入库明细不能超过5000行，请分成多张单据")
    assert peak[0] < MOST


@pytest.mark.parametrize(
    ("content", "msg"),
    [
        pytest.param(b"1" * SIZE, "一行超过", id="one line"),
        pytest.param(b'"1\n",' * (SIZE // 5), "一行超过", id="one row of many lines"),
        pytest.param(b"," * 1_500_000 + b"\n" + LINE * 1_000_000, "60 列", id="a row of a million cells"),
        pytest.param(b"\n" * SIZE, "100000 行", id="nothing but lines"),
        pytest.param(HEADING.decode().encode("gb18030") + LINE * 3_000_000, "够了", id="many short rows"),
    ],
)
def test_no_shape_of_a_csv_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, msg: str
) -> None:
    monkeypatch.setattr(files, "MAX_ROWS", 100_000)
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    del content
    with peak_growth() as peak, pytest.raises(Refusal, match=msg):
        for number, _ in read_rows(path):
            if number > 5001:
                raise Refusal("够了")
    assert peak[0] < MOST


def test_texts_are_decoded_across_the_parts_they_are_looked_at_in(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for encoding in ("utf-8", "utf-8-sig", "gb18030"):
        written = [f"轮胎{number}" for number in range(100_000)]
        path.write_bytes("\r\n".join(f"{one},胎" for one in written).encode(encoding))
        assert [cells for _, cells in read_rows(path)] == [[one, "胎"] for one in written]
    path.write_bytes("轮".encode() * MEGABYTE + b"\xe8")
    with pytest.raises(Refusal, match="编码"):
        list(read_rows(path))


class TestEveryUpload:
    """One row too many is one too many, whatever the sheet is for."""

    @pytest.fixture(scope="class")
    def sheet(self, tmp_path_factory: pytest.TempPathFactory) -> bytes:
        path = tmp_path_factory.mktemp("large") / "a.xlsx"
        book = Workbook(write_only=True)
        page = book.create_sheet()
        page.append(["序号", "商品编码", "商品名称", "商品类型", "单位", "初盘数量", "数量"])
        for number in range(5001):
            page.append([number, "TUBE", "胎", "轮胎", "条", 1, 1])
        book.save(path)
        return path.read_bytes()

    def test_lines(self, desk: BillClient, sheet: bytes) -> None:
        answer = send_sheet(desk, sheet, name="a.xlsx")
        assert (answer["code"], answer["msg"]) == (400, "入库明细不能超过5000行，请分成多张单据")

    def test_records(self, desk: BillClient, sheet: bytes) -> None:
        for call in ("previewImport", "import"):
            answer = send_file(desk, f"/v2/sales/SalesPrice/{call}", sheet)
            assert (answer["code"], answer["msg"]) == (400, "文件超过 5000 行，请拆分后上传")

    def test_opening_rows(self, desk: BillClient, sheet: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(initialisation_calls, "MAX_ROWS", 5000)
        for call, form in (("preview", {"step": "goods"}), ("initializationInventoryGoods", {})):
            answer = send_file(desk, f"/open/Initialization/{call}", sheet, **form)
            assert (answer["code"], answer["msg"]) == (400, initialisation_calls.TOO_MANY)


def send_file(desk: BillClient, path: str, content: bytes, **form: str) -> dict[str, Any]:
    response = desk.site.http.post(
        path,
        data=form,
        files={"excel": ("a.xlsx", content)},
        headers={"token": desk.world.tokens["admin"]},
    )
    found: dict[str, Any] = orjson.loads(response.content)
    return found
