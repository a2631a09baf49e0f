"""kill -9 of the API at named points of a command: nothing half done stays, and the same key brings the one effect.

A point is a place in a command's transaction where a trigger waits: after its rows are written, after its log, at its
commit. Killed before the commit it has done nothing; at the commit it has done everything, though nobody was told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import Connection

from tests.faults.serve_process import ServeProcess
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer, Caller
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.fixtures import Site

GATE = 471147
_months = count(1)
WAIT = f"""
create or replace function test_wait() returns trigger language plpgsql as $$
begin
    perform pg_advisory_lock_shared({GATE});
    perform pg_advisory_unlock_shared({GATE});
    return null;
end
$$
"""
POINTS = {
    "written": "create trigger test_gate after insert or update on {table} for each row execute function test_wait()",
    "logged": "create trigger test_gate after insert on business_log for each row execute function test_wait()",
    "at commit": "create constraint trigger test_gate after insert on business_log deferrable initially deferred"
    " for each row execute function test_wait()",
}
"""Where the command waits for its killer; `{table}` is the command's own."""


@dataclass(frozen=True)
class Command:
    """A prepared command, the table that it writes in the middle, and its effects."""

    prepare: Callable[[BillClient], tuple[str, dict[str, Any]]]
    table: str
    effect: str
    """A query that counts what such commands have done."""


def add_stock(desk: BillClient, goods: int) -> int:
    key = desk.world.spares[goods]
    line = {"goods_id": key, "quantity": "10", "price": "113", "tax_rate": "13"}
    brought = desk.draft("other_inbound", line, business_date="2026-03-01")
    # A stocktake of the case before may have counted these goods on a later day: this was not in it.
    assert desk.apply_action("auditorPass", brought, counted=False).ok
    return key


def audit_bill(desk: BillClient, bill: SavedBill) -> tuple[str, dict[str, Any]]:
    return desk.path(bill.resource, "auditorPass"), {"ids": [bill.id]}


def prepare_transfer_out(desk: BillClient) -> tuple[str, dict[str, Any]]:
    line = {"goods_id": add_stock(desk, 0), "quantity": "4"}
    return audit_bill(desk, desk.draft("transfer_out", line, to_warehouse_id=desk.world.warehouse2_a))


def prepare_transfer_in(desk: BillClient) -> tuple[str, dict[str, Any]]:
    line = {"goods_id": add_stock(desk, 1), "quantity": "4"}
    sent = desk.add_audited("transfer_out", line, to_warehouse_id=desk.world.warehouse2_a)
    draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
    return audit_bill(desk, desk.draft("transfer_in", *draft.pop("lines"), **draft))


def prepare_stock_take(desk: BillClient) -> tuple[str, dict[str, Any]]:
    """Prepare a surplus of one goods and a loss of another: two bills are made and audited with it."""
    lines = [
        {"goods_id": add_stock(desk, at), "counted_quantity": count} for at, count in ((2, "13"), (3, "6"))
    ]
    return audit_bill(desk, desk.draft("stock_take", *lines))


def prepare_sales_transfer(desk: BillClient) -> tuple[str, dict[str, Any]]:
    line = {"goods_id": add_stock(desk, 4), "quantity": "4", "price": "150", "tax_rate": "13"}
    return audit_bill(desk, desk.draft("sales_transfer", line, to_warehouse_id=desk.world.warehouse_b))


def prepare_cost_adjustment(desk: BillClient) -> tuple[str, dict[str, Any]]:
    return audit_bill(
        desk, desk.draft("cost_adjustment", {"goods_id": add_stock(desk, 5), "amount": "12.34"})
    )


def prepare_month_close(desk: BillClient) -> tuple[str, dict[str, Any]]:
    """Prepare the next month each time."""
    period = f"2025-{next(_months):02}"
    desk.stock_in(desk.world.spares[6], 10, business_date=f"{period}-10")
    return "v2/system/MonthClose/closePeriod", {"company_id": desk.world.company_a, "period": period}


