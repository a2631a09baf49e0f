"""Bulk posting of bills (批量过账): resolves the batches of all inbound lines at once, then calls the kit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from api.kit.bills import bulk_posting
from api.kit.bills.bulk_posting import BulkBill
from api.kit.context import Context
from api.kit.storage.validation import Problems
from api.master.stock.stock_lines import InboundLine, resolve_batches


def post_bills(ctx: Context, entries: Sequence[BulkBill]) -> None:
    """Call `bulk.post_bills` after resolving all entries' batches in one go, instead of bill by bill."""
    resolve_batches(ctx, _collect_inbound_lines(entries), Problems(), None)
    bulk_posting.post_bills(ctx, entries)


def save_bills(ctx: Context, entries: Sequence[BulkBill]) -> None:
    """Call `bulk.save_bills` likewise; `bulk.audit_bills` may follow."""
    resolve_batches(ctx, _collect_inbound_lines(entries), Problems(), None)
    bulk_posting.save_bills(ctx, entries)


def analyze_balances(conn: Connection) -> None:
    """Run ANALYZE on the balance tables: a load into empty tables is slower by a fifth without."""
    for table in ("stock_balance", "stock_total", "cost_balance"):
        conn.exec_driver_sql(f"analyze {table}")
    conn.commit()


def _collect_inbound_lines(entries: Sequence[BulkBill]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for entry in entries:
        assert entry.cls.bill is not None
        if any(issubclass(block.cls, InboundLine) for block in entry.cls.bill.blocks):
            found += entry.lines
    return found
