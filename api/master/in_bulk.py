"""Bulk posting of bills (批量过账): the batches of all inbound lines are settled at once, then the kit takes over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from api.kit import bulk
from api.kit.bulk import Entry
from api.kit.context import Context
from api.kit.validation import Problems
from api.master.stock_lines import InboundLine, settle_batches


def post(ctx: Context, entries: Sequence[Entry]) -> None:
    """`bulk.post`, after looking up for all entries together what inspection would look up bill by bill."""
    settle_batches(ctx, _inbound_lines(entries), Problems(), None)
    bulk.post(ctx, entries)


def save(ctx: Context, entries: Sequence[Entry]) -> None:
    """`bulk.save`, likewise; `bulk.audit` may follow."""
    settle_batches(ctx, _inbound_lines(entries), Problems(), None)
    bulk.save(ctx, entries)


def know_sizes(conn: Connection) -> None:
    """Have the planner learn how large the balances are: a load into empty tables is slower by a fifth without."""
    for table in ("stock_balance", "stock_total", "cost_balance"):
        conn.exec_driver_sql(f"analyze {table}")
    conn.commit()


def _inbound_lines(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for entry in entries:
        assert entry.cls.bill is not None
        if any(issubclass(block.cls, InboundLine) for block in entry.cls.bill.blocks):
            found += entry.lines
    return found
