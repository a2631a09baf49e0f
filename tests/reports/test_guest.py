"""What a guest's frame is given: the stored charts, the rows of its role; and what readers do with them."""

from __future__ import annotations

import codecs
import io
import json
import zipfile
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.reports.guest_requests import (
    AGING,
    BEST_SELLER,
    BEST_SELLER_COST,
    PLACES,
    RECEIVABLE,
    change_query,
    filter_values,
)
from tests.support.superset import (
    COMPANY_ONE,
    COMPANY_TWO,
    EVERYTHING,
    NOTHING,
    DashboardPlace,
    SupersetClient,
    publish_snapshot,
)


@pytest.fixture(scope="module")
def body(superset: SupersetClient) -> dict[str, Any]:
    """An allowed request: the ranking table of the best sellers."""
    token = superset.token(BEST_SELLER, COMPANY_ONE)
    return superset.chart_body(BEST_SELLER, BEST_SELLER.board.chart("detail"), token)


class TestEveryChart:
    @pytest.mark.parametrize("at", PLACES, ids=str)
    def test_answers_data(self, superset: SupersetClient, at: DashboardPlace):
        token = superset.token(at, EVERYTHING)
        for chart in at.board.charts:
            rows = superset.data(at, chart, token)
            assert rows, chart.key
            assert any(value is not None for value in rows[0].values()), chart.key

    @pytest.mark.parametrize("at", PLACES, ids=str)
    def test_role_without_scope_sees_no_row(self, superset: SupersetClient, at: DashboardPlace):
        token = superset.token(at, NOTHING)
        for chart in at.board.charts:
            if chart.kind == "table":
                assert superset.data(at, chart, token) == []

    def test_cost_boards_are_empty_for_a_role_without_cost(self, superset: SupersetClient):
        token = superset.token(BEST_SELLER_COST, COMPANY_TWO)
        assert superset.data(BEST_SELLER_COST, BEST_SELLER_COST.board.chart("detail"), token) == []


class TestPhones:
    IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148"

    @staticmethod
    def list_row_widths(answer: httpx.Response) -> list[list[tuple[str, int]]]:
        """The charts of each row of a board's layout, with their widths."""
        position = json.loads(answer.json()["result"]["position_json"])
        return [
            [
                (position[key]["meta"]["sliceName"], position[key]["meta"]["width"])
                for key in position[row]["children"]
            ]
            for row in position["GRID_ID"]["children"]
        ]

    def test_a_phone_gets_each_chart_in_a_row_of_its_own(self, superset: SupersetClient):
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        path = f"/api/v1/dashboard/{superset.dashboard_id(RECEIVABLE)}"
        phone = superset.get(path, token, headers={"User-Agent": self.IPHONE})
        assert "User-Agent" in phone.headers["Vary"]
        laid = [RECEIVABLE.board.chart(key) for row in RECEIVABLE.board.rows for key, _ in row.charts]
        assert self.list_row_widths(phone) == [[(chart.title, 12)] for chart in laid]

    def test_a_desk_gets_the_layout_of_the_catalogue(self, superset: SupersetClient):
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        desk = superset.get(f"/api/v1/dashboard/{superset.dashboard_id(RECEIVABLE)}", token)
        board = RECEIVABLE.board
        assert self.list_row_widths(desk) == [
            [(board.chart(key).title, width) for key, width in row.charts] for row in board.rows
        ]


class TestRows:
    def test_each_role_sees_its_own_companies(self, superset: SupersetClient):
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

    def test_the_same_request_of_two_roles_is_never_shared(self, superset: SupersetClient):
        chart = RECEIVABLE.board.chart("trend")
        for _ in range(3):
            amounts = [
                superset.data(RECEIVABLE, chart, superset.token(RECEIVABLE, role))[0]["open_amount"]
                for role in (EVERYTHING, COMPANY_TWO)
            ]
            assert amounts == [6000, 3000]

    def test_a_filter_value_of_another_company_gives_nothing(self, superset: SupersetClient):
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        body = superset.chart_body(RECEIVABLE, RECEIVABLE.board.chart("detail"), token)
        asked = change_query(body, filters=[{"col": "company_name", "op": "IN", "val": ["苏州公司"]}])
        assert superset.post("/api/v1/chart/data", token, asked).json()["result"][0]["data"] == []

    def test_a_filter_offers_only_values_of_the_role(self, superset: SupersetClient):
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        assert filter_values(superset, RECEIVABLE, token, "company_name") == [{"company_name": "上海公司"}]

    def test_stock_is_seen_as_of_the_month_ends_that_its_filter_offers(self, superset: SupersetClient):
        """They are asked of a dataset that no chart draws, and heeded by the charts of another one."""
        token = superset.token(AGING, COMPANY_ONE)
        offered = [row["month_label"] for row in filter_values(superset, AGING, token, "month_label")]
        assert offered == ["2025-11", "2026-10", "2026-11"]
        body = superset.chart_body(AGING, AGING.board.chart("detail"), token)
        for month, any_rows in (*((month, True) for month in offered), ("2026-09", False)):
            asked = change_query(body, filters=[{"col": "month_label", "op": "IN", "val": [month]}])
            rows = superset.post("/api/v1/chart/data", token, asked).json()["result"][0]["data"]
            assert bool(rows) == any_rows, month

    def test_who_sees_nothing_has_nothing_to_choose_from(self, superset: SupersetClient):
        token = superset.token(RECEIVABLE, NOTHING)
        for column in ("month_label", "company_name"):
            assert filter_values(superset, RECEIVABLE, token, column) == []

    def test_a_new_snapshot_is_seen_at_the_next_request(self, superset: SupersetClient, data_dir):
        token, chart = superset.token(RECEIVABLE, EVERYTHING), RECEIVABLE.board.chart("trend")
        publish_snapshot(data_dir / "warehouse", 2, "update mart_receivable_aging set open_amount = 5;")
        assert [row["open_amount"] for row in superset.data(RECEIVABLE, chart, token)] == [30, 30]
        publish_snapshot(data_dir / "warehouse", 3)
        assert [row["open_amount"] for row in superset.data(RECEIVABLE, chart, token)] == [6000, 6000]


