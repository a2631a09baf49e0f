"""What a guest's frame may ask Superset for: the stored charts, the rows of its role, nothing else."""

from __future__ import annotations

import io
import json
import time
import zipfile
from typing import Any

import jwt
import pytest

from api.kit.settings import settings
from api.reporting.tokens import LIFE
from reports.catalogue.model import COST, PLAIN
from tests.reports.conftest import (
    COMPANY_ONE,
    COMPANY_TWO,
    EVERYTHING,
    NOTHING,
    Place,
    Superset,
    places,
    publish,
)

PLACES = places()


def place(code: str, variant: str = PLAIN) -> Place:
    return next(item for item in PLACES if item.report.code == code and item.variant == variant)


BEST_SELLER = place("BestSeller")
BEST_SELLER_COST = place("BestSeller", COST)
RECEIVABLE = place("accountsReceivable")


def claims(**changed: Any) -> dict[str, Any]:
    now = int(time.time())
    whole = {
        "user": {"username": "张伟", "first_name": "", "last_name": ""},
        "resources": [{"type": "dashboard", "id": BEST_SELLER.embed_id}],
        "rls_rules": [{"clause": f"role_id = {COMPANY_ONE}"}],
        "iat": now,
        "exp": now + LIFE,
        "aud": "erp-report-frames",
        "type": "guest",
    }
    return {name: value for name, value in {**whole, **changed}.items() if value is not ...}


def signed(secret: str | None = None, **changed: Any) -> str:
    return jwt.encode(
        claims(**changed), secret or settings().secrets["guest_token_secret"], algorithm="HS256"
    )


@pytest.fixture(scope="module")
def body(superset: Superset) -> dict[str, Any]:
    """An allowed request: the ranking table of the best sellers."""
    token = superset.token(BEST_SELLER, COMPANY_ONE)
    return superset.chart_body(BEST_SELLER, BEST_SELLER.board.chart("detail"), token)


def changed_query(body: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**body, "queries": [{**body["queries"][0], **changes}]}


class TestEveryChart:
    @pytest.mark.parametrize("at", PLACES, ids=str)
    def test_answers_data(self, superset: Superset, at: Place):
        token = superset.token(at, EVERYTHING)
        for chart in at.board.charts:
            rows = superset.data(at, chart, token)
            assert rows, chart.key
            assert any(value is not None for value in rows[0].values()), chart.key

    @pytest.mark.parametrize("at", PLACES, ids=str)
    def test_role_without_scope_sees_no_row(self, superset: Superset, at: Place):
        token = superset.token(at, NOTHING)
        for chart in at.board.charts:
            if chart.kind == "table":
                assert superset.data(at, chart, token) == []

    def test_cost_boards_are_empty_for_a_role_without_cost(self, superset: Superset):
        token = superset.token(BEST_SELLER_COST, COMPANY_TWO)
        assert superset.data(BEST_SELLER_COST, BEST_SELLER_COST.board.chart("detail"), token) == []


