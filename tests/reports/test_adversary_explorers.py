"""An explorer reaches for more: SQL, raw tables, another role's datasets, others' charts, the catalogue itself."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import jwt
import pytest

from api.kit.settings import read_settings
from reports.catalogue import EXPLORER_AUDIENCE, EXPLORER_HEADER
from reports.semantics.dashboards import asset_uuid
from tests.reports.explore_client import (
    BEST_SELLER_COST_DATASET,
    BEST_SELLER_DATASET,
    RECEIVABLE_DATASET,
    Analyst,
    build_chart_body,
    has_no_sql,
    sign_explorer,
)
from tests.reports.guest_requests import BEST_SELLER, ROWS, is_refused
from tests.reports.test_adversary_paths import READ, WRITE, admin
from tests.reports.test_adversary_queries import QUERIES as GUESTS_QUERIES
from tests.support.superset import CERTIFICATES, COMPANY_ONE, COMPANY_TWO, EVERYTHING, SupersetClient

__all__ = ["admin"]

OWN_COLUMN = {
    "grouped-by-a-hidden-column",
    "named-twice",
    "series-of-a-hidden-column",
    "filter-on-a-hidden-column",
    "between-times-of-a-hidden-column",
}
"""What a guest may not ask for since his chart doesn't show it is an explorer's to choose."""
SQL = {"expressionType": "SQL", "label": "x"}
SUM = {"expressionType": "SIMPLE", "aggregate": "SUM", "label": "x"}
QUERIES: dict[str, dict[str, Any]] = {
    **{name: query for name, query in GUESTS_QUERIES.items() if name not in OWN_COLUMN},
    "subquery-as-column": {
        "columns": [{**SQL, "sqlExpression": "(select max(balance) from mart_receivable_aging)"}]
    },
    "subquery-as-metric": {
        "metrics": [{**SQL, "sqlExpression": "(select sum(profit) from mart_commodity_profit)"}]
    },
    "subquery-in-where": {"extras": {"where": "1 = (select 1 from mart_receivable_aging limit 1)"}},
    "subquery-in-a-filter": {
        "filters": [{"col": {**SQL, "sqlExpression": "(select 1)"}, "op": "==", "val": 1}]
    },
    "sum-of-a-measure": {"metrics": [{**SUM, "column": {"column_name": "stock_quantity"}}]},
    "sum-of-a-cost": {"metrics": [{**SUM, "column": {"column_name": "profit"}}]},
    "sum-of-the-role": {"metrics": [{**SUM, "column": {"column_name": "role_id"}}]},
    "sum-of-a-text": {"metrics": [{**SUM, "column": {"column_name": "goods_num"}}]},
    "own-aggregate": {"metrics": [{**SUM, "aggregate": "list", "column": {"column_name": "goods_num"}}]},
    "both-kinds-of-metric": {
        "metrics": [{**SUM, "expressionType": "sql", "sqlExpression": "1", "column": {"column_name": "x"}}]
    },
    "ordered-by-the-role": {"orderby": [["role_id", True]]},
    "over-the-time-of-a-measure": {"granularity": "days"},
}
SERVICES = [
    path
    for path in READ
    if path not in ("/api/v1/dataset/",) and "column/" not in path and "explore/" not in path
]


@pytest.fixture(scope="module")
def analyst(superset: SupersetClient) -> Iterator[Analyst]:
    """A reader of company two, without cost."""
    yield Analyst(superset, user=81, role_id=COMPANY_TWO, reports=["BestSeller"])


@pytest.fixture(scope="module")
def other(superset: SupersetClient) -> Analyst:
    """An analyst who may read all, with a chart on a dashboard of his own."""
    return Analyst(superset, user=82, role_id=EVERYTHING, cost=True)


@pytest.fixture(scope="module")
def numbers(superset: SupersetClient, analyst: Analyst, other: Analyst) -> dict[str, int]:
    """Numbers of things that are not the analyst's."""
    board = other.create_dashboard("别人的看板")
    guest = superset.token(BEST_SELLER, COMPANY_ONE)
    return {
        "dataset": other.datasets[RECEIVABLE_DATASET],
        "dear": other.datasets[BEST_SELLER_COST_DATASET],
        "chart": other.create_chart("别人的图", other.datasets[RECEIVABLE_DATASET], dashboards=[board]),
        "board": board,
        "catalogue_chart": superset.charts(BEST_SELLER, guest)["detail"]["id"],
        "catalogue_board": superset.dashboard_id(BEST_SELLER),
        "database": 1,
    }


