"""Figures of the stock reports by hand: a ledger of a few rows, refreshed, asked with the catalogue's own datasets."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import parse_qsl

import duckdb
import psycopg
import pytest

from api.master.goods.goods import parse_dot_week
from reports.catalogue import REPORTS, find_report
from reports.semantics.dashboards import COST, PLAIN, Variant
from tests.support.superset import bind_sample_range
from tests.warehouse.conftest import AS_OF
from tests.warehouse.group import BILL, RECEIPT, GroupSize, fill_database
from warehouse.files import Files
from warehouse.refresh import Refresher

CODES = {
    1: "2625",
    2: "4526",
    3: "9926",
    4: "0127",
    5: "5320",
    6: "5326",
    7: "0026",
    8: "26/5",
    9: "126",
    10: "二六二五",
}
"""Batches; a Friday in 2026年第47周 is today, so that 0127 is still to come."""
EMPTIED = (
    *("stock_ledger", "sales_outbound_line", "sales_outbound", "sales_return_line", "sales_return"),
    *("sales_order_line", "sales_order", "purchase_order_line", "purchase_order", "purchase_inbound_line"),
    *("purchase_inbound", "purchase_return_line", "purchase_return", "customer_receipt", "supplier_rebate"),
    *("purchase_invoice", "cost_adjustment_line", "cost_adjustment", "sales_delivery", "month_close"),
    *("supplier_rebate_policy_tier", "supplier_rebate_policy_goods", "supplier_rebate_policy"),
    *("settlement_ledger", "settlement_item", "three_inbound_line", "three_inbound", "three_outbound_line"),
    *("three_outbound", "tire_back_line", "tire_back", "guarantee_register_line", "guarantee_register"),
    *("company_claim_line", "company_claim", "factory_claim_line", "factory_claim"),
    *("customer_rebate_policy_goods", "customer_rebate_policy", "customer_rebate"),
    *("pledge_contract_line", "pledge_contract", "sales_coupon_use", "sales_coupon_grant", "sales_coupon"),
)
# goods, warehouse, day, pieces at 80, batch. Warehouse 2 is company 1's, the others are company 2's.
RECEIPTS = (
    (1, 1, "2026-05-01", 10, 1),
    (1, 3, "2026-11-01", 5, 2),
    (2, 1, "2026-08-25", 8, 0),
    (3, 2, "2025-10-01", 20, 3),
    (4, 2, "2026-11-19", 1, 4),
)
SALES = ((1, 1, "2026-09-15", 4, 1), (3, 2, "2026-11-10", 10, 3))

Figure = Callable[..., Any]


@pytest.fixture(scope="module")
def snapshot(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    fill_database(
        database_url, GroupSize(companies=2, warehouses=3, goods=6, customers=2, bills=1, lines=1, days=10)
    )
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("set session_replication_role = replica")
        for table in EMPTIED:
            conn.execute(f"delete from {table}")
        for number, code in CODES.items():
            conn.execute(
                "insert into goods_batch (batch_id, goods_id, batch) values (%s, 1, %s)", [number, code]
            )
        keys = ("goods_id", "warehouse_id", "day", "quantity", "batch_id")
        for bill_id, row in enumerate(RECEIPTS, 1):
            values = dict(zip(keys, row, strict=True))
            conn.execute(RECEIPT, {**values, "amount": 80 * values["quantity"], "bill_id": bill_id})
        for row in SALES:
            values = dict(zip(keys, row, strict=True))
            (bill_id,) = conn.execute(BILL, values).fetchone()
            conn.execute(
                "update stock_ledger set batch_id = %s where bill_type = 'XSCK' and bill_id = %s",
                [values["batch_id"], bill_id],
            )
    files = Files(tmp_path_factory.mktemp("reports") / "warehouse")
    Refresher(files, database_url).refresh(as_of=AS_OF)
    return duckdb.connect(str(files.current / "wh.duckdb"), read_only=True)


@pytest.fixture
def figure(snapshot: duckdb.DuckDBPyConnection) -> Figure:
    """A metric of a report, of the rows that a role (1 sees all, with cost) has under a condition."""

    def ask(
        code: str,
        metric: str,
        where: str = "true",
        *,
        variant: Variant = COST,
        role: int = 1,
        by: str = "",
        month: str = AS_OF[:7],
    ) -> Any:
        dataset = find_report(code).first_tab.board(variant).datasets[0]
        columns = f"{by}, " if by else ""
        if dataset.has_column("month_label"):
            where = f"{where} and month_label = '{month}'"
        rows = snapshot.sql(
            f"select {columns}{dataset.metric(metric).sql} from ({dataset.sql}) as d"
            f" where role_id = {role} and {where}" + (f" group by {by}" if by else "")
        ).fetchall()
        return dict(rows) if by else rows[0][0]

    return ask


class TestCatalogue:
    @pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.code)
    def test_every_dataset_reads_the_published_marts(
        self, snapshot: duckdb.DuckDBPyConnection, report: Any
    ) -> None:
        for tab in report.tabs:
            for variant in (PLAIN, COST):
                for dataset in tab.board(variant).datasets:
                    # What stands at a step is told of steps alone.
                    metrics = ", ".join(
                        metric.sql for metric in dataset.metrics if not metric.carries_forward
                    )
                    rows = bind_sample_range(dataset.sql)
                    assert snapshot.sql(f"select {metrics} from ({rows}) as d").fetchone()
                    shown = snapshot.sql(f"select * from ({dataset.sql}) as d limit 0").columns
                    assert {"role_id", *(column.name for column in dataset.columns)} <= set(shown)


class TestOccupation:
    """November has 20 days so far: 2,720 a day lay there before, of goods 3 the half went on the 10th."""

    NOVEMBER = "period_label = '2026-11'"

    def test_mean_peak_and_closing(self, figure: Figure) -> None:
        code = "inventoryOccupation"
        assert figure(code, "mean", self.NOVEMBER) == pytest.approx(
            (480 * 20 + 400 * 20 + 640 * 20 + 1600 * 9 + 800 * 11 + 80 * 2) / 20
        )
        assert figure(code, "peak", self.NOVEMBER) == 480 + 400 + 640 + 1600
        assert figure(code, "closing", self.NOVEMBER) == 480 + 400 + 640 + 800 + 80

    def test_last_month_stands_beside(self, figure: Figure) -> None:
        code = "inventoryOccupation"
        for metric in ("mean_before", "peak_before", "closing_before"):
            assert figure(code, metric, self.NOVEMBER) == 480 + 640 + 1600
        assert figure(code, "mean_change", self.NOVEMBER) == pytest.approx(2688 / 2720 - 1)
        # A year ago only goods 3 lay there.
        assert figure(code, "mean_year", self.NOVEMBER) == 1600

    def test_by_company_in_quantities(self, figure: Figure) -> None:
        peaks = figure("inventoryOccupation", "peak", self.NOVEMBER, variant=PLAIN, role=4, by="company_name")
        assert peaks == {"公司1": 20, "公司2": 19}
        shares = figure("inventoryOccupation", "share", self.NOVEMBER, by="company_name")
        assert sum(shares.values()) == pytest.approx(1)
        assert shares["公司2"] == pytest.approx(1520 / 2688)


class TestSluggish:
    @pytest.mark.parametrize(
        ("threshold", "sluggish", "coming"),
        [(30, 1920, 480), (60, 1920, 0), (90, 1280, 640), (180, 1280, 0), (365, 800, 0)],
    )
    def test_what_lies_longer_than_the_threshold(
        self, figure: Figure, threshold: int, sluggish: int, coming: int
    ) -> None:
        where = f"threshold = '{threshold}天以上'"
        assert figure("sluggishstock", "sluggish", where) == sluggish
        assert figure("sluggishstock", "coming", where) == coming
        assert figure("sluggishstock", "share", where) == pytest.approx(sluggish / 2400)

    def test_shares_of_the_rows_in_all_stock_sum_to_the_whole(self, figure: Figure) -> None:
        where = "threshold = '60天以上'"
        own = figure("sluggishstock", "share", where, by="warehouse_name")
        assert own == {"仓库1": 1, "仓库2": pytest.approx(800 / 880), "仓库3": 0}
        of_all = figure("sluggishstock", "of_all", where, by="warehouse_name")
        assert of_all == pytest.approx({"仓库1": 1120 / 2400, "仓库2": 800 / 2400, "仓库3": 0})
        in_pieces = figure("sluggishstock", "of_all", where, by="warehouse_name", variant=PLAIN)
        assert in_pieces == pytest.approx({"仓库1": 14 / 30, "仓库2": 10 / 30, "仓库3": 0})

    def test_with_the_last_sale(self, snapshot: duckdb.DuckDBPyConnection) -> None:
        goods = find_report("sluggishstock").first_tab.plain.datasets[1]
        rows = snapshot.sql(
            "select goods_num, warehouse_name, cast(last_sale_date as varchar), days_since_sale, oldest_days,"
            f" sluggish_quantity from ({goods.sql}) as d where role_id = 1 and threshold = '60天以上' and month_label = '2026-11' order by 1, 2"
        ).fetchall()
        assert rows == [
            ("G000001", "仓库1", "2026-09-15", 66, 203, 6),
            ("G000002", "仓库1", None, None, 87, 8),
            ("G000003", "仓库2", "2026-11-10", 10, 415, 10),
        ]


class TestLayers:
    def test_each_layer_leads_to_its_moves(self, snapshot: duckdb.DuckDBPyConnection) -> None:
        dataset = find_report("inventoryAgingReportDetailed").first_tab.cost.datasets[0]
        rows = snapshot.sql(
            'select goods_num, batch, cast(receipt_date as varchar), age_days, bucket, quantity, "value", detail_link'
            f" from ({dataset.sql}) as d where role_id = 2 and month_label = '2026-11'"
        ).fetchall()
        # Role 2 is company 1's.
        assert [row[:-1] for row in sorted(rows)] == [
            ("G000003", "9926", "2025-10-01", 415, "365天以上", 10, 800),
            ("G000004", "0127", "2026-11-19", 1, "0–30天", 1, 80),
        ]
        route, _, query = sorted(rows)[0][-1].split('"')[3].partition("?")
        asked = dict(parse_qsl(unescape(query)))
        assert route == "/inventory/stockmoves"
        assert (asked["goods_id"], asked["warehouse_id"], asked["batch_id"]) == ("3", "2", "3")


class TestEarlierMonthEnds:
    """What lay at the end of August: ten of goods 1 since May, eight of goods 2 for six days, twenty of goods 3."""

    def test_aging(self, figure: Figure) -> None:
        assert figure("inventoryAgingReport", "amount", month="2026-08") == 38 * 80
        assert figure("inventoryAgingReport", "quantity", "bucket = '91–180天'", month="2026-08") == 10
        assert figure("inventoryAgingReportDetailed", "oldest", month="2026-08") == 334
        assert figure("inventoryAgingReport", "amount", month="2026-09") == 34 * 80

    def test_tyres_are_as_old_as_they_were(self, figure: Figure) -> None:
        of_goods = "goods_num = 'G000001'"
        now = figure("inventoryDOTReport", "oldest", of_goods)
        assert figure("inventoryDOTReport", "oldest", of_goods, month="2026-08") == now - 11

    def test_tyres_stand_beside_what_they_were(
        self, snapshot: duckdb.DuckDBPyConnection, figure: Figure
    ) -> None:
        months = find_report("inventoryDOTReport").first_tab.cost.dataset("inventory_dot_month_cost")
        told = ("amount", "mean_weeks", "over_year")
        beside = ", ".join(months.metric(f"{name}_before").sql for name in told)
        found = snapshot.sql(
            f"select {beside} from ({months.sql}) as d where role_id = 1 and month_label = '2026-09'"
        )
        expected = tuple(figure("inventoryDOTReport", name, month="2026-08") for name in told)
        assert found.fetchone() == pytest.approx(expected)
        assert expected[2] == 1

    def test_what_was_sluggish(self, figure: Figure) -> None:
        where = "threshold = '90天以上'"
        assert figure("sluggishstock", "sluggish", where, month="2026-08") == 30 * 80
        assert figure("sluggishstock", "share", where, month="2026-08") == pytest.approx(30 / 38)

    def test_the_filter_offers_the_months_with_stock(self, snapshot: duckdb.DuckDBPyConnection) -> None:
        months = find_report("inventoryAgingReport").first_tab.plain.dataset("stock_month_ends")
        offered = snapshot.sql(
            f"select distinct month_label from ({months.sql}) where role_id = 2 order by 1"
        )
        assert [label for (label,) in offered.fetchall()] == [
            f"{year}-{month:02}"
            for year, month in [*((2025, n) for n in (10, 11, 12)), *((2026, n) for n in range(1, 12))]
        ]


class TestDot:
    def test_codes_are_read_as_the_core_reads_them(self, snapshot: duckdb.DuckDBPyConnection) -> None:
        found = dict(snapshot.sql("select batch, dot_monday from dim_batch where batch_id > 0").fetchall())
        assert found == {code: parse_dot_week(code) for code in CODES.values()}
        assert sum(monday is not None for monday in found.values()) == 5

    def test_weeks(self, figure: Figure) -> None:
        assert figure("inventoryDOTReport", "quantity", by="dot_week") == {
            "2025年第26周": 6,
            "2026年第45周": 5,
            "未知": 19,
        }
        # From the Mondays 2025-06-23 and 2026-11-02 to 2026-11-16.
        assert figure("inventoryDOTReport", "oldest", by="dot_week") == {
            "2025年第26周": 73,
            "2026年第45周": 2,
            "未知": None,
        }
        assert figure("inventoryDOTReport", "amount", by="dot_bucket") == {
            "53–104周": 480,
            "26周以内": 400,
            "未知": 1520,
        }
        assert figure("inventoryDOTReport", "unknown") == pytest.approx(1520 / 2400)


class TestGoodsStock:
    def test_stock_sales_and_cover(self, figure: Figure) -> None:
        code = "goodsinventoryrpt"
        assert figure(code, "quantity", by="goods_num") == {
            "G000001": 11,
            "G000002": 8,
            "G000003": 10,
            "G000004": 1,
        }
        assert figure(code, "last_month", "goods_num = 'G000001'") == 480
        assert figure(code, "last_year", by="goods_num")["G000003"] == 1600
        assert figure(code, "year_change", "goods_num = 'G000003'", variant=PLAIN) == pytest.approx(-0.5)
        assert figure(code, "sales_30", by="goods_num")["G000003"] == 10
        assert figure(code, "sales_90", "goods_num = 'G000001'") == 4
        assert figure(code, "cover", "goods_num = 'G000003'") == 30
        assert figure(code, "cover", "goods_num = 'G000001'") is None
        # Within 90 days goods 1 was sold from warehouse 1 and goods 3 from warehouse 2.
        assert figure(code, "idle") == pytest.approx((400 + 640 + 80) / 2400)


class TestCompanyStock:
    def test_stock_movement_and_aged_share(self, figure: Figure) -> None:
        code, one = "CompanyInventoryreport", "company_name = '公司1'"
        assert figure(code, "amount", by="company_name") == {"公司1": 880, "公司2": 1520}
        assert figure(code, "movement", by="company_name") == {"公司1": -720, "公司2": 400}
        assert figure(code, "change", one) == pytest.approx(-0.45)
        # At the end of November 2025 there were 20 of goods 3 in company 1, and nothing in company 2.
        assert figure(code, "last_year", by="company_name") == {"公司1": 1600, "公司2": 0}
        assert figure(code, "year_change", by="company_name") == {
            "公司1": pytest.approx(-0.45),
            "公司2": None,
        }
        assert figure(code, "last_year", one, variant=PLAIN) == 20
        assert figure(code, "aged_90", one) == pytest.approx(800 / 880)
        assert figure(code, "share", by="company_name")["公司1"] == pytest.approx(880 / 2400)
        assert (figure(code, "inbound", one), figure(code, "outbound", one)) == (80, 800)

    def test_turnover_of_twelve_months(self, figure: Figure) -> None:
        """From 2025-12-01: 1,600 lay there for 344 days, 800 for 11, and 80 for 2 more."""
        held = 1600 * 344 + 800 * 11 + 80 * 2
        code, one = "CompanyInventoryreport", "company_name = '公司1'"
        assert figure(code, "rate", one) == pytest.approx(800 / held * 365)
        assert figure(code, "turnover_days", one) == pytest.approx(held / 800)

    def test_a_role_of_one_company_sees_no_other(self, figure: Figure) -> None:
        assert figure("CompanyInventoryreport", "amount", role=2, by="company_name") == {"公司1": 880}
        # Role 5 has no cost right, roles 3 and 7 only documents of their own.
        assert [figure("CompanyInventoryreport", "amount", role=role) for role in (5, 3, 7)] == [None] * 3
        assert figure("CompanyInventoryreport", "amount", role=5, variant=PLAIN) == 11
