"""`erp report --sql`: what is printed is what the snapshot answers, for the rows of one role."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from api.kit.errors import Refusal
from api.kit.settings import read_settings
from api.launch.report_statements import build_requests, collect_statements, describe_report, resolve_report
from reports.catalogue import find_report
from tests.support.superset import COMPANY_TWO, NOTHING, SupersetClient


@pytest.fixture(scope="module")
def best_seller(superset: SupersetClient) -> dict[int, dict[str, Any]]:
    """The charts of a report for two roles, by their keys."""
    report = resolve_report("BestSeller")
    return {
        role: {chart["key"]: chart for chart in collect_statements(report, role, sees_cost=False)}
        for role in (COMPANY_TWO, NOTHING)
    }


def run_statement(statement: str) -> list[dict[str, Any]]:
    path = (read_settings().warehouse_dir / "current").resolve() / "wh.duckdb"
    with duckdb.connect(str(path), read_only=True) as conn:
        found = conn.execute(statement)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


class TestStatements:
    def test_of_every_chart(self, best_seller: dict[int, dict[str, Any]]) -> None:
        report = resolve_report("BestSeller")
        charts = [chart.key for tab in report.tabs for chart in tab.plain.charts]
        assert list(best_seller[COMPANY_TWO]) == charts
        assert all(chart["statements"] for chart in best_seller[COMPANY_TWO].values())

    def test_they_carry_the_rule_of_the_role(self, best_seller: dict[int, dict[str, Any]]) -> None:
        for role, charts in best_seller.items():
            for chart in charts.values():
                assert all(f"role_id = {role}" in sql for sql in chart["statements"]), chart["key"]

    def test_a_table_is_found_by_its_keys_first(self, best_seller: dict[int, dict[str, Any]]) -> None:
        """The deferred join of `reports.semantics.deferred_join`, which no other command shows."""
        keys, named, *totals = best_seller[COMPANY_TWO]["detail"]["statements"]
        assert "all_rows" in keys and "goods_name" not in keys.split("FROM")[0]
        assert "places" in named and totals

    def test_run_by_hand_they_answer_the_figures_of_the_role(
        self, best_seller: dict[int, dict[str, Any]]
    ) -> None:
        _, named, *_ = best_seller[COMPANY_TWO]["detail"]["statements"]
        shown = run_statement(named)
        [asked] = build_requests(resolve_report("BestSeller"), COMPANY_TWO, sees_cost=False)
        [period] = asked["filters"]["period"]
        [sold] = run_statement(
            "select sum(quantity) as quantity from mart_best_seller join role_company_scope using (company_id)"
            f" where role_id = {COMPANY_TWO} and period_label = '{period}'"
        )
        assert sum(row["quantity"] for row in shown) == sold["quantity"] > 0

    def test_a_role_without_companies_finds_nothing(self, best_seller: dict[int, dict[str, Any]]) -> None:
        assert run_statement(best_seller[NOTHING]["detail"]["statements"][0]) == []


class TestFindingAReport:
    def test_by_code_and_by_name(self) -> None:
        assert resolve_report("BestSeller") is resolve_report("畅销商品") is find_report("BestSeller")

    def test_an_unknown_one_is_refused_with_where_codes_stand(self) -> None:
        with pytest.raises(Refusal, match="编码是地址的最后一段"):
            resolve_report("Nothing")

    def test_it_says_of_each_chart_which_marts_it_reads(self) -> None:
        lines = list(describe_report(resolve_report("BestSeller")))
        assert "/report/BestSeller" in lines[0]
        assert any("数据集" in line and "mart_best_seller" in line for line in lines)
