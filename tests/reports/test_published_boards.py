"""Boards that are published to a role: seen by who has it, with his own rows and datasets, and changed by nobody."""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from uuid import uuid4

import pytest

from api.reporting.superset_gateway.dashboard_copies import complete_layout, copy_dashboard, renumber_charts
from tests.reports.explore_client import BEST_SELLER_DATASET, RECEIVABLE_DATASET, Analyst
from tests.reports.explore_client import build_chart_body as new_chart
from tests.support.superset import SupersetClient

AUTHOR, READER = 581, 582


def create_placed_chart(analyst: Analyst, title: str) -> tuple[int, int]:
    """Create a chart of the author's on a board of his; return their numbers."""
    dataset = analyst.datasets[BEST_SELLER_DATASET]
    form = {
        "datasource": f"{dataset}__table",
        "viz_type": "table",
        "groupby": ["company_name"],
        "metrics": ["quantity"],
    }
    context = {
        "datasource": {"id": dataset, "type": "table"},
        "queries": [{"columns": ["company_name"], "metrics": ["quantity"], "row_limit": 100}],
        "form_data": form,
        "result_format": "json",
        "result_type": "full",
    }
    board = analyst.ask("POST", "/api/v1/dashboard/", {"dashboard_title": title})
    assert board.status_code == 201, board.text
    chart = analyst.ask(
        "POST",
        "/api/v1/chart/",
        {
            "slice_name": f"{title}的图",
            "viz_type": "table",
            "params": json.dumps(form),
            "query_context": json.dumps(context),
            "datasource_id": dataset,
            "datasource_type": "table",
            "dashboards": [board.json()["id"]],
        },
    )
    assert chart.status_code == 201, chart.text
    return board.json()["id"], chart.json()["id"]


class PublishingClient:
    """An analyst as the core talks to Superset in his name."""

    def __init__(self, analyst: Analyst) -> None:
        self.analyst = analyst

    def get(self, path: str) -> Any:
        return self.send("GET", path, None)

    def send(self, method: str, path: str, body: Any) -> Any:
        answer = self.analyst.ask(method, path, body)
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]


class BoardCopy(NamedTuple):
    """A copy of a board: the number that it has, and what it is known by for good."""

    number: int
    uuid: str


@pytest.fixture(scope="module")
def published(superset: SupersetClient) -> BoardCopy:
    """A copy of a board."""
    author = Analyst(superset, user=AUTHOR)
    board, _ = create_placed_chart(author, "发布的看板")
    return clone_board(author, board)


def clone_board(author: Analyst, board: int) -> BoardCopy:
    uuid = str(copy_dashboard(PublishingClient(author), board).uuid)
    return BoardCopy(author.get(f"/api/v1/dashboard/{uuid}").json()["result"]["id"], uuid)


def build_reader(superset: SupersetClient, published: BoardCopy, **said: Any) -> Analyst:
    return Analyst(
        superset,
        **{"user": READER, "boards": [published.uuid], "frozen": [published.uuid], "draws": False, **said},
    )


def get_charts(analyst: Analyst, board: int) -> Any:
    return analyst.get(f"/api/v1/dashboard/{board}/charts")


