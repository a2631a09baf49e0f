"""Slow work at once: no connection is held while children work, the others are answered, too many are told in words."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import pytest
from PIL import Image
from sqlalchemy import text

from api.importing import sheet_upload, xlsx_guard
from api.kit.http import work_queue
from api.kit.http.work_queue import WorkQueue
from api.kit.settings import PROJECT_DIR
from api.kit.storage.database import request_engine
from api.launch.process import read_command_line, wait_until
from api.master.partners.partners import Customer
from api.master.recognition import text_reader
from api.printing import typst_renderer
from tests.support.bill_client import BillClient, SavedBill
from tests.support.document_pictures import encode_png
from tests.support.endless_upload import post_scope
from tests.support.fixtures import Site
from tests.support.workbooks import build_workbook

PATIENCE = 300
HELD = """
select count(*) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'
"""
Asked = Callable[[], httpx.Response]


class PausedProcesses:
    """Child processes that begin, and go on when they are released."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.program = place / "child"
        self.program.write_text(
            f"#!/bin/sh\necho > {place}/$$.begun\nwhile [ ! -e {place}/go ]; do sleep 0.05; done\n"
            f'[ -e {place}/answer ] && exec cat {place}/answer\nexec {sys.executable} "$@"\n'
        )
        self.program.chmod(0o700)

    def list_begun(self) -> list[int]:
        return [int(file.stem) for file in self.place.glob("*.begun")]

    def respond(self, content: bytes) -> None:
        """Return their results, instead of computing them."""
        (self.place / "answer").write_bytes(content)

    def release(self) -> None:
        (self.place / "go").touch()


@pytest.fixture
def children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PausedProcesses]:
    made = PausedProcesses(tmp_path)
    monkeypatch.setattr(work_queue, "WAIT_SECONDS", PATIENCE)
    for module in (typst_renderer, xlsx_guard, text_reader):
        monkeypatch.setattr(module, "sys", SimpleNamespace(executable=str(made.program)))
        monkeypatch.setattr(module, "SECONDS", PATIENCE, raising=False)
    yield made
    made.release()


@pytest.fixture(scope="module")
def bills(desk: BillClient) -> list[SavedBill]:
    line = {"goods_id": desk.world.tube, "quantity": "1", "price": "5"}
    return [desk.draft("sales_outbound", line) for _ in range(10)]


class ConcurrentCallers:
    """Callers of the same call at once."""

    def __init__(self, ask: Asked, many: int) -> None:
        self.answers: list[httpx.Response] = []
        self.threads = [threading.Thread(target=self._call, args=(ask,), daemon=True) for _ in range(many)]
        for thread in self.threads:
            thread.start()

    def _call(self, ask: Asked) -> None:
        self.answers.append(ask())

    def join(self) -> list[httpx.Response]:
        for thread in self.threads:
            thread.join(PATIENCE)
        assert not any(thread.is_alive() for thread in self.threads)
        return self.answers


def list_messages(answers: list[httpx.Response]) -> list[str]:
    return [orjson.loads(answer.content)["msg"] for answer in answers]


def call_at_once(
    site: Site, children: PausedProcesses, line: WorkQueue, ask: Asked, many: int
) -> list[httpx.Response]:
    """Let many call while the children wait; return the answers of those that were served."""
    served = line.at_once + line.waiting
    crowd = ConcurrentCallers(ask, many)
    assert wait_until(lambda: len(crowd.answers) == many - served, PATIENCE), len(crowd.answers)
    assert wait_until(lambda: len(children.list_begun()) == line.at_once, PATIENCE)
    assert line.count_work() == (line.at_once, line.waiting)
    assert wait_until(lambda: request_engine().pool.checkedout() == 0, PATIENCE)  # type: ignore[attr-defined]
    with site.engine.connect() as conn:
        assert conn.execute(text(HELD)).scalar() == 0
    assert site.anonymous().get("healthz").data["status"] == "ok"
    refused = [*crowd.answers]
    assert {answer.status_code for answer in refused} == {400}
    assert set(list_messages(refused)) == {line.busy.format(line.waiting)}
    children.release()
    told = [answer for answer in crowd.join() if answer not in refused]
    assert len(told) == served
    assert line.count_work() == (0, 0)
    return told


