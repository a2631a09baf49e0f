"""A board on a phone: every chart in a row of its own, none too low for its headings or its figures."""

from __future__ import annotations

import yaml

from reports.assets import compile_assets
from reports.phones import FIGURES_HEIGHT, LEAST_HEIGHT, stacked, unlabelled

POSITION = yaml.safe_load(compile_assets()["dashboards/accountsReceivable_all_plain.yaml"])["position"]


def test_charts_stand_alone_in_their_order():
    laid = stacked(POSITION)
    rows = [laid[key]["children"] for key in laid["GRID_ID"]["children"]]
    charts = [key for row in POSITION["GRID_ID"]["children"] for key in POSITION[row]["children"]]
    assert rows == [[key] for key in charts]
    assert {laid[key]["meta"]["width"] for key in charts} == {12}


def test_figures_have_room_below_each_other_and_no_chart_is_too_low():
    laid = {
        key: part["meta"]["height"] for key, part in stacked(POSITION).items() if key.startswith("CHART-")
    }
    assert POSITION["CHART-beside"]["meta"]["height"] < FIGURES_HEIGHT == laid["CHART-beside"]
    assert min(laid.values()) >= LEAST_HEIGHT
    assert laid["CHART-detail"] == POSITION["CHART-detail"]["meta"]["height"]


def test_upright_bars_bear_no_figures_and_lying_ones_do():
    assets = [yaml.safe_load(text) for name, text in compile_assets().items() if name.startswith("charts/")]
    told = [{"slice_name": asset["slice_name"], "form_data": asset["params"]} for asset in assets]
    labelled = [chart for chart in told if chart["form_data"].get("show_value")]
    ways = {chart["form_data"]["orientation"] for chart in map(unlabelled, labelled) if _bears(chart)}
    assert {chart["form_data"]["orientation"] for chart in labelled} == {"horizontal", "vertical"}
    assert ways == {"horizontal"}
    assert all(unlabelled(chart).keys() == chart.keys() for chart in told)


def _bears(chart: dict) -> bool:
    return chart["form_data"]["show_value"]