class TestReading:
    def test_whom_it_is_published_to_sees_it_and_its_charts(
        self, superset: SupersetClient, published: BoardCopy
    ) -> None:
        reader = build_reader(superset, published)
        assert reader.get(f"/api/v1/dashboard/{published.number}").status_code == 200
        [chart] = get_charts(reader, published.number).json()["result"]
        assert chart["slice_name"] == "发布的看板的图"

    def test_others_do_not_find_it(self, superset: SupersetClient, published: BoardCopy) -> None:
        for boards in ([], [str(uuid4())]):
            stranger = build_reader(superset, published, boards=boards)
            assert stranger.get(f"/api/v1/dashboard/{published.number}").status_code == 404
            assert get_charts(stranger, published.number).status_code == 404

    def test_its_figures_are_of_the_readers_own_role(
        self, superset: SupersetClient, published: BoardCopy
    ) -> None:
        def figures(role: int) -> list[dict[str, Any]]:
            reader = build_reader(superset, published, role_id=role)
            [chart] = get_charts(reader, published.number).json()["result"]
            drawn = {"slice_id": chart["id"], "dashboardId": published.number}
            answer = reader.query_best_sellers(columns=["company_name"], metrics=["quantity"], form=drawn)
            assert answer.status_code == 200, answer.text
            rows: list[dict[str, Any]] = answer.json()["result"][0]["data"]
            return rows

        assert {row["company_name"] for row in figures(1)} == {"上海公司", "苏州公司"}
        assert {row["company_name"] for row in figures(2)} == {"上海公司"}

    def test_a_dataset_that_is_not_the_readers_is_refused(
        self, superset: SupersetClient, published: BoardCopy
    ) -> None:
        reader = build_reader(superset, published, reports=[])
        assert reader.datasets == {}
        number = Analyst(superset, user=AUTHOR).datasets[BEST_SELLER_DATASET]
        assert reader.query_dataset(number, columns=["company_name"], metrics=["quantity"]).status_code in (
            403,
            404,
        )

    def test_only_what_its_charts_are_drawn_of_is_answered_to_who_only_looks(
        self, superset: SupersetClient, published: BoardCopy
    ) -> None:
        reader = build_reader(superset, published)
        [chart] = get_charts(reader, published.number).json()["result"]
        form = {"slice_id": chart["id"], "dashboardId": published.number}
        asked = {"columns": ["company_name"], "metrics": ["quantity"], "form": form}
        assert reader.query_best_sellers(**asked).status_code == 200
        other = Analyst(superset, user=AUTHOR)
        own = other.create_chart("不在看板上的图", other.datasets[BEST_SELLER_DATASET])
        for changed in (
            {"columns": ["brand_name"]},
            {"metrics": ["revenue"]},
            {
                "metrics": [
                    {"expressionType": "SIMPLE", "aggregate": "SUM", "column": {"column_name": "quantity"}}
                ]
            },
            {"orderby": [["brand_name", True]]},
            {"form": {}},
            {"form": {"slice_id": own}},
            {"form": {**form, "parent_slice_id": chart["id"]}},
            {"form": {"type": "NATIVE_FILTER", "dashboardId": published.number, "native_filter_id": "none"}},
        ):
            assert reader.query_best_sellers(**{**asked, **changed}).status_code == 403, changed
        owed = {"columns": ["company_name"], "metrics": [], "form": form}
        assert reader.query_dataset(reader.datasets[RECEIVABLE_DATASET], **owed).status_code == 403, (
            "another dataset"
        )
        drawing = build_reader(superset, published, draws=True)
        assert drawing.query_best_sellers(columns=["brand_name"], metrics=["quantity"]).status_code == 200

    def test_values_of_its_filters_are_answered(self, superset: SupersetClient) -> None:
        author = Analyst(superset, user=AUTHOR)
        board, _ = create_placed_chart(author, "有筛选的看板")
        dataset = author.datasets[BEST_SELLER_DATASET]
        told = {
            "native_filter_configuration": [
                {
                    "id": "NATIVE_FILTER-1",
                    "filterType": "filter_select",
                    "targets": [{"datasetId": dataset, "column": {"name": "brand_name"}}],
                }
            ]
        }
        changed = author.ask("PUT", f"/api/v1/dashboard/{board}", {"json_metadata": json.dumps(told)})
        assert changed.status_code == 200, changed.text
        copy = clone_board(author, board)
        reader = build_reader(superset, copy)
        form = {"type": "NATIVE_FILTER", "dashboardId": copy.number, "native_filter_id": "NATIVE_FILTER-1"}
        assert reader.query_best_sellers(columns=["brand_name"], form=form).status_code == 200
        assert reader.query_best_sellers(columns=["company_name"], form=form).status_code == 403

    def test_who_only_looks_has_no_page_to_draw_on(
        self, superset: SupersetClient, published: BoardCopy
    ) -> None:
        reader = build_reader(superset, published)
        [chart] = get_charts(reader, published.number).json()["result"]
        dataset = reader.datasets[BEST_SELLER_DATASET]
        for path in (
            f"/explore/?slice_id={chart['id']}",
            f"/explore/?datasource_type=table&datasource_id={dataset}",
            f"/api/v1/explore/?slice_id={chart['id']}",
            f"/api/v1/datasource/table/{dataset}/column/brand_name/values/",
        ):
            assert reader.get(path).status_code == 403, path