class TestCrowds:
    def test_ninety_who_print_ten_bills(
        self, site: Site, desk: BillClient, bills: list[SavedBill], children: PausedProcesses
    ) -> None:
        path, body = desk.path("sales_outbound", "printPdf"), {"ids": [bill.id for bill in bills]}
        told = call_at_once(
            site, children, typst_renderer.TURNS, lambda: desk.caller.raw("POST", path, body), 90
        )
        assert {answer.headers["content-type"] for answer in told} == {"application/pdf"}

    def test_thirty_who_have_tables_read(
        self, site: Site, desk: BillClient, children: PausedProcesses
    ) -> None:
        goods = desk.caller.get("v2/system/Goods/getInfo", id=desk.world.tube).data["goods_num"]
        content = build_workbook(["商品编码", "数量"], [goods, 3])

        def ask() -> httpx.Response:
            return site.http.post(
                "/v2/Open/LineSheet/read",
                data={"bill": "other_inbound", "block": "lines"},
                files={"excel": ("明细.xlsx", content)},
                headers={"token": site.world.tokens["admin"]},
            )

        told = call_at_once(site, children, sheet_upload.TURNS, ask, 30)
        assert {len(orjson.loads(answer.content)["data"]["lines"]) for answer in told} == {1}

    def test_twelve_who_have_pictures_read(self, site: Site, children: PausedProcesses) -> None:
        content = encode_png(Image.new("RGB", (300, 200), (120, 130, 140)))
        children.respond(b"[]")

        def ask() -> httpx.Response:
            return site.http.post(
                f"/{Customer.declaration.api}/licenseOcr",
                files={"file": ("执照.png", content)},
                headers={"token": site.world.tokens["admin"]},
            )

        told = call_at_once(site, children, text_reader.TURNS, ask, 12)
        assert set(list_messages(told)) == {"没有认出营业执照，请把证件拍正、拍清楚后重试"}


class TestWhoHasLeft:
    """Nobody reads what he asked for: his child ends, and his place is another's."""

    def print_and_leave(
        self, site: Site, desk: BillClient, bills: list[SavedBill], is_time: Callable[[], bool]
    ) -> None:
        """Print, and leave when it is time."""
        body = orjson.dumps({"ids": [bills[0].id]})
        token = site.world.tokens["admin"].encode()
        path = "/" + desk.path("sales_outbound", "printPdf").lstrip("/")
        scope = post_scope(path, {b"host": b"here", b"content-type": b"application/json", b"token": token})

        async def leave() -> None:
            parts, left = [body], asyncio.Event()

            async def receive() -> Any:
                if parts:
                    return {"type": "http.request", "body": parts.pop()}
                await left.wait()
                return {"type": "http.disconnect"}

            async def send(message: Any) -> None:
                return None

            answering = asyncio.create_task(site.http.app(scope, receive, send))
            while not is_time():
                await asyncio.sleep(0.05)
            left.set()
            await asyncio.wait_for(answering, PATIENCE)

        asyncio.run(leave())

    def test_the_press_stops(
        self, site: Site, desk: BillClient, bills: list[SavedBill], children: PausedProcesses
    ) -> None:
        self.print_and_leave(site, desk, bills, lambda: bool(children.list_begun()))
        [child] = children.list_begun()
        assert wait_until(lambda: not read_command_line(child), PATIENCE)
        assert typst_renderer.TURNS.count_work() == (0, 0)

    def test_the_line_goes_on(
        self, site: Site, desk: BillClient, bills: list[SavedBill], children: PausedProcesses
    ) -> None:
        with typst_renderer.TURNS.place(), typst_renderer.TURNS.place():
            self.print_and_leave(site, desk, bills, lambda: typst_renderer.TURNS.count_work() == (2, 1))
            assert typst_renderer.TURNS.count_work() == (2, 0)
        assert children.list_begun() == []


class TestOnce:
    def test_a_command_that_is_sent_twice_while_its_table_is_read_is_done_once(
        self, site: Site, desk: BillClient, children: PausedProcesses
    ) -> None:
        """Its key is claimed anew when it goes on: the second finds what the first was told."""
        code = desk.caller.get("v2/system/Goods/getInfo", id=desk.world.spares[-1]).data["goods_num"]
        company = desk.caller.get("v2/system/Company/getInfo", id=desk.world.company_a).data["company_name"]
        content = build_workbook(
            ["公司", "商品编码", "客户", "销售价", "生效日期"], [company, code, "", 88.5, ""]
        )

        def ask() -> httpx.Response:
            return site.http.post(
                "/v2/sales/SalesPrice/import",
                files={"excel": ("价格.xlsx", content)},
                headers={"token": site.world.tokens["admin"], "Idempotency-Key": "one-table"},
            )

        crowd = ConcurrentCallers(ask, 2)
        # The second waits for the first one's key, or for its child: both are under way.
        assert wait_until(lambda: sheet_upload.TURNS.count_work()[0] == 2, PATIENCE)
        children.release()
        told = [orjson.loads(answer.content)["data"] for answer in crowd.join()]
        assert told == [{"added": 1, "changed": 0, "refused": 0, "failures": ""}] * 2


def test_children_are_waited_for_in_one_place_alone() -> None:
    """Whoever starts one by himself could wait for it with a connection held."""
    started = re.compile(r"subprocess\.(run|Popen|call|check_\w+)\(|os\.(system|popen|fork)\(|ProcessPool")
    known = {
        "api/kit/http/child_process.py",
        "api/shell/operations/database_dump.py",  # of the backup's job and of the command line
        "api/shell/workspace/call_document.py",  # started there, waited for by api.kit.http.child_process
        "api/demo/loader.py",
    }
    found = {
        str(file.relative_to(PROJECT_DIR))
        for file in (PROJECT_DIR / "api").rglob("*.py")
        if started.search(file.read_text("utf-8"))
    }
    assert {name for name in found if not name.startswith("api/launch/")} == known
