"""Exploring: own charts over the datasets of the role's reports, its rows alone, kept to their owner."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from reports.catalogue import datasets_of
from tests.reports.explore_client import (
    BEST_SELLER_COST_DATASET,
    BEST_SELLER_DATASET,
    RECEIVABLE_DATASET,
    REPORTS,
    Analyst,
    has_no_sql,
)
from tests.support.superset import COMPANY_ONE, COMPANY_TWO, EVERYTHING, NOTHING, SupersetClient


@pytest.fixture(scope="module")
def analyst(superset: SupersetClient) -> Iterator[Analyst]:
    yield Analyst(superset, user=71, role_id=COMPANY_TWO)


def list_dataset_names(reports: list[str], sees_cost: bool) -> set[str]:
    return {dataset.name for dataset in datasets_of(reports, sees_cost).values()}


def read_refusal(answer: httpx.Response) -> str:
    assert answer.status_code == 403, answer.text
    message: str = answer.json()["errors"][0]["message"]
    return message


class TestDatasets:
    def test_those_of_the_reports_that_the_role_may_open(self, superset: SupersetClient, analyst: Analyst):
        assert set(analyst.datasets) == list_dataset_names(REPORTS, sees_cost=False)
        dear = Analyst(superset, user=72, role_id=EVERYTHING, cost=True, reports=["BestSeller"])
        shown = {BEST_SELLER_DATASET, "畅销商品对比", BEST_SELLER_COST_DATASET, "畅销商品对比（含成本）"}
        assert set(dear.datasets) == list_dataset_names(["BestSeller"], sees_cost=True) == shown
        assert Analyst(superset, user=73, reports=[]).datasets == {}

    def test_offered_with_columns_and_figures_but_no_sql(self, analyst: Analyst):
        number = analyst.datasets[BEST_SELLER_DATASET]
        answer = analyst.get(f"/api/v1/explore/?datasource_id={number}&datasource_type=table")
        told = answer.json()["result"]["dataset"]
        assert {metric["metric_name"] for metric in told["metrics"]} >= {"quantity", "amount"}
        columns = {column["column_name"] for column in told["columns"]}
        assert columns >= {"goods_num", "pattern"} and "role_id" not in columns
        whole = analyst.get(f"/api/v1/dataset/{number}?include_rendered_sql=true")
        assert whole.json()["result"]["table_name"] == BEST_SELLER_DATASET
        data = analyst.query_best_sellers(columns=["company_name"], metrics=["quantity"])
        assert all(has_no_sql(told.text) for told in (answer, whole, data))


class TestRows:
    @pytest.mark.parametrize(
        ("role", "companies"),
        [
            (EVERYTHING, {"上海公司", "苏州公司"}),
            (COMPANY_ONE, {"上海公司"}),
            (COMPANY_TWO, {"苏州公司"}),
            (NOTHING, set()),
        ],
    )
    def test_of_the_role_alone(self, superset: SupersetClient, role: int, companies: set[str]):
        asking = Analyst(superset, user=70 + role, role_id=role)
        answer = asking.query_best_sellers(columns=["company_name"], metrics=["quantity"])
        assert {row["company_name"] for row in answer.json()["result"][0]["data"]} == companies
        number = asking.datasets[BEST_SELLER_DATASET]
        values = asking.get(f"/api/v1/datasource/table/{number}/column/company_name/values/")
        assert set(values.json()["result"]) == companies

    def test_counted_and_ordered_in_his_own_way(self, analyst: Analyst):
        many = {
            "expressionType": "SIMPLE",
            "column": {"column_name": "goods_num"},
            "aggregate": "COUNT_DISTINCT",
            "label": "商品数",
        }
        axis = {
            "columnType": "BASE_AXIS",
            "expressionType": "SQL",
            "sqlExpression": "pattern",
            "label": "pattern",
        }
        answer = analyst.query_best_sellers(
            columns=[axis, "company_name"],
            metrics=[many, "quantity"],
            orderby=[[many, False], ["pattern", True]],
        )
        rows = answer.json()["result"][0]["data"]
        assert [(row["pattern"], row["商品数"]) for row in rows] == [("P1", 1), ("P2", 1), ("P3", 1)]

    def test_what_stands_at_moments_is_not_added_up(self, analyst: Analyst):
        """Of one range of days or month, or one by one; sums of days go together."""
        sold, owed = analyst.datasets[BEST_SELLER_DATASET], analyst.datasets[RECEIVABLE_DATASET]
        said = read_refusal(analyst.query_dataset(sold, columns=["company_name"], metrics=["quantity"]))
        assert said.startswith("“净销量”在不同的“统计区间”之间不能相加")
        two = [{"col": "period_label", "op": "IN", "val": ["近7天", "近30天"]}]
        assert read_refusal(
            analyst.query_dataset(sold, columns=["company_name"], metrics=["quantity"], filters=two)
        )
        axis = {
            "columnType": "BASE_AXIS",
            "expressionType": "SQL",
            "sqlExpression": "month",
            "label": "month",
        }
        years = {**axis, "timeGrain": "P1Y"}
        for columns in ([], ["company_name"], [years]):
            assert "“月”" in read_refusal(analyst.query_dataset(owed, columns=columns, metrics=["balance"]))
        one = {"col": "month", "op": "TEMPORAL_RANGE", "val": "2026-10-01 : 2026-11-01"}
        several = {**one, "val": "2026-09-01 : 2026-11-01"}
        assert read_refusal(analyst.query_dataset(owed, columns=[], metrics=["balance"], filters=[several]))
        for query in (
            {"columns": ["month_label"]},
            {"columns": [{**axis, "timeGrain": "P1M"}]},
            {"filters": [{"col": "month_label", "op": "==", "val": "2026-10"}]},
            {"filters": [one]},
        ):
            answer = analyst.query_dataset(owed, metrics=["balance"], **query)
            assert answer.status_code == 200, answer.text

    @pytest.mark.parametrize(
        ("form", "said"),
        [
            ({"metrics": ["overdue_share"], "colTotals": True}, "“逾期占比”各格之间不能相加"),
            (
                {"metrics": ["balance"], "groupbyColumns": ["month_label"], "rowTotals": True},
                "“应收余额”各格之间",
            ),
            ({"metrics": ["balance", "overdue"], "rowTotals": True}, "行总计会把不同的指标加在一起"),
            ({"metrics": ["balance", "overdue"], "colTotals": True}, ""),
            ({"metrics": ["overdue_share"], "colTotals": True, "aggregateFunction": "Maximum"}, ""),
            ({"metrics": ["overdue_share"]}, ""),
            ({"metrics": ["balance"], "drawn": ["no_such_figure"], "colTotals": True}, ""),
            ({"metrics": ["overdue_share"], "viz_type": "pie"}, "饼图的占比会把各格的“逾期占比”加在一起"),
            ({"metrics": ["balance"], "viz_type": "pie"}, ""),
            (
                {"metrics": ["balance"], "viz_type": "waterfall", "x_axis": "month"},
                "瀑布图会把各格的“应收余额”",
            ),
            (
                {"metrics": ["overdue_share"], "viz_type": "echarts_area", "rolling_type": "cumsum"},
                "累计会把",
            ),
            (
                {"metrics": ["overdue_share"], "viz_type": "echarts_area", "contributionMode": "row"},
                "占比会把",
            ),
            (
                {"metrics": ["overdue_share"], "viz_type": "treemap_v2", "groupby": ["a", "b"]},
                "矩形树图的上层",
            ),
            ({"metrics": ["overdue_share"], "viz_type": "treemap_v2", "groupby": ["a"]}, ""),
            ({"metrics": ["overdue_share"], "viz_type": "big_number", "aggregation": "sum"}, "累计会把"),
            ({"metrics": ["overdue_share"], "viz_type": "big_number", "aggregation": "LAST_VALUE"}, ""),
        ],
    )
    def test_what_a_chart_adds_up_itself_is_a_figure_or_refused(
        self, analyst: Analyst, form: dict[str, Any], said: str
    ):
        month = [{"col": "month_label", "op": "==", "val": "2026-10"}]
        whole = {"viz_type": "pivot_table_v2", "groupbyRows": ["company_name"], **form}
        whole["metrics"] = whole.pop("drawn", whole["metrics"])
        answer = analyst.query_dataset(
            analyst.datasets[RECEIVABLE_DATASET],
            columns=["company_name"],
            metrics=form["metrics"],
            filters=month,
            form=whole,
        )
        assert (read_refusal(answer) if said else str(answer.status_code)).startswith(said or "200"), (
            answer.text
        )

    def test_a_file_needs_the_right_to_export_a_report_of_the_dataset(self, superset: SupersetClient):
        asking = Analyst(superset, user=71, role_id=COMPANY_TWO, exports=["BestSeller"])
        query = {"columns": ["company_name"], "metrics": [], "result_format": "csv"}
        told = asking.query_best_sellers(**query)
        assert told.status_code == 200 and "苏州公司" in told.text and "上海公司" not in told.text
        for form in ("csv", "xlsx"):
            assert (
                asking.query_dataset(
                    asking.datasets[RECEIVABLE_DATASET], **{**query, "result_format": form}
                ).status_code
                == 403
            )


class TestOwnThings:
    @pytest.fixture(scope="class")
    def drawn(self, analyst: Analyst) -> tuple[int, int]:
        """A chart on a dashboard of his own."""
        board = analyst.create_dashboard("我的看板")
        return analyst.create_chart(
            "我的图", analyst.datasets[BEST_SELLER_DATASET], dashboards=[board]
        ), board

    def test_are_kept_changed_and_shown_to_him(self, analyst: Analyst, drawn: tuple[int, int]):
        chart, board = drawn
        assert analyst.list_names("chart") == {"我的图"} and analyst.list_names("dashboard") == {"我的看板"}
        assert analyst.ask("PUT", f"/api/v1/chart/{chart}", {"description": "改过"}).status_code == 200
        assert analyst.get(f"/api/v1/chart/{chart}").json()["result"]["description"] == "改过"
        listed = analyst.get(f"/api/v1/dashboard/{board}/charts").json()["result"]
        assert [item["id"] for item in listed] == [chart]
        told = analyst.get(f"/api/v1/explore/?slice_id={chart}").json()["result"]
        assert told["slice"]["slice_id"] == chart
        page = analyst.get(f"/explore/?slice_id={chart}")
        assert page.status_code == 200 and "locale&#34;: &#34;zh" in page.text

    def test_an_account_is_made_once_and_fits_no_password(
        self, superset: SupersetClient, drawn: tuple[int, int]
    ):
        place = Path(superset.environment["ERP_DATA_DIR"]) / "superset"
        with sqlite3.connect(place / "metadata.db") as conn:
            found = conn.execute(
                "select u.first_name, u.password, r.name from ab_user u join ab_user_role j on j.user_id = u.id"
                " join ab_role r on r.id = j.role_id where u.username = 'erp-71'"
            ).fetchall()
        assert found == [("方睿", "!", "Explorer")]
        login = {"username": "erp-71", "password": "!", "provider": "db"}
        assert superset.post("/api/v1/security/login", None, login).status_code == 401

    def test_unsaved_charts_are_kept_apart(self, superset: SupersetClient, analyst: Analyst):
        other = Analyst(superset, user=75, role_id=COMPANY_TWO)
        draft = {
            "datasource_id": analyst.datasets[BEST_SELLER_DATASET],
            "datasource_type": "table",
            "form_data": '{"viz_type": "table"}',
        }
        keys = [
            who.ask("POST", "/api/v1/explore/form_data?tab_id=1", draft).json()["key"]
            for who in (analyst, other, analyst)
        ]
        assert keys[0] == keys[2] != keys[1]