class TestRows:
    def test_each_role_sees_its_own_companies(self, superset: Superset):
        chart = RECEIVABLE.board.chart("detail")
        seen = {
            role: {
                row["company_name"]
                for row in superset.data(RECEIVABLE, chart, superset.token(RECEIVABLE, role))
            }
            for role in (EVERYTHING, COMPANY_ONE, COMPANY_TWO)
        }
        assert seen == {
            EVERYTHING: {"上海公司", "苏州公司"},
            COMPANY_ONE: {"上海公司"},
            COMPANY_TWO: {"苏州公司"},
        }

    def test_the_same_request_of_two_roles_is_never_shared(self, superset: Superset):
        chart = RECEIVABLE.board.chart("balance_now")
        for _ in range(3):
            amounts = [
                superset.data(RECEIVABLE, chart, superset.token(RECEIVABLE, role))[0]["balance"]
                for role in (EVERYTHING, COMPANY_TWO)
            ]
            assert amounts == [6000, 3000]

    def test_a_filter_value_of_another_company_gives_nothing(self, superset: Superset):
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        body = superset.chart_body(RECEIVABLE, RECEIVABLE.board.chart("detail"), token)
        asked = changed_query(body, filters=[{"col": "company_name", "op": "IN", "val": ["苏州公司"]}])
        assert superset.post("/api/v1/chart/data", token, asked).json()["result"][0]["data"] == []

    def test_a_filter_offers_only_values_of_the_role(self, superset: Superset):
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        assert filter_values(superset, RECEIVABLE, token, "company_name") == [{"company_name": "上海公司"}]

    def test_a_new_snapshot_is_seen_at_the_next_request(self, superset: Superset, data_dir):
        token, chart = superset.token(RECEIVABLE, EVERYTHING), RECEIVABLE.board.chart("balance_now")
        publish(data_dir / "warehouse", 2, "update mart_receivable_aging set balance = 5;")
        assert [row["balance"] for row in superset.data(RECEIVABLE, chart, token)] == [30, 30]
        publish(data_dir / "warehouse", 3)
        assert [row["balance"] for row in superset.data(RECEIVABLE, chart, token)] == [6000, 6000]


def filter_values(superset: Superset, at: Place, token: str, column: str, **changes: Any) -> Any:
    """What a native filter asks for; its answer's rows, or the status of a refusal."""
    board = superset.get(f"/api/v1/dashboard/{superset.dashboard_id(at)}", token).json()["result"]
    configured = json.loads(board["json_metadata"])["native_filter_configuration"]
    found = next(item for item in configured if item["targets"][0]["column"]["name"] == column)
    query = {
        "columns": [column],
        "metrics": [],
        "orderby": [[column, True]],
        "filters": [],
        "row_limit": 1000,
    }
    answer = superset.post(
        "/api/v1/chart/data",
        token,
        {
            "datasource": {"id": found["targets"][0]["datasetId"], "type": "table"},
            "queries": [{**query, **changes}],
            "form_data": {
                "type": "NATIVE_FILTER",
                "native_filter_id": found["id"],
                "dashboardId": superset.dashboard_id(at),
            },
            "result_format": "json",
            "result_type": "full",
        },
    )
    return answer.json()["result"][0]["data"] if answer.status_code == 200 else answer.status_code


