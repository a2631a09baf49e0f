"""Batches follow one another while the next is saved: a refusal in one neither harms nor holds up those around it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api.importing import import_run
from tests.importing.import_harness import ImportHarness, Line, purchase_line, sale_line


@pytest.fixture(autouse=True)
def tiny_batches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two lines a batch, so that a small file has many."""
    monkeypatch.setattr(import_run, "BATCH_LINES", 2)
    return


def build_lines(goods: str) -> list[Line]:
    """Return ten purchases of 1 on ten days; after the fourth a sale of 100, in the middle of a batch and of
    the file."""
    found = [purchase_line(goods, 1, day=f"2026-01-{day:02d}", batch="2325") for day in range(1, 11)]
    return [*found[:4], sale_line(goods, 100, day="2026-01-04"), *found[4:]]


class TestRefusalInOneOfManyBatches:
    def test_what_came_before_stands_and_the_rest_waits(self, bench: ImportHarness) -> None:
        report = bench.import_file(bench.write_file(*build_lines("P1")))
        assert [refused.number for refused in report.refused] == [6]
        assert (report.posted_bills, report.waiting_bills, bench.read_stock("P1")) == (4, 6, 4)

    def test_skipping_posts_all_others_in_order(self, bench: ImportHarness) -> None:
        report = bench.import_file(bench.write_file(*build_lines("P2")), skip=True)
        assert [refused.number for refused in report.refused] == [6]
        assert (report.posted_bills, report.waiting_bills, bench.read_stock("P2")) == (10, 0, 10)
        assert bench.query_value(
            "select array_agg(business_date order by ledger_id) = array_agg(business_date order by business_date)"
            " from stock_ledger join goods using (goods_id) where goods_num = 'P2'"
        )

    def test_a_later_run_posts_each_waiting_bill_once(self, bench: ImportHarness) -> None:
        bench.import_file(bench.write_file(*build_lines("P3")))
        bench.import_file(
            bench.write_file(purchase_line("P3", 200, day="2026-01-03", reference="more"), name="more.csv")
        )
        report = bench.import_file(bench.write_file(*build_lines("P3")))
        assert (report.known_bills, report.posted_bills, bench.read_stock("P3")) == (4, 7, 110)
