"""A real Superset with the catalogue's assets over a real published snapshot, started once for all tests that read it."""

from __future__ import annotations

import os
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from api.kit.settings import settings
from api.reporting.tokens import guest_token
from reports import proxy_signing
from reports.catalogue.boards import COST, PLAIN, Board, Chart, Report, Tab, embed_id
from reports.catalogue.datasets import Dataset, in_range
from reports.chart_params import stored_queries
from reports.ranges import RANGE_OPERATOR
from tests.kit.once import copy, made_once
from tests.kit.ports import free_port
from tests.kit.report_snapshot import snapshot_sql

# Read once: httpx reads all certificates for each request otherwise, which takes as long as the answer.
CERTIFICATES = ssl.create_default_context()
PROJECT = Path(__file__).resolve().parents[2]
PYTHON = PROJECT / "reports" / ".venv" / "bin" / "python"
START_WITHIN = 120

COSTS = ("成本", "毛利", "库存金额")
"""Words of which nothing is said to those who see no costs."""
EVERYTHING, COMPANY_ONE, COMPANY_TWO, NOTHING = 1, 2, 3, 4
"""The roles of the snapshot; COMPANY_TWO sees no cost."""
AS_OF = "2026-11-20"
"""The day that the snapshot's figures are of."""
THIS_MONTH = "2026-11-01"


def publish(warehouse: Path, number: int, extra: str = "") -> None:
    """Write a snapshot and point `current` at it."""
    place = warehouse / "snap" / str(number)
    place.mkdir(parents=True)
    with duckdb.connect(str(place / "wh.duckdb")) as conn:
        conn.execute(snapshot_sql() + extra)
    point(warehouse, Path("snap") / str(number))


def point(warehouse: Path, snapshot: Path) -> None:
    """Let a snapshot be the warehouse's current one."""
    fresh = warehouse / "current.new"
    fresh.symlink_to(snapshot)
    fresh.replace(warehouse / "current")


@dataclass(frozen=True)
class Place:
    """One board of the catalogue, as a test addresses it."""

    report: Report
    tab: Tab
    variant: str

    @property
    def board(self) -> Board:
        return self.tab.cost if self.variant == COST and self.tab.cost else self.tab.plain

    @property
    def embed_id(self) -> str:
        return embed_id(self.report.code, self.tab, self.variant == COST)

    def __str__(self) -> str:
        return f"{self.report.code}-{self.tab.key}-{self.variant}"


def places() -> list[Place]:
    from reports.catalogue import REPORTS

    return [
        Place(report, tab, variant)
        for report in REPORTS
        for tab in report.tabs
        for variant in (PLAIN, COST)
        if variant == PLAIN or tab.cost is not None
    ]


@dataclass
class Superset:
    """The running Superset as a guest's frame talks to it."""

    url: str
    environment: dict[str, str]
    _numbers: dict[str, int] = field(default_factory=dict)
    _charts: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    def token(self, place: Place, role_id: int, *, files: bool = True) -> str:
        secret = settings().secrets["guest_token_secret"]
        return guest_token(secret, place.embed_id, role_id, f"role-{role_id}", files=files)

    def get(
        self, path: str, token: str | None, headers: Mapping[str, str] | None = None, **options: Any
    ) -> httpx.Response:
        sent = {**_headers(token), **(headers or {})}
        return httpx.get(self.url + path, headers=sent, timeout=60, verify=CERTIFICATES, **options)

    def post(self, path: str, token: str | None, body: Any) -> httpx.Response:
        return httpx.post(
            self.url + path, headers=_headers(token), json=body, timeout=60, verify=CERTIFICATES
        )

    def dashboard_id(self, place: Place) -> int:
        if place.embed_id not in self._numbers:
            answer = self.get(f"/api/v1/embedded_dashboard/{place.embed_id}", self.token(place, EVERYTHING))
            self._numbers[place.embed_id] = int(answer.json()["result"]["dashboard_id"])
        return self._numbers[place.embed_id]

    def charts(self, place: Place, token: str) -> dict[str, dict[str, Any]]:
        """The board's charts as Superset lists them, by the key of their declaration."""
        if place.embed_id not in self._charts:
            listed = self.get(f"/api/v1/dashboard/{self.dashboard_id(place)}/charts", token).json()["result"]
            titles = {chart.title: chart.key for chart in place.board.charts}
            self._charts[place.embed_id] = {titles[chart["slice_name"]]: chart for chart in listed}
        return self._charts[place.embed_id]

    def chart_body(self, place: Place, chart: Chart, token: str) -> dict[str, Any]:
        """The request that a frame makes for a chart's data."""
        listed = self.charts(place, token)[chart.key]
        form = {**listed["form_data"], "dashboardId": self.dashboard_id(place), "slice_id": listed["id"]}
        dataset = place.board.dataset(chart.dataset)
        queries = stored_queries(chart.on_screen, dataset)
        if dataset.takes_range:
            queries = [{**query, "filters": [moment_of(dataset)]} for query in queries]
        return {
            "datasource": {"id": int(form["datasource"].split("__")[0]), "type": "table"},
            "queries": queries,
            "form_data": form,
            "result_format": "json",
            "result_type": "full",
        }

    def data(self, place: Place, chart: Chart, token: str) -> list[dict[str, Any]]:
        answer = self.post("/api/v1/chart/data", token, self.chart_body(place, chart, token))
        assert answer.status_code == 200, answer.text
        return answer.json()["result"][0]["data"]