class TestTokens:
    def ask(self, superset: Superset, body: dict[str, Any], token: str | None) -> int:
        return superset.post("/api/v1/chart/data", token, body).status_code

    def test_a_sound_token_is_served(self, superset: Superset, body: dict[str, Any]):
        assert self.ask(superset, body, signed()) == 200

    @pytest.mark.parametrize(
        "changed",
        [
            pytest.param({"exp": int(time.time()) - 1}, id="expired"),
            pytest.param({"exp": int(time.time()) + 3600}, id="long-lived"),
            pytest.param({"exp": ...}, id="endless"),
            pytest.param({"iat": ...}, id="undated"),
            pytest.param({"aud": "another"}, id="other-audience"),
            pytest.param({"aud": ...}, id="no-audience"),
            pytest.param({"type": "user"}, id="other-type"),
            pytest.param({"type": ...}, id="no-type"),
            pytest.param({"rls_rules": ...}, id="no-rules"),
            pytest.param({"rls_rules": []}, id="empty-rules"),
            pytest.param({"rls_rules": None}, id="null-rules"),
            pytest.param({"rls_rules": [{"clause": "role_id = 2", "dataset": 1}]}, id="scoped-rule"),
            pytest.param(
                {"rls_rules": [{"clause": "role_id = 2"}, {"clause": "role_id = 1"}]}, id="two-rules"
            ),
            pytest.param({"rls_rules": [{"clause": "1 = 1"}]}, id="always-true"),
            pytest.param({"rls_rules": [{"clause": "role_id = 1 or 1 = 1"}]}, id="injected-or"),
            pytest.param({"rls_rules": [{"clause": "role_id = 1) or (1 = 1"}]}, id="injected-bracket"),
            pytest.param({"rls_rules": [{"clause": "role_id = 1 --"}]}, id="injected-comment"),
            pytest.param({"rls_rules": [{"clause": "role_id = 1\n"}]}, id="trailing-line"),
            pytest.param({"rls_rules": [{"clause": "role_id = ١"}]}, id="other-digits"),
            pytest.param({"rls_rules": [{"clause": "role_id in (1, 2)"}]}, id="many-roles"),
            pytest.param({"rls_rules": ["role_id = 2"]}, id="bare-text"),
            pytest.param({"rls_rules": [{"clause": ["role_id = 2"]}]}, id="clause-list"),
            pytest.param({"resources": []}, id="no-dashboard"),
            pytest.param({"resources": [{"type": "dashboard", "id": 1}]}, id="running-number"),
            pytest.param(
                {"resources": [{"type": "dashboard", "id": at.embed_id} for at in (BEST_SELLER, RECEIVABLE)]},
                id="two-dashboards",
            ),
            pytest.param({"user": ...}, id="no-user"),
        ],
    )
    def test_others_are_refused(self, superset: Superset, body: dict[str, Any], changed: dict[str, Any]):
        assert self.ask(superset, body, signed(**changed)) in (401, 403)

    def test_altered_signature(self, superset: Superset, body: dict[str, Any]):
        token = signed()
        assert self.ask(superset, body, token[:-4] + ("AAAA" if not token.endswith("AAAA") else "BBBB")) in (
            401,
            403,
        )

    def test_altered_role(self, superset: Superset, body: dict[str, Any]):
        head, _, tail = signed().split(".")
        forged = jwt.encode(claims(rls_rules=[{"clause": "role_id = 1"}]), "guess" * 8).split(".")[1]
        assert self.ask(superset, body, f"{head}.{forged}.{tail}") in (401, 403)

    def test_other_secret(self, superset: Superset, body: dict[str, Any]):
        assert self.ask(superset, body, signed("another secret of more than enough length")) in (401, 403)

    def test_unsigned(self, superset: Superset, body: dict[str, Any]):
        assert self.ask(superset, body, jwt.encode(claims(), None, algorithm="none")) in (401, 403)

    def test_no_token(self, superset: Superset, body: dict[str, Any]):
        assert self.ask(superset, body, None) in (401, 403)


