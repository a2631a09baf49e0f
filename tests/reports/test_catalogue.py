"""The catalogue compiles to the same assets everywhere, refers only to itself, and refuses what contradicts itself."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml

from reports.catalogue import REPORTS, find_report
from reports.semantics.dashboards import COST, PLAIN, BoardRow, Chart, asset_uuid
from reports.semantics.kpi_comparison import CHANGE_SUFFIX, change_name, list_kpi_names
from reports.superset.assets import (
    CatalogueError,
    bundle_hash,
    compile_assets,
    dataset_uuid,
    list_dashboards,
    validate_dashboard,
)
from tests.support.superset import COSTS

BOARDS = list(list_dashboards())


class TestCompiling:
    def test_is_deterministic(self):
        assert bundle_hash(compile_assets()) == bundle_hash(compile_assets())

    def test_ids_are_fixed(self):
        assert asset_uuid("embedded", "BestSeller", "all", "plain") == "ebbc2897-5a4a-50c7-a314-21ead899a039"
        assert len({item.dashboard_uuid for item in BOARDS}) == len(BOARDS)
        assert len({item.embedded_uuid for item in BOARDS}) == len(BOARDS)

    def test_every_report_of_the_route_catalogue_is_there(self):
        assert [report.code for report in REPORTS] == [
            "BusinessDailyReport",
            "OperationMonthlyReport",
            "IncomeStatement",
            "warehouseTurnover",
            "inventoryturnover",
            "inventoryOccupation",
            "goodsinventoryrpt",
            "inventoryAgingReport",
            "inventoryAgingReportDetailed",
            "sluggishstock",
            "inventoryDOTReport",
            "CompanyInventoryreport",
            "PledgeGoodsValueTable",
            "accountsReceivable",
            "ScheduleAccountsReceivable",
            "ScheduleAccountsPayable",
            "facyorypayment",
            "verificationDetails",
            "ScheduleSupplierRebate",
            "CommodityProfit",
            "ClassifiedProfit",
            "CustomerProfit",
            "stationProfitAnalysis",
            "OperatingRevenue",
            "BestSeller",
            "BestSellerInfo",
            "SalesOrder",
            "SalesBuy",
            "categorySalesPurchase",
            "commodityStocksQuery",
            "inPurchasingAnalysisTable",
            "inDecisionAnalysisTable",
            "inAnalysisTablePayment",
            "inPurchasingPriceAnalysisTable",
            "purchasecenterpriceindex",
            "purchasingPriceIndex",
            "pmi",
            "aftersalesprofit",
        ]

    def test_routes_are_those_of_the_product(self):
        assert find_report("sluggishstock").route == "/report/sluggishstock"
        assert find_report("CompanyInventoryreport").route == "/inventory/CompanyInventoryreport"
        assert len({report.route for report in REPORTS}) == len(REPORTS)

    def test_warehouse_turnover_has_two_tabs_and_opens_by_month(self):
        report = find_report("warehouseTurnover")
        assert [tab.label for tab in report.tabs] == ["按周分析", "按月分析"]
        assert report.first_tab.label == "按月分析"

    def test_every_board_has_figures_at_its_head_that_tell_of_earlier_periods(self):
        for placed in BOARDS:
            board = placed.board
            [head] = board.kpi_charts
            assert board.rows[0].charts == ((head.key, 12),)
            moved = {name for name in head.metrics if name.endswith(CHANGE_SUFFIX)}
            assert moved, placed.names
            for name in list_kpi_names(head):
                alone = change_name(name) not in moved
                assert alone is ("beside_order) = 0 then" in board.dataset(head.dataset).metric(name).sql), (
                    name
                )

    def test_boards_of_those_who_see_no_costs_speak_of_none(self):
        priced = [tab.plain for report in REPORTS for tab in report.tabs if tab.cost]
        for board in priced:
            shown = [(chart, board.dataset(chart.dataset)) for chart in board.charts]
            figures = [data.metric(name) for chart, data in shown for name in chart.metrics]
            said = [text for one in figures for text in (one.label, one.heading, one.note)]
            said += [chart.title for chart, _ in shown] + [item.label + item.hint for item in board.filters]
            assert not [text for text in said if any(word in text for word in COSTS)]
        assert len(priced) > 20

    def test_files_refer_only_to_each_other(self):
        bundle = {name: yaml.safe_load(text) for name, text in compile_assets().items()}
        datasets = {item["uuid"] for name, item in bundle.items() if name.startswith("datasets/")}
        charts = {item["uuid"] for name, item in bundle.items() if name.startswith("charts/")}
        for name, item in bundle.items():
            if name.startswith("charts/"):
                assert item["dataset_uuid"] in datasets
                assert json.loads(item["query_context"])["queries"][0]["metrics"]
            if name.startswith("dashboards/"):
                placed = {part["meta"]["uuid"] for part in item["position"].values() if _is_chart(part)}
                assert placed and placed <= charts

    def test_two_datasets_never_share_a_key_with_other_content(self):
        seen: dict[str, object] = {}
        for item in BOARDS:
            for dataset in item.board.datasets:
                assert seen.setdefault(dataset_uuid(dataset), dataset) == dataset


class TestValidation:
    @pytest.fixture
    def placed(self):
        return next(item for item in BOARDS if item.report.code == "BestSeller" and item.variant == PLAIN)

    def change_board(self, placed, **parts):
        return replace(placed, board=replace(placed.board, **parts))

    def test_unknown_metric(self, placed):
        chart = replace(placed.board.charts[0], metrics=("nothing",))
        with pytest.raises(CatalogueError, match="不存在的列或指标"):
            validate_dashboard(self.change_board(placed, charts=(chart, *placed.board.charts[1:])))

    def test_chart_outside_the_layout(self, placed):
        extra = Chart("extra", "多余", "bar", placed.board.datasets[0].key, ("quantity",))
        with pytest.raises(CatalogueError, match="图表与布局不一致"):
            validate_dashboard(self.change_board(placed, charts=(*placed.board.charts, extra)))

    def test_row_that_is_too_wide(self, placed):
        rows = (BoardRow((*placed.board.rows[0].charts[:-1], (placed.board.rows[0].charts[-1][0], 9)), 19),)
        with pytest.raises(CatalogueError):
            validate_dashboard(self.change_board(placed, rows=(*rows, *placed.board.rows[1:])))

    def test_dataset_that_nothing_asks(self, placed):
        idle = replace(placed.board.datasets[0], key="idle")
        with pytest.raises(CatalogueError, match="没有图表、筛选或透视用到数据集"):
            validate_dashboard(self.change_board(placed, datasets=(*placed.board.datasets, idle)))

    def test_cost_dataset_on_a_plain_board(self, placed):
        cost = next(item for item in BOARDS if item.report.code == "BestSeller" and item.variant == COST)
        with pytest.raises(CatalogueError, match="成本"):
            validate_dashboard(
                self.change_board(placed, datasets=(*placed.board.datasets, cost.board.datasets[0]))
            )


def _is_chart(part):
    return isinstance(part, dict) and part.get("type") == "CHART"
