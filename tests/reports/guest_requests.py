"""Guests for tests: boards, tokens of any content, changed requests, refusals."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx
import jwt

from api.kit.settings import read_settings
from api.reporting.superset_gateway.tokens import GUEST_LIFE
from reports.semantics.dashboards import COST, PLAIN
from tests.support.superset import COMPANY_ONE, DashboardPlace, SupersetClient, list_places

PLACES = list_places()
DATA = "/api/v1/chart/data"
REFUSED = (400, 401, 403, 404, 405, 422)
SERVER_ERROR = 500
"""Superset's status for a request that it can't read: no rows either."""


def find_place(code: str, variant: str = PLAIN, tab: str = "") -> DashboardPlace:
    return next(
        item
        for item in PLACES
        if item.report.code == code and item.variant == variant and tab in ("", item.tab.key)
    )


BEST_SELLER = find_place("BestSeller")
BEST_SELLER_COST = find_place("BestSeller", COST)
RECEIVABLE = find_place("accountsReceivable")
AGING = find_place("inventoryAgingReport")
ROWS = {"上海公司", "苏州公司", "上海公司的客户", "苏州公司的客户"}
"""Names that stand in rows of the snapshot; an answer that refuses tells none of them."""


def build_claims(**changed: Any) -> dict[str, Any]:
    """Return a sound token's content, changed; `...` leaves a claim out."""
    now = int(time.time())
    whole = {
        "user": {"username": "张伟", "first_name": "", "last_name": ""},
        "resources": [{"type": "dashboard", "id": RECEIVABLE.embed_id}],
        "rls_rules": [{"clause": f"role_id = {COMPANY_ONE}"}],
        "iat": now,
        "exp": now + GUEST_LIFE,
        "aud": "erp-report-frames",
        "type": "guest",
    }
    return {name: value for name, value in {**whole, **changed}.items() if value is not ...}


def sign_token(secret: str | None = None, algorithm: str = "HS256", **changed: Any) -> str:
    return jwt.encode(
        build_claims(**changed), secret or read_settings().secrets["guest_token_secret"], algorithm=algorithm
    )


def change_query(body: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**body, "queries": [{**body["queries"][0], **changes}]}


def read_rows(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    return answer.json()["result"][0]["data"]


def is_refused(answer: httpx.Response, malformed: bool = False) -> bool:
    """Return whether an answer is refused by its status; it must contain no row."""
    assert not [name for name in ROWS if name in answer.text], answer.text[:500]
    return answer.status_code in REFUSED or (malformed and answer.status_code == SERVER_ERROR)


def filter_values(
    superset: SupersetClient, at: DashboardPlace, token: str, column: str, **changes: Any
) -> Any:
    """Query the values of a native filter; return the answer's rows, or the status of a refusal."""
    board = superset.get(f"/api/v1/dashboard/{superset.dashboard_id(at)}", token).json()["result"]
    configured = json.loads(board["json_metadata"])["native_filter_configuration"]
    found = next(item for item in configured if item["targets"][0].get("column") == {"name": column})
    query = {
        "columns": [column],
        "metrics": [],
        "orderby": [[column, True]],
        "filters": [],
        "row_limit": 1000,
    }
    answer = superset.post(
        DATA,
        token,
        {
            "datasource": {"id": found["targets"][0]["datasetId"], "type": "table"},
            "queries": [{**query, **changes}],
            "form_data": {
                "type": "NATIVE_FILTER",
                "native_filter_id": found["id"],
                "dashboardId": superset.dashboard_id(at),
                "viz_type": found["filterType"],
                "groupby": [column],
                **found["controlValues"],
            },
            "result_format": "json",
            "result_type": "full",
        },
    )
    return answer.json()["result"][0]["data"] if answer.status_code == 200 else answer.status_code
