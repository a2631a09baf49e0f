"""Glossary (词汇表): every declared noun in Chinese and English, with its table and module, for `docs/glossary.md`.

`python -m api.glossary` writes the declared part anew; what has no table of its own is written there by hand. A class
whose name is not the word that the trade has for it is named here with the right one, until it is renamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from api.kit.storage.database import Base

assert catalogue.__all__

FILE = Path(__file__).resolve().parents[1] / "docs" / "glossary.md"
BEGIN, END = "<!-- 以下由声明得出：python -m api.glossary -->", "<!-- 声明的到此为止 -->"
HEAD = "| 中文 | 英文 | 表 | 模块 | 现名 |\n| --- | --- | --- | --- | --- |\n"
AREAS = {
    "identity": "身份与权限",
    "master": "基础资料",
    "customers": "客户",
    "purchase": "采购",
    "sales": "销售",
    "inventory": "库存",
    "aftersale": "三包售后",
    "money": "财务",
    "risk": "风控",
    "messaging": "短信",
    "printing": "打印",
    "reporting": "报表",
    "shell": "系统",
    "subscribing": "订阅",
}
TO_BE = {
    "CostAdjustmentBill": "cost adjustment",
}
"""The trade's words for classes that have others today."""


def declared_nouns() -> list[type[Resource]]:
    """Return every declared resource with a table of its own, by area."""
    found = [cls for cls in registry.list_resources() if cls.table().metadata is Base.metadata]
    order = list(AREAS)
    return sorted(found, key=lambda cls: (order.index(area_of(cls)), cls.__module__))


def area_of(cls: type[Resource]) -> str:
    """Return the package that declares a resource."""
    return cls.__module__.split(".")[1]


def english_name(cls: type[Resource]) -> str:
    """Return the one English word for a resource."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cls.__name__).lower()
    return TO_BE.get(cls.__name__, words)


def render_tables() -> str:
    """Render the declared part of the page: a table an area."""
    return "\n".join(
        f"### {AREAS[area]}\n\n{HEAD}{''.join(map(_format_row, classes))}"
        for area, classes in groupby(declared_nouns(), area_of)
    )


def render_page() -> str:
    """Render the page with its declared part as it should be."""
    before, rest = FILE.read_text("utf-8").split(BEGIN)
    return f"{before}{BEGIN}\n\n{render_tables()}\n{END}{rest.split(END)[1]}"


def renamed_classes() -> Iterator[str]:
    """Yield the classes in TO_BE that are gone, or have the right name by now: they are to be deleted there."""
    names = {cls.__name__: cls for cls in registry.list_resources()}
    for name, word in TO_BE.items():
        if name not in names or "".join(part.title() for part in re.split("[ -]", word)) == name:
            yield name


def _format_row(cls: type[Resource]) -> str:
    prefix = f"（{cls.bill.prefix}）" if cls.bill is not None else ""
    module = cls.__module__.replace(".", "/") + ".py"
    now = f"`{cls.__name__}`" if cls.__name__ in TO_BE else ""
    return f"| {cls.declaration.label}{prefix} | {english_name(cls)} | `{cls.__tablename__}` | `{module}` | {now} |\n"


if __name__ == "__main__":
    FILE.write_text(render_page(), "utf-8")
