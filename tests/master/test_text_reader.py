"""文字识别: papers as cameras take them, and pictures that are refused before anything decodes them."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Callable

import pytest
from PIL import Image

from api.kit.errors import Refusal
from api.master.recognition import text_reader
from api.master.recognition.identity_documents import read_id_card, read_licence
from api.master.recognition.text_reader import read_lines
from tests.support import upload_files
from tests.support.document_pictures import (
    add_noise,
    draw_card_back,
    draw_id_card,
    draw_licence,
    encode_jpeg,
    encode_png,
)

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read is the subject here, not how busy the machine is."""
    monkeypatch.setattr(text_reader, "SECONDS", 600)


def id_fields(content: bytes) -> dict[str, str]:
    return {item.name: item.value for item in read_id_card(read_lines(content))}


def licence_fields(content: bytes) -> dict[str, str]:
    return {item.name: item.value for item in read_licence(read_lines(content))}


CARD = {
    "name": "韦小宝",
    "address": "浙江省杭州市西湖区文三路199号2幢301室",
    "number": "11010519491231002X",
    "sex": "女",
    "born_on": "1949-12-31",
}
LICENCE = {
    "code": "91350100M000100Y43",
    "name": "杭州顺达汽车配件有限公司",
    "legal_person": "周建国",
    "founded_on": "2018-03-15",
    "until": "2068-03-14",
    "address": "浙江省杭州市西湖区文三路199号创业中心2幢301室",
}


class TestPapers:
    @pytest.mark.parametrize(
        "taken",
        [
            lambda: encode_jpeg(draw_id_card().rotate(7, expand=True, fillcolor=(90, 80, 70))),
            lambda: encode_png(draw_id_card().rotate(90, expand=True)),
            lambda: encode_jpeg(add_noise(draw_id_card().resize((535, 338))), 60),
        ],
        ids=["askew", "on its side", "small, dark and grainy"],
    )
    def test_an_identity_card_is_read(self, taken: Callable[[], bytes]) -> None:
        found = id_fields(taken())
        assert {name: found.get(name) for name in CARD} == CARD

    @pytest.mark.parametrize(
        "taken",
        [
            lambda: encode_jpeg(draw_licence().rotate(178, expand=True, fillcolor=(90, 80, 70))),
            lambda: encode_png(add_noise(draw_licence().resize((1000, 706)))),
        ],
        ids=["upside down", "small and grainy"],
    )
    def test_a_licence_is_read(self, taken: Callable[[], bytes]) -> None:
        found = licence_fields(taken())
        assert {name: found.get(name) for name in LICENCE} == LICENCE

    def test_the_side_with_the_emblem_is_told(self) -> None:
        with pytest.raises(Refusal, match="这是身份证的国徽面，请选择人像面"):
            id_fields(encode_jpeg(draw_card_back()))

    def test_a_picture_without_text_has_no_lines(self) -> None:
        assert read_lines(encode_png(Image.new("RGB", (600, 400), (120, 130, 140)))) == []


class TestRefused:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"", "文件是空的，请重新选择文件"),
            ("统一社会信用代码".encode(), "请选择jpg或png格式的图片"),
            (upload_files.build_pdf(), "请选择jpg或png格式的图片"),
            (upload_files.build_bmp(), "请选择jpg或png格式的图片"),
            (upload_files.build_png(60000, 60000), "图片尺寸过大（60000×60000），请缩小后上传"),
            (upload_files.build_jpeg(65535, 1000), "图片尺寸过大（65535×1000），请缩小后上传"),
            (upload_files.build_png()[:40], "图片已损坏，请重新选择文件"),
            (upload_files.build_png() + b"x" * 10 * 1024 * 1024, "图片请控制在10兆内"),
        ],
    )
    def test_it_is_refused_before_the_engine_sees_it(
        self, monkeypatch: pytest.MonkeyPatch, content: bytes, said: str
    ) -> None:
        monkeypatch.setattr(text_reader, "_run_engine", lambda content: pytest.fail("the engine was asked"))
        with pytest.raises(Refusal) as refused:
            read_lines(content)
        assert refused.value.msg == said

    def test_what_only_begins_like_a_picture_is_damaged(self) -> None:
        with pytest.raises(Refusal, match="图片已损坏，请重新选择文件"):
            read_lines(upload_files.build_jpeg())

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            (1, "文字识别没有成功，请换一张图片，或手工录入"),
            (-9, "文字识别没有成功，请换一张图片，或手工录入"),
        ],
    )
    def test_an_engine_that_fails_says_nothing_of_what_it_read(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int, said: str
    ) -> None:
        done = subprocess.CompletedProcess([], code, b"11010519491231002X")
        monkeypatch.setattr(text_reader, "_run_engine", lambda content: done)
        with caplog.at_level(logging.DEBUG), pytest.raises(Refusal, match=said):
            read_lines(upload_files.build_png())
        assert "11010519491231002X" not in caplog.text

    def test_one_that_takes_too_long_is_ended(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(text_reader, "SECONDS", 0.01)
        with pytest.raises(Refusal, match="图片识别超时，请换一张更清楚、更小的图片"):
            read_lines(encode_png(Image.new("RGB", (300, 200))))
