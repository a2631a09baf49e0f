"""kill -9 of the API and of Postgres in the middle of audits: what was acknowledged stands, the rest can be sent again.

Every command carries its client key. After the kill the same commands go out again under the same keys, as a browser
with a stored key does; then each bill must stand exactly once.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine

from api.kit.storage import database
from api.launch.postgres import EmbeddedPostgres
from api.migrations import upgrade
from tests.faults.serve_process import ServeProcess
from tests.support.client import Caller
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import build_world_in
from tests.support.world import World

CLERKS, BILLS = 8, 240
DURABLE = {"shared_buffers": "64MB"}


@dataclass
class AuditedServer:
    """A durable server with a world, an API over it, and its clients' acknowledged commands."""

    postgres: EmbeddedPostgres
    server: ServeProcess
    world: World
    engine: Engine
    acknowledged: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add_and_audit(self, http: httpx.Client, number: int) -> bool:
        """Save and audit bill `number`; return True when both were acknowledged."""
        caller = Caller(http, self.world.tokens["admin"])
        world = self.world
        body = {
            "company_id": world.company_a,
            "warehouse_id": world.warehouse_a,
            "customer_id": world.customer_a,
            "business_date": "2026-03-05",
            "remark": f"第{number}单",
            "lines": [{"goods_id": world.oil, "quantity": "1", "price": "10"}] * 3,
        }
        try:
            saved = caller.post("v2/sales/SalesOutstock/add", body, key=f"add-{number}")
            if not saved.ok:
                return False
            self.acknowledged[f"add-{number}"] = saved.data
            ids = {"ids": [saved.data["id"]]}
            audited = caller.post("v2/sales/SalesOutstock/auditorPass", ids, key=f"audit-{number}")
            if audited.ok:
                self.acknowledged[f"audit-{number}"] = saved.data
            return audited.ok
        except (httpx.HTTPError, ValueError):
            return False

    def send_commands(self, numbers: list[int]) -> list[int]:
        """Send commands from many clients at once; return those that were not acknowledged."""
        with httpx.Client(base_url=self.server.address, timeout=10) as http:
            with ThreadPoolExecutor(CLERKS) as pool:
                done = list(pool.map(lambda number: self.add_and_audit(http, number), numbers))
        return [number for number, fine in zip(numbers, done, strict=True) if not fine]


@pytest.fixture
def post() -> Iterator[AuditedServer]:
    place = Path(tempfile.mkdtemp(prefix="erp-test-"))
    postgres = EmbeddedPostgres(place / "postgres", place / "postgres.log", DURABLE)
    postgres.start()
    url = postgres.url()
    upgrade(url)
    engine = database.build_engine(url)
    world = build_world_in(url)
    server = ServeProcess(url, place)
    try:
        server.start()
        found = AuditedServer(postgres, server, world, engine)
        with httpx.Client(base_url=server.address, timeout=30) as http:
            _add_stock(http, world)
        yield found
    finally:
        server.kill()
        engine.dispose()
        postgres.stop()
        shutil.rmtree(place, ignore_errors=True)


def _add_stock(http: httpx.Client, world: World) -> None:
    caller = Caller(http, world.tokens["admin"])
    body = {
        "company_id": world.company_a,
        "warehouse_id": world.warehouse_a,
        "business_date": "2026-03-01",
        "reason": "期初",
        "lines": [{"goods_id": world.oil, "quantity": "100000", "price": "1"}],
    }
    saved = caller.post("v2/inventory/OtherInStorage/add", body)
    assert caller.post("v2/inventory/OtherInStorage/auditorPass", {"ids": [saved.data["id"]]}).ok


def assert_consistent(post: AuditedServer) -> None:
    """Assert that nothing acknowledged is lost, nothing is doubled, and ledgers and bills agree."""
    post.engine.dispose()
    with post.engine.connect() as conn:
        bills = conn.exec_driver_sql(
            "select bill_id, status, remark from sales_outbound where customer_id = %s",
            (post.world.customer_a,),
        ).all()
        posted = dict(
            conn.exec_driver_sql(
                "select bill_id, sum(quantity) from stock_ledger"
                " where bill_type = 'XSCK' and goods_id = %s group by bill_id",
                (post.world.oil,),
            )
            .tuples()
            .all()
        )
        assert len({row.remark for row in bills}) == len(bills) == BILLS
        assert {row.status for row in bills} == {2}
        assert {row.bill_id: -3 for row in bills} == {key: int(sold) for key, sold in posted.items()}
        told = {name: data["id"] for name, data in post.acknowledged.items() if name.startswith("audit-")}
        assert len(set(told.values())) == BILLS
        assert set(told.values()) == {row.bill_id for row in bills}
        assert find_broken_checks(conn) == {}


def strike_meanwhile(post: AuditedServer, strike: Any, after: int) -> tuple[list[int], dict[str, Any]]:
    """Strike once so many bills are audited; return what was not acknowledged, and what was just before
    resuming."""
    striker = threading.Thread(target=lambda: (_wait_for(post, after), strike()))
    striker.start()
    missed = post.send_commands(list(range(BILLS)))
    striker.join()
    return missed, dict(post.acknowledged)


def _wait_for(post: AuditedServer, count: int) -> None:
    deadline = time.monotonic() + 60
    while sum(name.startswith("audit-") for name in tuple(post.acknowledged)) < count:
        assert time.monotonic() < deadline, "the storm did not get going"
        time.sleep(0.005)


def assert_all_stored(post: AuditedServer, acknowledged: dict[str, Any]) -> None:
    """Assert that all that was acknowledged before the kill is in the database after it."""
    post.engine.dispose()
    with post.engine.connect() as conn:
        statuses = dict(conn.exec_driver_sql("select bill_id, status from sales_outbound").tuples().all())
        lost = [name for name, data in acknowledged.items() if data["id"] not in statuses]
        lost += [
            name
            for name, data in acknowledged.items()
            if name.startswith("audit-") and statuses[data["id"]] != 2
        ]
        assert lost == []
        assert find_broken_checks(conn) == {}


def test_the_api_is_killed(post: AuditedServer) -> None:
    missed, told = strike_meanwhile(post, post.server.kill, after=60)
    assert missed, "the storm was over before the kill"
    assert_all_stored(post, told)
    post.server.start()
    assert post.send_commands(missed) == []
    assert_consistent(post)


def test_postgres_is_killed(post: AuditedServer) -> None:
    """The API outlives it: it answers in words while the database is away, and goes on when it is back."""

    def strike() -> None:
        process = post.postgres.process
        assert process is not None
        process.send_signal(signal.SIGKILL)
        process.wait()

    missed, told = strike_meanwhile(post, strike, after=60)
    assert missed, "the storm was over before the kill"
    with httpx.Client(base_url=post.server.address, timeout=30) as http:
        answer = Caller(http, post.world.tokens["admin"]).get("v2/system/Unit/getList")
        assert answer.code == 500, "no refusal: after one a browser forgets the key"
        assert "数据库" in answer.msg
    post.postgres.start()
    assert_all_stored(post, told)
    left = missed
    for _ in range(3):  # the first callers after the restart may still hold broken connections
        left = post.send_commands(left) if left else []
    assert left == []
    assert_consistent(post)
