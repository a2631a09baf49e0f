"""Text reader (文字识别): the lines of text on an uploaded picture; the picture is neither kept nor logged."""

from __future__ import annotations

import json
import subprocess
import sys

from api.kit.errors import Refusal
from api.kit.http import child_process
from api.kit.http.work_queue import WorkQueue
from api.kit.storage.upload_rules import MEGABYTE, validate_content
from api.master.recognition.text_engine import UNREADABLE
from api.master.recognition.text_lines import TextLine, build_lines

MOST_BYTES = 10 * MEGABYTE
SECONDS = 60
TURNS = WorkQueue("正在识别的图片较多，已有{}张在等，请稍后再试", at_once=1, waiting=3)
"""One at a time: a recognition takes all cores of a small machine."""


def read_lines(content: bytes) -> list[TextLine]:
    """Return the lines of text on a JPEG or PNG, in no order.

    Raises:
        Refusal: it is no such picture, too large or damaged.
    """
    if len(content) > MOST_BYTES:
        raise Refusal(f"图片请控制在{MOST_BYTES // MEGABYTE}兆内")
    validate_content(_detect_kind(content), content)
    done = _run_engine(content)
    if done.returncode == UNREADABLE:
        raise Refusal("图片已损坏，请重新选择文件")
    if done.returncode:
        raise Refusal("文字识别没有成功，请换一张图片，或手工录入")
    return build_lines(json.loads(done.stdout))


def _detect_kind(content: bytes) -> str:
    """Return the file type of a picture by its first bytes, whatever its name says."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if content.startswith(b"\xff\xd8\xff"):
        return "jpg"
    raise Refusal("请选择jpg或png格式的图片" if content else "文件是空的，请重新选择文件")


def _run_engine(content: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the engine on a picture; its error output may hold what it read, so it is thrown away."""
    command = [sys.executable, "-m", "api.master.recognition.text_engine"]
    try:
        return child_process.run_child(command, content, SECONDS)
    except child_process.ChildTimeout:
        raise Refusal("图片识别超时，请换一张更清楚、更小的图片") from None
