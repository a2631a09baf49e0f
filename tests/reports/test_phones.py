"""A board on a phone: figures two to a row, everything else in a row of its own, no table too low for its headings."""

from __future__ import annotations

import yaml

from reports.assets import compile_assets
from reports.phones import TABLE_HEIGHT, stacked

POSITION = yaml.safe_load(compile_assets()["dashboards/accountsReceivable_all_plain.yaml"])["position"]


def test_figures_stand_in_pairs_and_charts_alone():
    laid = stacked(POSITION)
    rows = [laid[key]["children"] for key in laid["GRID_ID"]["children"]]
    charts = [key for row in POSITION["GRID_ID"]["children"] for key in POSITION[row]["children"]]
    assert [key for row in rows for key in row] == charts
    assert [len(row) for row in rows] == [2, 2, 2, *[1] * (len(charts) - 6)]
    assert {sum(laid[key]["meta"]["width"] for key in row) for row in rows} == {12}


def test_a_table_of_few_rows_shows_them_under_headings_of_several_lines():
    before, laid = POSITION["CHART-beside"]["meta"], stacked(POSITION)["CHART-beside"]["meta"]
    assert before["height"] < TABLE_HEIGHT == laid["height"]
    figure = "CHART-overdue_share"
    assert stacked(POSITION)[figure]["meta"]["height"] == POSITION[figure]["meta"]["height"]
