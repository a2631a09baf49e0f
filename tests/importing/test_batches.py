"""Batches follow one another while the next is saved: a refusal in one neither harms nor holds up those around it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api.importing import run
from tests.importing.bench import Bench, Line, buy, sell


@pytest.fixture(autouse=True)
def tiny_batches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two lines a batch, so that a small file has many."""
    monkeypatch.setattr(run, "BATCH_LINES", 2)
    return


def bills(goods: str) -> list[Line]:
    """Ten purchases of 1 on ten days; after the fourth a sale of 100, in the middle of a batch and of the file."""
    found = [buy(goods, 1, day=f"2026-01-{day:02d}", batch="2325") for day in range(1, 11)]
    return [*found[:4], sell(goods, 100, day="2026-01-04"), *found[4:]]


class TestRefusalInOneOfManyBatches:
    def test_what_came_before_stands_and_the_rest_waits(self, bench: Bench) -> None:
        report = bench.imports(bench.file(*bills("P1")))
        assert [refused.number for refused in report.refused] == [6]
        assert (report.posted_bills, report.waiting_bills, bench.stock("P1")) == (4, 6, 4)

    def test_skipping_posts_all_others_in_order(self, bench: Bench) -> None:
        report = bench.imports(bench.file(*bills("P2")), skip=True)
        assert [refused.number for refused in report.refused] == [6]
        assert (report.posted_bills, report.waiting_bills, bench.stock("P2")) == (10, 0, 10)
        assert bench.ask(
            "select array_agg(business_date order by ledger_id) = array_agg(business_date order by business_date)"
            " from stock_ledger join goods using (goods_id) where goods_num = 'P2'"
        )

    def test_a_later_run_posts_each_waiting_bill_once(self, bench: Bench) -> None:
        bench.imports(bench.file(*bills("P3")))
        bench.imports(bench.file(buy("P3", 200, day="2026-01-03", reference="more"), name="more.csv"))
        report = bench.imports(bench.file(*bills("P3")))
        assert (report.known_bills, report.posted_bills, bench.stock("P3")) == (4, 7, 110)
