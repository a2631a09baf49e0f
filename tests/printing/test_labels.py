"""Labels of goods: one a piece, of the size asked for, with a code that scanners read."""

from __future__ import annotations

import re

import pytest
from barcode.charsets import code128 as charset
from sqlalchemy import text

from api.printing.labels import draw_code128, draw_qr_code
from tests.printing.pdf_pages import print_pdf
from tests.support.fixtures import Site

PDF = "v2/system/GoodsLabel/printPdf"


def read_modules(svg: str) -> str:
    """Return the bars of a drawing as ones and zeros, without its quiet zones."""
    width = int(re.search(r'viewBox="0 0 (\d+) ', svg)[1])  # type: ignore[index]
    found = ["0"] * width
    for at, run in re.findall(r"M(\d+) 0h(\d+)", svg):
        found[int(at) : int(at) + int(run)] = "1" * int(run)
    drawn = "".join(found)
    assert drawn.startswith("0" * 10 + "1")
    assert drawn.endswith("1" + "0" * 10)
    return drawn.strip("0")


def decode_code128(bits: str) -> str:
    """Read Code 128 as a scanner does: start, symbols of eleven modules, checksum, stop."""
    symbols = [charset.CODES.index(bits[at : at + 11]) for at in range(0, len(bits) - 13, 11)]
    start, *data, check = symbols
    assert (start + sum(at * value for at, value in enumerate(data, 1))) % 103 == check
    mode, found = {104: "B", 105: "C"}[start], ""
    for value in data:
        if value in (99, 100):
            mode = "C" if value == 99 else "B"
        else:
            found += f"{value:02}" if mode == "C" else chr(value + 32)
    return found


@pytest.mark.parametrize("code", ["TUBE", "6901234567892", "LTZC-1146/A", "12345", "A1234567B"])
def test_a_scanner_reads_the_bars(code: str) -> None:
    assert decode_code128(read_modules(draw_code128(code))) == code


def test_a_qr_code_takes_any_text() -> None:
    assert draw_qr_code("内胎").startswith("<svg")


class TestLabels:
    def test_one_a_piece(self, site: Site) -> None:
        world = site.world
        items = [{"goods_id": world.tube, "copies": 3}, {"goods_id": world.oil}]
        paper = print_pdf(site.as_("clerk_a"), PDF, {"items": items, "layout": {"company": "米其林驿站"}})
        assert [("内胎 11.00R20" in page, "机油 CI-4" in page) for page in paper.pages] == [
            (True, False)
        ] * 3 + [(False, True)]
        assert set(paper.sizes) == {(60, 40)}
        assert all("米其林驿站" in page for page in paper.pages)

    def test_the_barcode_where_there_is_one(self, site: Site) -> None:
        tube = site.world.tube
        with site.engine.begin() as conn:
            conn.execute(
                text("update goods set barcode = '6901234567892' where goods_id = :id"), {"id": tube}
            )
        by_barcode = print_pdf(site.as_("admin"), PDF, {"items": [{"goods_id": tube}]})
        assert "6901234567892" in by_barcode.text
        assert "编码：TUBE" in by_barcode.text
        layout = {"width": 40, "height": 30, "code": "qr", "holds": "goods_num", "font_size": 7}
        by_number = print_pdf(site.as_("admin"), PDF, {"items": [{"goods_id": tube}], "layout": layout})
        assert "6901234567892" not in by_number.text
        assert by_number.sizes == [(40, 30)]
        assert len(by_number.pages) == 1

    def test_a_long_name_stays_on_its_label(self, site: Site) -> None:
        with site.engine.begin() as conn:
            conn.execute(
                text("update goods set goods_name = repeat('超长名称', 40) where goods_id = :id"),
                {"id": site.world.belt},
            )
        for code in ("code128", "qr"):
            layout = {"width": 40, "height": 30, "code": code}
            paper = print_pdf(
                site.as_("admin"), PDF, {"items": [{"goods_id": site.world.belt}], "layout": layout}
            )
            assert len(paper.pages) == 1

    def test_refusals(self, site: Site) -> None:
        admin, tube = site.as_("admin"), site.world.tube
        assert (
            "一次最多打印 2000 张" in admin.post(PDF, {"items": [{"goods_id": tube, "copies": 2000}] * 2}).msg
        )
        assert admin.post(PDF, {"items": [{"goods_id": 10**9}]}).msg == "商品不存在或无权访问"
        assert site.as_("nobody").post(PDF, {"items": [{"goods_id": tube}]}).code == 403
        with site.engine.begin() as conn:
            conn.execute(
                text("update goods set barcode = '中文码' where goods_id = :id"), {"id": site.world.oil}
            )
        assert "请改用二维码" in admin.post(PDF, {"items": [{"goods_id": site.world.oil}]}).msg

    def test_a_thousand(self, site: Site) -> None:
        paper = print_pdf(site.as_("admin"), PDF, {"items": [{"goods_id": site.world.tyre, "copies": 1000}]})
        assert len(paper.pages) == 1000
