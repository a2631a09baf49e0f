"""Client of embedded reports as a frame reads them: the workspace's token, the running Superset, the
module's snapshot."""

from __future__ import annotations

from typing import Any

from reports.semantics.day_ranges import RANGE_OPERATOR
from tests.support.bill_client import BillClient
from tests.support.superset import SupersetClient, list_places


class FrameClient:
    """Embedded reports as a user's frames show them."""

    def __init__(self, superset: SupersetClient, desk: BillClient) -> None:
        self.superset, self.caller = superset, desk.caller

    def fetch_rows(
        self, code: str, chart: str = "detail", tab: str = "all", days: str = "", **equal: str | list[str]
    ) -> list[dict[str, Any]]:
        """The rows of a report's chart where its filters have these values, or one of several; of `days` where it is of
        a range."""
        return self.fetch_answers(code, chart, tab, days, **equal)[0]

    def fetch_answers(
        self, code: str, chart: str = "detail", tab: str = "all", days: str = "", **equal: str | list[str]
    ) -> list[list[dict[str, Any]]]:
        """Return the answers to each of a chart's queries: a table's rows, and their totals."""
        frame = self.caller.get("v2/report/Frame/getFrame", code=code).data
        [shown] = [each["embed_id"] for each in frame["tabs"] if each["key"] == tab]
        [place] = [each for each in list_places() if each.embed_id == shown]
        answer = self.caller.post("v2/report/Frame/getGuestToken", {"code": code, "tab": tab})
        assert answer.ok, answer
        token = answer.data["token"]
        body = self.superset.chart_body(place, place.board.chart(chart), token)
        values = {name: [value] if isinstance(value, str) else value for name, value in equal.items()}
        chosen = [{"col": name, "op": "IN", "val": value} for name, value in values.items()]
        if days:
            column = place.board.dataset(place.board.chart(chart).dataset).time_column
            chosen.append({"col": column, "op": RANGE_OPERATOR, "val": days})
        queries = [{**query, "filters": chosen} for query in body["queries"]]
        told = self.superset.post("/api/v1/chart/data", token, {**body, "queries": queries})
        assert told.status_code == 200, told.text
        return [answer["data"] for answer in told.json()["result"]]

    def fetch_row(self, code: str, chart: str = "detail", tab: str = "all", **equal: str) -> dict[str, Any]:
        [found] = self.fetch_rows(code, chart, tab, **equal)
        return found
