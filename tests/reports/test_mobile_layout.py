"""A board on a phone: every chart in a row of its own, none too low for its headings or its figures."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from reports.superset.assets import compile_assets
from reports.superset_patches.mobile_layout import FIGURES_HEIGHT, LEAST_HEIGHT, hide_bar_values, stack_layout


@pytest.fixture(scope="module")
def position() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(compile_assets()["dashboards/accountsReceivable_all_plain.yaml"])
    return found["position"]


def test_charts_stand_alone_in_their_order(position: dict[str, Any]):
    laid = stack_layout(position)
    rows = [laid[key]["children"] for key in laid["GRID_ID"]["children"]]
    charts = [key for row in position["GRID_ID"]["children"] for key in position[row]["children"]]
    assert rows == [[key] for key in charts]
    assert {laid[key]["meta"]["width"] for key in charts} == {12}


def test_figures_have_room_below_each_other_and_no_chart_is_too_low(position: dict[str, Any]):
    laid = {
        key: part["meta"]["height"]
        for key, part in stack_layout(position).items()
        if key.startswith("CHART-")
    }
    assert position["CHART-beside"]["meta"]["height"] < FIGURES_HEIGHT == laid["CHART-beside"]
    assert min(laid.values()) >= LEAST_HEIGHT
    assert laid["CHART-detail"] == position["CHART-detail"]["meta"]["height"]


def test_upright_bars_bear_no_figures_and_lying_ones_do():
    assets = [yaml.safe_load(text) for name, text in compile_assets().items() if name.startswith("charts/")]
    forms = [asset["params"] for asset in assets]
    narrow = [hide_bar_values({"form_data": form})["form_data"] for form in forms]
    assert list_labelled_orientations(forms) == {"horizontal", "vertical"}
    assert list_labelled_orientations(narrow) == {"horizontal"}
    assert [{**form, "show_value": None} for form in narrow] == [
        {**form, "show_value": None} for form in forms
    ]


def list_labelled_orientations(forms: list[dict]) -> set[str]:
    return {form["orientation"] for form in forms if form.get("show_value")}
