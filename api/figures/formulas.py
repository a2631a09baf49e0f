"""Formulas (算式) of figures in words: what the catalogue computes, read by the engine that computes it.

A ratio's guard is not told: that it is empty where its base is not positive holds of all (docs/definitions.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import duckdb

_PARSER = duckdb.connect()
PARSE = "select json_serialize_sql(?, skip_null := true, skip_empty := true, skip_default := true)"
Names = Callable[[str], str]
Node = dict[str, Any]
SUM_LIKE, PRODUCT_LIKE, ALONE = 1, 2, 3
"""How tightly the parts of an expression hold together."""
SIGNS = {"+": ("＋", SUM_LIKE), "-": ("－", SUM_LIKE), "*": ("×", PRODUCT_LIKE), "/": ("÷", PRODUCT_LIKE)}
AGGREGATES = {"sum": "Σ {}", "max": "最大的{}", "min": "最小的{}", "any_value": "{}", "avg": "平均的{}"}
COMPARISONS = {
    "COMPARE_EQUAL": "＝",
    "COMPARE_NOTEQUAL": "≠",
    "COMPARE_GREATERTHAN": "＞",
    "COMPARE_GREATERTHANOREQUALTO": "≥",
    "COMPARE_LESSTHAN": "＜",
    "COMPARE_LESSTHANOREQUALTO": "≤",
}
FUNCTIONS = {
    "greatest": "{}中最大的",
    "least": "{}中最小的",
    "abs": "{}（不计正负）",
    "list_avg": "{}的平均",
    "list_value": "{}",
}
PERIODS = frozenset({"beside_order", "elapsed"})
"""What tells the periods of a row apart: conditions on them say beside which period a figure stands."""


class UntoldError(Exception):
    """There are no words for a part of it."""


def formula(sql: str, names: Names) -> str | None:
    """A figure's expression in words, columns by their `names`; None for what there are no words for."""
    try:
        return _told(_parsed(sql), names)[0]
    except UntoldError:
        return None


@lru_cache(maxsize=4096)
def _parsed(sql: str) -> Node:
    with _PARSER.cursor() as parser:
        found = parser.execute(PARSE, [f"select {sql}"]).fetchone()
    told: Node = json.loads(found[0]) if found else {}
    if "statements" not in told:
        raise UntoldError(sql)
    parsed: Node = told["statements"][0]["node"]["select_list"][0]
    return parsed


def _told(node: Node, names: Names) -> tuple[str, int]:
    """An expression, and how tightly its parts hold together."""
    tell = _TELLERS.get(node["class"])
    if tell is None:
        raise UntoldError(node["class"])
    return tell(node, names)


def _column(node: Node, names: Names) -> tuple[str, int]:
    return names(node["column_names"][-1]), ALONE


def _constant(node: Node, names: Names) -> tuple[str, int]:
    value = node["value"]
    if value.get("is_null", False):
        return "空", ALONE
    found, kind = value["value"], value["type"]
    if kind["id"] == "DECIMAL":
        scale = kind["type_info"]["scale"]
        return f"{found / 10**scale:.{scale}f}".rstrip("0").rstrip("."), ALONE
    return (f"“{found}”" if isinstance(found, str) else str(found)), ALONE


def _cast(node: Node, names: Names) -> tuple[str, int]:
    return _told(node["child"], names)


def _function(node: Node, names: Names) -> tuple[str, int]:
    name, parts = node["function_name"], node.get("children", [])
    if name in SIGNS:
        return _signed(name, parts, names)
    if name == "list_sum":
        return _once(parts[0], names), ALONE
    found = _aggregate(node, parts, names)
    if "filter" in node:
        found = f"{found}（限{_word(node['filter'], names)}）"
    return found, ALONE


def _signed(name: str, parts: list[Node], names: Names) -> tuple[str, int]:
    sign, strength = SIGNS[name]
    if len(parts) == 1:
        return f"－{_bracketed(parts[0], names, PRODUCT_LIKE)}", SUM_LIKE
    left, right = parts
    # What follows a minus or a division sign holds together by itself.
    tighter = strength + (name in ("-", "/"))
    return f"{_bracketed(left, names, strength)} {sign} {_bracketed(right, names, tighter)}", strength


def _bracketed(node: Node, names: Names, strength: int) -> str:
    word, own = _told(node, names)
    return word if own >= strength else f"（{word}）"


