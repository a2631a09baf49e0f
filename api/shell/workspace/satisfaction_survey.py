"""Satisfaction survey (客户满意度): seven questions and the rules of their answers (spec/1-shell.md 5)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import BaseModel

from api.kit.errors import InvalidInput, RowFailure

CHOOSE, SCORE, FILL = "请选择", "请输入0-100", "请填写"


class SatisfactionQuestion(BaseModel):
    """`kind` single, multiple, score or text; `other`: an answer of one's own may be added."""

    name: str
    question: str
    kind: str
    options: list[str]
    other: bool


def _build_question(
    name: str, question: str, kind: str, *options: str, other: bool = False
) -> dict[str, Any]:
    return {"name": name, "question": question, "kind": kind, "options": list(options), "other": other}


_DEGREES = ("非常满意", "满意", "一般", "不满意")
QUESTIONS = [
    _build_question("q1", "您对系统的总体满意度", "single", *_DEGREES),
    _build_question(
        "q2", "您经常使用的功能", "multiple", "采购", "销售", "库存", "客户往来", "报表", "商城", "售后"
    ),
    _build_question("q3", "您对系统运行速度和稳定性的评价", "single", *_DEGREES),
    _build_question("q4", "您对售后服务和问题处理的评价", "single", *_DEGREES),
    _build_question(
        "q5",
        "您希望我们优先改进哪些方面",
        "multiple",
        "操作步骤",
        "界面展示",
        "运行速度",
        "报表分析",
        "培训服务",
        other=True,
    ),
    _build_question("q6", "您会给我们打多少分", "score"),
    _build_question("q7", "您的意见和建议", "text"),
]
_MOST_OTHER = 100


def validate_answers(answers: dict[str, str]) -> dict[str, Any]:
    """Validate the answers and return them as they are stored.

    Raises: Invalid with every broken answer.
    """
    kept: dict[str, Any] = {}
    failures: list[RowFailure] = []
    for index, question in enumerate(QUESTIONS, 1):
        name = question["name"]
        value = answers[name].strip()
        problem = _describe_problem(question, value)
        if problem:
            failures.append(RowFailure(index, f"第{index}题", problem))
        kept[name] = value
    if failures:
        raise InvalidInput(failures[0].msg, failures)
    return {**kept, "q6": round(Decimal(kept["q6"]))}


def _describe_problem(question: dict[str, Any], value: str) -> str | None:
    kind, options = question["kind"], question["options"]
    if kind == "single":
        return None if value in options else CHOOSE
    if kind == "multiple":
        parts = [part.strip() for part in value.split(",") if part.strip()]
        own = [part for part in parts if part not in options]
        free = question["other"] and len("".join(own)) <= _MOST_OTHER
        return None if parts and (free or not own) else CHOOSE
    if kind == "score":
        return None if is_score(value) else SCORE
    return None if value else FILL


def is_score(value: str) -> bool:
    """Return whether a text is a score from 0 to 100."""
    try:
        return 0 <= Decimal(value) <= 100
    except InvalidOperation:
        return False
