"""文字识别: papers as cameras take them, and pictures that are refused before anything decodes them."""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from api.kit.errors import Refusal
from api.master import text_reader
from api.master.papers import read_id_card, read_licence
from api.master.text_reader import read_lines
from tests.master.paper_pictures import back_of_card, id_card, jpeg, licence, noisy, png
from tests.shell import pictures

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
            lambda: jpeg(id_card().rotate(7, expand=True, fillcolor=(90, 80, 70))),
            lambda: png(id_card().rotate(90, expand=True)),
            lambda: jpeg(noisy(id_card().resize((535, 338))), 60),
        ],
        ids=["askew", "on its side", "small, dark and grainy"],
    )
    def test_an_identity_card_is_read(self, taken: Callable[[], bytes]) -> None:
        found = id_fields(taken())
        assert {name: found.get(name) for name in CARD} == CARD

    @pytest.mark.parametrize(
        "taken",
        [
            lambda: jpeg(licence().rotate(178, expand=True, fillcolor=(90, 80, 70))),
            lambda: png(noisy(licence().resize((1000, 706)))),
        ],
        ids=["upside down", "small and grainy"],
    )
    def test_a_licence_is_read(self, taken: Callable[[], bytes]) -> None:
        found = licence_fields(taken())
        assert {name: found.get(name) for name in LICENCE} == LICENCE

    def test_the_side_with_the_emblem_is_told(self) -> None:
        with pytest.raises(Refusal, match="这是身份证的国徽面，请选择人像面"):
            id_fields(jpeg(back_of_card()))

    def test_a_picture_without_text_has_no_lines(self) -> None:
        assert read_lines(png(Image.new("RGB", (600, 400), (120, 130, 140)))) == []


class TestRefused:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"", "文件是空的，请重新选择文件"),
            ("统一社会信用代码".encode(), "请选择jpg或png格式的图片"),
            (pictures.pdf(), "请选择jpg或png格式的图片"),
            (pictures.bmp(), "请选择jpg或png格式的图片"),
            (pictures.png(60000, 60000), "图片尺寸过大（60000×60000），请缩小后上传"),
            (pictures.jpeg(65535, 1000), "图片尺寸过大（65535×1000），请缩小后上传"),
            (pictures.png()[:40], "图片已损坏，请重新选择文件"),
            (pictures.png() + b"x" * 10 * 1024 * 1024, "图片请控制在10兆内"),
        ],
    )
    def test_it_is_refused_before_the_engine_sees_it(
        self, monkeypatch: pytest.MonkeyPatch, content: bytes, said: str
    ) -> None:
        monkeypatch.setattr(text_reader, "_recognise", lambda content: pytest.fail("the engine was asked"))
        with pytest.raises(Refusal) as refused:
            read_lines(content)
        assert refused.value.msg == said

    def test_what_only_begins_like_a_picture_is_damaged(self) -> None:
        with pytest.raises(Refusal, match="图片已损坏，请重新选择文件"):
            read_lines(pictures.jpeg())

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
        monkeypatch.setattr(text_reader, "_recognise", lambda content: done)
        with caplog.at_level(logging.DEBUG), pytest.raises(Refusal, match=said):
            read_lines(pictures.png())
        assert "11010519491231002X" not in caplog.text

    def test_one_that_takes_too_long_is_ended(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(text_reader, "SECONDS", 0.01)
        with pytest.raises(Refusal, match="图片识别超时，请换一张更清楚、更小的图片"):
            read_lines(png(Image.new("RGB", (300, 200))))

    def test_one_is_read_at_a_time_and_few_wait(self, monkeypatch: pytest.MonkeyPatch) -> None:
        begun, go_on, at_once = threading.Semaphore(0), threading.Event(), []

        def engine(content: bytes) -> subprocess.CompletedProcess[bytes]:
            at_once.append(content)
            begun.release()
            go_on.wait(20)
            return subprocess.CompletedProcess([], 0, b"[]")

        monkeypatch.setattr(text_reader, "_recognise", engine)
        found: list[Any] = []
        threads = [
            threading.Thread(target=lambda: found.append(read_lines(pictures.png())))
            for _ in range(text_reader.WAITING)
        ]
        threads[0].start()
        assert begun.acquire(timeout=20)
        for thread in threads[1:]:
            thread.start()
        deadline = time.monotonic() + 20
        while text_reader._places._value and time.monotonic() < deadline:  # type: ignore[attr-defined]
            time.sleep(0.01)
        assert len(at_once) == 1
        with pytest.raises(Refusal, match="正在识别的图片较多，请稍后再试"):
            read_lines(pictures.png())
        go_on.set()
        for thread in threads:
            thread.join(20)
        assert found == [[]] * text_reader.WAITING
