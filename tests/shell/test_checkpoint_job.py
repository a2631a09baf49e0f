"""The job worker makes stock checkpoints; stock as of a day reads the same before and after."""

from __future__ import annotations

from functools import partial

import pytest

from api.ledger import checkpoints
from api.shell import jobs
from api.shell.operations.checkpoint_job import advance_checkpoints
from tests.support.bill_client import BillClient, PostingReader
from tests.support.fixtures import Site

SUMMARY = "v2/inventory/InventorySummer"


def read_stock_as_of(site: Site, day: str) -> list[tuple[str, str]]:
    found = site.as_("admin").get(f"{SUMMARY}/getList", as_of_end=day, per_page=500)
    assert found.ok, found
    return sorted((row["goods_num"], row["quantity"]) for row in found.data["data"])


def test_figures_stay_when_checkpoints_are_made(
    site: Site, desk: BillClient, books: PostingReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "advance_checkpoints", partial(checkpoints.advance_checkpoints, few=1))
    for month in range(1, 7):
        desk.stock_in(desk.world.spares[month], 5, business_date=f"2026-{month:02}-15")
    days = ["2026-01-14", "2026-02-28", "2026-04-20", "2026-06-30"]
    before = [read_stock_as_of(site, day) for day in days]
    assert len({len(found) for found in before}) > 2
    advance_checkpoints(0)
    assert int(books.rows("select count(*) from stock_checkpoint")[0][0]) > 0
    assert [read_stock_as_of(site, day) for day in days] == before
    desk.stock_in(desk.world.spares[9], 3, business_date="2026-01-14")
    assert [len(read_stock_as_of(site, day)) for day in days] == [len(found) + 1 for found in before]


def test_it_is_done_every_ten_minutes() -> None:
    periodic = jobs.app.periodic_registry.periodic_tasks
    [task] = [task for task in periodic.values() if task.task.name == "advance_checkpoints"]
    assert task.cron == "*/10 * * * *"