def _aggregate(node: Node, parts: list[Node], names: Names) -> str:
    name = node["function_name"]
    words = [_word(part, names) for part in parts]
    if name == "count_star" or (name == "count" and not parts):
        return "行数"
    if name == "count":
        return f"{words[0]}的个数（不重复）" if node.get("distinct") else f"有{words[0]}的行数"
    if name in AGGREGATES:
        inner, strength = _told(parts[0], names)
        return AGGREGATES[name].format(inner if strength == ALONE else f"（{inner}）")
    if name in ("coalesce", "nullif"):
        return words[0]
    if name in FUNCTIONS:
        return FUNCTIONS[name].format("、".join(words))
    raise UntoldError(name)


def _once(node: Node, names: Names) -> str:
    """The sum of what the rows of a key share, as `metrics.once` writes it."""
    try:
        key, measure = node["children"][0]["children"][0]["children"]
    except (LookupError, ValueError):
        raise UntoldError("list_sum") from None
    return f"Σ {_word(measure, names)}（每个{_word(key, names)}只计一次）"


def _window(node: Node, names: Names) -> tuple[str, int]:
    if node.get("partitions"):
        raise UntoldError("window")
    if not (orders := node.get("orders")):
        return f"全部行的 {_aggregate(node, node.get('children', []), names)}", ALONE
    [order] = orders
    by = _word(order["expression"], names)
    if node["type"] == "WINDOW_RANK":
        return f"按{by}{'从大到小' if order['type'] == 'DESCENDING' else '从小到大'}的名次", ALONE
    return f"逐{by}累计的 {_aggregate(node, node.get('children', []), names)}", ALONE


def _case(node: Node, names: Names) -> tuple[str, int]:
    checks, rest = node["case_checks"], node.get("else_expr")
    otherwise = "" if rest is None or _is_nothing(rest) else _word(rest, names)
    if len(checks) == 1 and not otherwise:
        [check] = checks
        if _is_guard(check["when_expr"]):
            return _told(check["then_expr"], names)
        return (
            f"{_bracketed(check['then_expr'], names, ALONE)}（限{_word(check['when_expr'], names)}）",
            ALONE,
        )
    told = "，".join(
        f"{_word(one['when_expr'], names)}时为{_word(one['then_expr'], names)}" for one in checks
    )
    return f"（{told}{f'，否则为{otherwise}' if otherwise else ''}）", ALONE


def _is_nothing(node: Node) -> bool:
    """Whether it adds nothing to a sum."""
    value = node.get("value", {})
    return bool(node["class"] == "CONSTANT" and (value.get("is_null", False) or value.get("value") == 0))


def _is_guard(node: Node) -> bool:
    """Whether a condition says only that a base is positive, or of which period a row is."""
    if _columns(node) <= PERIODS:
        return True
    parts = node.get("children", []) if node["type"] == "CONJUNCTION_AND" else [node]
    return all(
        part["type"] == "COMPARE_GREATERTHAN"
        and _is_nothing(part["right"])
        and part["left"]["class"] != "COLUMN_REF"
        for part in parts
    )


def _columns(node: Any) -> set[str]:
    """The columns that an expression names."""
    if isinstance(node, list):
        return set().union(*map(_columns, node))
    if not isinstance(node, dict):
        return set()
    own = set(node.get("column_names", [])[-1:])
    return own.union(*map(_columns, node.values()))


def _comparison(node: Node, names: Names) -> tuple[str, int]:
    if node["type"] not in COMPARISONS:
        raise UntoldError(node["type"])
    left, right = (_word(node[side], names) for side in ("left", "right"))
    return f"{left} {COMPARISONS[node['type']]} {right}", 0


def _conjunction(node: Node, names: Names) -> tuple[str, int]:
    word = "且" if node["type"] == "CONJUNCTION_AND" else "或"
    return f" {word} ".join(_bracketed(part, names, 0) for part in node["children"]), 0


def _operator(node: Node, names: Names) -> tuple[str, int]:
    words = [_word(part, names) for part in node["children"]]
    match node["type"]:
        case "OPERATOR_COALESCE":
            return _told(node["children"][0], names)
        case "OPERATOR_IS_NOT_NULL":
            return f"有{words[0]}", 0
        case "OPERATOR_IS_NULL":
            return f"没有{words[0]}", 0
        case "OPERATOR_NOT":
            return f"不是{words[0]}", 0
        case "COMPARE_IN":
            return f"{words[0]}为{'、'.join(words[1:])}", 0
    raise UntoldError(node["type"])


def _word(node: Node, names: Names) -> str:
    return _told(node, names)[0]


_TELLERS: dict[str, Callable[[Node, Names], tuple[str, int]]] = {
    "COLUMN_REF": _column,
    "CONSTANT": _constant,
    "CAST": _cast,
    "FUNCTION": _function,
    "WINDOW": _window,
    "CASE": _case,
    "COMPARISON": _comparison,
    "CONJUNCTION": _conjunction,
    "OPERATOR": _operator,
}
