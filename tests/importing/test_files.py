"""Files that are no bills: refused with a reason, the process alive; good xlsx reads like CSV."""

from __future__ import annotations

import re
import time
import zipfile
from datetime import date
from pathlib import Path

import pytest
import xlsxwriter
from openpyxl import Workbook

from api.importing.files import read_rows
from api.importing.xlsx_guard import Limits
from api.kit.errors import Refusal
from tests.importing.import_harness import HEADER, ImportHarness, purchase_line, sale_line


def build_book(path: Path, *lines: object, far: bool = False) -> Path:
    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    for line in (HEADER, *lines):
        sheet.append(list(line))  # type: ignore[call-overload]
    if far:
        sheet["XFD1048576"] = "far"
    workbook.save(path)
    return path


def strip_values(path: Path, *places: str) -> None:
    """Take the results of formulas out of a workbook, as programs write it that compute none."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    page = parts["xl/worksheets/sheet1.xml"].decode()
    # A blank text is what Excel keeps of a formula that gives one.
    page = page.replace('<c r="E3">', '<c r="E3" t="str">')
    for place in places:
        page, count = re.subn(rf'(<c r="{place}"[^>]*><f>[^<]*</f>)<v>[^<]*</v>', r"\1<v></v>", page)
        assert count == 1, place
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, page.encode() if name == "xl/worksheets/sheet1.xml" else content)


def test_a_slow_taker_gets_every_row(tmp_path: Path) -> None:
    """Entering a portion takes longer than reading it: the reading child waits, and is not late for it."""
    path, limits = tmp_path / "a.csv.xlsx", Limits(memory=250, seconds=2, unpacked=300)
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet()
    for at in range(4000):
        sheet.append([f"{at:05}" * 10])
    workbook.save(path)
    taken = read_rows(path, limits)
    first = next(taken)
    time.sleep(limits.seconds + 1)
    assert [first, *taken][-1] == (4000, ["03999" * 10])


class TestRefused:
    @pytest.mark.parametrize(
        ("name", "content", "reason"),
        [
            ("a.xlsx", "日期,数量\n".encode(), "不是 xlsx"),
            ("b.xlsx", b"PK\x03\x04 broken", "已损坏"),
            ("c.xls", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "无法读取"),
            ("d.csv", b"\x89PNG\0\0", "不是 CSV"),
            ("e.csv", "日期".encode("utf-16-le") + b"\xff\xff", "编码"),
            (
                "f.csv",
                b'a,b\n1,"' + b"x" * 32_768 + b'"\n',
                "^CSV 第 2 行有一格超过 32,767 个字，请检查引号后再导入$",
            ),
            ("g.csv", b'a,b\n1,"' + b"x\n" * 90_000 + b'"\n', "^CSV 第 [0-9]+ 行有一格超过 32,767 个字"),
        ],
    )
    def test_what_is_neither_csv_nor_xlsx(
        self, tmp_path: Path, name: str, content: bytes, reason: str
    ) -> None:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(Refusal, match=reason):
            list(read_rows(path))

    def test_a_zip_that_is_no_workbook(self, tmp_path: Path) -> None:
        path = tmp_path / "a.xlsx"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("readme.txt", "no workbook")
        with pytest.raises(Refusal, match="不是 xlsx"):
            list(read_rows(path))

    def test_a_bomb_is_not_unpacked(self, tmp_path: Path) -> None:
        path = build_book(tmp_path / "a.xlsx", purchase_line("X", 1))
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/media/bomb.bin", bytes(200 * 1024 * 1024))
        with pytest.raises(Refusal, match="过大"):
            list(read_rows(path))

    def test_a_workbook_with_broken_parts(self, tmp_path: Path) -> None:
        path = tmp_path / "a.xlsx"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("[Content_Types].xml", "<broken")
            archive.writestr("xl/workbook.xml", "<broken")
        with pytest.raises(Refusal, match="无法读取"):
            list(read_rows(path))

    def test_what_goes_before_a_cell_that_is_too_long_is_not_taken(self, bench: ImportHarness) -> None:
        path, before = bench.write_file(bench.add_mark(purchase_line("X9", 10))), bench.count_bills()
        path.write_bytes(path.read_bytes() + b'"' + b"x" * 200_000 + b'"\n')
        with pytest.raises(Refusal, match="^CSV 第 3 行有一格超过 32,767 个字，请检查引号后再导入$"):
            bench.import_file(path)
        assert (bench.count_bills(), bench.read_stock("X9")) == (before, 0)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(Refusal, match="找不到"):
            list(read_rows(tmp_path / "none.csv"))


class TestRead:
    def test_a_lone_far_cell_costs_nothing(self, tmp_path: Path) -> None:
        path = build_book(tmp_path / "a.xlsx", purchase_line("X", 1), far=True)
        assert [number for number, _ in read_rows(path)] == [1, 2]

    def test_dates_and_numbers_become_texts(self, tmp_path: Path) -> None:
        path = build_book(tmp_path / "a.xlsx", [date(2026, 1, 5), "CGRK", "", "", "", 712, "0525", 3.0, 12.5])
        _, (_, cells) = read_rows(path)
        assert cells[:1] + cells[5:9] == ["2026-01-05", "712", "0525", "3", "12.5"]

    @pytest.mark.parametrize("far", [False, True], ids=["quick", "patient"])
    def test_what_a_file_keeps_no_value_of_is_told(self, tmp_path: Path, far: bool) -> None:
        """Formulas without a result and errors are no blank cells; a formula's result, blank or not, is a value."""
        path = tmp_path / "a.xlsx"
        with xlsxwriter.Workbook(path) as written:
            sheet = written.add_worksheet()
            sheet.write_row(2, 1, ["x", "y"])
            sheet.write_formula("D3", "=1+1", None, 2)
            sheet.write_formula("E3", '=IF(A1="","",1)', None, "")
            sheet.write_formula("F3", "=A1*2", None, 1)
            sheet.write_formula("G3", "=1/0", None, "#DIV/0!")
            sheet.write_formula("J3", "=B3", None, 1)
            sheet.write_formula("A9", "=B9*2", None, 1)
            if far:
                sheet.write("BH900000", "far")
        strip_values(path, "F3", "J3", "A9")
        found = list(read_rows(path))
        wanted = (3, ["", "x", "y", "2", "", "=A1*2", "#DIV/0!", "", "", "=B3"])
        assert [(number, cells[:10]) for number, cells in found if number < 10] == [wanted]

    def test_gb18030_and_tabs(self, tmp_path: Path) -> None:
        path = tmp_path / "a.csv"
        path.write_bytes("日期\t数量\n2026-01-05\t3\n".encode("gb18030"))
        assert list(read_rows(path)) == [(1, ["日期", "数量"]), (2, ["2026-01-05", "3"])]

    def test_a_cell_as_full_as_can_be(self, tmp_path: Path) -> None:
        path = tmp_path / "a.csv"
        path.write_text(f'1,"{"x" * 32_767}"\n')
        assert [[len(cell) for cell in cells] for _, cells in read_rows(path)] == [[1, 32_767]]

    def test_an_xlsx_posts_like_a_csv(self, bench: ImportHarness) -> None:
        lines = [bench.add_mark(line) for line in (purchase_line("X1", 10), sale_line("X1", 4))]
        report = bench.import_file(build_book(bench.place / "a.xlsx", *lines))
        assert (report.posted_bills, bench.read_stock("X1")) == (2, 6)
        assert (
            bench.import_file(bench.write_file(purchase_line("X1", 10), sale_line("X1", 4))).known_bills == 2
        )
