"""Rules (校验规则) of numbers and texts, to spec/3-rules.md 5.1 to 5.3.

The browser checks the same before anything is sent; the cases that both share are in
tests/golden/rules.json.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

CAP = Decimal(100_000_000)
"""No number reaches this: 数值不能超过一亿 (5.1)."""
DECIMALS = {"quantity": 3, "money": 2, "price": 6, "rate": 4, "integer": 0}


class NumberRule(NamedTuple):
    """A rule of numbers, and its message in a table's cell (5.1) and in a form (5.2)."""

    strict: bool
    whole: bool
    cell: str
    form: str


NUMBER_RULES = {
    "positiveInt": NumberRule(False, True, "请输入大于等于0的整数", "请输入大于等于0的整数"),
    "PositiveInt": NumberRule(True, True, "请输入大于0的整数", "必须是正整数"),
    "Positive": NumberRule(False, False, "请输入大于等于0的数", "请输入大于等于零的数"),
    "positive": NumberRule(True, False, "请输入大于0的数", "请输入大于零的数"),
    "notNegative": NumberRule(False, False, "不能小于0", "不能小于0"),
}
ANY_DECIMALS = "只能输入正数"
"""Message of `Positive` in a cell of more or fewer than two decimals (5.1, its first row)."""
CONTINUES_LABEL = ("必须是正整数", "不能小于0")
"""Messages that continue a field's label; others follow it as a sentence of their own."""


@dataclass(frozen=True, slots=True)
class NumberBounds:
    """Bounds of a number (5.2): `least` and `most` are inclusive, `over` and `under` exclusive."""

    least: int | None = None
    most: int | None = None
    over: int | None = None
    under: int | None = None

    def describe_problem(self, value: Decimal) -> str | None:
        """Describe the problem of a value, or return None."""
        if self.least is not None and value < self.least:
            return f"请输入大于等于{self.least}的数"
        if self.most is not None and value > self.most:
            return f"请输入小于等于{self.most}的数"
        if self.over is not None and value <= self.over:
            return f"请输入大于{self.over}的数"
        if self.under is not None and value >= self.under:
            return f"请输入小于{self.under}的数"
        return None


PERCENT = NumberBounds(most=100)
"""Every rate."""


def describe_number_problem(
    value: Decimal, kind: str, rule: str | None, bounds: NumberBounds | None, *, cell: bool
) -> str | None:
    """Describe the problem of a finite number of a kind, or return None."""
    if abs(value) >= CAP:
        return "数值不能超过一亿"
    wanted = NUMBER_RULES.get(rule or "")
    if wanted and (
        value < 0 or (wanted.strict and value == 0) or (wanted.whole and value != value.to_integral_value())
    ):
        if not cell:
            return wanted.form
        return ANY_DECIMALS if rule == "Positive" and DECIMALS[kind] != 2 else wanted.cell
    problem = bounds.describe_problem(value) if bounds else None
    if problem:
        return problem
    places = DECIMALS[kind]
    if value == round(value, places):
        return None
    return f"最多{places}位小数" if places else "请输入整数"


def prefix_label(label: str, problem: str) -> str:
    """Prefix a problem with the name of its field."""
    return f"{label}{problem}" if problem in CONTINUES_LABEL else f"“{label}”{problem}"


def strip_label(problem: str, *labels: str) -> str:
    """Strip the name of its field from a problem, where that is shown beside it already.

    A problem that begins with a longer phrase, as 辅单位和换算率, keeps it.
    """
    for name in sorted(labels, key=len, reverse=True):
        rest = problem.removeprefix(name)
        if rest not in (problem, "") and not rest.startswith(("和", "与", "、", "及")):
            return rest.lstrip()
    return problem


TEXT_RULES = {
    "mobile": (re.compile(r"1[0-9]{10}"), "目前只支持中国大陆的手机号码"),
    "landline": (re.compile(r"(0[0-9]{2,3}-)?[0-9]{7,8}"), "请输入正确的座机号码，格式为区号-号码"),
    "phone": (
        re.compile(r"1[0-9]{10}|(0[0-9]{2,3}-)?[0-9]{7,8}|400-[0-9]{3,4}-[0-9]{3,4}"),
        "请输入正确的手机、座机或400电话",
    ),
    "hotline": (re.compile(r"400-[0-9]{3,4}-[0-9]{3,4}"), "请输入正确的服务热线，格式为400-xxx-xxx"),
    "idCard": (re.compile(r"[0-9]{15}|[0-9]{17}[0-9Xx]"), "证件号码不正确"),
    "bankCard": (re.compile(r"[1-9][0-9]*"), "请正确输入银行卡号"),
    "unionNo": (re.compile(r"[0-9]{12}"), "应为12位数字"),
    "creditCode": (
        re.compile(r"[0-9A-HJ-NPQRTUWXY]{2}[0-9]{6}[0-9A-HJ-NPQRTUWXY]{10}"),
        "应为18位数字和大写字母",
    ),
    "email": (re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+"), "请输入正确的邮箱地址"),
}
"""rule → (pattern of the whole text, message); 5.3. `phone` is for contacts reached in whichever way."""


def describe_text_problem(text: str, rule: str | None) -> str | None:
    """Describe the problem of a text that isn't empty, or return None."""
    if rule is None:
        return None
    pattern, message = TEXT_RULES[rule]
    return None if pattern.fullmatch(text) else message