def moment_of(dataset: Dataset) -> dict[str, Any]:
    """The choice of days of a dataset whose rows are of chosen ones: today, or this month to date."""
    if dataset.ranged:
        words = f"{THIS_MONTH} : {date.fromisoformat(AS_OF) + timedelta(days=1)}"
        return {"col": dataset.time_column, "op": RANGE_OPERATOR, "val": words}
    return {"col": "day_label", "op": "IN", "val": [AS_OF]}


def of_range(sql: str) -> str:
    """A dataset's query, for this month to date, or today, where its rows are of one range of days, or one day."""
    return in_range(sql, date.fromisoformat(THIS_MONTH), date.fromisoformat(AS_OF))


def as_guest(token: str) -> dict[str, str]:
    """The headers of a guest's request, as our API passes it on."""
    return {"X-GuestToken": token, proxy_signing.HEADER: proxy_signing.proxy_token()}


def _headers(token: str | None) -> dict[str, str]:
    return as_guest(token) if token else {}


def _command(module: str, environment: dict[str, str]) -> dict[str, Any]:
    """How a module of the report platform is started, in its own environment."""
    return {"args": [str(PYTHON), "-m", module], "cwd": PROJECT, "env": environment}


def boot(environment: dict[str, str]) -> str:
    """Run the initialisation as the launcher does; its output."""
    done = subprocess.run(
        **_command("reports.boot", environment), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def prepare(data_dir: Path) -> None:
    """Put into a data directory, which has the run's secrets, what the first start of Superset leaves there."""
    copy(made_reports(data_dir / "secrets.json"), data_dir)


def made_reports(secrets: Path) -> Path:
    """The directory, `superset`, that the first start leaves behind. It is there to be copied."""
    return made_once("reports", lambda place: _first_boot(place, secrets)) / "superset"


def _first_boot(data_dir: Path, secrets: Path) -> None:
    copy(secrets, data_dir)
    assert "已就绪" in boot({**os.environ, "ERP_DATA_DIR": str(data_dir)})


@pytest.fixture(scope="session")
def report_environment(data_dir: Path) -> dict[str, str]:
    publish(data_dir / "warehouse", 1)
    return {
        **os.environ,
        "ERP_DATA_DIR": str(data_dir),
        "ERP_REPORT_PORT": str(free_port()),
        "ERP_PORT": str(free_port()),
        "ERP_REPORT_LOGIN": "open",
    }


@pytest.fixture(scope="session")
def superset(report_environment: dict[str, str]) -> Iterator[Superset]:
    prepare(Path(report_environment["ERP_DATA_DIR"]))
    log = Path(report_environment["ERP_DATA_DIR"]) / "superset-test.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            **_command("reports.serve", report_environment), stdout=output, stderr=output
        )
    url = f"http://127.0.0.1:{report_environment['ERP_REPORT_PORT']}"
    try:
        _wait(url, process, log)
        yield Superset(url, report_environment)
    finally:
        process.terminate()
        process.wait(20)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_WITHIN
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()[-4000:]
        try:
            if httpx.get(f"{url}/health", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.3)
    raise AssertionError(f"Superset 没有启动：{log.read_text()[-4000:]}")
