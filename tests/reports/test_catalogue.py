"""The catalogue compiles to the same assets everywhere, and keeps the house rules of scope and cost."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import duckdb
import pytest
import yaml

from reports.assets import CatalogueError, boards, bundle_hash, compile_assets, dataset_uuid, validate
from reports.catalogue import REPORTS, find_report
from reports.catalogue.model import COST, PLAIN, Chart, Row, asset_uuid
from tests.reports.conftest import COMPANY_ONE, COMPANY_TWO, EVERYTHING, NOTHING, SNAPSHOT_SQL

BOARDS = list(boards())
COST_WORDS = ("cost", "profit", "value", "margin")


@pytest.fixture(scope="module")
def snapshot():
    with duckdb.connect() as conn:
        conn.execute(SNAPSHOT_SQL.read_text("utf-8"))
        yield conn


class TestCompiling:
    def test_is_deterministic(self):
        assert bundle_hash(compile_assets()) == bundle_hash(compile_assets())

    def test_ids_are_fixed(self):
        assert asset_uuid("embedded", "BestSeller", "all", "plain") == "ebbc2897-5a4a-50c7-a314-21ead899a039"
        assert len({item.dashboard_uuid for item in BOARDS}) == len(BOARDS)
        assert len({item.embedded_uuid for item in BOARDS}) == len(BOARDS)

    def test_every_report_of_the_route_catalogue_is_there(self):
        assert [report.code for report in REPORTS] == [
            "warehouseTurnover",
            "inventoryturnover",
            "inventoryAgingReport",
            "accountsReceivable",
            "CommodityProfit",
            "CustomerProfit",
            "OperatingRevenue",
            "BestSeller",
            "BestSellerInfo",
        ]

    def test_warehouse_turnover_has_two_tabs_and_opens_by_month(self):
        report = find_report("warehouseTurnover")
        assert [tab.label for tab in report.tabs] == ["按周分析", "按月分析"]
        assert report.first_tab.label == "按月分析"

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

    def changed(self, placed, **parts):
        return replace(placed, board=replace(placed.board, **parts))

    def test_unknown_metric(self, placed):
        chart = replace(placed.board.charts[0], metrics=("nothing",))
        with pytest.raises(CatalogueError, match="不存在的列或指标"):
            validate(self.changed(placed, charts=(chart, *placed.board.charts[1:])))

    def test_chart_outside_the_layout(self, placed):
        extra = Chart("extra", "多余", "kpi", placed.board.datasets[0].key, ("quantity",))
        with pytest.raises(CatalogueError, match="图表与布局不一致"):
            validate(self.changed(placed, charts=(*placed.board.charts, extra)))

    def test_row_that_is_too_wide(self, placed):
        rows = (Row((*placed.board.rows[0].charts[:-1], (placed.board.rows[0].charts[-1][0], 9)), 19),)
        with pytest.raises(CatalogueError):
            validate(self.changed(placed, rows=(*rows, *placed.board.rows[1:])))

    def test_cost_dataset_on_a_plain_board(self, placed):
        cost = next(item for item in BOARDS if item.report.code == "BestSeller" and item.variant == COST)
        with pytest.raises(CatalogueError, match="成本"):
            validate(self.changed(placed, datasets=(*placed.board.datasets, cost.board.datasets[0])))


class TestScopeAndCost:
    @pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
    def test_every_dataset_shows_each_role_its_own_companies_only(self, placed, snapshot):
        for dataset in placed.board.datasets:
            rows = snapshot.sql(f"select role_id, count(*) from ({dataset.sql}) group by role_id").fetchall()
            roles = {role for role, _ in rows}
            assert NOTHING not in roles
            assert roles == (
                {EVERYTHING, COMPANY_ONE} if dataset.cost else {EVERYTHING, COMPANY_ONE, COMPANY_TWO}
            )
            if "company_name" in {column.name for column in dataset.columns}:
                seen = snapshot.sql(
                    f"select distinct company_name from ({dataset.sql}) where role_id = {COMPANY_ONE}"
                ).fetchall()
                assert seen == [("上海公司",)]

    @pytest.mark.parametrize(
        "placed", [item for item in BOARDS if item.variant == PLAIN], ids=lambda item: "-".join(item.names)
    )
    def test_plain_datasets_select_no_cost(self, placed, snapshot):
        for dataset in placed.board.datasets:
            assert not dataset.cost
            written = dataset.sql.lower() + " ".join(metric.sql for metric in dataset.metrics).lower()
            selected = re.sub(r"\bmart_\w+", "", written)
            assert not [word for word in COST_WORDS if word in selected], dataset.key

    @pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
    def test_metrics_are_empty_not_wrong_without_a_base(self, placed, snapshot):
        for dataset in placed.board.datasets:
            figures = ", ".join(f'{metric.sql} as "{metric.name}"' for metric in dataset.metrics)
            empty = snapshot.sql(f"select {figures} from ({dataset.sql}) where role_id = {NOTHING}")
            values = dict(zip(empty.columns, empty.fetchone(), strict=True))
            counts = {"customers", "goods_count", "bills", "place"}
            assert all(value is None or name in counts for name, value in values.items()), values


class TestDefinitions:
    """Figures of the small snapshot, by hand."""

    def figure(self, snapshot, code, metric, where="true", variant=COST):
        placed = next(item for item in BOARDS if item.report.code == code and item.variant == variant)
        dataset = placed.board.datasets[0]
        sql = next(item.sql for item in dataset.metrics if item.name == metric)
        return snapshot.sql(
            f"select {sql} from ({dataset.sql}) where role_id = {EVERYTHING} and {where}"
        ).fetchone()[0]

    def test_turnover_is_cost_over_the_mean_daily_value(self, snapshot):
        # Each goods: cost 2 × price in the month, mean value 5 × price.
        where = "period_label = '2026-11'"
        assert self.figure(snapshot, "inventoryturnover", "turnover_rate", where) == pytest.approx(0.4)
        assert self.figure(snapshot, "inventoryturnover", "turnover_days", where) == pytest.approx(75)

    def test_previous_period_stands_beside_the_figure(self, snapshot):
        assert self.figure(
            snapshot, "inventoryturnover", "rate_before", "period_label = '2026-11'"
        ) == pytest.approx(0.4)
        assert self.figure(snapshot, "inventoryturnover", "rate_before", "period_label = '2025-10'") is None
        assert self.figure(
            snapshot, "CommodityProfit", "revenue_year", "month_label = '2026-11'"
        ) == pytest.approx(4500)
        assert self.figure(snapshot, "CommodityProfit", "revenue_year", "month_label = '2026-08'") is None

    @pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
    def test_series_show_the_same_figures_as_the_compared_rows(self, placed, snapshot):
        for series in placed.board.datasets:
            if not series.key.endswith("_series"):
                continue
            whole = placed.board.dataset(series.key.removesuffix("_series"))
            period = next(column.name for column in series.columns if column.name.endswith("_label"))
            assert len(series.metrics) >= 2
            for metric in series.metrics:
                answers = [
                    snapshot.sql(
                        f"select {period}, {metric.sql} from ({dataset.sql}) where role_id = {EVERYTHING}"
                        " group by 1 order by 1"
                    ).fetchall()
                    for dataset in (series, whole)
                ]
                assert answers[0] == answers[1] != []

    def test_no_period_beyond_the_last(self, snapshot):
        placed = next(item for item in BOARDS if item.report.code == "CommodityProfit")
        last = snapshot.sql(f"select max(month_label) from ({placed.board.datasets[0].sql})").fetchone()[0]
        assert last == "2026-11"

    def test_buckets_sum_to_the_balance(self, snapshot):
        dataset = find_report("accountsReceivable").first_tab.plain.datasets[0]
        buckets = " + ".join(
            f"coalesce({item.sql}, 0)" for item in dataset.metrics if item.name.startswith("bucket_")
        )
        whole = next(item.sql for item in dataset.metrics if item.name == "open_amount")
        row = snapshot.sql(
            f"select {buckets}, {whole} from ({dataset.sql}) where role_id = {EVERYTHING}"
        ).fetchone()
        assert row[0] == row[1] == 6000

    def test_cover_days(self, snapshot):
        where = "period_label = '近7天'"
        assert self.figure(snapshot, "BestSeller", "cover", where) == pytest.approx(60)

    def test_margin_comes_from_sums(self, snapshot):
        assert self.figure(snapshot, "CustomerProfit", "margin", "month_label = '2026-11'") == pytest.approx(
            0.2
        )


def _is_chart(part):
    return isinstance(part, dict) and part.get("type") == "CHART"
