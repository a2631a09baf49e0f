"""Importing bills: all lines checked first, nothing posted twice, every refusal told."""

from __future__ import annotations

import csv

from api.importing.line_checker import RefusedLine
from tests.importing.import_harness import HEADER, ImportHarness, purchase_line, sale_line


def list_reasons(refused: list[RefusedLine]) -> list[tuple[int, str]]:
    return [(row.number, row.field) for row in refused]


class TestPosting:
    def test_bills_move_stock_and_open_items(self, bench: ImportHarness) -> None:
        report = bench.import_file(
            bench.write_file(purchase_line("A1", 10), purchase_line("A2", 5), sale_line("A1", 4))
        )
        assert (report.posted_bills, report.posted_lines, report.refused) == (2, 3, [])
        assert (bench.read_stock("A1"), bench.read_stock("A2")) == (6, 5)
        owed = bench.query_value(
            "select sum(open_amount) from settlement_item join customer on customer_id = party_id"
            " where party_type = 'customer' and customer_name = %s",
            f"修理厂{bench.mark}",
        )
        assert str(owed) == "904.00"

    def test_a_day_brings_before_it_takes(self, bench: ImportHarness) -> None:
        report = bench.import_file(
            bench.write_file(sale_line("B1", 3, day="2026-02-01"), purchase_line("B1", 3, day="2026-02-01"))
        )
        assert report.refused == []
        assert bench.read_stock("B1") == 0

    def test_batches_brought_by_the_file_may_be_named_by_its_outbounds(self, bench: ImportHarness) -> None:
        lines = (
            purchase_line("T1", 4, batch="0525"),
            purchase_line("T1", 4, batch="3025"),
            sale_line("T1", 3, batch="3025"),
        )
        assert bench.import_file(bench.write_file(*lines)).refused == []
        left = bench.query_value(
            "select sum(quantity) from stock_balance join goods_batch using (batch_id)"
            " join goods g on g.goods_id = stock_balance.goods_id where goods_num = 'T1' and batch = '3025'"
        )
        assert left == 1

    def test_leading_zeros_stay(self, bench: ImportHarness) -> None:
        bench.import_file(bench.write_file(purchase_line("00712", 1)))
        assert bench.read_stock("00712") == 1

    def test_a_reference_makes_one_bill(self, bench: ImportHarness) -> None:
        lines = [
            purchase_line("R1", 1, reference="PO-1"),
            purchase_line("R1", 2, reference="PO-2"),
            purchase_line("R2", 1, reference="PO-1"),
        ]
        assert bench.import_file(bench.write_file(*lines)).posted_bills == 2

    def test_nothing_is_made_without_being_told(self, bench: ImportHarness) -> None:
        report = bench.import_file(bench.write_file(purchase_line("N1", 1)), create=False)
        assert list_reasons(report.refused) == [(2, "公司")]
        assert (
            bench.query_value("select count(*) from company where company_name = %s", f"甲公司{bench.mark}")
            == 0
        )


class TestChecking:
    def test_every_mistake_is_told_and_nothing_posted(self, bench: ImportHarness) -> None:
        lines = [
            purchase_line("C1", 10),
            purchase_line("C1", -1),
            purchase_line("C1", "viel"),
            purchase_line("C1", 1, price="-3"),
            purchase_line("C1", 1, day="2026-02-30"),
            purchase_line("C1", 1, day="2999-01-01"),
            purchase_line("", 1),
            purchase_line("C1", "1.2345"),
            sale_line("C1", 1, batch="9999"),
            ("2026-01-05", "领料", "甲公司", "甲仓", "", "C1", "", 1, 1, ""),
        ]
        report = bench.import_file(bench.write_file(*lines))
        assert list_reasons(report.refused) == [
            (3, "数量"),
            (4, "数量"),
            (5, "单价"),
            (6, "日期"),
            (7, "日期"),
            (8, "商品编码"),
            (9, "数量"),
            (10, "批次"),
            (11, "单据类型"),
        ]
        assert bench.count_bills() == 0

    def test_a_price_is_asked_for_unless_the_line_is_a_gift(self, bench: ImportHarness) -> None:
        heading = (*HEADER, "赠品")
        priced = [(*purchase_line("P1", 10), ""), (*sale_line("P1", 1), "否")]
        free = [
            (*sale_line("P1", 1, price=""), ""),
            (*sale_line("P1", 1, price=0), ""),
            (*sale_line("P1", 1, price="=I2"), "是"),
        ]
        report = bench.import_file(bench.write_file(*priced, *free, header=heading))
        assert [(row.number, row.field, row.reason) for row in report.refused] == [
            (4, "单价", "不能为空；赠品请在“赠品”列填“是”"),
            (5, "单价", "不能为 0；赠品请在“赠品”列填“是”"),
            (6, "单价", "是公式而没有结果，请用 Excel 打开并保存，或改为数值或普通文字"),
        ]
        assert bench.count_bills() == 0
        given = [(*sale_line("P1", 2, price=""), "是"), (*sale_line("P1", 3, price=0), "1")]
        report = bench.import_file(bench.write_file(*priced, *given, header=heading))
        assert (report.refused, report.posted_lines, bench.read_stock("P1")) == ([], 4, 4)
        gifts = bench.query_value(
            "select array_agg((l.quantity::int, l.price::int) order by l.quantity)::text from sales_outbound_line l"
            " join goods using (goods_id) where goods_num = 'P1' and is_gift"
        )
        assert gifts == '{"(2,0)","(3,0)"}'

    def test_skipping_leaves_out_whole_bills(self, bench: ImportHarness) -> None:
        lines = [purchase_line("D1", 10), purchase_line("D2", "x"), purchase_line("D1", 7, day="2026-01-07")]
        report = bench.import_file(bench.write_file(*lines), skip=True)
        assert report.posted_bills == 1
        assert bench.read_stock("D1") == 7
        mended = [purchase_line("D1", 10), purchase_line("D2", 2), purchase_line("D1", 7, day="2026-01-07")]
        assert bench.import_file(bench.write_file(*mended)).posted_bills == 1
        assert (bench.read_stock("D1"), bench.read_stock("D2")) == (17, 2)

    def test_one_reference_with_two_dates_is_refused(self, bench: ImportHarness) -> None:
        lines = [
            purchase_line("E1", 1, reference="X"),
            purchase_line("E1", 1, day="2026-01-09", reference="X"),
        ]
        assert list_reasons(bench.import_file(bench.write_file(*lines)).refused) == [(3, "外部单号")]

    def test_missing_columns_are_named(self, bench: ImportHarness) -> None:
        path = bench.write_file(purchase_line("F1", 1), header=("日期", "单据类型", *("甲",) * 8))
        assert bench.run_command(path) == 1

    def test_a_closed_period_is_refused(self, bench: ImportHarness) -> None:
        bench.import_file(bench.write_file(purchase_line("G1", 1)))
        with bench.engine.begin() as conn:
            conn.exec_driver_sql(
                "insert into accounting_period (company_id, period, status)"
                " select company_id, '2025-12', 1 from company where company_name = %s",
                (f"甲公司{bench.mark}",),
            )
        report = bench.import_file(bench.write_file(purchase_line("G1", 1, day="2025-12-31")))
        assert list_reasons(report.refused) == [(2, "日期")]


