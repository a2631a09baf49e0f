"""Exposures of the lineage (数据血缘): dbt exposures of each report and the home page, with the published
tables they read.

python -m api.exposures
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from sqlalchemy import Table

from api import catalogue
from api.exporting.list_export import find_list, tables_of
from api.kit.declaration import menu
from api.reporting.dashboards import console, stock_overview
from api.reporting.lists.list_report import ListReport
from api.reporting.lists.sales.business_data import BusinessData
from reports.exposures import FILE, Exposure, list_report_exposures, render_exposures

assert catalogue.__all__
_BOARD_MODULES = {"businessData": console, "InventoryBigData": stock_overview}
"""What draws figures of its own above a list, by the list's code."""


def list_exposures() -> list[Exposure]:
    """Return the exposures of embedded reports, list reports and the home page."""
    return [*list_report_exposures(), *_list_report_exposures(), _home_exposure()]


def _list_report_exposures() -> Iterator[Exposure]:
    for entry in menu.list_reports():
        cls = find_list(entry.code)
        if cls and issubclass(cls, ListReport):
            tables = tables_of(cls) | _module_tables(_BOARD_MODULES.get(entry.code))
            yield Exposure(
                entry.code,
                entry.label,
                cls.declaration.question,
                entry.route,
                entry.place.group,
                _find_models(tables),
            )


def _home_exposure() -> Exposure:
    return Exposure(
        "home",
        "主页",
        BusinessData.declaration.question,
        "/home",
        "主页",
        _find_models(_module_tables(console)),
    )


def _module_tables(board: ModuleType | None) -> set[str]:
    """Return the published tables that a board's module names."""
    return {item.name for item in vars(board).values() if isinstance(item, Table)} if board else set()


def _find_models(tables: set[str]) -> list[str]:
    """Return the models of published tables; a master is published under its own name."""
    folders = FILE.parent
    known = {path.stem for folder in ("marts", "facts") for path in (folders / folder).rglob("*.sql")}
    found = {next((name for name in (table, f"master_{table}") if name in known), "") for table in tables}
    return sorted(found - {""})


if __name__ == "__main__":
    FILE.write_text(render_exposures(list_exposures()), "utf-8")
