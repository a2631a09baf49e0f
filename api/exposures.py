"""数据血缘里的报表：写出 dbt 的 exposures，每张报表和首页各一个，依赖它所读的已发布的表。

python -m api.exposures
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from sqlalchemy import Table

from api import catalogue
from api.exporting.lists import find_list, tables_of
from api.kit import menus
from api.reporting import console, stock_overview
from api.reporting.business_data import BusinessData
from api.reporting.published import Published
from reports.exposures import FILE, Exposure, framed, render

assert catalogue.__all__
_BOARDS = {"businessData": console, "InventoryBigData": stock_overview}
"""What draws figures of its own above a list, by the list's code."""


def exposures() -> list[Exposure]:
    """The framed reports, the lists over the snapshot, and the home page."""
    return [*framed(), *_listed(), _home()]


def _listed() -> Iterator[Exposure]:
    for entry in menus.reports():
        cls = find_list(entry.code)
        if cls and issubclass(cls, Published):
            tables = tables_of(cls) | _drawn(_BOARDS.get(entry.code))
            yield Exposure(
                entry.code,
                entry.label,
                cls.declaration.question,
                entry.route,
                entry.place.group,
                _models(tables),
            )


def _home() -> Exposure:
    return Exposure(
        "home", "主页", BusinessData.declaration.question, "/home", "主页", _models(_drawn(console))
    )


def _drawn(board: ModuleType | None) -> set[str]:
    """The published tables that a board's module names."""
    return {item.name for item in vars(board).values() if isinstance(item, Table)} if board else set()


def _models(tables: set[str]) -> list[str]:
    """The models of published tables; a master is published under its own name."""
    folders = FILE.parent
    known = {path.stem for folder in ("marts", "facts") for path in (folders / folder).rglob("*.sql")}
    found = {next((name for name in (table, f"master_{table}") if name in known), "") for table in tables}
    return sorted(found - {""})


if __name__ == "__main__":
    FILE.write_text(render(exposures()), "utf-8")
