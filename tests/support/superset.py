"""A real Superset with the catalogue's assets over a real published snapshot, started once for all tests."""

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

from api.kit.settings import read_settings
from api.reporting.superset_gateway.tokens import sign_guest_token
from reports.semantics.dashboards import COST, PLAIN, Board, Chart, Report, Tab, embed_id
from reports.semantics.datasets import Dataset, bind_range
from reports.semantics.day_ranges import RANGE_OPERATOR
from reports.superset import proxy_signing
from reports.superset.chart_params import stored_queries
from tests.support.ports import free_port
from tests.support.report_snapshot import snapshot_sql
from tests.support.shared_artifacts import copy_artifact, shared_artifact

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


def publish_snapshot(warehouse: Path, number: int, extra: str = "") -> None:
    """Write a snapshot and point `current` at it."""
    place = warehouse / "snap" / str(number)
    place.mkdir(parents=True)
    with duckdb.connect(str(place / "wh.duckdb")) as conn:
        conn.execute(snapshot_sql() + extra)
    point_current(warehouse, Path("snap") / str(number))


def point_current(warehouse: Path, snapshot: Path) -> None:
    """Make a snapshot the warehouse's current one."""
    fresh = warehouse / "current.new"
    fresh.symlink_to(snapshot)
    fresh.replace(warehouse / "current")


@dataclass(frozen=True)
class DashboardPlace:
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


def list_places() -> list[DashboardPlace]:
    from reports.catalogue import REPORTS

    return [
        DashboardPlace(report, tab, variant)
        for report in REPORTS
        for tab in report.tabs
        for variant in (PLAIN, COST)
        if variant == PLAIN or tab.cost is not None
    ]


@dataclass
class SupersetClient:
    """The running Superset as a guest's frame talks to it."""

    url: str
    environment: dict[str, str]
    _numbers: dict[str, int] = field(default_factory=dict)
    _charts: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    def token(self, place: DashboardPlace, role_id: int, *, files: bool = True) -> str:
        secret = read_settings().secrets["guest_token_secret"]
        return sign_guest_token(secret, place.embed_id, role_id, f"role-{role_id}", files=files)

    def get(
        self, path: str, token: str | None, headers: Mapping[str, str] | None = None, **options: Any
    ) -> httpx.Response:
        sent = {**_build_headers(token), **(headers or {})}
        return httpx.get(self.url + path, headers=sent, timeout=60, verify=CERTIFICATES, **options)

    def post(self, path: str, token: str | None, body: Any) -> httpx.Response:
        return httpx.post(
            self.url + path, headers=_build_headers(token), json=body, timeout=60, verify=CERTIFICATES
        )

    def dashboard_id(self, place: DashboardPlace) -> int:
        if place.embed_id not in self._numbers:
            answer = self.get(f"/api/v1/embedded_dashboard/{place.embed_id}", self.token(place, EVERYTHING))
            self._numbers[place.embed_id] = int(answer.json()["result"]["dashboard_id"])
        return self._numbers[place.embed_id]

    def charts(self, place: DashboardPlace, token: str) -> dict[str, dict[str, Any]]:
        """Return the board's charts as Superset lists them, by the key of their declaration."""
        if place.embed_id not in self._charts:
            listed = self.get(f"/api/v1/dashboard/{self.dashboard_id(place)}/charts", token).json()["result"]
            titles = {chart.title: chart.key for chart in place.board.charts}
            self._charts[place.embed_id] = {titles[chart["slice_name"]]: chart for chart in listed}
        return self._charts[place.embed_id]

    def chart_body(self, place: DashboardPlace, chart: Chart, token: str) -> dict[str, Any]:
        """Return the request that a frame makes for a chart's data."""
        listed = self.charts(place, token)[chart.key]
        form = {**listed["form_data"], "dashboardId": self.dashboard_id(place), "slice_id": listed["id"]}
        dataset = place.board.dataset(chart.dataset)
        queries = stored_queries(chart.on_screen, dataset)
        if dataset.has_range:
            queries = [{**query, "filters": [build_range_filter(dataset)]} for query in queries]
        return {
            "datasource": {"id": int(form["datasource"].split("__")[0]), "type": "table"},
            "queries": queries,
            "form_data": form,
            "result_format": "json",
            "result_type": "full",
        }

    def data(self, place: DashboardPlace, chart: Chart, token: str) -> list[dict[str, Any]]:
        answer = self.post("/api/v1/chart/data", token, self.chart_body(place, chart, token))
        assert answer.status_code == 200, answer.text
        return answer.json()["result"][0]["data"]


