"""What is typed into a table is looked for in all names that it shows, and the totals are of the rows that are found."""

from __future__ import annotations

import json
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from reports.superset.chart_params import chart_params
from reports.superset_patches.table_search import SEARCHED, install_table_search
from tests.reports.explore_client import BEST_SELLER_DATASET, Analyst
from tests.reports.guest_requests import DATA, PLACES, find_place, read_rows
from tests.support.superset import EVERYTHING, SupersetClient

REVENUE = find_place("OperatingRevenue", tab="all")


def search_table(superset: SupersetClient, text: str) -> tuple[list[dict[str, Any]], int, dict[str, Any]]:
    """Search the revenue's table as its frame does; return the rows, their number and their totals."""
    token, chart = superset.token(REVENUE, EVERYTHING), REVENUE.board.chart("detail")
    body = superset.chart_body(REVENUE, chart, token)
    rows, totals = body["queries"]
    filters = [
        {"col": "month_label", "op": "IN", "val": ["2026-11"]},
        *([{"col": "company_name", "op": "ILIKE", "val": f"{text}%"}] if text else []),
    ]
    page = {**rows, "filters": filters, "row_limit": 20, "row_offset": 0}
    asked = [page, {**page, "row_limit": 0, "is_rowcount": True}, {**totals, "filters": filters}]
    answer = superset.post(DATA, token, {**body, "queries": asked})
    assert answer.status_code == 200, answer.text
    found, counted, summed = (one["data"] for one in answer.json()["result"])
    return found, counted[0]["rowcount"], summed[0] if summed else {}


@pytest.mark.parametrize("text", ["苏州", "州公", "张伟 苏州", "苏州公司 销售"])
def test_totals_are_of_the_rows_that_are_found(superset: SupersetClient, text: str):
    """Companies have a row each, found by any of its names: its ratios are the totals, as long as it stands alone."""
    whole, number, _ = search_table(superset, "")
    assert number == len(whole) == 2
    rows, number, totals = search_table(superset, text)
    assert number == len(rows) == 1
    assert rows[0] in whole and rows[0]["company_name"] == "苏州公司"
    assert totals == {name: rows[0][name] for name in totals} and totals["return_share"] is not None


def test_totals_of_several_rows_are_computed_anew(superset: SupersetClient):
    """Ratios of both rows are alike in the snapshot: they don't add up."""
    rows, number, totals = search_table(superset, "销售部")
    assert number == len(rows) == 2
    assert totals["revenue"] == pytest.approx(sum(row["revenue"] for row in rows))
    assert totals["return_share"] == pytest.approx(rows[0]["return_share"])
    assert totals["per_bill"] == pytest.approx(rows[0]["per_bill"])


@pytest.mark.parametrize("text", ["2026", "%", "_", "salesdetrpt", "没有"])
def test_nothing_is_found_that_no_name_has(superset: SupersetClient, text: str):
    """Signs that stand for others do not, and what isn't shown is not looked at."""
    assert search_table(superset, text)[:2] == ([], 0)


@pytest.mark.parametrize(
    ("sought", "found"), [("%州公%", {"苏州公司"}), ("%公司", {"苏州公司", "上海公司"}), ("米其林%", set())]
)
def test_an_analysts_condition_is_on_its_own_column(superset: SupersetClient, sought: str, found: set[str]):
    """He writes what stands for any signs himself, also where the chart that he changes is stored."""
    analyst = Analyst(superset)
    query = {"columns": ["company_name", "brand_name"], "metrics": ["quantity"], "filters": [], "orderby": []}
    number = analyst.create_chart(
        "各公司各品牌", analyst.datasets[BEST_SELLER_DATASET], query_context=json.dumps({"queries": [query]})
    )
    condition = {"col": "company_name", "op": "ILIKE", "val": sought}
    listed = {"clause": "WHERE", "expressionType": "SIMPLE", "subject": "company_name", "operator": "ILIKE"}
    form = {"slice_id": number, "adhoc_filters": [{**listed, "comparator": sought}]}
    answer = analyst.query_best_sellers(**{**query, "filters": [condition]}, form=form)
    assert {row["company_name"] for row in read_rows(answer)} == found


def test_only_the_chart_says_where_is_looked(superset: SupersetClient):
    """Whoever asks may not: it would be SQL of his own."""
    answer = Analyst(superset).query_best_sellers(
        columns=["company_name"],
        metrics=["quantity"],
        filters=[{"col": "company_name", "op": "ILIKE", "val": "上海%"}],
        extras={"searched": ["company_name\" || '上海' || \"company_name"]},
    )
    assert (answer.status_code, "searched" in answer.text) == (400, True)


def test_columns_that_a_query_brings_along_are_taken_from_it(monkeypatch: pytest.MonkeyPatch):
    """Also where the API would let them through: what is looked for is in the columns that the stored chart shows."""

    class Processor:
        def __init__(self, form: dict[str, Any]) -> None:
            self._query_context = SimpleNamespace(form_data=form)
            self._qc_datasource = None

        def get_df_payload(self, query: Any) -> Any:
            return query.extras

    module = ModuleType("superset.common.query_context_processor")
    monkeypatch.setattr(module, "QueryContextProcessor", Processor, raising=False)
    for name in ("superset", "superset.common"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    dataset, forged = REVENUE.board.datasets[0], {SEARCHED: [["1) or (1"], []], "where": ""}
    install_table_search(lambda source: dataset, lambda form: form["shown"])
    condition = {"col": "company_name", "op": "ILIKE", "val": "上海%"}

    def extras(*conditions: dict[str, Any]) -> Any:
        asked = SimpleNamespace(extras=forged, filter=[*conditions])
        return Processor({"shown": ["company_name", "revenue", "detail_link"]}).get_df_payload(asked)

    assert extras() == {"where": ""}
    assert extras(condition) == {"where": "", SEARCHED: [["company_name"], [condition]]}
    assert forged[SEARCHED] == [["1) or (1"], []], "the request itself stays as it was"


def test_every_table_with_totals_asks_the_server():
    for at in PLACES:
        for chart in at.board.tables:
            form = chart_params(chart, at.board.dataset(chart.dataset))
            assert form["server_pagination"] or not (form["show_totals"] or form["include_search"]), (
                at,
                chart.key,
            )
