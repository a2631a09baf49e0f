"""Logs (日志): warnings of resident processes, with the business's time as in PostgreSQL's log."""

from __future__ import annotations

import logging
from datetime import datetime

from api.kit.storage.database import TIME_ZONE


class LogFormatter(logging.Formatter):
    """Formatter: time, level, logger, message."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def converter(self, seconds: float | None) -> object:  # type: ignore[override]
        return datetime.fromtimestamp(seconds or 0, TIME_ZONE).timetuple()


def log_to_stderr() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
