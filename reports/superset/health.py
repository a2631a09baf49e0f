"""Health check of the report platform (是否正常): `python -m reports.superset.health`.

It exits with 0 if a known board is answered.
"""

from __future__ import annotations

import http.client
import sys
from urllib.parse import urlsplit

from api.kit.settings import read_settings
from reports.catalogue import REPORTS
from reports.semantics.dashboards import embed_id

SECONDS = 5
"""Time that a board may take."""


def known_board_path() -> str:
    """Return the path of a board that every installation has."""
    report = REPORTS[0]
    return f"/embedded/{embed_id(report.code, report.tabs[0], sees_cost=False)}"


def is_showing_boards(address: str) -> bool:
    """Return whether the platform at `http://host:port` answers with a known board."""
    at = urlsplit(address)
    made = http.client.HTTPSConnection if at.scheme == "https" else http.client.HTTPConnection
    connection = made(at.hostname or "", at.port, timeout=SECONDS)
    try:
        connection.request("GET", at.path.rstrip("/") + known_board_path())
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def main() -> None:
    sys.exit(not is_showing_boards(f"http://127.0.0.1:{read_settings().report_port}"))


if __name__ == "__main__":
    main()
