"""The lineage of the reports: each one an exposure of dbt's project over the marts that it reads."""

from __future__ import annotations

import yaml

from reports import exposures
from reports.catalogue import REPORTS

MARTS = {path.stem for path in (exposures.FILE.parent / "marts").glob("mart_*.sql")}


def test_the_file_is_up_to_date() -> None:
    assert exposures.FILE.read_text("utf-8") == exposures.render(), "运行 python -m reports.exposures"


def test_every_report_leads_to_marts_and_every_mart_to_a_report() -> None:
    written = {item["name"]: item for item in yaml.safe_load(exposures.render())["exposures"]}
    assert list(written) == [report.code for report in REPORTS]
    reads = {code: {ref[5:-2] for ref in item["depends_on"]} for code, item in written.items()}
    assert [code for code, marts in reads.items() if not marts] == []
    assert set().union(*reads.values()) == MARTS


def test_a_report_tells_its_question() -> None:
    aging = next(
        item for item in yaml.safe_load(exposures.render())["exposures"] if item["label"] == "库存账龄"
    )
    assert (aging["type"], aging["depends_on"]) == (
        "dashboard",
        ["ref('mart_inventory_aging')", "ref('mart_stock_age_month')", "ref('mart_turnover_period')"],
    )
    assert aging["description"] == "库存放了多久，哪些商品该清？"
