"""What calls and their fields are called (接口名称): in Chinese, by the words that the screens have for them."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
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


ANSWERS = {"200": "成功", "422": "请求不符合格式"}
"""What is said of an answer, by its status."""
PARTS = {
    "Save": "{}保存",
    "Page": "{}列表页",
    "Info": "{}详情",
    "Choices": "{}选择页",
    "Choice": "{}选择",
    "ListQuery": "{}列表条件",
    "Row": "{}",
}
"""The models that are made of a class, by how they end."""
MODELS = {
    "About": "操作影响提交",
    "Act": "单据操作提交",
    "BatchAnswer": "批量操作结果",
    "BillsToPrint": "打印提交",
    "ChartAnswer": "图表",
    "Foreseen": "操作影响",
    "Keys": "编号提交",
    "LogRow": "日志",
    "ManyBillsToPrint": "批量打印提交",
    "PrintedBills": "打印内容",
    "PrintTask": "打印任务",
    "Saved": "保存结果",
    "Totals": "合计",
}
"""Models of many calls."""
COMMON = {"Envelope_Any_": "答复", "Envelope_NoneType_": "无内容的答复", "Envelope_dict_str__Any__": "答复"}
WORDS = Path(__file__).with_name("call_words.csv")
"""What names mean that no screen has a label for."""


def name_all(document: dict[str, Any]) -> dict[str, Any]:
    """The description of the API with Chinese summaries, titles and answers; nothing else of it changes."""
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
    naming = _Naming(_labels(), document.get("components", {}).get("schemas", {}))
    naming.name_models()
    for path, item in document["paths"].items():
        for operation in item.values():
            operation["summary"] = lookups.get(path) or _summary(path, operation, titles, owners)
            naming.name_operation(operation)
    return document


def _labels() -> dict[str, str]:
    """The words for every name: of fields their labels, of keys their owners, else those of no screen."""
    with WORDS.open(encoding="utf-8", newline="") as file:
        words = {row["name"]: row["title"] for row in csv.DictReader(file)}
    found = words | SHARED
    for cls in registry.declared():
        for block in cls.blocks():
            found |= {item.name: item.label for item in block.cls.fields()}
    for cls in registry.declared():
        found.setdefault(cls.key().key, f"{cls.declaration.label}编号")
    found |= {item.name: item.label for cls in registry.declared() for item in cls.fields()}
    return found | {"bill_id": "单据编号", "line_id": "行编号"}


@cache
def _classes() -> dict[str, str]:
    """The labels of declared classes and of their rows, by class name."""
    found: dict[str, str] = {}
    for cls in registry.declared():
        found |= {block.cls.__name__: f"{cls.declaration.label}{block.label}" for block in cls.blocks()}
        found[cls.__name__] = cls.declaration.label
    return found


def _made_of(name: str) -> str:
    """What a model is called that is of many calls or made of a declared class; empty for others."""
    bare = re.sub(r"^Envelope_(list_)?|_{1,2}$", "", name)
    if bare in MODELS:
        return MODELS[bare] if bare == name else f"{MODELS[bare]}答复"
    if name in COMMON:
        return COMMON[name]
    for ending, words in PARTS.items():
        label = _classes().get(name.removesuffix(ending)) if name.endswith(ending) else None
        if label:
            return words.format(label)
    return ""


class _Naming:
    """Names the models of a document and what is in them: `labels` are the words for names, `schemas` its models."""

    def __init__(self, labels: Mapping[str, str], schemas: Mapping[str, dict[str, Any]]) -> None:
        self._labels = labels
        self._schemas = schemas
        self._named: set[str] = set()

    def name_models(self) -> None:
        """Give properties their titles, and the models of declared classes theirs."""
        for name, schema in self._schemas.items():
            schema["title"] = _made_of(name)
            for field, value in schema.get("properties", {}).items():
                self._name(value, field)

    def name_operation(self, operation: dict[str, Any]) -> None:
        """Name what a call takes and answers: models that are of no class by the first call that they are for."""
        for parameter in operation.get("parameters", ()):
            self._name(parameter["schema"], parameter["name"], parameter.get("description", ""))
        summary = operation["summary"]
        for status, answer in operation["responses"].items():
            answer["description"] = ANSWERS.get(status, answer["description"])
            words = f"{summary}答复" if status == "200" else answer["description"]
            self._name_content(answer.get("content", {}), words)
        self._name_content(operation.get("requestBody", {}).get("content", {}), f"{summary}提交")

    def _name(self, schema: dict[str, Any], name: str, told: str = "") -> None:
        """By what is said of it where that is Chinese, else by its name."""
        said = told or schema.get("description", "")
        words = said if CHINESE.search(said) else self._labels.get(name, "")
        if CHINESE.search(words):
            schema["title"] = re.split(r"[（，；。:]", words)[0]

    def _name_content(self, content: Mapping[str, Any], words: str) -> None:
        """Name the models of some content that have no name yet, and those within them by what they are there."""
        waiting = [(part.get("schema", {}), words) for part in content.values()]
        while waiting:
            node, told = waiting.pop()
            if "title" in node and not CHINESE.search(node["title"]):
                node["title"] = told
            parts = (node.get("items"), node.get("additionalProperties"), *node.get("anyOf", ()))
            waiting += [(part, told) for part in parts if isinstance(part, dict)]
            name = node.get("$ref", "").rpartition("/")[2]
            if name in self._named or name not in self._schemas:
                continue
            self._named.add(name)
            model = self._schemas[name]
            model["title"] = model["title"] or told
            waiting += [
                (value, told.removesuffix("答复") if field == "data" else value.get("title", told))
                for field, value in model.get("properties", {}).items()
            ]


def _summary(
    path: str, operation: Mapping[str, Any], titles: Mapping[str, str], owners: Mapping[str, str]
) -> str:
    """What its handler says of itself first, else whose call it is and what it does, by whatever name."""
    said: str = (operation.get("description") or "").split(":")[0].split("\n")[0].strip().rstrip("。")
    if CHINESE.search(said):
        return said
    owner, _, action = path.rpartition("/")
    return titles.get(path) or (f"{owners[owner]}{action}" if owner in owners else path)
