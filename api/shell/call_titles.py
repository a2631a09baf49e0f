"""What calls and their fields are called (接口名称): in Chinese, by the words that the screens have for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from api.kit import registry
from api.kit.resource import ACTION_LABELS

CHINESE = re.compile(r"[\u3400-\u9fff]")
READS = {
    "getList": "列表",
    "getTotals": "合计",
    "getInfo": "详情",
    "getLog": "日志",
    "getChart": "图表",
    "getDropdown": "选择",
    "getDraft": "按来源开单",
    "getOpenLines": "未完成的来源",
    "getImportTemplate": "导入模板",
    "previewImport": "导入预览",
}
SHARED = {
    "code": "结果代码",
    "msg": "说明",
    "data": "数据",
    "total": "总数",
    "totals": "合计",
    "page": "页码",
    "current_page": "当前页",
    "per_page": "每页行数",
    "last_page": "末页",
    "more": "还有更多",
    "id": "编号",
    "ids": "编号",
    "index": "序号",
    "serial": "单据号/序号",
    "success": "成功",
    "failures": "失败",
    "notes": "提示",
    "asks": "询问",
}
"""What answers have in common."""


def name_all(document: dict[str, Any]) -> dict[str, Any]:
    """The description of the API with Chinese summaries and titles; nothing else of it changes."""
    owners = {f"/{cls.declaration.api}": cls.declaration.label for cls in registry.declared()}
    lookups = {
        f"/{cls.declaration.lookup}": f"{cls.declaration.label}选择"
        for cls in registry.declared()
        if cls.declaration.lookup
    }
    titles = {
        f"/{path}": cls.declaration.label + word
        for cls in registry.declared()
        for name, word in {**ACTION_LABELS, **READS}.items()
        for path in cls.declaration.paths(name)
    }
    labels = {item.name: item.label for cls in registry.declared() for item in cls.fields()}
    for path, item in document["paths"].items():
        for operation in item.values():
            operation["summary"] = lookups.get(path) or _summary(path, operation, titles, owners)
    for name, schema, told in _named(document):
        words = told or labels.get(name) or SHARED.get(name, "")
        if CHINESE.search(words):
            schema["title"] = re.split(r"[（，；。:]", words)[0]
    return document


def _summary(
    path: str, operation: Mapping[str, Any], titles: Mapping[str, str], owners: Mapping[str, str]
) -> str:
    """What its handler says of itself first, else whose call it is and what it does, by whatever name."""
    said: str = (operation.get("description") or "").split(":")[0].split("\n")[0].strip().rstrip("。")
    if CHINESE.search(said):
        return said
    owner, _, action = path.rpartition("/")
    return titles.get(path) or (f"{owners[owner]}{action}" if owner in owners else path)


def _named(node: Any) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Every property and parameter, however deep: its name, its schema and what is said of it."""
    if isinstance(node, list):
        for value in node:
            yield from _named(value)
    if not isinstance(node, dict):
        return
    properties = node.get("properties")
    if isinstance(properties, dict) and node.get("type") == "object":
        for name, value in properties.items():
            yield name, value, value.get("description", "")
    if "in" in node and isinstance(node.get("schema"), dict):
        yield node["name"], node["schema"], node.get("description", "")
    for value in node.values():
        yield from _named(value)
