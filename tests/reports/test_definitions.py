"""What holds of every board over the small snapshot: its periods, its order, its links."""

from __future__ import annotations

import re

import pytest

from reports.catalogue import find_report
from reports.semantics.dashboards import COST, PLAIN
from reports.semantics.datasets import HAIR, INVISIBLE_LETTERS
from tests.reports.snapshot_figures import BOARDS
from tests.support.superset import EVERYTHING, bind_sample_range


class TestEveryBoard:
    @pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
    def test_series_show_the_same_figures_as_the_compared_rows(self, placed, snapshot):
        datasets = {dataset.key: dataset for item in BOARDS for dataset in item.board.datasets}
        for series in placed.board.datasets:
            if not series.key.endswith("_series"):
                continue
            whole = datasets[series.key.removesuffix("_series")]
            period = next(column.name for column in series.columns if column.name.endswith("_label"))
            period = series.time_column if series.has_range else period
            shown = [metric for metric in series.metrics if metric in whole.metrics]
            assert len(shown) >= 2
            for metric in shown:
                answers = [
                    snapshot.sql(
                        f"select {period}, {metric.sql} from ({bind_sample_range(dataset.sql)})"
                        f" where role_id = {EVERYTHING} group by 1 order by 1"
                    ).fetchall()
                    for dataset in (series, whole)
                ]
                assert answers[0] == answers[1] != []

    def test_no_period_beyond_the_last(self, snapshot):
        placed = next(item for item in BOARDS if item.report.code == "CommodityProfit")
        last = snapshot.sql(f"select max(month_label) from ({placed.board.datasets[0].sql})").fetchone()[0]
        assert last == "2026-11"

    def test_thresholds_stand_in_their_order(self, snapshot):
        dataset = find_report("sluggishstock").first_tab.plain.datasets[0]
        axis = snapshot.sql(f"select distinct threshold_axis from ({dataset.sql}) order by 1").fetchall()
        assert [label.lstrip(INVISIBLE_LETTERS) for (label,) in axis] == [
            f"{days}天以上" for days in (30, 60, 90, 180, 365)
        ]

    @pytest.mark.parametrize(
        "code", ["accountsReceivable", "inventoryAgingReport", "facyorypayment", "inventoryDOTReport"]
    )
    def test_buckets_stand_in_their_order(self, snapshot, code):
        """Also where a label starts with a digit and its neighbour with a Chinese character."""
        dataset = find_report(code).first_tab.plain.datasets[0]
        axis = snapshot.sql(f"select distinct bucket_axis from ({dataset.sql})").fetchall()
        ordered = sorted(text for (text,) in axis)
        found = [label.lstrip(INVISIBLE_LETTERS) for label in ordered]
        assert found == [label for label in dataset.buckets if label in found]
        assert len(found) == len(axis) > 1
        # A browser orders the series of a chart as a dictionary does: the more space in front, the sooner.
        space = [label.count(chr(HAIR)) for label in ordered]
        assert space == sorted(set(space), reverse=True)

    def test_shares_of_a_table_sum_to_one(self, snapshot):
        for code, by in (("inventoryDOTReport", "dot_week"), ("CompanyInventoryreport", "company_name")):
            dataset = find_report(code).first_tab.cost.datasets[0]
            rows = snapshot.sql(
                f"select {dataset.metric('share').sql} from ({dataset.sql}) where role_id = {EVERYTHING} group by {by}"
            ).fetchall()
            assert len(rows) > 1
            assert sum(share for (share,) in rows) == pytest.approx(1)

    @pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
    def test_links_open_a_page_of_the_product(self, placed, snapshot):
        for dataset in placed.board.datasets:
            for column in dataset.columns:
                if column.kind != "link":
                    continue
                links = snapshot.sql(
                    f"select distinct {column.name} from ({bind_sample_range(dataset.sql)})"
                ).fetchall()
                assert links
                for (address,) in links:
                    assert re.fullmatch(
                        r'<a target="_top" href="/[\w/]+\?(\w+=[\w.%-]+&amp;)*\w+=[\w.%-]+">\w+</a>', address
                    ), address

    def test_every_report_leads_down_to_its_bills(self):
        """A table of each tab has a link; statements of shares of what another table lists need none."""
        for placed in BOARDS:
            linked = {
                column.name
                for table in placed.board.tables
                for column in placed.board.dataset(table.dataset).columns
                if column.kind == "link" and column.name in table.by
            }
            assert linked, placed.names

    @pytest.mark.parametrize(
        ("code", "key", "variant"),
        [
            ("OperatingRevenue", "all", PLAIN),
            *(
                (code, key, variant)
                for code, key in (("CustomerProfit", "all"), ("stationProfitAnalysis", "customers"))
                for variant in (PLAIN, COST)
            ),
        ],
    )
    def test_what_was_sold_is_asked_for_by_warehouse(self, snapshot, code, key, variant):
        board = find_report(code).tab(key).board(variant)
        chosen = board.filter("warehouse")
        assert all(chosen in board.filters_of(chart) for chart in board.charts)
        dataset = board.datasets[0]
        assert dataset.grain == "company", "what is of no warehouse is the company's"
        ask = f"select {dataset.metric('revenue').sql} from ({dataset.sql}) where role_id = {EVERYTHING}"
        whole, *parts = (
            snapshot.sql(f"{ask} and {where}").fetchone()[0]
            for where in ("true", *(f"warehouse_name = '{name}公司的仓库'" for name in ("上海", "苏州")))
        )
        assert sum(parts) == whole > max(parts)