def is_turned_away(answer: httpx.Response) -> bool:
    assert "别人的" not in answer.text and has_no_sql(answer.text), answer.text[:500]
    return answer.status_code == 302 or is_refused(answer)


class TestQueries:
    def test_the_plain_one_is_answered(self, analyst: Analyst):
        answer = analyst.query_best_sellers(columns=["goods_num"], metrics=["quantity"])
        assert answer.status_code == 200 and answer.json()["result"][0]["data"]

    def test_none_with_sql_or_a_column_of_another_kind(self, analyst: Analyst):
        plain = {"columns": ["goods_num"], "metrics": ["quantity"]}
        let_through = [
            name
            for name, query in QUERIES.items()
            if not is_refused(analyst.query_best_sellers(**{**plain, **query}), malformed=True)
        ]
        assert let_through == []

    def test_a_chart_of_his_has_its_rows_brought_into_shape(self, analyst: Analyst):
        asked = {"columns": ["goods_num", "company_name"], "metrics": ["quantity"]}
        sides = {"index": ["goods_num"], "columns": ["company_name"]}
        steps = {
            "pivot": {**sides, "aggregates": {"quantity": {"operator": "mean"}}},
            "cum": {"operator": "sum", "columns": {"quantity": "sum_so_far"}},
            "rank": {"metric": "quantity"},
            "histogram": {"column": "quantity", "groupby": [], "bins": 5},
        }
        for name, options in steps.items():
            shape = [{"operation": name, "options": options}, {"operation": "flatten"}]
            answer = analyst.query_best_sellers(**asked, post_processing=shape)
            assert answer.status_code == 200 and answer.json()["result"][0]["data"], (name, answer.text)

    @pytest.mark.parametrize(
        "kind", ["samples", "drill_detail", "query", "columns", "timegrains", "post_processed"]
    )
    def test_no_raw_rows_and_no_query_text(self, analyst: Analyst, kind: str):
        plain = {"columns": ["goods_num"], "metrics": []}
        assert is_refused(analyst.query_best_sellers(**plain, whole_result_type=kind))
        assert is_refused(analyst.query_best_sellers(**plain, result_type=kind))

    def test_no_dataset_beyond_the_role(self, analyst: Analyst, numbers: dict[str, int]):
        for name in ("dataset", "dear"):
            assert is_turned_away(analyst.query_dataset(numbers[name], columns=["company_name"], metrics=[]))
            values = f"/api/v1/datasource/table/{numbers[name]}/column/company_name/values/"
            assert is_turned_away(analyst.get(values))
            told = analyst.get(f"/api/v1/explore/?datasource_id={numbers[name]}&datasource_type=table")
            assert is_turned_away(told) or told.json()["result"]["dataset"]["columns"] == []
        second = {"columns": ["company_name"], "datasource": {"id": numbers["dataset"], "type": "table"}}
        assert is_refused(analyst.query_best_sellers(**second), malformed=True)

    def test_a_stored_query_of_his_own_is_looked_at_like_any(self, analyst: Analyst, numbers: dict[str, int]):
        stored = json.loads(build_chart_body("x", analyst.datasets[BEST_SELLER_DATASET])["query_context"])
        stored["queries"][0]["metrics"] = [{**SQL, "sqlExpression": "(select 1 from mart_receivable_aging)"}]
        number = analyst.create_chart(
            "试", analyst.datasets[BEST_SELLER_DATASET], query_context=json.dumps(stored)
        )
        assert is_turned_away(analyst.get(f"/api/v1/chart/{number}/data/"))
        stored["datasource"]["id"] = numbers["dataset"]
        analyst.ask("PUT", f"/api/v1/chart/{number}", {"query_context": json.dumps(stored)})
        assert is_turned_away(analyst.get(f"/api/v1/chart/{number}/data/"))


