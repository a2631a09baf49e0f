"""报表平台是否正常：`python -m reports.health`，正常返回 0。一张已知的看板有应答，才算正常。"""

from __future__ import annotations

import http.client
import sys

from api.kit.settings import settings
from reports.catalogue import REPORTS
from reports.catalogue.boards import embed_id

SECONDS = 5


def known_board() -> str:
    """Where Superset answers with a board that every installation has."""
    report = REPORTS[0]
    return f"/embedded/{embed_id(report.code, report.tabs[0], sees_cost=False)}"


def main() -> None:
    connection = http.client.HTTPConnection("127.0.0.1", settings().report_port, timeout=SECONDS)
    try:
        connection.request("GET", known_board())
        sys.exit(connection.getresponse().status != 200)
    except (OSError, http.client.HTTPException):
        sys.exit(1)


if __name__ == "__main__":
    main()