class TestFrozen:
    @pytest.mark.parametrize("user", [AUTHOR, READER])
    def test_nobody_changes_or_deletes_it(
        self, superset: SupersetClient, published: BoardCopy, user: int
    ) -> None:
        someone = build_reader(superset, published, user=user, draws=True)
        [chart] = get_charts(someone, published.number).json()["result"]
        for method, path, body in (
            ("PUT", f"/api/v1/dashboard/{published.number}", {"dashboard_title": "改名"}),
            ("DELETE", f"/api/v1/dashboard/{published.number}", None),
            ("PUT", f"/api/v1/chart/{chart['id']}", {"slice_name": "改名"}),
            ("DELETE", f"/api/v1/chart/{chart['id']}", None),
        ):
            assert someone.ask(method, path, body).status_code >= 400, (method, path)
        reader = build_reader(superset, published)
        assert (
            reader.get(f"/api/v1/dashboard/{published.number}").json()["result"]["dashboard_title"]
            == "发布的看板（已发布）"
        )
        assert [one["slice_name"] for one in get_charts(reader, published.number).json()["result"]] == [
            "发布的看板的图"
        ]

    @pytest.mark.parametrize("frozen", [True, False])
    def test_nobody_takes_a_chart_off_it_or_puts_one_on_it(
        self, superset: SupersetClient, published: BoardCopy, frozen: bool
    ) -> None:
        kept = [published.uuid] if frozen else []
        author = build_reader(superset, published, user=AUTHOR, draws=True, frozen=kept)
        [chart] = get_charts(author, published.number).json()["result"]
        taken = author.ask("PUT", f"/api/v1/chart/{chart['id']}", {"dashboards": []})
        assert taken.status_code >= 400
        other = new_chart("另一张图", author.datasets[BEST_SELLER_DATASET], dashboards=[published.number])
        assert author.ask("POST", "/api/v1/chart/", other).status_code >= 400
        own = author.create_chart("自己的图", author.datasets[BEST_SELLER_DATASET])
        moved = author.ask("PUT", f"/api/v1/chart/{own}", {"dashboards": [published.number]})
        assert moved.status_code >= 400
        left = get_charts(build_reader(superset, published), published.number).json()["result"]
        assert [one["slice_name"] for one in left] == ["发布的看板的图"]

    def test_its_author_finds_his_own_board_beside_it(
        self, superset: SupersetClient, published: BoardCopy
    ) -> None:
        author = Analyst(superset, user=AUTHOR, frozen=[published.uuid])
        found = {one["id"] for one in author.get("/api/v1/dashboard/").json()["result"]}
        assert found and published.number not in found

    def test_who_only_looks_draws_nothing(self, superset: SupersetClient, published: BoardCopy) -> None:
        reader = build_reader(superset, published)
        answer = reader.ask("POST", "/api/v1/dashboard/", {"dashboard_title": "读者的"})
        assert answer.status_code >= 400
        assert {one["id"] for one in reader.get("/api/v1/dashboard/").json()["result"]} == {published.number}


class TestCopying:
    def test_every_chart_has_a_place_in_the_copy_and_those_that_had_one_keep_it(self) -> None:
        tabs = {
            "ROOT_ID": {"type": "ROOT", "id": "ROOT_ID", "children": ["TABS-1"]},
            "TABS-1": {"type": "TABS", "id": "TABS-1", "children": ["TAB-1"], "parents": ["ROOT_ID"]},
            "TAB-1": {"type": "TAB", "id": "TAB-1", "children": ["ROW-1"], "parents": ["ROOT_ID", "TABS-1"]},
            "ROW-1": {"type": "ROW", "id": "ROW-1", "children": ["CHART-1"]},
            "CHART-1": {"type": "CHART", "id": "CHART-1", "children": [], "meta": {"chartId": 7}},
        }
        layout = complete_layout("看板", tabs, {7: "甲", 8: "乙"})
        assert layout["CHART-1"] == tabs["CHART-1"]
        _, added = layout["TAB-1"]["children"]
        [chart] = layout[added]["children"]
        assert (layout[chart]["meta"]["chartId"], layout[chart]["meta"]["sliceName"]) == (8, "乙")
        assert layout[chart]["parents"] == ["ROOT_ID", "TABS-1", "TAB-1", added]
        bare = complete_layout("看板", {}, {8: "乙"})
        assert [bare[row]["children"] for row in bare["GRID_ID"]["children"]] == [[chart]]

    def test_filters_are_of_the_charts_of_the_copy(self) -> None:
        told = {
            "refresh_frequency": 7,
            "native_filter_configuration": [
                {
                    "scope": {"rootPath": ["ROOT_ID"], "excluded": [7]},
                    "chartsInScope": [8],
                    "targets": [{"datasetId": 7}],
                }
            ],
            "chart_configuration": {
                "7": {"id": 7, "crossFilters": {"scope": "global", "chartsInScope": [8]}}
            },
        }
        assert renumber_charts(told, {7: 17, 8: 18}) == {
            "refresh_frequency": 7,
            "native_filter_configuration": [
                {
                    "scope": {"rootPath": ["ROOT_ID"], "excluded": [17]},
                    "chartsInScope": [18],
                    "targets": [{"datasetId": 7}],
                }
            ],
            "chart_configuration": {
                "17": {"id": 17, "crossFilters": {"scope": "global", "chartsInScope": [18]}}
            },
        }