class TestServices:
    """Past the exploring port, which lets none of them through: the role in Superset says no as well."""

    def test_read(self, analyst: Analyst, numbers: dict[str, int]):
        for path in SERVICES:
            answer = analyst.get(path.format(**numbers))
            if answer.status_code == 200:
                found = answer.json()
                assert found.get("result") in ([], None) or found.get("count") == 0, path
            else:
                assert is_turned_away(answer), path
        for path in (
            "/sqllab/",
            "/superset/sqllab/",
            "/databaseview/list/",
            "/users/list/",
        ):
            assert analyst.get(path).status_code != 200, path

    def test_write(self, analyst: Analyst, numbers: dict[str, int]):
        for method, path, sent in WRITE:
            if path in ("/api/v1/explore/form_data", "/api/v1/chart/"):
                continue
            answer = analyst.ask(method, path.format(**numbers), sent)
            assert is_turned_away(answer) or answer.status_code in (404, 500), (
                method,
                path,
                answer.text[:300],
            )

    def test_expressions_are_not_checked_for_him(self, analyst: Analyst):
        path = f"/api/v1/datasource/table/{analyst.datasets[BEST_SELLER_DATASET]}/validate_expression/"
        sent = {"expression": "(select 1 from mart_receivable_aging)", "expression_type": "column"}
        assert is_turned_away(analyst.ask("POST", path, sent))


class TestOthersThings:
    @pytest.mark.parametrize("whose", ["", "catalogue_"])
    def test_are_not_found(self, analyst: Analyst, numbers: dict[str, int], whose: str):
        chart_number, board = numbers[f"{whose}chart"], numbers[f"{whose}board"]
        for path in (
            f"/api/v1/chart/{chart_number}",
            f"/api/v1/chart/{chart_number}/data/",
            f"/api/v1/dashboard/{board}",
            f"/api/v1/dashboard/{board}/charts",
            f"/api/v1/dashboard/{board}/datasets",
            f"/api/v1/dashboard/{board}/tabs",
        ):
            assert is_turned_away(analyst.get(path)), path
        assert analyst.get(f"/explore/?slice_id={chart_number}").status_code == 404
        told = analyst.get(f"/api/v1/explore/?slice_id={chart_number}")
        assert is_turned_away(told) or told.json()["result"]["slice"] is None
        for kind, number in (("chart", chart_number), ("dashboard", board)):
            assert is_turned_away(analyst.ask("PUT", f"/api/v1/{kind}/{number}", {"description": "x"}))
            assert is_turned_away(analyst.ask("DELETE", f"/api/v1/{kind}/{number}"))
            assert is_turned_away(analyst.ask("DELETE", f"/api/v1/{kind}/?q=!({number})"))

    def test_are_listed_nowhere(self, analyst: Analyst, other: Analyst, numbers: dict[str, int]):
        assert other.get(f"/explore/?slice_id={numbers['chart']}").status_code == 200
        assert other.list_names("chart") == {"别人的图"} and other.list_names("dashboard") == {"别人的看板"}
        assert "别人的图" not in analyst.list_names("chart") and analyst.list_names("dashboard") <= {"我的"}
        people = analyst.get("/api/v1/chart/related/owners?q=(page_size:100)").json()["result"]
        assert len(people) == 1

    def test_are_not_drawn_into_his_dashboard(self, analyst: Analyst, numbers: dict[str, int]):
        board = analyst.create_dashboard("我的")
        for number in (numbers["chart"], numbers["catalogue_chart"]):
            place = {
                "CHART-1": {"id": "CHART-1", "type": "CHART", "children": [], "meta": {"chartId": number}}
            }
            changed = {"json_metadata": json.dumps({"positions": place})}
            analyst.ask("PUT", f"/api/v1/dashboard/{board}", changed)
            assert analyst.get(f"/api/v1/dashboard/{board}/charts").json()["result"] == []
        analyst.ask("DELETE", f"/api/v1/dashboard/{board}")

    def test_nor_is_his_chart_put_into_theirs(self, analyst: Analyst, numbers: dict[str, int]):
        for board in (numbers["board"], numbers["catalogue_board"]):
            sent = build_chart_body("x", analyst.datasets[BEST_SELLER_DATASET], dashboards=[board])
            assert is_turned_away(analyst.ask("POST", "/api/v1/chart/", sent))
        assert is_turned_away(
            analyst.ask("POST", "/api/v1/chart/", build_chart_body("x", numbers["dataset"]))
        )

    def test_what_he_makes_never_passes_for_the_catalogues(self, superset: SupersetClient, analyst: Analyst):
        coming = asset_uuid("dashboard", "coming")
        board = analyst.create_dashboard(
            "我的", uuid=coming, slug="coming-report", is_managed_externally=True
        )
        analyst.ask(
            "PUT", f"/api/v1/dashboard/{board}", {"slug": "coming-report", "is_managed_externally": True}
        )
        told = analyst.get(f"/api/v1/dashboard/{board}").json()["result"]
        assert told["slug"] is None and told["is_managed_externally"] is False
        assert told.get("uuid") != coming
        analyst.ask("DELETE", f"/api/v1/dashboard/{board}")


