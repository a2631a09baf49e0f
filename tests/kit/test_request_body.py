"""Request bodies: little is taken before the sender is known, then what a call needs, within the budget."""

from __future__ import annotations

import tracemalloc

import pytest

from api.kit.errors import Refusal
from api.kit.http import request_body
from api.kit.http.request_body import (
    BUSY,
    DISK,
    FILES,
    LOGIN,
    MEGABYTE,
    MEMORY,
    TEXT,
    UNAUTHENTICATED,
    ByteBudget,
)
from api.main import app
from tests.support.endless_upload import BEGUN, MULTIPART, PIECE, send_without_end
from tests.support.fixtures import Site, site, world

__all__ = ["site", "world"]
LOG_IN, WRITE = "/v2/user/Login/login", "/v2/sales/SalesOutstock/add"
SHEET, PICTURE = "/v2/Open/LineSheet/read", "/v2/open/Upload/uploadImg"
LARGE = 110 * MEGABYTE


@pytest.fixture
def admin(site: Site) -> dict[str, str]:
    return {"token": site.world.tokens["admin"]}


class TestLimits:
    @pytest.mark.parametrize("declared", [None, LARGE])
    def test_a_body_of_any_kind_has_an_end(self, admin: dict[str, str], declared: int | None) -> None:
        for path, kind, most, said in (
            (LOG_IN, "application/json", LOGIN, "16 KB"),
            (LOG_IN, "application/x-www-form-urlencoded", LOGIN, "16 KB"),
            (LOG_IN, MULTIPART, LOGIN, "16 KB"),
            (WRITE, "application/json", TEXT, "8 MB"),
            (WRITE, MULTIPART, TEXT, "8 MB"),
            (SHEET, "application/json", TEXT, "8 MB"),
            (SHEET, MULTIPART, FILES, "52 MB"),
            (PICTURE, MULTIPART, 10 * MEGABYTE + UNAUTHENTICATED, "10 MB"),
        ):
            told = send_without_end(
                app, path, {**admin, "content-type": kind}, begun=BEGUN, declared=declared
            )
            assert (told.code, told.msg) == (400, f"提交的内容超过 {said}，请拆分后提交"), (path, kind)
            assert told.taken <= (0 if declared else most + 2 * PIECE), (path, kind)

    def test_nobody_unknown_is_taken_more_of_than_a_little(self, site: Site) -> None:
        for headers, code in (
            ({}, 401),
            ({"token": "x"}, 401),
            ({"token": site.world.tokens["nobody"]}, 403),
        ):
            told = send_without_end(app, WRITE, headers)
            assert (told.code, told.taken <= UNAUTHENTICATED + PIECE) == (code, True)
            assert send_without_end(app, WRITE, headers, declared=LARGE).taken == 0

    def test_an_upload_is_not_begun_for_who_may_not_send_it(self) -> None:
        told = send_without_end(app, PICTURE, {"content-type": MULTIPART}, begun=BEGUN)
        assert (told.code, told.taken) == (401, 0)

    def test_an_upload_lies_on_the_disk(self, admin: dict[str, str]) -> None:
        tracemalloc.start()
        try:
            told = send_without_end(app, SHEET, {**admin, "content-type": MULTIPART}, begun=BEGUN)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert told.taken > FILES
        assert peak < 10 * MEGABYTE

    def test_an_upload_has_few_parts(self, admin: dict[str, str]) -> None:
        part = BEGUN + b"a\r\n"
        for many in (part * 11, part.replace(b'; filename="a.xlsx"', b"") * 51):
            told = send_without_end(app, SHEET, {**admin, "content-type": MULTIPART}, begun=many)
            assert (told.code, told.msg) == (400, "请求无法处理")
            assert told.taken <= len(many) + 2 * PIECE

    def test_who_leaves_is_not_an_accident(self, admin: dict[str, str]) -> None:
        assert send_without_end(app, WRITE, admin, most=PIECE).code == 400


class TestRoom:
    def test_each_has_his_share_of_what_there_is_together(self) -> None:
        room = ByteBudget(together=10, each=6)
        room.reserve("a", 6)
        for client, count in (("a", 1), ("b", 5)):
            with pytest.raises(Refusal, match=BUSY):
                room.reserve(client, count)
        room.reserve("b", 4)
        room.release("a", 6)
        room.reserve("c", 6)
        room.release("b", 4)
        room.release("c", 6)
        assert not room.reserved

    def test_a_body_for_which_there_is_none_is_refused(
        self, admin: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(request_body, "MEMORY", ByteBudget(together=MEGABYTE, each=MEGABYTE))
        monkeypatch.setattr(request_body, "DISK", ByteBudget(together=2 * MEGABYTE, each=2 * MEGABYTE))
        for path, kind, most in ((WRITE, "application/json", MEGABYTE), (SHEET, MULTIPART, 2 * MEGABYTE)):
            told = send_without_end(app, path, {**admin, "content-type": kind}, begun=BEGUN)
            assert (told.code, told.msg) == (400, BUSY)
            assert told.taken <= most + 2 * PIECE

    def test_what_was_taken_is_given_back(self, admin: dict[str, str]) -> None:
        for path, kind in ((WRITE, "application/json"), (SHEET, MULTIPART), (PICTURE, MULTIPART)):
            send_without_end(app, path, {**admin, "content-type": kind}, begun=BEGUN)
            send_without_end(app, path, {**admin, "content-type": kind}, begun=BEGUN, most=3 * MEGABYTE)
        assert not MEMORY.reserved and not DISK.reserved
