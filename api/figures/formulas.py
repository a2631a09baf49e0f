"""Formulas (算式) of figures as text, from the catalogue's SQL as parsed by DuckDB.

Guards of ratios are omitted: empty results where the base is not positive hold for all
(docs/definitions.md).
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
"""Binding strength of an expression's parts."""
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
"""Columns that tell the periods of a row apart: conditions on them are omitted."""


class UnsupportedNodeError(Exception):
    """An expression that has no textual form."""


def describe_formula(sql: str, names: Names) -> str | None:
    """Describe a figure's SQL expression as text, columns by `names`; None if a part is unsupported."""
    try:
        return _format_node(_parse_expression(sql), names)[0]
    except UnsupportedNodeError:
        return None


@lru_cache(maxsize=4096)
def _parse_expression(sql: str) -> Node:
    with _PARSER.cursor() as parser:
        found = parser.execute(PARSE, [f"select {sql}"]).fetchone()
    tree: Node = json.loads(found[0]) if found else {}
    if "statements" not in tree:
        raise UnsupportedNodeError(sql)
    parsed: Node = tree["statements"][0]["node"]["select_list"][0]
    return parsed


def _format_node(node: Node, names: Names) -> tuple[str, int]:
    """Format an expression; return the text and its binding strength."""
    tell = _FORMATTERS.get(node["class"])
    if tell is None:
        raise UnsupportedNodeError(node["class"])
    return tell(node, names)


def _format_column(node: Node, names: Names) -> tuple[str, int]:
    return names(node["column_names"][-1]), ALONE


def _format_constant(node: Node, names: Names) -> tuple[str, int]:
    value = node["value"]
    if value.get("is_null", False):
        return "空", ALONE
    found, kind = value["value"], value["type"]
    if kind["id"] == "DECIMAL":
        scale = kind["type_info"]["scale"]
        return f"{found / 10**scale:.{scale}f}".rstrip("0").rstrip("."), ALONE
    return (f"“{found}”" if isinstance(found, str) else str(found)), ALONE


def _format_cast(node: Node, names: Names) -> tuple[str, int]:
    return _format_node(node["child"], names)


def _format_function(node: Node, names: Names) -> tuple[str, int]:
    name, parts = node["function_name"], node.get("children", [])
    if name in SIGNS:
        return _format_operation(name, parts, names)
    if name == "list_sum":
        return _format_counted_once(parts[0], names), ALONE
    found = _format_aggregate(node, parts, names)
    if "filter" in node:
        found = f"{found}（限{_format_text(node['filter'], names)}）"
    return found, ALONE


def _format_operation(name: str, parts: list[Node], names: Names) -> tuple[str, int]:
    sign, strength = SIGNS[name]
    if len(parts) == 1:
        return f"－{_add_brackets(parts[0], names, PRODUCT_LIKE)}", SUM_LIKE
    left, right = parts
    # What follows a minus or a division sign holds together by itself.
    tighter = strength + (name in ("-", "/"))
    return f"{_add_brackets(left, names, strength)} {sign} {_add_brackets(right, names, tighter)}", strength


def _add_brackets(node: Node, names: Names, strength: int) -> str:
    word, own = _format_node(node, names)
    return word if own >= strength else f"（{word}）"


def _format_aggregate(node: Node, parts: list[Node], names: Names) -> str:
    name = node["function_name"]
    words = [_format_text(part, names) for part in parts]
    if name == "count_star" or (name == "count" and not parts):
        return "行数"
    if name == "count":
        return f"{words[0]}的个数（不重复）" if node.get("distinct") else f"有{words[0]}的行数"
    if name in AGGREGATES:
        inner, strength = _format_node(parts[0], names)
        return AGGREGATES[name].format(inner if strength == ALONE else f"（{inner}）")
    if name in ("coalesce", "nullif"):
        return words[0]
    if name in FUNCTIONS:
        return FUNCTIONS[name].format("、".join(words))
    raise UnsupportedNodeError(name)


def _format_counted_once(node: Node, names: Names) -> str:
    """Format a sum that counts each key once, as `metrics.once` writes it."""
    try:
        key, measure = node["children"][0]["children"][0]["children"]
    except (LookupError, ValueError):
        raise UnsupportedNodeError("list_sum") from None
    return f"Σ {_format_text(measure, names)}（每个{_format_text(key, names)}只计一次）"


