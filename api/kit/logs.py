"""Logs (日志): what a resident process warns of, with the time of the business, as PostgreSQL tells it in its log."""

from __future__ import annotations

import logging
from datetime import datetime

from api.kit.database import TIME_ZONE


class Lines(logging.Formatter):
    """Time, level, who says it, what."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def converter(self, seconds: float | None) -> object:  # type: ignore[override]
        return datetime.fromtimestamp(seconds or 0, TIME_ZONE).timetuple()


def log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(Lines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
