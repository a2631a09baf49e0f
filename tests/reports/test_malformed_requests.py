"""A request for data that can't be read as what it should be is a mistake of who asks: 400 and a word, and no accident."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from reports.superset_patches.request_validation import UNREADABLE, is_value
from tests.reports.guest_requests import BEST_SELLER, DATA, change_query, read_rows
from tests.support.superset import COMPANY_ONE, SupersetClient


class TestValues:
    @pytest.mark.parametrize(
        "value", ["", "轮胎", 0, -1.5, True, None, 1_700_000_000_000, ["a", 1, None], []]
    )
    def test_what_may_be_compared_with(self, value: Any) -> None:
        assert is_value(value)

    @pytest.mark.parametrize(
        "value",
        [
            *({}, {"a": 1}, [[]], [{}], date(2026, 1, 1)),
            *(float("nan"), float("inf"), 1e18, -1e18, 10**40, "\ud800", ["a", "\udfff"]),
        ],
    )
    def test_what_may_not(self, value: Any) -> None:
        assert not is_value(value)


class TestAnswers:
    @pytest.fixture(scope="class")
    def body(self, superset: SupersetClient) -> dict[str, Any]:
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        return superset.chart_body(BEST_SELLER, BEST_SELLER.board.chart("top"), token)

    def test_a_filter_s_malformed_value_is_told(self, superset: SupersetClient, body: dict[str, Any]) -> None:
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        assert read_rows(superset.post(DATA, token, body))
        broken = {}
        for value in ({"a": 1}, [{"a": 1}], [["x"]], 1e300, 10**40):
            for operator in ("==", "IN", ">", "LIKE"):
                asked = {"col": "company_name", "op": operator, "val": value}
                answer = superset.post(DATA, token, change_query(body, filters=[asked]))
                if (answer.status_code, answer.json().get("message")) != (400, UNREADABLE):
                    broken[operator, str(value)[:20]] = answer.status_code, answer.text[:200]
        assert broken == {}

    @pytest.mark.parametrize(
        "said",
        [
            {"time_range": "2026-01-01') or (1=1 : 2026-12-31"},
            {"time_range": "2026-12-31 : 2026-01-01"},
            {"filters": [{"col": "company_name", "op": "TEMPORAL_RANGE", "val": "x' or 1=1 : now"}]},
            {"filters": ["company_name"]},
        ],
        ids=str,
    )
    def test_what_cannot_be_read_is_no_accident(
        self, superset: SupersetClient, body: dict[str, Any], said: dict[str, Any]
    ) -> None:
        token = superset.token(BEST_SELLER, COMPANY_ONE)
        assert superset.post(DATA, token, change_query(body, **said)).status_code in (400, 403)