def build_range_filter(dataset: Dataset) -> dict[str, Any]:
    """Build the date filter of a dataset computed for chosen dates: today, or this month to date."""
    if dataset.ranged:
        words = f"{THIS_MONTH} : {date.fromisoformat(AS_OF) + timedelta(days=1)}"
        return {"col": dataset.time_column, "op": RANGE_OPERATOR, "val": words}
    return {"col": "day_label", "op": "IN", "val": [AS_OF]}


def bind_sample_range(sql: str) -> str:
    """Bind a dataset's query to this month to date, or today, where it is computed for chosen dates."""
    return bind_range(sql, date.fromisoformat(THIS_MONTH), date.fromisoformat(AS_OF))


def guest_headers(token: str) -> dict[str, str]:
    """Return the headers of a guest's request, as our API passes it on."""
    return {"X-GuestToken": token, proxy_signing.HEADER: proxy_signing.proxy_token()}


def _build_headers(token: str | None) -> dict[str, str]:
    return guest_headers(token) if token else {}


def _build_command(module: str, environment: dict[str, str]) -> dict[str, Any]:
    """Return how a module of the report platform is started, in its own environment."""
    return {"args": [str(PYTHON), "-m", module], "cwd": PROJECT, "env": environment}


def run_boot(environment: dict[str, str]) -> str:
    """Run the initialization as the launcher does; return its output."""
    done = subprocess.run(
        **_build_command("reports.superset.bootstrap", environment),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_reports(data_dir: Path) -> None:
    """Copy what the first start of Superset leaves into a data directory with the run's secrets."""
    copy_artifact(shared_reports(data_dir / "secrets.json"), data_dir)


def shared_reports(secrets: Path) -> Path:
    """Return the directory, `superset`, that the first start leaves behind. It is there to be copied."""
    return shared_artifact("reports", lambda place: _first_boot(place, secrets)) / "superset"


def _first_boot(data_dir: Path, secrets: Path) -> None:
    copy_artifact(secrets, data_dir)
    assert "已就绪" in run_boot({**os.environ, "ERP_DATA_DIR": str(data_dir)})


@pytest.fixture(scope="session")
def report_environment(data_dir: Path) -> dict[str, str]:
    publish_snapshot(data_dir / "warehouse", 1)
    return {
        **os.environ,
        "ERP_DATA_DIR": str(data_dir),
        "ERP_REPORT_PORT": str(free_port()),
        "ERP_PORT": str(free_port()),
        "ERP_REPORT_LOGIN": "open",
    }


@pytest.fixture(scope="session")
def superset(report_environment: dict[str, str]) -> Iterator[SupersetClient]:
    copy_reports(Path(report_environment["ERP_DATA_DIR"]))
    log = Path(report_environment["ERP_DATA_DIR"]) / "superset-test.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            **_build_command("reports.superset.server", report_environment), stdout=output, stderr=output
        )
    url = f"http://127.0.0.1:{report_environment['ERP_REPORT_PORT']}"
    try:
        _wait_until_ready(url, process, log)
        yield SupersetClient(url, report_environment)
    finally:
        process.terminate()
        process.wait(20)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_WITHIN
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()[-4000:]
        try:
            if httpx.get(f"{url}/health", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.3)
    raise AssertionError(f"Superset 没有启动：{log.read_text()[-4000:]}")
