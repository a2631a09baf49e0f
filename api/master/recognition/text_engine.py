"""Text engine (文字识别进程): reads the picture on its standard input and writes its lines of text as JSON.

A process for each picture: what decodes strangers' pictures and takes 400 MB is gone afterwards. The models come in the
package; nothing is fetched.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

MOST_SIDE = 1600
"""Larger pictures are made smaller first: the engine sees no more."""
UNREADABLE = 3
"""Its exit code for what is no picture after all."""


def main() -> int:
    """Read a picture, recognize its text and write `[[text, score, [[x, y] × 4]], …]`, pixels from the top
    left."""
    if hasattr(os, "nice"):
        os.nice(5)  # whoever keeps bills goes first
    import cv2
    import numpy
    from rapidocr import RapidOCR

    picture = cv2.imdecode(numpy.frombuffer(sys.stdin.buffer.read(), numpy.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        return UNREADABLE
    scale = MOST_SIDE / max(picture.shape[:2])
    if scale < 1:
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    threads = min(2, os.cpu_count() or 1)
    engine = RapidOCR(
        params={"Global.log_level": "critical", "EngineConfig.onnxruntime.intra_op_num_threads": threads}
    )
    json.dump(_list_lines(engine(picture)), sys.stdout)
    return 0


def _list_lines(found: Any) -> list[list[Any]]:
    if not found.txts:
        return []
    return [
        [text, float(score), box.tolist()]
        for text, score, box in zip(found.txts, found.scores, found.boxes, strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main())