_POSTED = "select count(distinct bill_id) from stock_ledger where bill_type = '{}' and goods_id = {}"
COMMANDS = {
    "transfer out": Command(prepare_transfer_out, "stock_ledger", _POSTED.format("DBCK", "{0}")),
    "transfer in": Command(prepare_transfer_in, "stock_ledger", _POSTED.format("DBRK", "{1}")),
    "stocktake": Command(prepare_stock_take, "stock_ledger", _POSTED.format("PKCK", "{3}")),
    "sales transfer": Command(prepare_sales_transfer, "settlement_ledger", _POSTED.format("XSDB", "{4}")),
    "cost adjustment": Command(prepare_cost_adjustment, "cost_balance", _POSTED.format("CBTZ", "{5}")),
    "month close": Command(
        prepare_month_close,
        "other_inbound",
        "select count(*) from month_close where status = 1",
    ),
}


@contextmanager
def close_gate(url: str, point: str) -> Iterator[psycopg.Connection[Any]]:
    """Triggers of the point, closed until the block ends or the lock is released."""
    tables = sorted(
        {command.table for command in COMMANDS.values()} if point == "written" else {"business_log"}
    )
    with psycopg.connect(url, autocommit=True) as keeper:
        keeper.execute(WAIT)
        for table in tables:
            keeper.execute(POINTS[point].format(table=table))
        keeper.execute("select pg_advisory_lock(%s)", (GATE,))
        try:
            yield keeper
        finally:
            keeper.execute("select pg_advisory_unlock_all()")
            for table in tables:
                keeper.execute(f"drop trigger test_gate on {table}")


def list_waiting(keeper: psycopg.Connection[Any]) -> list[int]:
    """Return the backends that wait before the gate."""
    query = "select pid from pg_locks where locktype = 'advisory' and not granted and objid = %s"
    return [row[0] for row in keeper.execute(query, (GATE,))]


def wait_for(found: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + 60
    while not found():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def send_command(
    server: ServeProcess, token: str, path: str, body: Any, key: str
) -> Answer | httpx.HTTPError:
    try:
        with httpx.Client(base_url=server.address, timeout=120) as http:
            return Caller(http, token).post(path, body, key=key)
    except httpx.HTTPError as error:
        return error


def count_effects(conn: Connection, site: Site) -> dict[str, int]:
    conn.rollback()
    return {
        name: conn.exec_driver_sql(command.effect.format(*site.world.spares)).scalar_one()
        for name, command in COMMANDS.items()
    }


@pytest.mark.parametrize("point", POINTS)
def test_killed_commands_have_one_effect_each(
    site: Site, server: ServeProcess, conn: Connection, point: str
) -> None:
    """One of each kind goes out, all of them stand at the point when the server is killed."""
    desk, token = BillClient(site), site.world.tokens["admin"]
    commands = {name: command.prepare(desk) for name, command in COMMANDS.items()}
    done, before = count_effects(conn, site), fingerprint_tables(conn)
    conn.rollback()

    def call(name: str) -> Answer | httpx.HTTPError:
        return send_command(server, token, *commands[name], key=f"kill-{name}-{point}")

    with close_gate(site.url, point) as keeper, ThreadPoolExecutor(len(commands)) as pool:
        calls = [pool.submit(call, name) for name in commands]
        wait_for(lambda: len(list_waiting(keeper)) == len(commands), f"not every command came to: {point}")
        victims = list_waiting(keeper)
        server.kill_workers()
        told = [each.result() for each in calls]
        keeper.execute("select pg_advisory_unlock(%s)", (GATE,))
        left = "select 1 from pg_stat_activity where pid = any(%s)"
        wait_for(lambda: keeper.execute(left, (victims,)).fetchone() is None, "the killed commands go on")
    assert [answer for answer in told if isinstance(answer, Answer)] == [], "a client was told something"

    once = {name: count + 1 for name, count in done.items()}
    if point == "at commit":
        assert count_effects(conn, site) == once
    else:
        assert fingerprint_tables(conn) == before
    conn.rollback()
    for _ in range(2):
        answers = {name: call(name) for name in commands}
        assert {name for name, answer in answers.items() if isinstance(answer, Answer) and answer.ok} == set(
            commands
        )
        assert count_effects(conn, site) == once
    assert find_broken_checks(conn) == {}
