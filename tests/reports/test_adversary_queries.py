"""A guest with a sound token changes what his frame asks: no column, dataset or chart but his board's own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reports.guest_requests import (
    BEST_SELLER,
    BEST_SELLER_COST,
    DATA,
    PLACES,
    RECEIVABLE,
    change_query,
    filter_values,
    find_place,
    is_refused,
    read_rows,
)
from tests.support.superset import COMPANY_ONE, EVERYTHING, DashboardPlace, SupersetClient

SQL = {"expressionType": "SQL", "sqlExpression": "sum(profit)", "label": "净销量"}
SIMPLE = {
    "expressionType": "SIMPLE",
    "aggregate": "SUM",
    "column": {"column_name": "stock_quantity"},
    "label": "净销量",
}
MEAN = {"operator": "mean"}
AXIS = {"expressionType": "SQL", "columnType": "BASE_AXIS", "label": "goods_num"}
QUERIES: dict[str, dict[str, Any]] = {
    "grouped-by-a-hidden-column": {"groupby": ["pattern"]},
    "named-twice": {"columns": ["goods_num", "pattern"]},
    "role": {"columns": ["role_id"], "metrics": [], "orderby": []},
    "cost-column": {"columns": ["profit"], "metrics": [], "orderby": []},
    "measure-as-column": {"columns": ["quantity"], "metrics": [], "orderby": []},
    "series-of-a-hidden-column": {"series_columns": ["pattern"]},
    "expression": {"columns": [{**AXIS, "columnType": None, "sqlExpression": "(select 1)"}]},
    "expression-as-axis": {"columns": [{**AXIS, "sqlExpression": "(select 1)"}]},
    "measure-as-axis": {"columns": [{**AXIS, "sqlExpression": "stock_quantity"}]},
    "aggregate": {"metrics": [SQL]},
    "aggregate-of-a-table": {
        "metrics": [{**SQL, "sqlExpression": "(select sum(profit) from mart_best_seller)"}]
    },
    "function-of-the-server": {"metrics": [{**SQL, "sqlExpression": "getenv('HOME')"}]},
    "simple-aggregate": {"metrics": [SIMPLE]},
    "cost-metric": {"metrics": ["profit"]},
    "metric-by-label": {"metrics": [{"label": "profit"}]},
    "limited-by-own-aggregate": {"series_limit_metric": SQL},
    "limited-by-own-aggregate-of-old": {"timeseries_limit_metric": SIMPLE},
    "ordered-by-aggregate": {"orderby": [[SQL, True]]},
    "ordered-by-text": {"orderby": [["(select 1)", True]]},
    "ordered-by-a-measure": {"orderby": [["stock_quantity", True]]},
    "where": {"extras": {"where": "1 = 1"}},
    "having": {"extras": {"having": "sum(quantity) > 0"}},
    "where-of-old": {"where": "1 = 1"},
    "having-of-old": {"having": "1 = 1"},
    "role-in-where": {"extras": {"where": "role_id = 1) or (1 = 1"}},
    "filter-on-a-measure": {"filters": [{"col": "stock_quantity", "op": ">", "val": 0}]},
    "filter-on-the-role": {"filters": [{"col": "role_id", "op": "==", "val": 1}]},
    "filter-on-a-hidden-column": {"filters": [{"col": "pattern", "op": "LIKE", "val": "P%"}]},
    "filter-on-an-expression": {
        "filters": [{"col": {**AXIS, "columnType": None, "sqlExpression": "profit"}, "op": ">", "val": 0}]
    },
    "filter-on-an-axis-expression": {
        "filters": [{"col": {**AXIS, "sqlExpression": "(select 1)"}, "op": ">", "val": 0}]
    },
    "filter-without-column": {"filters": [{"op": "IS NULL"}]},
    "filter-by-own-operator": {"filters": [{"col": "goods_num", "op": "= '' or 1 = 1 or ''", "val": "x"}]},
    "between-times-of-a-hidden-column": {"granularity": "pattern", "time_range": "2020-01-01 : 2030-01-01"},
    "rows-of-every-second": {
        "post_processing": [{"operation": "resample", "options": {"rule": "1s", "method": "sum"}}]
    },
    "rows-to-come": {"post_processing": [{"operation": "prophet", "options": {"periods": 10**6}}]},
    "columns-doubled": {"post_processing": [{"operation": "contribution"}] * 2},
    "expression-of-rows": {"post_processing": [{"operation": "eval", "options": {"text": "1"}}]},
    "endless-bins": {"post_processing": [{"operation": "histogram", "options": {"bins": 10**9}}]},
    "beside-many-times": {"time_offsets": [f"{days} days ago" for days in range(1, 20)]},
    "layer": {
        "annotation_layers": [
            {"name": "x", "annotationType": "FORMULA", "sourceType": "table", "value": "x", "show": True}
        ]
    },
}


@pytest.fixture(scope="module")
def body(superset: SupersetClient) -> dict[str, Any]:
    """An allowed request: the ranking table of the best sellers, without cost."""
    return build_stored_query(superset, BEST_SELLER)


def build_stored_query(superset: SupersetClient, at: DashboardPlace) -> dict[str, Any]:
    return superset.chart_body(at, at.board.chart("detail"), superset.token(at, COMPANY_ONE))


@pytest.fixture
def refused(superset: SupersetClient):
    """Whether the reader of the best sellers without cost is refused."""
    token = superset.token(BEST_SELLER, COMPANY_ONE)

    def is_query_refused(asked: dict[str, Any]) -> bool:
        return is_refused(superset.post(DATA, token, asked))

    return is_query_refused


class TestQuery:
    def test_the_stored_one_is_answered(self, superset: SupersetClient, body: dict[str, Any]):
        rows = read_rows(superset.post(DATA, superset.token(BEST_SELLER, COMPANY_ONE), body))
        assert {row["goods_num"] for row in rows} == {"G001", "G002", "G003"}
        assert not {"profit", "margin", "cost", "role_id"} & set(rows[0])

    @pytest.mark.parametrize("changes", QUERIES.values(), ids=QUERIES)
    def test_changed(self, refused, body: dict[str, Any], changes: dict[str, Any]):
        assert refused(change_query(body, **changes))

    @pytest.mark.parametrize(
        ("kind", "stacked"), [("bar", False), ("bar", True), ("mixed", False), ("donut", False)]
    )
    def test_what_a_frame_does_with_the_rows_is_done(
        self, superset: SupersetClient, kind: str, stacked: bool
    ):
        at, chart = next(
            (at, chart)
            for at in PLACES
            for chart in at.board.charts
            if (chart.kind, chart.stacked and bool(chart.by)) == (kind, stacked)
        )
        token = superset.token(at, EVERYTHING)
        body = superset.chart_body(at, chart, token)
        figures = [*chart.metrics, *chart.second]
        pivot = {
            "index": [chart.x],
            "columns": list(chart.by),
            "aggregates": dict.fromkeys(figures, MEAN),
        }
        steps = [
            {"operation": "pivot", "options": {**pivot, "drop_missing_columns": False}},
            {"operation": "rename", "options": {"columns": {figures[0]: None}, "level": 0, "inplace": True}},
            {"operation": "sort", "options": {"is_sort_index": True, "ascending": True}},
            {"operation": "flatten"},
        ]
        if kind == "donut":
            [name] = figures
            steps = [
                {"operation": "contribution", "options": {"columns": [name], "rename_columns": ["share"]}}
            ]
        elif not stacked:
            del steps[1]
        rows = read_rows(superset.post(DATA, token, change_query(body, post_processing=steps)))
        assert rows and (kind == "donut") == ("share" in rows[0])

    def test_rows_of_days_are_not_made_to_rows_of_seconds(self, superset: SupersetClient):
        """A date is a moment in the rows of an answer where it is asked for as an axis."""
        at, day = find_place("inventoryAgingReportDetailed"), "receipt_date"
        chart, token = at.board.chart("detail"), superset.token(at, EVERYTHING)
        body = superset.chart_body(at, chart, token)
        axis = {**AXIS, "label": day, "sqlExpression": day}
        columns = [axis if name == day else name for name in body["queries"][0]["columns"]]
        pivot = {"index": [day], "columns": [], "aggregates": {chart.metrics[0]: MEAN}}
        first, last = {"operation": "pivot", "options": pivot}, {"operation": "flatten"}
        more = {"operation": "resample", "options": {"rule": "1h", "method": "ffill"}}
        drawn = change_query(body, columns=columns, post_processing=[first, last])
        assert len(read_rows(superset.post(DATA, token, drawn))) == 3
        asked = change_query(body, columns=columns, post_processing=[first, more, last])
        assert is_refused(superset.post(DATA, token, asked))

    @pytest.mark.parametrize("changes", list(QUERIES.values())[:4], ids=list(QUERIES)[:4])
    def test_changed_behind_an_allowed_one(self, refused, body: dict[str, Any], changes: dict[str, Any]):
        (changed,) = change_query({**body, "queries": body["queries"][:1]}, **changes)["queries"]
        assert refused({**body, "queries": [*body["queries"], changed]})

    @pytest.mark.parametrize(
        "kind", ["samples", "drill_detail", "query", "columns", "timegrains", "post_processed"]
    )
    def test_another_kind_of_answer(self, refused, body: dict[str, Any], kind: str):
        assert refused({**body, "result_type": kind})
        assert refused(change_query(body, result_type=kind))

    @pytest.mark.parametrize("form", ["csv", "xlsx"])
    def test_in_a_file(self, superset: SupersetClient, refused, body: dict[str, Any], form: str):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        assert superset.post(DATA, token, {**body, "result_format": form}).status_code == 200
        hidden = change_query(body, columns=["pattern"], metrics=[], orderby=[])
        assert refused({**hidden, "result_format": form})
        assert refused({**body, "result_format": form, "result_type": "samples"})

    @pytest.mark.parametrize("form", ["csv", "xlsx"])
    def test_in_a_file_without_the_right_to_export(
        self, superset: SupersetClient, body: dict[str, Any], form: str
    ):
        token = superset.token(BEST_SELLER, COMPANY_ONE, files=False)
        assert superset.post(DATA, token, body).status_code == 200
        assert superset.post(DATA, token, {**body, "result_format": form}).status_code == 403

    def test_a_filter_asks_for_another_column(self, superset: SupersetClient):
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        assert filter_values(superset, RECEIVABLE, token, "company_name", columns=["bill_no"]) == 403
        metric = {"expressionType": "SQL", "sqlExpression": "sum(balance)", "label": "x"}
        assert filter_values(superset, RECEIVABLE, token, "company_name", metrics=[metric]) == 403


RANGES: dict[str, dict[str, Any]] = {
    "of-another-column": {"filters": [{"col": "company_name", "op": "TEMPORAL_RANGE", "val": "Last year"}]},
    "of-the-role": {"filters": [{"col": "role_id", "op": "TEMPORAL_RANGE", "val": "Last year"}]},
    "of-a-measure": {"filters": [{"col": "last_day", "op": "TEMPORAL_RANGE", "val": "Last year"}]},
    "of-an-expression": {
        "filters": [
            {"col": {**AXIS, "sqlExpression": "(select 1)"}, "op": "TEMPORAL_RANGE", "val": "Last year"}
        ]
    },
    "of-another-column-as-of-old": {"granularity": "last_day", "time_range": "Last year"},
    "a-value": {"filters": [{"col": "day", "op": "==", "val": "2026-11-05"}]},
    "values": {"filters": [{"col": "day", "op": "IN", "val": ["2026-11-05"]}]},
    "sql": {"filters": [{"col": "day", "op": "TEMPORAL_RANGE", "val": "2026-01-01') or ('1' = '1 : now"}]},
    "sql-as-time-range": {"time_range": "2026-01-01' or 1 = 1 -- : 2026-12-01"},
    "no-word": {"time_range": "(select 1) : now"},
    "nested-without-end": {"time_range": "DATEADD(" * 15 + 'DATETIME("now"), 1, day) : now'},
    "longer-than-any": {"time_range": "Last 1 day" + " " * 5000},
    "of-hours": {"time_range": "Last 5 hours"},
    "endless": {"time_range": "Last 9999 years"},
    "backwards": {"time_range": "2026-12-01 : 2026-11-01"},
    "no-text": {"filters": [{"col": "day", "op": "TEMPORAL_RANGE", "val": ["Last year"]}]},
    "the-days-themselves": {"columns": ["day"], "metrics": [], "orderby": []},
}
DAYS = find_place("CommodityProfit", tab="days")


class TestDays:
    """A guest chooses any days, in words that are understood, and of the days alone."""

    @pytest.fixture(scope="class")
    def body(self, superset: SupersetClient) -> dict[str, Any]:
        return build_stored_query(superset, DAYS)

    def query_days(self, superset: SupersetClient, body: dict[str, Any], words: str) -> list[dict[str, Any]]:
        token = superset.token(DAYS, COMPANY_ONE)
        return read_rows(superset.post(DATA, token, change_query(body, time_range=words)))

    def test_he_is_told_of_these_days(self, superset: SupersetClient, body: dict[str, Any]):
        """All that a month sold was sold on its fifth day; each day stands a month later too."""
        november = self.query_days(superset, body, "2026-11-01 : 2026-12-01")
        assert november and all(row["quantity"] == 4 for row in november)
        assert all(row["revenue_before"] == row["revenue"] for row in november)
        both = self.query_days(superset, body, "2026-10-05T00:00:00 : 2026-11-06T00:00:00")
        assert all(row["quantity"] == 8 for row in both)
        assert self.query_days(superset, body, "2026-11-06 : 2026-11-21") == []

    def test_links_lead_to_the_days_of_the_row(self, superset: SupersetClient, body: dict[str, Any]):
        token = superset.token(DAYS, COMPANY_ONE)
        paged = change_query(body, time_range="2026-10-01 : 2026-12-01", row_limit=20)
        for row in read_rows(superset.post(DATA, token, paged)):
            assert "business_date_start=2026-10-05&amp;business_date_end=2026-11-05" in row["detail_link"]

    @pytest.mark.parametrize("changes", RANGES.values(), ids=RANGES)
    def test_otherwise(self, superset: SupersetClient, body: dict[str, Any], changes: dict[str, Any]):
        """Words that Superset can't read itself it stumbles over before it asks who may see what."""
        answer = superset.post(DATA, superset.token(DAYS, COMPANY_ONE), change_query(body, **changes))
        assert is_refused(answer, malformed=True)

    def test_boards_of_months_choose_no_days(self, superset: SupersetClient, refused, body: dict[str, Any]):
        months = build_stored_query(superset, BEST_SELLER)
        assert refused(change_query(months, granularity="goods_num", time_range="Last year"))


