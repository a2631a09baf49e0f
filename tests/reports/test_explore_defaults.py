"""An explorer's new chart: figures in full and days in Chinese order, and pages that offer what he can do."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.reports.explore_client import BEST_SELLER_DATASET, RECEIVABLE_DATASET, Analyst, has_no_sql
from tests.reports.guest_requests import BEST_SELLER
from tests.support.superset import COMPANY_TWO, SupersetClient


@pytest.fixture(scope="module")
def analyst(superset: SupersetClient) -> Iterator[Analyst]:
    yield Analyst(superset, user=75, role_id=COMPANY_TWO)


def read_form_data(analyst: Analyst, query: str) -> dict:
    answer = analyst.get(f"/api/v1/explore/?{query}")
    assert answer.status_code == 200, answer.text
    found: dict = answer.json()["result"]
    return found


class TestBeginning:
    @pytest.mark.parametrize(
        ("name", "day", "grain"),
        [(RECEIVABLE_DATASET, "%Y-%m", "P1M"), (BEST_SELLER_DATASET, "%Y-%m-%d", None)],
        ids=["month", "day"],
    )
    def test_formats_are_the_datasets(self, analyst: Analyst, name: str, day: str, grain: str | None):
        number = analyst.datasets[name]
        told = read_form_data(analyst, f"datasource_id={number}&datasource_type=table&viz_type=pie")
        form = told["form_data"]
        assert {form["y_axis_format"], form["number_format"], form["valueFormat"]} == {",.2~f"}
        assert {form["x_axis_time_format"], form["table_timestamp_format"]} == {day}
        assert form.get("time_grain_sqla") == grain
        assert told["dataset"]["name"] == name

    def test_what_he_chose_stays(self, analyst: Analyst):
        drawn = {
            "viz_type": "pie",
            "number_format": ".1%",
            "datasource": f"{analyst.datasets[RECEIVABLE_DATASET]}__table",
        }
        made = analyst.ask(
            "POST",
            "/api/v1/chart/",
            {
                "slice_name": "占比",
                "viz_type": "pie",
                "datasource_id": analyst.datasets[RECEIVABLE_DATASET],
                "datasource_type": "table",
                "params": json.dumps(drawn),
            },
        )
        assert made.status_code == 201, made.text
        form = read_form_data(analyst, f"slice_id={made.json()['id']}")["form_data"]
        assert (form["number_format"], form["date_format"]) == (".1%", "%Y-%m")


class TestPages:
    def test_leave_out_what_an_explorer_cannot_do(self, superset: SupersetClient, analyst: Analyst):
        page = analyst.get("/chart/list/").text
        for item in (
            "share_submenu",
            "view_query",
            "run_in_sql_lab",
            "edit_dataset",
            "samples",
            "import-button",
            *("export_current_view_group", "export_to_csv_pivoted", "export_to_pivot_xlsx"),
            *("export_pivot_csv", "export_pivot_xlsx"),
        ):
            assert item in page, item
        for flag in ("CSS_TEMPLATES", "EMBEDDABLE_CHARTS"):
            assert f"{flag}&#34;: false" in page, flag
        assert "share_submenu" not in superset.get(f"/embedded/{BEST_SELLER.embed_id}", None).text

    def test_of_datasets_he_is_told_his_rights_alone(self, analyst: Analyst):
        told = analyst.get("/api/v1/dataset/_info?q=(keys:!(permissions))").json()
        assert told["permissions"] == ["can_read"]
        whole = analyst.get("/api/v1/dataset/_info").text
        assert has_no_sql(whole) and "admin" not in whole

    def test_themes_that_a_board_asks_for_are_none(self, analyst: Analyst):
        answer = analyst.get("/api/v1/theme/?q=(filters:!((col:is_system,opr:eq,value:!f)))")
        assert (answer.status_code, answer.json()["result"]) == (200, [])
        assert (
            analyst.ask("POST", "/api/v1/theme/", {"theme_name": "x", "json_data": "{}"}).status_code == 403
        )
