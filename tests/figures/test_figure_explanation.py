"""Explanation of a figure: definition, formula, sources and freshness, as far as the reader may see it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from api.figures.definitions import find_chapters, find_mentions, read_chapters
from api.figures.formulas import describe_formula
from api.kit.declaration import menu
from api.kit.settings import read_settings
from reports.catalogue import REPORTS, find_report
from reports.semantics.datasets import PERIOD_OFFSET
from reports.semantics.kpi_comparison import CHANGE_SUFFIX
from tests.reporting.conftest import own_warehouse
from tests.reporting.report_files import companies_apart
from tests.support.fixtures import Site
from warehouse.files import Files

__all__ = ["companies_apart", "own_warehouse"]
pytestmark = pytest.mark.usefixtures("companies_apart")
CALL = "v2/report/Figure/getExplanation"


@pytest.fixture(autouse=True)
def documented(own_warehouse: Path) -> None:
    """The dbt docs of one mart."""
    entries = [
        {
            "table_name": "mart_customer_profit",
            "table_label": "客户毛利：一个月一个客户。",
            "column_name": name,
            "column_label": label,
            "data_type": "decimal(18,2)",
            "reports": [],
        }
        for name, label in {"revenue": "销售收入，元，不含税，退货已减。", "cost": "销售成本，元。"}.items()
    ]
    told = {
        "version": "1",
        "entries": entries,
        "origins": {"mart_customer_profit": ["sales_outbound", "sales_outbound_line", "stock_ledger"]},
    }
    place = Files(read_settings().warehouse_dir).dictionary
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(told), "utf-8")


def get_explanation(site: Site, user: str, code: str = "CustomerProfit", tab: str = "all") -> dict[str, Any]:
    answer = site.as_(user).get(CALL, code=code, tab=tab)
    assert answer.ok, answer
    found: dict[str, Any] = answer.data
    return found


def find_figure(told: dict[str, Any], label: str) -> dict[str, Any]:
    return next(one for one in told["figures"] if one["label"] == label)


class TestExplanation:
    def test_tells_the_formula_the_columns_and_the_bills(self, site: Site) -> None:
        found = find_figure(get_explanation(site, "manager_a"), "销售收入")
        assert found["formula"] == "Σ 销售收入"
        [source] = found["sources"]
        assert (source["table_name"], source["label"]) == (
            "mart_customer_profit",
            "客户毛利：一个月一个客户。",
        )
        assert source["columns"] == [{"name": "revenue", "label": "销售收入，元，不含税，退货已减。"}]
        assert source["bills"] == ["销售出库"]

    def test_tells_how_fresh_the_figures_are(self, site: Site) -> None:
        told = get_explanation(site, "manager_a")
        assert told["refreshed_at"] == "2026-11-20 17:30:05"
        assert told["as_of"] == "2026-11-20"

    def test_tells_what_the_definitions_say(self, site: Site) -> None:
        told = get_explanation(site, "manager_a")
        assert [one["title"] for one in told["chapters"]][-1] == "所有数字"
        assert "毛利" in [one["title"] for one in told["chapters"]]
        assert any("返利前毛利 = 未税收入" in block for one in told["chapters"] for block in one["blocks"])

    def test_hides_cost_from_a_role_that_sees_none(self, site: Site) -> None:
        seen = {one["label"] for one in get_explanation(site, "manager_a")["figures"]}
        told = get_explanation(site, "clerk_a")
        assert any("毛利" in label for label in seen)
        assert not any("毛利" in one["label"] or "成本" in one["label"] for one in told["figures"])
        assert {
            column["name"]
            for one in told["figures"]
            for source in one["sources"]
            for column in source["columns"]
        } == {"revenue"}

    def test_is_refused_without_the_report_right(self, site: Site) -> None:
        assert site.as_("nobody").get(CALL, code="CustomerProfit", tab="all").code == 403

    def test_is_told_of_a_list_too(self, site: Site) -> None:
        told = get_explanation(site, "admin", "salesmulrpt", "all")
        assert told["title"] == "销售综合报表"
        assert "收入" in "".join(one["label"] for one in told["figures"])


class TestFormulas:
    def test_are_told_of_every_figure(self) -> None:
        untold = set()
        for report in REPORTS:
            for tab in report.tabs:
                board = tab.board("cost")
                for chart in board.charts:
                    dataset = board.dataset(chart.dataset)
                    for name in (*chart.metrics, *chart.second):
                        if (
                            not name.endswith(CHANGE_SUFFIX)
                            and describe_formula(dataset.metric(name).sql, str) is None
                        ):
                            untold.add((report.code, name))
        assert untold == set()

    @pytest.mark.parametrize(
        ("sql", "told"),
        [
            ('cast(sum("a") as double)', "Σ a"),
            (
                "case when sum(b) > 0 then cast(sum(a) as double) * 365 / cast(sum(b) as double) end",
                "Σ a × 365 ÷ Σ b",
            ),
            ("case when sum(b) > 0 then sum(a) / (sum(b) - sum(c)) - 1 end", "Σ a ÷ （Σ b － Σ c） － 1"),
            ("sum(case when days > 180 then a else 0 end)", "Σ a（限days ＞ 180）"),
            ("count(distinct bill_no) filter (where a is not null)", "bill_no的个数（不重复）（限有a）"),
            (f"case when min({PERIOD_OFFSET}) = 0 then sum(a) end", "Σ a"),
        ],
    )
    def test_read_as_they_are_computed(self, sql: str, told: str) -> None:
        assert describe_formula(sql, str) == told

    def test_tell_nothing_rather_than_something_else(self) -> None:
        assert describe_formula("regexp_replace(a, 'b', 'c')", str) is None


class TestDefinitions:
    def test_every_chapter_is_for_reports_that_there_are(self) -> None:
        codes = {entry.code for entry in menu.list_reports()}
        assert [name for one in read_chapters() for name in one.names if name not in codes] == []

    def test_every_profit_report_goes_by_the_chapter_on_profit(self) -> None:
        for code in ("CommodityProfit", "ClassifiedProfit", "CustomerProfit", "stationProfitAnalysis"):
            assert "毛利" in [one.title for one in find_chapters(code, [])]
        assert find_report("IncomeStatement") and "利润表" in [
            one.title for one in find_chapters("IncomeStatement", [])
        ]

    def test_a_figure_is_found_where_it_is_named(self) -> None:
        [said] = [
            block
            for block in find_mentions("可售天数", find_chapters("BestSeller", []))
            if block.startswith("- 可售天数")
        ]
        assert said == "- 可售天数 = 库存 ÷ 近30天日均净销量；没有净销量的为空。"