class TestAllowed:
    """What readers of a frame do: sort, page, filter, export."""

    def test_sort_by_any_column_of_the_table(self, superset: SupersetClient, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        for name, key in (("amount", lambda row: row["amount"]), ("goods_num", lambda row: row["goods_num"])):
            answer = superset.post("/api/v1/chart/data", token, change_query(body, orderby=[[name, True]]))
            rows = answer.json()["result"][0]["data"]
            assert rows == sorted(rows, key=key)

    def test_page(self, superset: SupersetClient, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        asked = change_query(body, row_limit=1, row_offset=1)
        rows = superset.post("/api/v1/chart/data", token, asked).json()["result"][0]["data"]
        assert len(rows) == 1

    def test_csv_in_chinese(self, superset: SupersetClient, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        asked = {**change_query(body), "result_format": "csv"}
        answer = superset.post("/api/v1/chart/data", token, asked)
        assert answer.content.startswith(codecs.BOM_UTF8), "Excel would read it as another code"
        title = quote(BEST_SELLER.board.chart("detail").title)
        assert f"filename*=UTF-8''{title}%20" in answer.headers["content-disposition"]
        text = answer.content.decode("utf-8-sig")
        assert text.splitlines()[0].startswith("商品编码,商品名称,品牌")
        assert "G001" in text

    def test_files_carry_no_markup(self, superset: SupersetClient, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        shown = superset.post("/api/v1/chart/data", token, body).json()["result"][0]
        assert "<a " in shown["data"][0]["detail_link"]
        asked = change_query(body)
        text = superset.post("/api/v1/chart/data", token, {**asked, "result_format": "csv"}).text
        assert "<" not in text and "明细" not in text and "G001" in text
        sheet = superset.post("/api/v1/chart/data", token, {**asked, "result_format": "xlsx"})
        with zipfile.ZipFile(io.BytesIO(sheet.content)) as book:
            written = b"".join(book.read(name) for name in book.namelist())
        assert b"BestSellerInfo" not in written and b"G001" in written

    def test_a_table_with_totals_is_one_file(self, superset: SupersetClient):
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        body = superset.chart_body(RECEIVABLE, RECEIVABLE.board.chart("detail"), token)
        answer = superset.post("/api/v1/chart/data", token, {**body, "result_format": "csv"})
        listed = superset.post("/api/v1/chart/data", token, body).json()["result"][0]["data"]
        assert len(answer.content.decode("utf-8-sig").splitlines()) == len(listed) + 1 > 1

    def test_a_total_without_a_value_is_left_out(self, superset: SupersetClient):
        """The table would write N/A for it; in its rows an empty figure is a figure."""
        token = superset.token(RECEIVABLE, COMPANY_ONE)
        body = superset.chart_body(RECEIVABLE, RECEIVABLE.board.chart("detail"), token)
        listed, totals = superset.post("/api/v1/chart/data", token, body).json()["result"]
        assert all(row["bucket_2"] is None for row in listed["data"])
        (total,) = totals["data"]
        assert "bucket_2" not in total and total["balance"] == sum(row["balance"] for row in listed["data"])

    def test_number_of_rows_of_a_paged_table(self, superset: SupersetClient, body: dict[str, Any]):
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        counted = superset.post("/api/v1/chart/data", token, change_query(body, is_rowcount=True)).json()
        rows = superset.post("/api/v1/chart/data", token, change_query(body)).json()["result"][0]["data"]
        assert counted["result"][0]["data"] == [{"rowcount": len(rows)}] != [{"rowcount": 0}]