class TestWord:
    """What our API says of an explorer, said by somebody else."""

    def ask(self, superset: SupersetClient, said: str, **headers: str) -> int:
        address = f"{superset.url}/api/v1/dataset/"
        return httpx.get(
            address, headers={EXPLORER_HEADER: said, **headers}, timeout=60, verify=CERTIFICATES
        ).status_code

    def test_nobody_else_may_say_it(self, superset: SupersetClient):
        assert self.ask(superset, sign_explorer()) == 200
        secrets = read_settings().secrets
        said = jwt.decode(sign_explorer(), options={"verify_signature": False})
        guests = secrets["guest_token_secret"]
        for forged in (
            sign_explorer(secret="x" * 40),
            sign_explorer(secret=guests),
            sign_explorer(now=time.time() - 120),
            jwt.encode(said, "", algorithm="none"),
            jwt.encode({**said, "exp": said["iat"] + 3600}, secrets["explorer_secret"]),
            jwt.encode({**said, "aud": "erp-explore-door"}, secrets["explorer_secret"]),
            jwt.encode({k: v for k, v in said.items() if k != "role_id"}, secrets["explorer_secret"]),
            jwt.encode(
                {**said, "aud": EXPLORER_AUDIENCE, "role_id": "1 or 1 = 1"}, secrets["explorer_secret"]
            ),
            "",
            "x.y.z",
        ):
            assert self.ask(superset, forged) == 401, forged

    def test_a_login_in_the_same_session_doesnt_widen_it(self, admin: httpx.Client):
        assert admin.get("/api/v1/database/").json()["count"] == 1
        assert admin.get("/api/v1/database/", headers={EXPLORER_HEADER: sign_explorer()}).status_code == 401

    def test_it_makes_no_rows_of_a_readers_name(self, superset: SupersetClient):
        """A word about nobody's reports gives nothing."""
        empty = Analyst(superset, user=83, reports=[], exports=["BestSeller"])
        assert empty.datasets == {}
        listed = empty.get("/api/v1/dashboard/").text + empty.get("/api/v1/chart/").text
        assert not [name for name in ROWS if name in listed]