class TestChart:
    """The request names another chart, dataset or dashboard than the token's."""

    @pytest.mark.parametrize("at", [RECEIVABLE, BEST_SELLER_COST], ids=str)
    def test_of_another_board(self, superset: SupersetClient, refused, at: DashboardPlace):
        assert read_rows(
            superset.post(DATA, superset.token(at, COMPANY_ONE), build_stored_query(superset, at))
        )
        assert refused(build_stored_query(superset, at))

    @pytest.mark.parametrize("at", [RECEIVABLE, BEST_SELLER_COST], ids=str)
    def test_of_another_board_under_the_own_number(
        self, superset: SupersetClient, refused, at: DashboardPlace
    ):
        other = build_stored_query(superset, at)
        other["form_data"]["dashboardId"] = superset.dashboard_id(BEST_SELLER)
        assert refused(other)

    @pytest.mark.parametrize("at", [RECEIVABLE, BEST_SELLER_COST], ids=str)
    def test_own_chart_over_another_dataset(
        self, superset: SupersetClient, refused, body: dict[str, Any], at: DashboardPlace
    ):
        assert refused({**body, "datasource": build_stored_query(superset, at)["datasource"]})

    MALFORMED: dict[str, dict[str, Any]] = {
        "view": {"datasource": {"id": 1, "type": "view"}},
        "dataset": {"datasource": {"id": 1, "type": "dataset"}},
        "no-dataset": {"datasource": {"id": 10**9, "type": "table"}},
        "query-of-another-dataset": {"queries": [{"datasource": {"id": 1, "type": "table"}}]},
        "column-object": {"queries": [{"columns": [{"column_name": "pattern"}]}]},
    }

    @pytest.mark.parametrize("kind", ["query", "saved_query"])
    def test_another_kind_of_dataset(self, refused, body: dict[str, Any], kind: str):
        assert refused({**body, "datasource": {"id": 1, "type": kind}})

    @pytest.mark.parametrize("changed", MALFORMED.values(), ids=MALFORMED)
    def test_malformed(self, superset: SupersetClient, body: dict[str, Any], changed: dict[str, Any]):
        asked = {**body, **changed}
        if "queries" in changed:
            asked = change_query(body, **changed["queries"][0])
        answer = superset.post(DATA, superset.token(BEST_SELLER, COMPANY_ONE), asked)
        assert is_refused(answer, malformed=True)

    FORMS: dict[str, dict[str, Any]] = {
        "no-chart": {"slice_id": None},
        "drill-by": {"slice_id": 0, "chart_id": 1, "groupby": ["pattern"]},
        "chart-as-truth": {"slice_id": True},
        "chart-as-text": {"slice_id": "1"},
        "unknown-chart": {"slice_id": 10**9},
        "layer-of-a-chart": {"parent_slice_id": 1},
        "no-dashboard": {"dashboardId": None},
        "unknown-dashboard": {"dashboardId": 10**9},
        "unknown-filter": {"type": "NATIVE_FILTER", "native_filter_id": "NATIVE_FILTER-1"},
        "no-filter": {"type": "NATIVE_FILTER"},
        "column-in-a-tooltip": {"tooltip_contents": ["pattern"]},
        "column-object-in-a-tooltip": {
            "tooltip_contents": [{"item_type": "column", "column_name": "pattern"}]
        },
    }

    @pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
    def test_said_wrongly(self, refused, body: dict[str, Any], form: dict[str, Any]):
        assert refused({**body, "form_data": {**body["form_data"], **form}})

    def test_not_said_at_all(self, refused, body: dict[str, Any]):
        assert refused({**body, "form_data": {}})
        assert refused({key: value for key, value in body.items() if key != "form_data"})

    @pytest.mark.parametrize("at", [RECEIVABLE, BEST_SELLER_COST], ids=str)
    def test_another_board_itself(self, superset: SupersetClient, at: DashboardPlace):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        number = superset.dashboard_id(at)
        for path in ("", "/charts", "/datasets", "/tabs"):
            assert superset.get(f"/api/v1/dashboard/{number}{path}", token).status_code in (403, 404)

    def test_nothing_is_told_of_the_sql_behind(self, superset: SupersetClient, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        number = superset.dashboard_id(BEST_SELLER)
        told = superset.get(f"/api/v1/dashboard/{number}/datasets", token).text
        told += superset.post(DATA, token, body).text
        told += superset.post(DATA, token, change_query(body, columns=["pattern"])).text
        assert "role_company_scope" not in told and "mart_" not in told