class TestRunningAgain:
    def test_the_same_file_posts_nothing(self, bench: ImportHarness) -> None:
        path = bench.write_file(purchase_line("H1", 10), sale_line("H1", 4))
        bench.import_file(path)
        again = bench.import_file(path)
        assert (again.posted_bills, again.known_bills) == (0, 2)
        assert bench.read_stock("H1") == 6

    def test_a_changed_bill_is_refused_instead_of_doubled(self, bench: ImportHarness) -> None:
        bench.import_file(bench.write_file(purchase_line("I1", 10)))
        report = bench.import_file(bench.write_file(purchase_line("I1", 11)))
        assert list_reasons(report.refused) == [(2, "外部单号")]
        assert bench.read_stock("I1") == 10

    def test_a_longer_file_posts_what_is_new(self, bench: ImportHarness) -> None:
        bench.import_file(bench.write_file(purchase_line("J1", 10)))
        assert (
            bench.import_file(bench.write_file(purchase_line("J1", 10), sale_line("J1", 2))).posted_bills == 1
        )
        assert bench.read_stock("J1") == 8


class TestLedgerRefusals:
    def test_too_little_stock_ends_the_run_there(self, bench: ImportHarness) -> None:
        path = bench.write_file(
            purchase_line("K1", 1), sale_line("K1", 5), purchase_line("K1", 10, day="2026-01-10")
        )
        report = bench.import_file(path)
        assert list_reasons(report.refused) == [(3, "整张单据")]
        assert "库存不足" in report.refused[0].reason
        assert (report.posted_bills, report.waiting_bills, bench.read_stock("K1")) == (1, 1, 1)

    def test_skipping_goes_on_and_a_later_run_catches_up(self, bench: ImportHarness) -> None:
        path = bench.write_file(
            purchase_line("L1", 1), sale_line("L1", 5), purchase_line("L1", 10, day="2026-01-10")
        )
        assert bench.import_file(path, skip=True).posted_bills == 2
        assert bench.read_stock("L1") == 11
        earlier = bench.write_file(sale_line("L1", 5), purchase_line("L1", 4, reference="earlier"))
        assert bench.import_file(earlier).posted_bills == 2
        assert bench.read_stock("L1") == 10


class TestCommand:
    def test_a_dry_run_writes_nothing(self, bench: ImportHarness) -> None:
        assert bench.run_command(bench.write_file(purchase_line("M1", 1)), dry_run=True) == 0
        assert bench.query_value("select count(*) from goods where goods_num = 'M1'") == 0

    def test_failures_come_back_as_texts(self, bench: ImportHarness) -> None:
        target = bench.place / "failures.csv"
        assert (
            bench.run_command(
                bench.write_file(purchase_line("=1+2", "x"), purchase_line("N2", 1)), failures=target
            )
            == 1
        )
        with target.open(encoding="utf-8-sig", newline="") as file:
            head, row = csv.reader(file)
        assert head[:3] == ["行号", "字段", "原因"]
        assert row[:2] == ["2", "商品编码"]
        assert row[3 + HEADER.index("商品编码")] == "'=1+2"
