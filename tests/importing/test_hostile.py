"""Hostile uploads (恶意上传): whatever is sent to whichever upload, it is refused in Chinese, soon, and nothing changes."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import text

from api.importing import initialisation_job
from api.importing.xlsx_guard import QUICK
from api.kit.settings import read_settings
from api.shell.files import export_job
from tests.importing.hostile_files import FILES, read_content
from tests.support.bill_client import BillClient
from tests.support.database_state import fingerprint_tables
from tests.support.fixtures import Site, conn, site, world
from tests.support.workbooks import build_workbook

__all__ = ["conn", "site", "world"]
CHINESE = re.compile("[\u4e00-\u9fff]")
SECONDS, MEGABYTES = 5, 300
UPLOADS = {
    "/open/Initialization/initializationInventoryGoods": ("excel", {}),
    "/open/Initialization/initializationStocks": ("excel", {}),
    "/open/Initialization/initializationCustomer": ("excel", {}),
    "/open/Initialization/preview": ("excel", {"step": "goods"}),
    "/v2/Open/LineSheet/read": ("excel", {"bill": "other_inbound", "block": "lines"}),
    "/v2/inventory/StockTaking/importCountSheet": ("excel", {}),
    "/v2/sales/SalesPrice/import": ("excel", {}),
    "/v2/open/Upload/uploadImg": ("file", {"scene": "contract"}),
}


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    return BillClient(site)


@pytest.fixture(scope="module")
def stock_take(site: Site, desk: BillClient) -> int:
    """A stocktake whose count sheet may be uploaded; company A is asked for each of its initialisation's files."""
    desk.stock_in(desk.world.tube, 1)
    answer = desk.caller.post(
        desk.path("stock_take", "add"),
        {**desk.build_header("stock_take"), "lines": [{"goods_id": desk.world.tube}]},
    )
    assert answer.ok, answer
    with site.engine.begin() as conn:
        conn.execute(
            text("insert into initialisation (company_id, state) values (:id, 0)"),
            {"id": desk.world.company_a},
        )
    key: int = answer.data["id"]
    return key


LAUNCH = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
HEAVY = (
    "bomb in the sheet",
    "bomb in the strings",
    "far cell",
    "far cell xls",
    "20,000 columns",
    "10 MB in a cell",
    "deep xml",
    "billion laughs",
    "says 4 GB",
    "looping xls",
)


def peak_memory(path: Path, reader: str) -> float:
    """Return the peak memory of the reading process in megabytes; a small process launches it, whose size it
    starts with."""
    numbers = (str(QUICK.memory), str(QUICK.seconds))
    command = [sys.executable, "-m", "api.importing.xlsx_worker", str(path), reader, *numbers]
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, *command], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1024


@pytest.mark.parametrize("what", HEAVY)
def test_the_child_stays_small_even_without_a_look_into_the_zip(what: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{Path(FILES[what][0]).suffix}"
    path.write_bytes(read_content(what))
    for reader in ("whole", "streamed"):
        begun = time.perf_counter()
        assert peak_memory(path, reader) < MEGABYTES
        assert time.perf_counter() - begun < QUICK.seconds + 2


def send_file(
    desk: BillClient, path: str, name: str, content: bytes, stock_take: int
) -> tuple[int, dict[str, Any], float]:
    field, form = UPLOADS[path]
    state = {"initializationStocks": 2, "initializationCustomer": 4}.get(path.rsplit("/", 1)[1], 0)
    with desk.site.engine.begin() as conn:
        conn.execute(text("update initialisation set state = :state"), {"state": state})
    begun = time.perf_counter()
    response = desk.site.http.post(
        path,
        data={"company_id": str(desk.world.company_a), "id": str(stock_take), **form},
        files={field: (name, content)},
        headers={"token": desk.world.tokens["admin"]},
    )
    return response.status_code, orjson.loads(response.content), time.perf_counter() - begun


def test_there_are_sixty_of_them() -> None:
    assert len(FILES) >= 60


@pytest.mark.parametrize("what", FILES)
def test_it_is_refused_everywhere_and_changes_nothing(desk: BillClient, stock_take: int, what: str) -> None:
    name, sent = FILES[what][0], read_content(what)
    stored = set(read_settings().uploads_dir.rglob("*"))
    with desk.site.engine.connect() as conn:
        before = fingerprint_tables(conn)
    for path in UPLOADS:
        status, answer, seconds = send_file(desk, path, name, sent, stock_take)
        assert (status, answer["code"]) == (400, 400), (path, answer)
        assert CHINESE.search(answer["msg"]), (path, answer)
        assert seconds < SECONDS, (path, seconds)
        with desk.site.engine.connect() as conn:
            after = fingerprint_tables(conn)
        differing = {table for table in before if before[table] != after[table]}
        assert differing <= {"initialisation"}, path
        before = after
    assert set(read_settings().uploads_dir.rglob("*")) == stored


def test_the_worker_is_alive_after_a_file_that_went_bad_on_its_disk(
    desk: BillClient, stock_take: int
) -> None:
    """What the upload took is read again by the worker: there it may be anything."""
    good = next(iter(build_workbooks(desk)))
    for what in ("bomb", "broken xls", "far cell", "billion laughs", "truncated", "random"):
        path = "/open/Initialization/initializationInventoryGoods"
        _, answer, _ = send_file(desk, path, "a.xlsx", good, stock_take)
        key = answer["data"]["id"]
        stored = initialisation_job.upload_folder() / f"{key}.xlsx"
        stored.write_bytes(read_content(what))
        initialisation_job.initialise(key)
        with desk.site.engine.connect() as conn:
            row = conn.execute(
                text("select status, message from initialisation_task where initialisation_task_id = :id"),
                {"id": key},
            ).one()
        assert row.status == 3
        assert CHINESE.search(row.message)
        assert not stored.with_suffix(".part").exists()
    assert export_job.app


def build_workbooks(desk: BillClient) -> Iterator[bytes]:
    heading = ["商品编码", "商品名称", "商品类型", "单位"]
    yield build_workbook(heading, ["H1", "甲", "轮胎", "条"])
