"""Rules of numbers and texts against the vectors that the web's tests share (tests/golden/rules.json)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from api.kit.declaration.fields import Field
from api.kit.declaration.validation_rules import NumberBounds, prefix_label, strip_label
from api.kit.storage.validation import Problems, parse_value

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "rules.json").read_text("utf-8"))
named = {"ids": lambda case: f"{case['section']} {case['sent']}"}


def find_problem(item: Field, sent: str, place: str) -> list[str]:
    problems = Problems(place)
    parse_value(item, sent, problems)
    return [failure.msg for failure in problems.failures]


def test_a_problem_beside_its_name_does_not_repeat_it() -> None:
    assert strip_label("批次(DOT) 5126 是 2026-12-14 起的一周", "批次(DOT)") == "5126 是 2026-12-14 起的一周"
    assert strip_label("批次(DOT)应为周数加年份", "批次", "批次(DOT)", "batch") == "应为周数加年份"
    assert strip_label("请填写日期", "日期") == "请填写日期"
    assert strip_label("辅单位和换算率请一起填写", "辅单位") == "辅单位和换算率请一起填写"
    assert strip_label("日期", "日期") == "日期"


@pytest.mark.parametrize("case", VECTORS["numbers"], **named)
def test_numbers(case: dict[str, Any]) -> None:
    bounds = NumberBounds(**case["bounds"]) if "bounds" in case else None
    item = Field("n", "数", case["type"], rule=case["rule"], bounds=bounds)
    expected = [prefix_label("数", case["problem"])] if case["problem"] else []
    assert find_problem(item, case["sent"], "第1行" if case["place"] == "cell" else "") == expected


@pytest.mark.parametrize("case", VECTORS["entries"], ids=lambda case: f"{case['section']} {case['typed']}")
def test_what_the_browser_corrects_is_refused_here_and_its_correction_taken(case: dict[str, Any]) -> None:
    """The numeric input helper of spec/3-rules.md 5.2: "Non-numeric or negative quantities reset to 0" and the rest."""
    bounds = NumberBounds(**case["bounds"]) if "bounds" in case else None
    item = Field("n", "数", case["type"], rule=case["rule"], bounds=bounds)
    place = "第1行" if case["place"] == "cell" else ""
    assert find_problem(item, case["typed"], place) == (
        [prefix_label("数", case["refused"])] if case["refused"] else []
    )
    assert case["value"] == "" or find_problem(item, case["value"], place) == []


@pytest.mark.parametrize("case", VECTORS["labelled"], ids=lambda case: case["section"])
def test_labels(case: dict[str, Any]) -> None:
    assert prefix_label(case["label"], case["problem"]) == case["told"]


@pytest.mark.parametrize("case", VECTORS["texts"], **named)
def test_texts(case: dict[str, Any]) -> None:
    expected = [f"“话”{case['problem']}"] if case["problem"] else []
    assert find_problem(Field("t", "话", "text", rule=case["rule"]), case["sent"], "") == expected
