"""Clients that send without an end, or read nothing: they cost a worker little, and keep nobody else from being served."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from api.launch.process import wait_until
from tests.faults.serve_process import ServeProcess
from tests.support.fixtures import Site

MEGABYTE = 1024 * 1024
CLIENTS, READERS = 100, 160
MOST = 500
"""Megabytes of a worker."""
PATIENCE = 60.0
DECLARED, SENT = 110 * MEGABYTE, 8 * MEGABYTE


def peak_memory(worker: int) -> int:
    """Return the peak memory of a process in megabytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{worker}/status").read_text("ascii"))
    assert found
    return int(found[1]) // 1024


def open_connection(server: ServeProcess, sent: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
    client.sendall(sent)
    return client


def send_until_refused(client: socket.socket) -> None:
    """Send a large part of the declared body, as far as it is taken."""
    try:
        for _ in range(SENT // MEGABYTE):
            client.sendall(b" " * MEGABYTE)
    except OSError:
        pass


def build_head(path: str, length: int, kind: str = "application/json") -> bytes:
    lines = (
        f"POST {path} HTTP/1.1",
        "host: erp",
        f"content-type: {kind}",
        f"content-length: {length}",
        "",
        "",
    )
    return "\r\n".join(lines).encode()


HEADS = {
    "the login": build_head("/v2/user/Login/login", DECLARED),
    "a call": build_head("/v2/sales/SalesOutstock/add", DECLARED),
    "an upload": build_head("/v2/open/Upload/uploadImg", DECLARED, "multipart/form-data; boundary=a"),
    "a frame": build_head("/api/v1/chart/data", DECLARED),
    "nothing that there is": build_head("/v2/no/such/call", DECLARED),
}


@pytest.mark.parametrize("what", HEADS)
def test_large_bodies_of_nobody_known_leave_the_workers_small(server: ServeProcess, what: str) -> None:
    workers = server.workers()
    with ExitStack() as open_ones, ThreadPoolExecutor(CLIENTS) as pool:
        clients = [open_ones.enter_context(open_connection(server, HEADS[what])) for _ in range(CLIENTS)]
        pool.map(send_until_refused, clients)
        for _ in range(20):
            assert httpx.get(f"{server.address}/healthz", timeout=PATIENCE).status_code == 200
    assert server.workers() == workers
    assert {worker: size for worker in workers if (size := peak_memory(worker)) > MOST} == {}


def test_the_same_sent_in_pieces_of_no_declared_length(server: ServeProcess) -> None:
    chunked = build_head("/v2/user/Login/login", 0).replace(
        b"content-length: 0", b"transfer-encoding: chunked"
    )
    with ExitStack() as open_ones, ThreadPoolExecutor(CLIENTS) as pool:
        begun = chunked + b"%x\r\n" % DECLARED
        pool.map(
            send_until_refused,
            [open_ones.enter_context(open_connection(server, begun)) for _ in range(CLIENTS)],
        )
        for _ in range(20):
            assert httpx.get(f"{server.address}/healthz", timeout=PATIENCE).status_code == 200
    assert {worker: size for worker in server.workers() if (size := peak_memory(worker)) > MOST} == {}


def test_large_bodies_of_a_user_leave_them_small_too(server: ServeProcess, site: Site) -> None:
    """He is proven, and sends what a call takes, as often as he can."""
    head = {"token": site.world.tokens["admin"], "content-type": "application/json"}
    body = b'{"ids": [' + b"1," * (7 * MEGABYTE // 2) + b"1]}"
    address = f"{server.address}/v2/sales/SalesOutstock/auditorPass"

    def send(_: int) -> int:
        return httpx.post(address, content=body, headers=head, timeout=PATIENCE).status_code

    with ThreadPoolExecutor(8) as pool:
        answered = set(pool.map(send, range(24)))
    assert answered == {400}
    assert {worker: size for worker in server.workers() if (size := peak_memory(worker)) > MOST} == {}


def test_requests_that_never_end_are_ended(server: ServeProcess) -> None:
    """Of a hundred clients each sends a part of a head, or all of it and a part of a body."""
    parts = (b"POST /v2/user/Login/login HTTP/1.1\r\nhost:", HEADS["the login"] + b'{"user', HEADS["a frame"])
    with ExitStack() as open_ones:
        clients = [open_ones.enter_context(open_connection(server, parts[at % 3])) for at in range(CLIENTS)]
        assert httpx.get(f"{server.address}/healthz", timeout=PATIENCE).status_code == 200
        for client in clients:
            with suppress(ConnectionResetError):
                while client.recv(65536):
                    """The server has the last word, and closes."""


class SlowPlatform(BaseHTTPRequestHandler):
    """A report platform of few threads, which serves large files; counts those that wait for a reader."""

    protocol_version = "HTTP/1.1"
    waiting = 0
    file = b"x" * (8 * MEGABYTE)

    def do_GET(self) -> None:
        SlowPlatform.waiting += 1
        try:
            self.send_response(200)
            self.send_header("content-length", str(len(self.file)))
            self.end_headers()
            self.wfile.write(self.file)
        finally:
            SlowPlatform.waiting -= 1

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture(scope="module")
def framing(site: Site, data_dir: Path) -> Iterator[ServeProcess]:
    """Two workers before a report platform."""
    with run_platform() as port:
        server = ServeProcess(site.url, data_dir)
        server.environment = {**server.environment, "ERP_REPORT_UPSTREAM": f"http://127.0.0.1:{port}"}
        try:
            server.start()
            yield server
        finally:
            server.kill()


@contextmanager
def run_platform() -> Iterator[int]:
    platform = ThreadingHTTPServer(("127.0.0.1", 0), SlowPlatform)
    platform.daemon_threads = True
    threading.Thread(target=platform.serve_forever, daemon=True).start()
    try:
        yield platform.server_port
    finally:
        platform.shutdown()
        platform.server_close()


@pytest.mark.parametrize(
    "path",
    ["/static/assets/00485e9e567811f3ef35.chunk.js", "/static/assets/images/a.png", "/api/v1/time_range/"],
)
def test_who_reads_nothing_holds_no_thread_of_the_report_platform(framing: ServeProcess, path: str) -> None:
    asked = f"GET {path} HTTP/1.1\r\nhost: erp\r\n\r\n".encode()
    with ExitStack() as open_ones:
        for _ in range(READERS):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", framing.port))
            open_ones.enter_context(client)
            client.sendall(asked)
        # Another file, which nobody has asked for yet; to the readers' own address no more than its share is given.
        answer = httpx.get(f"{framing.address}/static/assets/images/b{len(path)}.png", timeout=PATIENCE)
        assert (answer.status_code, len(answer.content)) == (200, len(SlowPlatform.file))
        assert wait_until(lambda: SlowPlatform.waiting == 0, PATIENCE)
        assert httpx.get(f"{framing.address}/healthz", timeout=PATIENCE).status_code == 200
    assert {worker: size for worker in framing.workers() if (size := peak_memory(worker)) > MOST} == {}
