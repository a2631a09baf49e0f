"""Call titles (接口名称): Chinese titles of calls, models and fields, from the screens' labels."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from api.kit.declaration import registry
from api.kit.declaration.resource import ACTION_LABELS, Declared

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
"""Titles of fields that many responses share."""


ANSWERS = {"200": "成功", "422": "请求不符合格式"}
"""Descriptions of responses by status."""
PARTS = {
    "Save": "{}保存",
    "Page": "{}列表页",
    "Info": "{}详情",
    "Choices": "{}选择页",
    "Choice": "{}选择",
    "ListQuery": "{}列表条件",
    "Row": "{}",
}
"""Title patterns of models made of a class, by the end of their names."""
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
"""Titles of models that many calls share."""
COMMON = {"Envelope_Any_": "答复", "Envelope_NoneType_": "无内容的答复", "Envelope_dict_str__Any__": "答复"}
WORDS = Path(__file__).with_name("call_words.csv")
"""Titles of names that no screen has a label for."""


def add_call_titles(document: dict[str, Any]) -> dict[str, Any]:
    """Add Chinese summaries, titles and response descriptions to an OpenAPI document and return it.

    Nothing else of it changes.
    """
    owners = {f"/{cls.declaration.api}": cls.declaration.label for cls in registry.list_resources()}
    lookups = {
        f"/{cls.declaration.lookup}": f"{cls.declaration.label}选择"
        for cls in registry.list_resources()
        if cls.declaration.lookup
    }
    titles = {
        f"/{path}": cls.declaration.label + word
        for cls in registry.list_resources()
        for name, word in {**ACTION_LABELS, **READS}.items()
        for path in cls.declaration.paths(name)
    }
    naming = _TitleWriter(_collect_labels(), document.get("components", {}).get("schemas", {}))
    naming.title_models()
    for path, item in document["paths"].items():
        for operation in item.values():
            operation["summary"] = lookups.get(path) or _build_summary(path, operation, titles, owners)
            naming.title_operation(operation)
    return document


def _collect_labels() -> dict[str, str]:
    """Return the label of every name: of fields, of keys by their owners, else from the word list."""
    with WORDS.open(encoding="utf-8", newline="") as file:
        words = {row["name"]: row["title"] for row in csv.DictReader(file)}
    resources = [*registry.list_resources()]
    keys = {cls.key().key: f"{cls.declaration.label}编号" for cls in resources}
    lines = _count_labels(block.cls for cls in resources for block in cls.blocks())
    return (
        keys
        | words
        | SHARED
        | lines
        | _count_labels(resources)
        | {"bill_id": "单据编号", "line_id": "行编号"}
    )


def _count_labels(declared: Iterable[type[Declared]]) -> dict[str, str]:
    """Return the label that most fields of each name have, whatever order they are declared in."""
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    for cls in declared:
        for item in cls.fields():
            labels[item.name][item.label] += 1
    return {name: min(found, key=lambda label: (-found[label], label)) for name, found in labels.items()}


@cache
def _class_labels() -> dict[str, str]:
    """Return the labels of declared classes and of their rows, by class name."""
    found: dict[str, str] = {}
    for cls in registry.list_resources():
        found |= {block.cls.__name__: f"{cls.declaration.label}{block.label}" for block in cls.blocks()}
        found[cls.__name__] = cls.declaration.label
    return found


def _build_model_title(name: str) -> str:
    """Return the title of a model made of a declared class or shared by many calls; empty for others."""
    bare = re.sub(r"^Envelope_(list_)?|_{1,2}$", "", name)
    if bare in MODELS:
        return MODELS[bare] if bare == name else f"{MODELS[bare]}答复"
    if name in COMMON:
        return COMMON[name]
    for ending, words in PARTS.items():
        label = _class_labels().get(name.removesuffix(ending)) if name.endswith(ending) else None
        if label:
            return words.format(label)
    return ""


class _TitleWriter:
    """Writer of titles into a document: `labels` are the words for names, `schemas` its models."""

    def __init__(self, labels: Mapping[str, str], schemas: Mapping[str, dict[str, Any]]) -> None:
        self._labels = labels
        self._schemas = schemas
        self._named: set[str] = set()

    def title_models(self) -> None:
        """Set the titles of properties and of the models of declared classes."""
        for name, schema in self._schemas.items():
            schema["title"] = _build_model_title(name)
            for field, value in schema.get("properties", {}).items():
                self._set_title(value, field)

    def title_operation(self, operation: dict[str, Any]) -> None:
        """Set the titles of a call's parameters, body and responses.

        Models of no class are named by the first call that uses them.
        """
        for parameter in operation.get("parameters", ()):
            self._set_title(parameter["schema"], parameter["name"], parameter.get("description", ""))
        summary = operation["summary"]
        for status, answer in operation["responses"].items():
            answer["description"] = ANSWERS.get(status, answer["description"])
            words = f"{summary}答复" if status == "200" else answer["description"]
            self._title_content(answer.get("content", {}), words)
        self._title_content(operation.get("requestBody", {}).get("content", {}), f"{summary}提交")

    def _set_title(self, schema: dict[str, Any], name: str, description: str = "") -> None:
        """Set a schema's title: its description where that is Chinese, else the label of its name."""
        text = description or schema.get("description", "")
        words = text if CHINESE.search(text) else self._labels.get(name, "")
        if CHINESE.search(words):
            schema["title"] = re.split(r"[（，；。:]", words)[0]

    def _title_content(self, content: Mapping[str, Any], words: str) -> None:
        """Set the titles of untitled models in some content, and of the models within by their field."""
        waiting = [(part.get("schema", {}), words) for part in content.values()]
        while waiting:
            node, title = waiting.pop()
            if "title" in node and not CHINESE.search(node["title"]):
                node["title"] = title
            parts = (node.get("items"), node.get("additionalProperties"), *node.get("anyOf", ()))
            waiting += [(part, title) for part in parts if isinstance(part, dict)]
            name = node.get("$ref", "").rpartition("/")[2]
            if name in self._named or name not in self._schemas:
                continue
            self._named.add(name)
            model = self._schemas[name]
            model["title"] = model["title"] or title
            waiting += [
                (value, title.removesuffix("答复") if field == "data" else value.get("title", title))
                for field, value in model.get("properties", {}).items()
            ]


def _build_summary(
    path: str, operation: Mapping[str, Any], titles: Mapping[str, str], owners: Mapping[str, str]
) -> str:
    """Return the handler's Chinese summary, else the declared title, else owner and action."""
    text: str = (operation.get("description") or "").split(":")[0].split("\n")[0].strip().rstrip("。")
    if CHINESE.search(text):
        return text
    owner, _, action = path.rpartition("/")
    return titles.get(path) or (f"{owners[owner]}{action}" if owner in owners else path)
