"""The lineage of the reports: each one an exposure of dbt's project over the published tables that it reads."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from api.exposures import list_exposures
from api.kit.declaration import menu
from reports.catalogue import REPORTS
from reports.exposures import FILE, render_exposures

MODELS = {path.stem for folder in ("marts", "facts") for path in (FILE.parent / folder).rglob("*.sql")}
MARTS = {name for name in MODELS if name.startswith("mart_")}
UNPUBLISHED = {
    "costdetail": "read from the ledger itself, so that what is recalculated shows at once",
    "conversiondetail": "likewise",
}


@pytest.fixture(scope="module")
def rendered() -> str:
    return render_exposures(list_exposures())


@pytest.fixture(scope="module")
def reads(rendered: str) -> dict[str, set[str]]:
    """The models of each exposure, by its name."""
    return {item["name"]: {ref[5:-2] for ref in item["depends_on"]} for item in _items(rendered)}


def _items(rendered: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(rendered)["exposures"]
    return found


def test_the_file_is_up_to_date(rendered: str) -> None:
    assert FILE.read_text("utf-8") == rendered, "运行 python -m api.exposures"


def test_every_report_and_the_home_page_is_one(reads: dict[str, set[str]]) -> None:
    wanted = {entry.code for entry in menu.list_reports()} - {*UNPUBLISHED} | {"home"}
    assert {*reads} == wanted
    assert {*UNPUBLISHED} <= {entry.code for entry in menu.list_reports()}


def test_each_leads_to_figures_and_every_mart_to_a_report(reads: dict[str, set[str]]) -> None:
    figures = {
        code: {name for name in models if re.match("(mart|fct)_", name)} for code, models in reads.items()
    }
    assert [code for code, names in figures.items() if not names] == []
    assert set().union(*reads.values()) <= MODELS
    assert set().union(*(reads[report.code] for report in REPORTS)) == MARTS


def test_a_list_reads_what_it_is_summed_up_from_and_its_names(reads: dict[str, set[str]]) -> None:
    """However it is summed up, and what the page draws above it."""
    assert {"fct_sales_line", "master_customer", "master_employee", "master_goods"} <= reads["salesmulrpt"]
    assert {"fct_business_day", "fct_sales_line", "fct_sales_order_line"} <= reads["businessData"]
    assert {"mart_company_stock", "mart_goods_stock", "fct_stock_layer"} <= reads["InventoryBigData"]


def test_a_report_tells_its_question(rendered: str) -> None:
    aging = next(item for item in _items(rendered) if item["label"] == "库存账龄")
    assert (aging["type"], aging["depends_on"]) == (
        "dashboard",
        ["ref('mart_inventory_aging')", "ref('mart_stock_age_month')", "ref('mart_turnover_period')"],
    )
    assert aging["description"] == "库存放了多久，哪些商品该清？"
