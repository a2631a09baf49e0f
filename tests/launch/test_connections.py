"""What a client keeps open: a head, a body and a reader come in time, and nobody holds more than his share."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest

from api.launch import connections
from api.launch.connections import Connection, Worker, build_server_config
from api.launch.process import wait_until

LARGE = 32 * 1024 * 1024
PATIENCE = 20.0


class ConnectionEcho:
    """Answers with the length of what it was sent, `/large` with much, `/no` before it has read anything, `/who` with
    where it came from; tells how many requests are under way."""

    def __init__(self) -> None:
        self.under_way = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        self.under_way += 1
        try:
            length, more = 0, scope["path"] != "/no"
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                length += len(message.get("body", b""))
                more = message.get("more_body", False)
            large = scope["path"] == "/large"
            who = f"{scope['scheme']} {scope['client'][0]}" if scope["path"] == "/who" else ""
            size = LARGE if large else len(who or str(length))
            headers = [(b"content-length", str(size).encode())]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            part = bytes(65536) if large else (who or str(length)).encode()
            for at in range(0, size, len(part)):
                more = at + len(part) < size
                await send({"type": "http.response.body", "body": part, "more_body": more})
        finally:
            self.under_way -= 1


class WorkerClient:
    """A worker of its own, and connections to it."""

    def __init__(self, app: ConnectionEcho, port: int) -> None:
        self.app, self.port = app, port
        self._open = ExitStack()

    def open(self, sent: bytes = b"") -> socket.socket:
        client = self._open.enter_context(socket.create_connection(("127.0.0.1", self.port), PATIENCE))
        client.sendall(sent)
        return client

    def get(self, path: str = "/") -> httpx.Response:
        return httpx.get(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE)

    def close(self) -> None:
        self._open.close()


@contextmanager
def serve_app() -> Iterator[WorkerClient]:
    app, listener = ConnectionEcho(), socket.create_server(("127.0.0.1", 0))
    worker = Worker(build_server_config(app))
    thread = threading.Thread(target=worker.run, kwargs={"sockets": [listener]})
    thread.start()
    site = WorkerClient(app, listener.getsockname()[1])
    try:
        yield site
    finally:
        site.close()
        worker.should_exit = True
        thread.join()


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerClient]:
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "WRITE_SECONDS"):
        monkeypatch.setattr(connections, name, 1)
    with serve_app() as site:
        yield site


def read_rest(client: socket.socket) -> bytes:
    """Return what comes until the server closes; an error where it never does."""
    found = bytearray()
    try:
        while part := client.recv(65536):
            found += part
    except ConnectionResetError:
        pass
    return bytes(found)


HEAD = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n"


class TestWhereARequestComesFrom:
    """Failed logins are counted by it."""

    SAID = b"GET /who HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 10.9.8.7\r\nx-forwarded-proto: https\r\n"

    @pytest.mark.parametrize(
        ("proxies", "found"),
        [
            ("", "http 127.0.0.1"),
            ("10.0.0.0/8", "http 127.0.0.1"),
            ("127.0.0.1", "https 10.9.8.7"),
            ("10.0.0.5, 127.0.0.0/8", "https 10.9.8.7"),
            ("*", "https 10.9.8.7"),
        ],
    )
    def test_is_said_by_proxies_that_are_set_alone(
        self, monkeypatch: pytest.MonkeyPatch, proxies: str, found: str
    ) -> None:
        monkeypatch.setenv("ERP_PROXIES", proxies)
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
        with serve_app() as site:
            told = read_rest(site.open(self.SAID + b"connection: close\r\n\r\n"))
        assert told.decode().splitlines()[-1] == found


class TestInTime:
    @pytest.mark.parametrize("sent", [b"\r\n", b"GET / HTTP/1.1\r\nhost: a\r\n", HEAD[:20]])
    def test_a_head_that_never_ends_is_not_waited_for(self, site: WorkerClient, sent: bytes) -> None:
        assert read_rest(site.open(sent)).startswith(b"HTTP/1.1 408 ")

    def test_nor_one_that_never_begins(self, site: WorkerClient) -> None:
        """It is closed without a word, which would be taken for the answer to what is just being sent."""
        assert read_rest(site.open()) == b""

    def test_nor_one_after_an_answer(self, site: WorkerClient) -> None:
        client = site.open(b"GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\n")
        assert read_rest(client).count(b"HTTP/1.1") == 1

    def test_a_body_that_never_ends_is_not_waited_for(self, site: WorkerClient) -> None:
        client = site.open(HEAD + b"\r\nabc")
        assert "请求没有在规定时间内发完" in read_rest(client).decode()
        assert wait_until(lambda: site.app.under_way == 0, PATIENCE)

    def test_a_body_that_trickles_is_no_better(self, site: WorkerClient) -> None:
        client = site.open(HEAD + b"\r\n")
        stopped = threading.Event()

        def trickle() -> None:
            while not stopped.wait(0.05):
                try:
                    client.send(b"a")
                except OSError:
                    return

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            assert b"HTTP/1.1 408 " in read_rest(client)
        finally:
            stopped.set()
            thread.join()

    def test_a_slow_one_that_keeps_coming_is_read_to_its_end(
        self, site: WorkerClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "BODY_RATE", 100)
        client = site.open(HEAD.replace(b"1000000", b"1000") + b"connection: close\r\n\r\n")
        for _ in range(10):
            time.sleep(0.4)
            client.sendall(b"a" * 100)
        assert read_rest(client).endswith(b"1000")

    def test_who_reads_nothing_is_not_written_to_for_ever(self, site: WorkerClient) -> None:
        clients = [site.open(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n") for _ in range(5)]
        assert wait_until(lambda: site.app.under_way == 5, PATIENCE)
        assert wait_until(lambda: site.app.under_way == 0, PATIENCE)
        assert all(len(read_rest(client)) < LARGE for client in clients)

    def test_who_reads_slowly_gets_all_of_it(self, site: WorkerClient) -> None:
        client, found = site.open(b"GET /large HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"), 0
        while part := client.recv(1024 * 1024):
            found += len(part)
            time.sleep(0.05)
        assert found > LARGE

    def test_a_connection_that_is_kept_is_used_again(self, site: WorkerClient) -> None:
        with httpx.Client(base_url=f"http://127.0.0.1:{site.port}") as client:
            told = [client.post("/", content=b"a" * size).text for size in (1, 300_000, 2)]
        assert told == ["1", "300000", "2"]

    def test_who_is_refused_while_he_sends_is_told_and_may_go_on(self, site: WorkerClient) -> None:
        with httpx.Client(base_url=f"http://127.0.0.1:{site.port}", timeout=PATIENCE) as client:
            told = [client.post(path, content=b"a" * size).text for path, size in (("/no", LARGE), ("/", 3))]
        assert told == ["0", "3"]

    def test_what_is_thrown_away_has_an_end(
        self, site: WorkerClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "BODY_BYTES", 1024 * 1024)
        client = site.open(b"POST /no HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n")
        with pytest.raises(OSError):
            while True:
                client.sendall(b"a" * 65536)
                time.sleep(0.01)


class TestShare:
    def test_a_head_has_an_end(self, site: WorkerClient) -> None:
        client = site.open(b"GET / HTTP/1.1\r\nhost: a\r\nx-long: ")
        with pytest.raises(OSError):
            for _ in range(1000):
                client.sendall(b"a" * 65536)
        assert site.get().text == "0"

    @pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n", HEAD + b"\r\nabc"])
    def test_one_more_takes_the_place_of_the_oldest_that_waits(
        self, monkeypatch: pytest.MonkeyPatch, sent: bytes
    ) -> None:
        monkeypatch.setattr(connections, "MOST_OF_ONE", 20)
        with serve_app() as site:
            clients = [site.open(sent) for _ in range(20)]
            assert wait_until(lambda: len(Connection.opened.get("127.0.0.1", ())) == 20, PATIENCE)
            assert site.get().text == "0"
            assert read_rest(clients[0]) == b""
            assert len(Connection.opened["127.0.0.1"]) <= 20
        assert Connection.opened == {}

    def test_where_all_are_being_answered_one_more_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connections, "MOST_OF_ONE", 5)
        with serve_app() as site:
            for _ in range(5):
                site.open(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n")
            assert wait_until(lambda: site.app.under_way == 5, PATIENCE)
            assert "打开的连接过多" in read_rest(site.open()).decode()