class TestCharts:
    """A guest asks for something else than his dashboard's stored charts."""

    def refused(self, superset: Superset, body: dict[str, Any], token: str | None = None) -> bool:
        answer = superset.post("/api/v1/chart/data", token or superset.token(BEST_SELLER, COMPANY_ONE), body)
        return answer.status_code in (400, 401, 403, 404)

    def test_chart_of_another_dashboard(self, superset: Superset):
        other = superset.chart_body(
            RECEIVABLE, RECEIVABLE.board.chart("detail"), superset.token(RECEIVABLE, COMPANY_ONE)
        )
        assert self.refused(superset, other)

    def test_chart_of_another_dashboard_under_the_own_number(self, superset: Superset):
        other = superset.chart_body(
            RECEIVABLE, RECEIVABLE.board.chart("detail"), superset.token(RECEIVABLE, COMPANY_ONE)
        )
        other["form_data"]["dashboardId"] = superset.dashboard_id(BEST_SELLER)
        assert self.refused(superset, other)

    def test_cost_board_with_a_plain_token(self, superset: Superset):
        cost = superset.chart_body(
            BEST_SELLER_COST,
            BEST_SELLER_COST.board.chart("detail"),
            superset.token(BEST_SELLER_COST, COMPANY_ONE),
        )
        assert self.refused(superset, cost)

    def test_cost_dataset_under_an_own_chart(self, superset: Superset, body: dict[str, Any]):
        cost = superset.chart_body(
            BEST_SELLER_COST,
            BEST_SELLER_COST.board.chart("detail"),
            superset.token(BEST_SELLER_COST, COMPANY_ONE),
        )
        assert self.refused(superset, {**body, "datasource": cost["datasource"]})

    def test_another_dashboard_itself(self, superset: Superset):
        number = superset.dashboard_id(RECEIVABLE)
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        for path in ("", "/charts", "/datasets"):
            assert superset.get(f"/api/v1/dashboard/{number}{path}", token).status_code in (403, 404)

    @pytest.mark.parametrize(
        "name", ["profit", "cost", "margin", "role_id", "pattern", "stock_quantity", "quantity"]
    )
    def test_column_outside_the_chart(self, superset: Superset, body: dict[str, Any], name: str):
        assert self.refused(superset, changed_query(body, columns=[name], metrics=[], orderby=[]))

    def test_own_aggregate(self, superset: Superset, body: dict[str, Any]):
        for text in ("sum(profit)", "(select sum(profit) from mart_best_seller)", "getenv('HOME')"):
            metric = {"expressionType": "SQL", "sqlExpression": text, "label": "x"}
            assert self.refused(superset, changed_query(body, metrics=[metric]))

    def test_own_expression_as_column(self, superset: Superset, body: dict[str, Any]):
        for kind in ({}, {"columnType": "BASE_AXIS"}):
            column = {"expressionType": "SQL", "sqlExpression": "(select 1)", "label": "goods_num", **kind}
            assert self.refused(superset, changed_query(body, columns=[column]))

    def test_own_condition(self, superset: Superset, body: dict[str, Any]):
        for part in ("where", "having"):
            assert self.refused(superset, changed_query(body, extras={part: "1 = 1"}))

    def test_own_order(self, superset: Superset, body: dict[str, Any]):
        metric = {"expressionType": "SQL", "sqlExpression": "sum(profit)", "label": "x"}
        assert self.refused(superset, changed_query(body, orderby=[[metric, True]]))

    def test_filter_on_a_hidden_measure(self, superset: Superset, body: dict[str, Any]):
        for column in (
            "stock_quantity",
            "role_id",
            {"expressionType": "SQL", "sqlExpression": "profit", "label": "p"},
        ):
            asked = changed_query(body, filters=[{"col": column, "op": ">", "val": 0}])
            assert self.refused(superset, asked) or column == "role_id"

    @pytest.mark.parametrize("kind", ["samples", "drill_detail", "query", "columns", "timegrains"])
    def test_other_kinds_of_answer(self, superset: Superset, body: dict[str, Any], kind: str):
        assert self.refused(superset, {**body, "result_type": kind})
        assert self.refused(superset, changed_query(body, result_type=kind))

    def test_no_chart_named(self, superset: Superset, body: dict[str, Any]):
        for form in (
            {"dashboardId": body["form_data"]["dashboardId"]},
            {
                "dashboardId": body["form_data"]["dashboardId"],
                "slice_id": 0,
                "chart_id": body["form_data"]["slice_id"],
                "groupby": ["pattern"],
            },
            {},
        ):
            assert self.refused(superset, {**body, "form_data": form})
        assert self.refused(superset, {key: value for key, value in body.items() if key != "form_data"})

    def test_filter_asks_for_another_column(self, superset: Superset):
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        assert filter_values(superset, RECEIVABLE, token, "company_name", columns=["bill_no"]) == 403
        metric = {"expressionType": "SQL", "sqlExpression": "sum(balance)", "label": "x"}
        assert filter_values(superset, RECEIVABLE, token, "company_name", metrics=[metric]) == 403

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("get", "/datasource/samples?datasource_type=table&datasource_id=1"),
            ("post", "/datasource/samples?datasource_type=table&datasource_id=1"),
            ("get", "/api/v1/datasource/table/1/column/brand_name/values/"),
            ("get", "/api/v1/dataset/1"),
            ("get", "/api/v1/dataset/"),
            ("get", "/api/v1/database/1"),
            ("get", "/api/v1/database/1/tables/?q=(schema_name:main)"),
            ("post", "/api/v1/sqllab/execute/"),
            ("post", "/api/v1/sqllab/estimate/"),
            ("post", "/superset/explore_json/"),
            ("get", "/api/v1/query/"),
            ("get", "/api/v1/saved_query/"),
            ("get", "/api/v1/security/users/"),
            ("get", "/api/v1/security/roles/"),
            ("post", "/api/v1/security/guest_token/"),
            ("get", "/api/v1/dashboard/export/?q=!(1)"),
            ("get", "/api/v1/chart/export/?q=!(1)"),
            ("get", "/api/v1/assets/export/"),
        ],
    )
    def test_other_services(self, superset: Superset, method: str, path: str):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        asked = {"database_id": 1, "sql": "select * from mart_best_seller", "schema": "main"}
        answer = superset.get(path, token) if method == "get" else superset.post(path, token, asked)
        if path == "/api/v1/assets/export/" or answer.status_code != 200:
            assert answer.status_code in (302, 400, 401, 403, 404, 405)
        else:
            assert answer.json().get("count") == 0, answer.text[:500]

    def test_nothing_is_told_of_the_sql_behind(self, superset: Superset, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        number = superset.dashboard_id(BEST_SELLER)
        told = superset.get(f"/api/v1/dashboard/{number}/datasets", token).text
        told += superset.post("/api/v1/chart/data", token, body).text
        assert "role_company_scope" not in told


class TestAllowed:
    """What readers of a frame do: sort, page, filter, export."""

    def test_sort_by_any_column_of_the_table(self, superset: Superset, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        for name, key in (("amount", lambda row: row["amount"]), ("goods_num", lambda row: row["goods_num"])):
            answer = superset.post("/api/v1/chart/data", token, changed_query(body, orderby=[[name, True]]))
            rows = answer.json()["result"][0]["data"]
            assert rows == sorted(rows, key=key)

    def test_page(self, superset: Superset, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        asked = changed_query(body, row_limit=1, row_offset=1)
        rows = superset.post("/api/v1/chart/data", token, asked).json()["result"][0]["data"]
        assert len(rows) == 1

    def test_csv_in_chinese(self, superset: Superset, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        asked = {**changed_query(body), "result_format": "csv"}
        text = superset.post("/api/v1/chart/data", token, asked).content.decode("utf-8-sig")
        assert text.splitlines()[0].startswith("商品编码,商品名称,规格,品牌,商品类型")
        assert "G001" in text

    def test_files_carry_no_markup(self, superset: Superset, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        shown = superset.post("/api/v1/chart/data", token, body).json()["result"][0]
        assert "<a " in shown["data"][0]["detail_link"]
        asked = changed_query(body)
        text = superset.post("/api/v1/chart/data", token, {**asked, "result_format": "csv"}).text
        assert "<" not in text and "明细" not in text and "G001" in text
        sheet = superset.post("/api/v1/chart/data", token, {**asked, "result_format": "xlsx"})
        with zipfile.ZipFile(io.BytesIO(sheet.content)) as book:
            written = b"".join(book.read(name) for name in book.namelist())
        assert b"BestSellerInfo" not in written and b"G001" in written

    def test_number_of_rows_of_a_paged_table(self, superset: Superset, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        counted = superset.post("/api/v1/chart/data", token, changed_query(body, is_rowcount=True)).json()
        rows = superset.post("/api/v1/chart/data", token, changed_query(body)).json()["result"][0]["data"]
        assert counted["result"][0]["data"] == [{"rowcount": len(rows)}] != [{"rowcount": 0}]

    def test_the_second_reader_of_a_role_gets_the_kept_answer(self, superset: Superset, body: dict[str, Any]):
        def cached(role: int) -> list[bool]:
            token = superset.token(BEST_SELLER, role)
            answer = superset.post("/api/v1/chart/data", token, body).json()
            return [result["is_cached"] for result in answer["result"]]

        first, second = cached(COMPANY_ONE), cached(COMPANY_ONE)
        assert all(second), first
