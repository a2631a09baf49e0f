"""Importing bills: all lines checked first, nothing posted twice, every refusal told."""

from __future__ import annotations

import csv

from api.importing.checking import Refused
from tests.importing.bench import HEADER, Bench, buy, sell


def reasons(refused: list[Refused]) -> list[tuple[int, str]]:
    return [(row.number, row.field) for row in refused]


class TestPosting:
    def test_bills_move_stock_and_open_items(self, bench: Bench) -> None:
        report = bench.imports(bench.file(buy("A1", 10), buy("A2", 5), sell("A1", 4)))
        assert (report.posted_bills, report.posted_lines, report.refused) == (2, 3, [])
        assert (bench.stock("A1"), bench.stock("A2")) == (6, 5)
        owed = bench.ask(
            "select sum(open_amount) from settlement_item join customer on customer_id = party_id"
            " where party_type = 'customer' and customer_name = %s",
            f"修理厂{bench.mark}",
        )
        assert str(owed) == "904.00"

    def test_a_day_brings_before_it_takes(self, bench: Bench) -> None:
        report = bench.imports(bench.file(sell("B1", 3, day="2026-02-01"), buy("B1", 3, day="2026-02-01")))
        assert report.refused == []
        assert bench.stock("B1") == 0

    def test_batches_brought_by_the_file_may_be_named_by_its_outbounds(self, bench: Bench) -> None:
        lines = (buy("T1", 4, batch="0525"), buy("T1", 4, batch="3025"), sell("T1", 3, batch="3025"))
        assert bench.imports(bench.file(*lines)).refused == []
        left = bench.ask(
            "select sum(quantity) from stock_balance join goods_batch using (batch_id)"
            " join goods g on g.goods_id = stock_balance.goods_id where goods_num = 'T1' and batch = '3025'"
        )
        assert left == 1

    def test_leading_zeros_stay(self, bench: Bench) -> None:
        bench.imports(bench.file(buy("00712", 1)))
        assert bench.stock("00712") == 1

    def test_a_reference_makes_one_bill(self, bench: Bench) -> None:
        lines = [
            buy("R1", 1, reference="PO-1"),
            buy("R1", 2, reference="PO-2"),
            buy("R2", 1, reference="PO-1"),
        ]
        assert bench.imports(bench.file(*lines)).posted_bills == 2

    def test_nothing_is_made_without_being_told(self, bench: Bench) -> None:
        report = bench.imports(bench.file(buy("N1", 1)), create=False)
        assert reasons(report.refused) == [(2, "公司")]
        assert bench.ask("select count(*) from company where company_name = %s", f"甲公司{bench.mark}") == 0


