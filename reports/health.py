"""报表平台是否正常：`python -m reports.health`，正常返回 0。一张已知的看板有应答，才算正常。"""

from __future__ import annotations

import http.client
import sys
from urllib.parse import urlsplit

from api.kit.settings import settings
from reports.catalogue import REPORTS
from reports.catalogue.boards import embed_id

SECONDS = 5
"""So long a board may take."""


def known_board() -> str:
    """Where Superset answers with a board that every installation has."""
    report = REPORTS[0]
    return f"/embedded/{embed_id(report.code, report.tabs[0], sees_cost=False)}"


def shows_boards(address: str) -> bool:
    """Whether the platform at `http://host:port` answers with a known board: that it runs says nothing of what it has
    to show."""
    at = urlsplit(address)
    made = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
    connection = made(at.hostname or "", at.port, timeout=SECONDS)
    try:
        connection.request("GET", at.path.rstrip("/") + known_board())
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def main() -> None:
    sys.exit(not shows_boards(f"http://127.0.0.1:{settings().report_port}"))


if __name__ == "__main__":
    main()
