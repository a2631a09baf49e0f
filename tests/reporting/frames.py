"""Reading a framed report as its frame does: the shell's token, the running Superset, the module's snapshot."""

from __future__ import annotations

from typing import Any

from tests.kit.desk import Desk
from tests.kit.superset import Superset, places
from tests.reports.guests import changed_query


class Frames:
    """What the frames of a user show."""

    def __init__(self, superset: Superset, desk: Desk) -> None:
        self.superset, self.caller = superset, desk.caller

    def rows(self, code: str, chart: str = "detail", tab: str = "all", **equal: str) -> list[dict[str, Any]]:
        """The rows of a report's chart where its filters have these values."""
        frame = self.caller.get("v2/report/Frame/getFrame", code=code).data
        [shown] = [each["embed_id"] for each in frame["tabs"] if each["key"] == tab]
        [place] = [each for each in places() if each.embed_id == shown]
        answer = self.caller.post("v2/report/Frame/getGuestToken", {"code": code, "tab": tab})
        assert answer.ok, answer
        token = answer.data["token"]
        body = self.superset.chart_body(place, place.board.chart(chart), token)
        chosen = [{"col": name, "op": "IN", "val": [value]} for name, value in equal.items()]
        told = self.superset.post("/api/v1/chart/data", token, changed_query(body, filters=chosen))
        assert told.status_code == 200, told.text
        found: list[dict[str, Any]] = told.json()["result"][0]["data"]
        return found

    def one(self, code: str, chart: str = "detail", tab: str = "all", **equal: str) -> dict[str, Any]:
        [found] = self.rows(code, chart, tab, **equal)
        return found
