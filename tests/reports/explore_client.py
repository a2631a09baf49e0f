"""An analyst for tests of Explore, who draws his own charts as the exploring port lets him through."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import httpx

from api.kit.settings import read_settings
from api.reporting.superset_gateway.tokens import sign_explorer_token
from reports.catalogue import EXPLORER_HEADER
from tests.reports.guest_requests import BEST_SELLER, BEST_SELLER_COST, DATA, RECEIVABLE
from tests.support.superset import CERTIFICATES, SupersetClient

REPORTS = [BEST_SELLER.report.code, RECEIVABLE.report.code]
BEST_SELLER_DATASET, BEST_SELLER_COST_DATASET, RECEIVABLE_DATASET = (
    at.board.datasets[0].name for at in (BEST_SELLER, BEST_SELLER_COST, RECEIVABLE)
)


def sign_explorer(**changed: Any) -> str:
    """Return the token by which the exploring port introduces somebody.

    `secret` signs it with another key.
    """
    secret = changed.pop("secret", read_settings().secrets["explorer_secret"])
    now = changed.pop("now", None)
    whole = {"user": 71, "name": "方睿", "role_id": 1, "cost": False, "reports": REPORTS, "exports": []}
    return sign_explorer_token(secret, {**whole, **changed}, now)


class Analyst:
    """An explorer with his browser's session for Superset."""

    def __init__(self, superset: SupersetClient, **said: Any) -> None:
        self.said = said
        self.http = httpx.Client(
            base_url=superset.url, timeout=60, verify=CERTIFICATES, follow_redirects=False
        )

    def ask(self, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        headers = {EXPLORER_HEADER: sign_explorer(**self.said)}
        if method != "GET":
            headers["X-CSRFToken"] = self._csrf
        return self.http.request(method, path, headers=headers, json=body, **options)

    def get(self, path: str) -> httpx.Response:
        return self.ask("GET", path)

    @cached_property
    def _csrf(self) -> str:
        answer = self.get("/api/v1/security/csrf_token/")
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    @cached_property
    def datasets(self) -> dict[str, int]:
        """The numbers of the datasets that he is offered, by name."""
        return list_offered_datasets(self.get)

    def list_names(self, kind: str) -> set[str]:
        """Return the names of the charts or dashboards that he is shown."""
        title = {"chart": "slice_name", "dashboard": "dashboard_title"}[kind]
        answer = self.get(f"/api/v1/{kind}/?q=(page_size:100)")
        assert answer.status_code == 200, answer.text
        return {row[title] for row in answer.json()["result"]}

    def query_dataset(self, dataset: int, **query: Any) -> httpx.Response:
        """Query a dataset as a chart does."""
        whole = {"columns": [], "metrics": [], "filters": [], "orderby": [], "row_limit": 100, **query}
        form = whole.pop("result_format", "json")
        kind = whole.pop("whole_result_type", "full")
        drawn = {"datasource": f"{dataset}__table", "viz_type": "table", **whole.pop("form", {})}
        return self.ask(
            "POST",
            DATA,
            {
                "datasource": {"id": dataset, "type": "table"},
                "queries": [whole],
                "form_data": drawn,
                "result_format": form,
                "result_type": kind,
            },
        )

    def query_best_sellers(self, **query: Any) -> httpx.Response:
        """Query the best sellers of one range of days as a chart does."""
        filters = [{"col": "period_label", "op": "IN", "val": ["近7天"]}, *query.pop("filters", [])]
        return self.query_dataset(self.datasets[BEST_SELLER_DATASET], filters=filters, **query)

    def create_chart(self, name: str, dataset: int, **more: Any) -> int:
        """Save a chart of his own and return its number."""
        answer = self.ask("POST", "/api/v1/chart/", build_chart_body(name, dataset, **more))
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def create_dashboard(self, title: str, **more: Any) -> int:
        """Save a dashboard of his own and return its number."""
        answer = self.ask("POST", "/api/v1/dashboard/", {"dashboard_title": title, **more})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]


def build_chart_body(name: str, dataset: int, **more: Any) -> dict[str, Any]:
    query = {"columns": ["company_name"], "metrics": ["quantity"], "filters": [], "orderby": []}
    context = {
        "datasource": {"id": dataset, "type": "table"},
        "queries": [query],
        "form_data": {},
        "result_format": "json",
        "result_type": "full",
    }
    return {
        "slice_name": name,
        "viz_type": "table",
        "datasource_id": dataset,
        "datasource_type": "table",
        "params": json.dumps({"datasource": f"{dataset}__table", "viz_type": "table"}),
        "query_context": json.dumps(context),
        **more,
    }


def list_offered_datasets(get: Callable[[str], httpx.Response]) -> dict[str, int]:
    """Return the numbers of the datasets that somebody is offered, by name; a page holds a hundred."""
    pages = [get(f"/api/v1/dataset/?q=(page_size:100,page:{number})") for number in range(2)]
    assert all(has_no_sql(page.text) for page in pages)
    return {row["table_name"]: row["id"] for page in pages for row in page.json()["result"]}


def has_no_sql(text: str) -> bool:
    return re.search(r"mart_|role_\w*scope|select\s", text) is None