class TestChecking:
    def test_every_mistake_is_told_and_nothing_posted(self, bench: Bench) -> None:
        lines = [
            buy("C1", 10),
            buy("C1", -1),
            buy("C1", "viel"),
            buy("C1", 1, price="-3"),
            buy("C1", 1, day="2026-02-30"),
            buy("C1", 1, day="2999-01-01"),
            buy("", 1),
            buy("C1", "1.2345"),
            sell("C1", 1, batch="9999"),
            ("2026-01-05", "领料", "甲公司", "甲仓", "", "C1", "", 1, 1, ""),
        ]
        report = bench.imports(bench.file(*lines))
        assert reasons(report.refused) == [
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
        assert bench.bills() == 0

    def test_a_price_is_asked_for_unless_the_line_is_a_gift(self, bench: Bench) -> None:
        heading = (*HEADER, "赠品")
        priced = [(*buy("P1", 10), ""), (*sell("P1", 1), "否")]
        free = [
            (*sell("P1", 1, price=""), ""),
            (*sell("P1", 1, price=0), ""),
            (*sell("P1", 1, price="=I2"), "是"),
        ]
        report = bench.imports(bench.file(*priced, *free, header=heading))
        assert [(row.number, row.field, row.reason) for row in report.refused] == [
            (4, "单价", "不能为空；赠品请在“赠品”列填“是”"),
            (5, "单价", "不能为 0；赠品请在“赠品”列填“是”"),
            (6, "单价", "是公式而没有结果，请用 Excel 打开并保存，或改为数值或普通文字"),
        ]
        assert bench.bills() == 0
        given = [(*sell("P1", 2, price=""), "是"), (*sell("P1", 3, price=0), "1")]
        report = bench.imports(bench.file(*priced, *given, header=heading))
        assert (report.refused, report.posted_lines, bench.stock("P1")) == ([], 4, 4)
        gifts = bench.ask(
            "select array_agg((l.quantity::int, l.price::int) order by l.quantity)::text from sales_outbound_line l"
            " join goods using (goods_id) where goods_num = 'P1' and is_gift"
        )
        assert gifts == '{"(2,0)","(3,0)"}'

    def test_skipping_leaves_out_whole_bills(self, bench: Bench) -> None:
        lines = [buy("D1", 10), buy("D2", "x"), buy("D1", 7, day="2026-01-07")]
        report = bench.imports(bench.file(*lines), skip=True)
        assert report.posted_bills == 1
        assert bench.stock("D1") == 7
        mended = [buy("D1", 10), buy("D2", 2), buy("D1", 7, day="2026-01-07")]
        assert bench.imports(bench.file(*mended)).posted_bills == 1
        assert (bench.stock("D1"), bench.stock("D2")) == (17, 2)

    def test_one_reference_with_two_dates_is_refused(self, bench: Bench) -> None:
        lines = [buy("E1", 1, reference="X"), buy("E1", 1, day="2026-01-09", reference="X")]
        assert reasons(bench.imports(bench.file(*lines)).refused) == [(3, "外部单号")]

    def test_missing_columns_are_named(self, bench: Bench) -> None:
        path = bench.file(buy("F1", 1), header=("日期", "单据类型", *("甲",) * 8))
        assert bench.command(path) == 1

    def test_a_closed_period_is_refused(self, bench: Bench) -> None:
        bench.imports(bench.file(buy("G1", 1)))
        with bench.engine.begin() as conn:
            conn.exec_driver_sql(
                "insert into accounting_period (company_id, period, status)"
                " select company_id, '2025-12', 1 from company where company_name = %s",
                (f"甲公司{bench.mark}",),
            )
        report = bench.imports(bench.file(buy("G1", 1, day="2025-12-31")))
        assert reasons(report.refused) == [(2, "日期")]


class TestRunningAgain:
    def test_the_same_file_posts_nothing(self, bench: Bench) -> None:
        path = bench.file(buy("H1", 10), sell("H1", 4))
        bench.imports(path)
        again = bench.imports(path)
        assert (again.posted_bills, again.known_bills) == (0, 2)
        assert bench.stock("H1") == 6

    def test_a_changed_bill_is_refused_instead_of_doubled(self, bench: Bench) -> None:
        bench.imports(bench.file(buy("I1", 10)))
        report = bench.imports(bench.file(buy("I1", 11)))
        assert reasons(report.refused) == [(2, "外部单号")]
        assert bench.stock("I1") == 10

    def test_a_longer_file_posts_what_is_new(self, bench: Bench) -> None:
        bench.imports(bench.file(buy("J1", 10)))
        assert bench.imports(bench.file(buy("J1", 10), sell("J1", 2))).posted_bills == 1
        assert bench.stock("J1") == 8


class TestLedgerRefusals:
    def test_too_little_stock_ends_the_run_there(self, bench: Bench) -> None:
        path = bench.file(buy("K1", 1), sell("K1", 5), buy("K1", 10, day="2026-01-10"))
        report = bench.imports(path)
        assert reasons(report.refused) == [(3, "整张单据")]
        assert "库存不足" in report.refused[0].reason
        assert (report.posted_bills, report.waiting_bills, bench.stock("K1")) == (1, 1, 1)

    def test_skipping_goes_on_and_a_later_run_catches_up(self, bench: Bench) -> None:
        path = bench.file(buy("L1", 1), sell("L1", 5), buy("L1", 10, day="2026-01-10"))
        assert bench.imports(path, skip=True).posted_bills == 2
        assert bench.stock("L1") == 11
        earlier = bench.file(sell("L1", 5), buy("L1", 4, reference="earlier"))
        assert bench.imports(earlier).posted_bills == 2
        assert bench.stock("L1") == 10


class TestCommand:
    def test_a_dry_run_writes_nothing(self, bench: Bench) -> None:
        assert bench.command(bench.file(buy("M1", 1)), dry_run=True) == 0
        assert bench.ask("select count(*) from goods where goods_num = 'M1'") == 0

    def test_failures_come_back_as_texts(self, bench: Bench) -> None:
        target = bench.place / "failures.csv"
        assert bench.command(bench.file(buy("=1+2", "x"), buy("N2", 1)), failures=target) == 1
        with target.open(encoding="utf-8-sig", newline="") as file:
            head, row = csv.reader(file)
        assert head[:3] == ["行号", "字段", "原因"]
        assert row[:2] == ["2", "商品编码"]
        assert row[3 + HEADER.index("商品编码")] == "'=1+2"
