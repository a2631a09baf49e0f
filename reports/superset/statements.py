"""Statements (取数语句) that a report's charts run against the snapshot, found by asking as a guest's frame does.

`python -m reports.superset.statements` reads requests from standard input; Superset's metadata has to have the
report's assets. Nothing is worked out twice: a request goes the whole way, under the row rule of its token
and through every patch of Superset's queries, and what reaches the database is recorded.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from reports.semantics.dashboards import Chart
from reports.semantics.day_ranges import RANGE_OPERATOR
from reports.superset import proxy_signing
from reports.superset.assets import DashboardVariant, list_dashboards
from reports.superset.bootstrap import use_config
from reports.superset.chart_params import stored_queries


def main() -> None:
    """Answer `[{"embed_id", "token", "filters": {key: values}}, …]` with each chart's statements, as JSON."""
    requests = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):  # what Superset says is for people, the answer is not
        answer = answer_requests(requests)
    json.dump(answer, sys.stdout, ensure_ascii=False)


def answer_requests(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each chart of the requested boards, with its statements."""
    use_config()
    from superset.app import create_app

    logging.disable(logging.WARNING)
    app = create_app()
    found = {item.embedded_uuid: item for item in list_dashboards()}
    answer = []
    with app.app_context():
        for request in requests:
            placed = found[request["embed_id"]]
            for chart in placed.board.charts:
                statements = list(statements_of(app, placed, chart, request))
                answer.append(
                    {
                        "tab": placed.tab.label,
                        "key": chart.key,
                        "title": chart.title,
                        "statements": statements,
                    }
                )
    return answer


def statements_of(app: Any, placed: DashboardVariant, chart: Chart, request: dict[str, Any]) -> Iterator[str]:
    """Yield the statements that one chart runs, in order.

    Raises RuntimeError with Superset's answer if it is refused.
    """
    with record_statements() as statements:
        answer = app.test_client().post(
            "/api/v1/chart/data",
            json=request_body(placed, chart, request["filters"]),
            headers={
                app.config["GUEST_TOKEN_HEADER_NAME"]: request["token"],
                proxy_signing.HEADER: proxy_signing.proxy_token(),
            },
        )
    if answer.status_code != 200:
        raise RuntimeError(f"{chart.title}：{answer.status_code} {answer.get_data(as_text=True)}")
    yield from statements


def request_body(placed: DashboardVariant, chart: Chart, filters: dict[str, list[str]]) -> dict[str, Any]:
    """Return the request of a frame that has just opened with these values of its filters."""
    from superset import db
    from superset.models.slice import Slice

    stored = db.session.query(Slice).filter_by(uuid=placed.chart_uuid(chart.key)).one()
    dataset = placed.board.dataset(chart.dataset)
    conditions: list[dict[str, Any]] = [
        {"col": item.column, "op": RANGE_OPERATOR, "val": filters[item.key][0]}
        if item.ranged
        else {"col": item.column, "op": "IN", "val": filters[item.key]}
        for item in placed.board.filters_of(chart)
        if item.key in filters
    ]
    ranged = any(condition["op"] == RANGE_OPERATOR for condition in conditions)
    return {
        "datasource": {"id": stored.datasource_id, "type": "table"},
        "queries": [
            {**query, "filters": [*([] if ranged else query["filters"]), *conditions]}
            for query in stored_queries(chart.on_screen, dataset)
        ],
        "form_data": {
            **stored.form_data,
            "dashboardId": stored.dashboards[0].id,
            "slice_id": stored.id,
        },
        "result_format": "json",
        "result_type": "full",
        "force": True,
    }


@contextmanager
def record_statements() -> Iterator[list[str]]:
    """Record the statements that are run against the snapshot."""
    from superset.db_engine_specs.base import BaseEngineSpec

    statements: list[str] = []
    run = BaseEngineSpec.execute.__func__

    def execute(cls: Any, cursor: Any, query: str, *args: Any, **options: Any) -> Any:
        statements.append(query)
        return run(cls, cursor, query, *args, **options)

    BaseEngineSpec.execute = classmethod(execute)
    try:
        yield statements
    finally:
        BaseEngineSpec.execute = classmethod(run)


if __name__ == "__main__":
    main()