def _format_window(node: Node, names: Names) -> tuple[str, int]:
    if node.get("partitions"):
        raise UnsupportedNodeError("window")
    if not (orders := node.get("orders")):
        return f"全部行的 {_format_aggregate(node, node.get('children', []), names)}", ALONE
    [order] = orders
    by = _format_text(order["expression"], names)
    if node["type"] == "WINDOW_RANK":
        return f"按{by}{'从大到小' if order['type'] == 'DESCENDING' else '从小到大'}的名次", ALONE
    return f"逐{by}累计的 {_format_aggregate(node, node.get('children', []), names)}", ALONE


def _format_case(node: Node, names: Names) -> tuple[str, int]:
    checks, rest = node["case_checks"], node.get("else_expr")
    otherwise = "" if rest is None or _is_neutral(rest) else _format_text(rest, names)
    if len(checks) == 1 and not otherwise:
        [check] = checks
        if _is_guard(check["when_expr"]):
            return _format_node(check["then_expr"], names)
        return (
            f"{_add_brackets(check['then_expr'], names, ALONE)}（限{_format_text(check['when_expr'], names)}）",
            ALONE,
        )
    conditions = "，".join(
        f"{_format_text(one['when_expr'], names)}时为{_format_text(one['then_expr'], names)}"
        for one in checks
    )
    return f"（{conditions}{f'，否则为{otherwise}' if otherwise else ''}）", ALONE


def _is_neutral(node: Node) -> bool:
    """Return whether a node adds nothing to a sum."""
    value = node.get("value", {})
    return bool(node["class"] == "CONSTANT" and (value.get("is_null", False) or value.get("value") == 0))


def _is_guard(node: Node) -> bool:
    """Return whether a condition only requires a positive base, or selects a period."""
    if _collect_columns(node) <= PERIODS:
        return True
    parts = node.get("children", []) if node["type"] == "CONJUNCTION_AND" else [node]
    return all(
        part["type"] == "COMPARE_GREATERTHAN"
        and _is_neutral(part["right"])
        and part["left"]["class"] != "COLUMN_REF"
        for part in parts
    )


def _collect_columns(node: Any) -> set[str]:
    """Collect the columns that an expression names."""
    if isinstance(node, list):
        return set().union(*map(_collect_columns, node))
    if not isinstance(node, dict):
        return set()
    own = set(node.get("column_names", [])[-1:])
    return own.union(*map(_collect_columns, node.values()))


def _format_comparison(node: Node, names: Names) -> tuple[str, int]:
    if node["type"] not in COMPARISONS:
        raise UnsupportedNodeError(node["type"])
    left, right = (_format_text(node[side], names) for side in ("left", "right"))
    return f"{left} {COMPARISONS[node['type']]} {right}", 0


def _format_conjunction(node: Node, names: Names) -> tuple[str, int]:
    word = "且" if node["type"] == "CONJUNCTION_AND" else "或"
    return f" {word} ".join(_add_brackets(part, names, 0) for part in node["children"]), 0


def _format_operator(node: Node, names: Names) -> tuple[str, int]:
    words = [_format_text(part, names) for part in node["children"]]
    match node["type"]:
        case "OPERATOR_COALESCE":
            return _format_node(node["children"][0], names)
        case "OPERATOR_IS_NOT_NULL":
            return f"有{words[0]}", 0
        case "OPERATOR_IS_NULL":
            return f"没有{words[0]}", 0
        case "OPERATOR_NOT":
            return f"不是{words[0]}", 0
        case "COMPARE_IN":
            return f"{words[0]}为{'、'.join(words[1:])}", 0
    raise UnsupportedNodeError(node["type"])


def _format_text(node: Node, names: Names) -> str:
    return _format_node(node, names)[0]


_FORMATTERS: dict[str, Callable[[Node, Names], tuple[str, int]]] = {
    "COLUMN_REF": _format_column,
    "CONSTANT": _format_constant,
    "CAST": _format_cast,
    "FUNCTION": _format_function,
    "WINDOW": _format_window,
    "CASE": _format_case,
    "COMPARISON": _format_comparison,
    "CONJUNCTION": _format_conjunction,
    "OPERATOR": _format_operator,
}
