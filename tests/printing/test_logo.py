"""The group's logo in the heading of bills: printed where the template says so, and never in the way of the bill."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator

import pypdf
import pytest
from sqlalchemy import text

from tests.printing.test_setup import SETUP, TYPE, add_template, read_definition
from tests.support.bill_client import BillClient, SavedBill
from tests.support.fixtures import Site
from tests.support.upload_files import build_jpeg, build_png

GROUP = "v2/system/GroupInfo"


def build_grey_png(width: int, height: int) -> bytes:
    """Return a PNG whose pixels are all there, grey."""
    content = build_png(width, height)
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    return content[:33] + _build_chunk(b"IDAT", rows) + _build_chunk(b"IEND", b"")


def _build_chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4) + kind + body + zlib.crc32(kind + body).to_bytes(4)


@pytest.fixture(scope="module")
def bill(desk: BillClient) -> SavedBill:
    return desk.draft(TYPE, {"goods_id": desk.world.tube, "quantity": "2", "price": "120.00"})


@pytest.fixture(autouse=True)
def none_left(site: Site) -> Iterator[None]:
    yield
    with site.engine.begin() as conn:
        conn.execute(text("delete from print_template"))
        conn.execute(text("update group_info set logo = null"))


def set_logo(site: Site, name: str, content: bytes) -> None:
    """Give the group a logo, as a user does."""
    admin = site.as_("admin")
    response = site.http.post(
        "/v2/open/Upload/uploadImg",
        data={"scene": "logo"},
        files=[("file", (name, content))],
        headers={"token": site.world.tokens["admin"]},
    )
    assert response.json()["code"] == 200, response.json()
    [row] = admin.get(f"{GROUP}/getList").data["data"]
    logo = response.json()["data"].split("name=")[1]
    answer = admin.post(f"{GROUP}/edit", {"id": row["group_info_id"], "logo": logo})
    assert answer.ok, answer


def list_pictures(page: pypdf.PageObject) -> list[tuple[int, int]]:
    """Return the sizes of the pictures on a page."""
    found = page["/Resources"].get_object().get("/XObject", {})  # type: ignore[union-attr]
    objects = [one.get_object() for one in found.values()]
    return [(one["/Width"], one["/Height"]) for one in objects if one["/Subtype"] == "/Image"]


def read_words(page: pypdf.PageObject) -> str:
    return page.extract_text().replace("\u200b", "")


def read_pages(desk: BillClient, bill: SavedBill) -> list[pypdf.PageObject]:
    response = desk.caller.raw("POST", desk.path(TYPE, "printPdf"), {"ids": [bill.id]})
    return list(pypdf.PdfReader(io.BytesIO(response.content)).pages)


def print_html(desk: BillClient, bill: SavedBill) -> str:
    return str(desk.caller.post(desk.path(TYPE, "print"), {"ids": [bill.id]}).data["html"])


class TestLogo:
    def test_it_is_on_the_paper_and_on_the_screen(
        self, site: Site, desk: BillClient, bill: SavedBill
    ) -> None:
        set_logo(site, "标志.png", build_grey_png(60, 20))
        add_template(desk.caller, logo=True)
        [page] = read_pages(desk, bill)
        assert list_pictures(page) == [(60, 20)]
        assert bill.no in read_words(page)
        assert print_html(desk, bill).count("data:image/png;base64,") == 1

    def test_a_very_wide_one_leaves_the_title_its_place(
        self, site: Site, desk: BillClient, bill: SavedBill
    ) -> None:
        set_logo(site, "标志.png", build_grey_png(4000, 20))
        add_template(desk.caller, logo=True)
        found: list[float] = []
        read_pages(desk, bill)[0].extract_text(
            visitor_operand_before=lambda operator, args, matrix, _: (
                found.append(matrix[0]) if operator == b"Do" else None
            )
        )
        assert found
        assert max(found) <= 0.25 * 241 * 72 / 25.4

    @pytest.mark.parametrize("logo", [True, False])
    def test_without_one_or_unless_asked_for_there_is_none(
        self, site: Site, desk: BillClient, bill: SavedBill, logo: bool
    ) -> None:
        if not logo:
            set_logo(site, "标志.png", build_grey_png(60, 20))
        add_template(desk.caller, logo=logo)
        assert not list_pictures(read_pages(desk, bill)[0])
        assert "<image" not in print_html(desk, bill)

    def test_a_broken_picture_does_not_stop_the_bill(
        self, site: Site, desk: BillClient, bill: SavedBill
    ) -> None:
        set_logo(site, "标志.jpg", build_jpeg())
        add_template(desk.caller, logo=True)
        [page] = read_pages(desk, bill)
        assert bill.no in read_words(page)
        assert not list_pictures(page)

    def test_the_editor_shows_it_before_it_is_saved(
        self, site: Site, desk: BillClient, bill: SavedBill
    ) -> None:
        set_logo(site, "标志.png", build_grey_png(60, 20))
        layout = {**read_definition(desk.caller)["layout"], "logo": True}
        trial = {"bill_type": TYPE, "layout": layout, "id": bill.id}
        assert "data:image/png" in desk.caller.post(f"{SETUP}/preview", trial).data["html"]
