"""Committed, then the client dropped: a proxy swallows the answer, the browser sends again, and there is one bill."""

from __future__ import annotations

import socket
import threading

import httpx
import pytest
from sqlalchemy import Connection

from tests.faults.serve_process import ServeProcess
from tests.support.bill_client import BillClient
from tests.support.client import Caller
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site
from tests.support.ports import free_port


class DroppingProxy:
    """A proxy for one connection at a time: forwards requests, waits for the whole answer, and hangs up."""

    def __init__(self, target: int) -> None:
        self.port, self.target = free_port(), target
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.swallowed = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client, socket.create_connection(("127.0.0.1", self.target)) as upstream:
                upstream.sendall(_read_message(client))
                assert _read_message(upstream)
                self.swallowed += 1

    def close(self) -> None:
        self.listener.close()


def _read_message(side: socket.socket) -> bytes:
    """Return one HTTP message, by its content-length."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += side.recv(65536)
    head, _, body = found.partition(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line), 0
    )
    while len(body) < length:
        more = side.recv(65536)
        found, body = found + more, body + more
    return found


def test_a_retry_after_a_lost_answer_has_one_effect(
    site: Site, server: ServeProcess, conn: Connection
) -> None:
    desk, proxy = BillClient(site), DroppingProxy(server.port)
    desk.stock_in(site.world.oil, 10)
    body = {
        **desk.build_header("sales_outbound"),
        "lines": [{"goods_id": site.world.oil, "quantity": "4", "price": "5"}],
    }
    add, audit = (desk.path("sales_outbound", call) for call in ("add", "auditorPass"))

    def lose(path: str, content: object, key: str) -> None:
        with httpx.Client(base_url=f"http://127.0.0.1:{proxy.port}", timeout=30) as http:
            with pytest.raises(httpx.HTTPError):
                Caller(http, site.world.tokens["admin"]).post(path, content, key=key)

    lose(add, body, "lost-add")
    saved = desk.caller.post(add, body, key="lost-add")
    assert saved.ok
    lose(audit, {"ids": [saved.data["id"]]}, "lost-audit")
    assert desk.caller.post(audit, {"ids": [saved.data["id"]]}, key="lost-audit").ok
    assert proxy.swallowed == 2
    proxy.close()
    bills = "select count(*), min(status), max(status) from sales_outbound where customer_id = %s"
    assert conn.exec_driver_sql(bills, (site.world.customer_a,)).one() == (1, 2, 2)
    sold = "select sum(quantity) from stock_ledger where bill_type = 'XSCK' and goods_id = %s"
    assert conn.exec_driver_sql(sold, (site.world.oil,)).scalar() == -4
    assert find_broken_checks(conn) == {}
