"""Text reader (文字识别): the lines of text on a picture that somebody sent; the picture is neither kept nor logged."""

from __future__ import annotations

import json
import subprocess
import sys

from api.kit import children
from api.kit.errors import Refusal
from api.kit.turns import Turns
from api.kit.upload_rules import MEGABYTE, check_content
from api.master.text_engine import UNREADABLE
from api.master.text_lines import Line, lines_of

MOST_BYTES = 10 * MEGABYTE
SECONDS = 60
TURNS = Turns("正在识别的图片较多，已有{}张在等，请稍后再试", at_once=1, waiting=3)
"""One at a time: a recognition takes all cores of a small machine."""


def read_lines(content: bytes) -> list[Line]:
    """The lines of text on a JPEG or PNG, in no order.

    Raises:
        Refusal: it is no such picture, too large or damaged.
    """
    if len(content) > MOST_BYTES:
        raise Refusal(f"图片请控制在{MOST_BYTES // MEGABYTE}兆内")
    check_content(_kind(content), content)
    done = _recognise(content)
    if done.returncode == UNREADABLE:
        raise Refusal("图片已损坏，请重新选择文件")
    if done.returncode:
        raise Refusal("文字识别没有成功，请换一张图片，或手工录入")
    return lines_of(json.loads(done.stdout))


def _kind(content: bytes) -> str:
    """What a picture is by its first bytes, whatever its name says."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if content.startswith(b"\xff\xd8\xff"):
        return "jpg"
    raise Refusal("请选择jpg或png格式的图片" if content else "文件是空的，请重新选择文件")


def _recognise(content: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the engine on a picture; what it says beside its answer may hold what it read, so it is thrown away."""
    command = [sys.executable, "-m", "api.master.text_engine"]
    try:
        return children.run(command, content, SECONDS)
    except children.TooLong:
        raise Refusal("图片识别超时，请换一张更清楚、更小的图片") from None
