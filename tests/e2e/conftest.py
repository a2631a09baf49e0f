"""The whole product in a real browser: `erp up` with the demo group on ports of its own, and Debian's Chromium."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import openpyxl
import pytest
from openpyxl.cell import Cell
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright, expect, sync_playwright
from sqlalchemy import Engine

from api.demo import logins
from api.kit.database import connect
from api.kit.settings import PROJECT_DIR
from api.launch.browser import find_browser
from api.launch.postgres import EmbeddedPostgres
from tests.e2e.office import ADMIN_PASSWORD, Login, Office, ask, furnish, line_to, withdraw
from tests.kit.client import Caller
from tests.kit.once import copy, made_once
from tests.kit.ports import free_port
from tests.kit.superset import prepare

START_SECONDS = 900
MAP_KEY = "0123456789abcdef"
ERP = str(Path(sys.executable).with_name("erp"))
FIRST_FIGURES = """
from api.kit.settings import settings
from warehouse.files import Files
from warehouse.refresh import Refresher

Refresher(Files(settings().warehouse_dir), settings().database_url).refresh()
"""
# The whole suite shares two cores; only what fails waits that long.
expect.set_options(timeout=20_000)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The report platform draws all charts at once for a browser that says it is controlled, and what is in sight for readers.
    "--disable-blink-features=AutomationControlled",
)


@dataclass(frozen=True, slots=True)
class System:
    """A running product."""

    address: str
    database_url: str


class Seat(Protocol):
    def __call__(self, login: Login, *, timed: bool = False) -> Desk: ...


class Seats(Protocol):
    def __call__(self, role: str, route: str | None = None) -> Desk: ...


@pytest.fixture(scope="package")
def system(data_dir: Path) -> Iterator[System]:
    """Everything, started once for the browser tests, stopped as Ctrl-C stops it. The demo group, its figures and Superset
    are there already: the first start is the subject of `tests/launch`.

    With ERP_E2E_ADDRESS (and ERP_E2E_DATA_DIR, where it isn't `.data`) the tests run against a product that is
    running already, with the demo group in it.
    """
    if running := os.environ.get("ERP_E2E_ADDRESS"):
        yield System(running, _embedded(Path(os.environ.get("ERP_E2E_DATA_DIR", PROJECT_DIR / ".data"))))
        return
    # The data directory's parent is the server's to enter as well, which runs under another account.
    folder = Path(tempfile.mkdtemp(prefix="erp-e2e-"))
    copy(made_once("product", lambda made: _prepare(made, data_dir / "secrets.json")) / "data", folder)
    place, port = folder / "data", free_port(neighbours=2)  # Superset and exploring
    process = subprocess.Popen(
        [ERP, "up"],
        cwd=PROJECT_DIR,
        env=_environment(place, port),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        _await_ready(process)
        yield System(f"http://127.0.0.1:{port}", _embedded(place))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def _environment(place: Path, port: int) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("ERP_")}
    shape = {"ERP_PORT": str(port), "ERP_DATA_DIR": str(place), "ERP_DEMO": "tiny"}
    return own | shape | {"ERP_MAP_KEY": MAP_KEY}


def _prepare(folder: Path, secrets: Path) -> None:
    """A data directory, `data`, as the first start leaves it: the demo group, its figures, the reports' assets."""
    place = folder / "data"
    place.mkdir()
    # Given by the environment, the password would be Superset's too, which knows another one.
    known = json.loads(secrets.read_text()) | {"admin_password": ADMIN_PASSWORD}
    (place / "secrets.json").write_text(json.dumps(known))
    prepare(place)
    server = EmbeddedPostgres(place / "postgres", place / "logs" / "postgres.log")
    server.start()
    try:
        environment = _environment(place, free_port(neighbours=2)) | {"ERP_DATABASE_URL": server.url()}
        subprocess.run([ERP, "prepare"], cwd=PROJECT_DIR, env=environment, check=True, capture_output=True)
        published = [sys.executable, "-c", FIRST_FIGURES]
        subprocess.run(published, cwd=PROJECT_DIR, env=environment, check=True, capture_output=True)
    finally:
        server.stop()


def _embedded(place: Path) -> str:
    """The address of the database that a product with this data directory runs."""
    return EmbeddedPostgres(place / "postgres", place / "logs" / "postgres.log").url()


def _await_ready(process: subprocess.Popen[str]) -> None:
    """Read what the start prints until READY; later output is read away, so that the pipe never fills."""
    assert process.stdout is not None
    told: list[str] = []
    timer = threading.Timer(START_SECONDS, process.kill)
    timer.start()
    for line in process.stdout:
        told.append(line)
        if line.startswith("READY"):
            timer.cancel()
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return
    pytest.fail("erp up did not get ready:\n" + "".join(told[-40:]))


def launched(playwright: Playwright) -> Browser:
    """Chromium without a window."""
    binary = find_browser()
    assert binary, "no Chromium on this machine; `make test` installs it"
    return playwright.chromium.launch(executable_path=binary, args=list(FLAGS))


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, headless."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


class Desk:
    """A user at his browser; what goes wrong in the page is collected and must stay empty."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.address = address
        self.page: Page = context.new_page()
        self.page.set_default_timeout(30_000)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def log_in(self, role: str) -> None:
        """Log in as one of the demo users."""
        [user] = [login for login in logins() if login["role"] == role]
        self.log_in_as(user["user_name"], user["password"])

    def log_in_as(self, user_name: str, password: str) -> None:
        self.page.goto(f"{self.address}/login")
        self.page.get_by_placeholder("用户名").fill(user_name)
        self.page.get_by_placeholder("密码").fill(password)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/home")

    def open(self, route: str) -> None:
        """Go to a screen."""
        self.page.goto(f"{self.address}{route}")

    def exported(self, place: Path) -> list[Cell]:
        """The filled cells of every sheet of the file that the open list is exported to."""
        page = self.page
        page.get_by_role("button", name=re.compile("导出$")).click()
        expect(page.get_by_text("系统正在处理，请稍后在导出任务中下载")).to_be_visible()
        page.get_by_role("button", name="导出任务").click()
        dialog = page.get_by_role("dialog", name="导出任务")
        download = dialog.get_by_role("button", name="下载").first
        for _ in range(60):
            if download.is_enabled():
                break
            page.wait_for_timeout(500)
            dialog.get_by_role("button", name="刷新").click()
        return sheet_cells(self.saved(download, place))

    def saved(self, button: Locator, place: Path) -> Path:
        """The file that a button gives."""
        with self.page.expect_download() as file:
            button.click()
        file.value.save_as(place)
        return place


def sheet_cells(place: Path) -> list[Cell]:
    """The filled cells of every sheet of a workbook."""
    sheets = openpyxl.load_workbook(place)
    return [cell for sheet in sheets for row in sheet.iter_rows() for cell in row if cell.value is not None]


def _profile(chromium: Browser) -> BrowserContext:
    return chromium.new_context(
        viewport={"width": 1366, "height": 768},
        locale="zh-CN",
        timezone_id="Asia/Shanghai",
        reduced_motion="reduce",
    )


class Profiles:
    """Browser profiles that are emptied and used again: what pages are made of is loaded and compiled once, not once a test.

    A demo user logs in once; after that a profile gets what the login left in it.
    """

    def __init__(self, chromium: Browser, address: str) -> None:
        self.chromium = chromium
        self.address = address
        self._idle: list[BrowserContext] = []
        self._left: dict[str, dict[str, str]] = {}

    def take(self) -> Desk:
        """A desk at which nobody has logged in."""
        desk = Desk(self._idle.pop() if self._idle else _profile(self.chromium), self.address)
        self._put(desk, {})
        return desk

    def seat(self, role: str) -> Desk:
        """A desk at which a demo user has logged in."""
        desk = self.take()
        if role not in self._left or not self._known(self._left[role]):
            desk.log_in(role)
            self._left[role] = desk.page.evaluate("({...localStorage})")
        self._put(desk, self._left[role])
        return desk

    def give_back(self, desk: Desk) -> None:
        context = desk.page.context
        for page in context.pages:
            page.close()
        context.unroute_all()
        context.clear_permissions()
        context.clear_cookies()
        context.set_offline(False)
        self._idle.append(context)

    def close(self) -> None:
        for context in self._idle:
            context.close()

    def _known(self, left: dict[str, str]) -> bool:
        """Whether the login still holds: a test may have ended it."""
        with line_to(self.address) as http:
            return (
                Caller(http, left["token"], left["sign_key"])
                .get("v2/open/Questionnaire/getQuestionnaireCount")
                .ok
            )

    def _put(self, desk: Desk, stored: dict[str, str]) -> None:
        # A picture is of the product's origin, and no page that asks or keeps anything.
        desk.page.goto(f"{self.address}/favicon.svg")
        desk.page.evaluate("stored => { localStorage.clear(); Object.assign(localStorage, stored); }", stored)


@pytest.fixture(scope="package")
def profiles(system: System, chromium: Browser) -> Iterator[Profiles]:
    kept = Profiles(chromium, system.address)
    yield kept
    kept.close()


@pytest.fixture
def profile(system: System, chromium: Browser) -> Iterator[Callable[[], Desk]]:
    """Desks that nobody has logged in at, each in a new browser profile at 1366 × 768."""
    opened: list[Desk] = []

    def new() -> Desk:
        opened.append(Desk(_profile(chromium), system.address))
        return opened[-1]

    yield new
    for desk in opened:
        desk.page.context.close()
        assert not desk.errors, desk.errors


@pytest.fixture
def taken(profiles: Profiles) -> Iterator[list[Desk]]:
    """Desks of kept profiles, given back when the test is over."""
    desks: list[Desk] = []
    yield desks
    for desk in desks:
        profiles.give_back(desk)
    for desk in desks:
        assert not desk.errors, desk.errors


@pytest.fixture
def desks(profiles: Profiles, taken: list[Desk]) -> Seats:
    """The demo group's users at their desks, by role; they open a screen themselves, or sit before the one they are told."""

    def sit(role: str, route: str | None = None) -> Desk:
        taken.append(desk := profiles.seat(role))
        if route:
            desk.open(route)
        return desk

    return sit


@pytest.fixture
def seat(profile: Callable[[], Desk], profiles: Profiles, taken: list[Desk]) -> Seat:
    """Users whom the tests made, at their desks before the home page; `timed` ones under a clock that the test may move."""

    def sit(login: Login, *, timed: bool = False) -> Desk:
        if timed:
            desk = profile()
            desk.page.clock.install()
        else:
            taken.append(desk := profiles.take())
        desk.log_in_as(login.user_name, login.password)
        return desk

    return sit


@pytest.fixture(scope="package")
def office(system: System) -> Office:
    """A service station with users, and the administrator who made them."""
    return furnish(system.address)


@pytest.fixture
def publish(office: Office) -> Iterator[Callable[[str], int]]:
    """Questionnaires that every service station is asked until the test is over."""
    keys: list[int] = []

    def ask_them(title: str) -> int:
        keys.append(ask(office, title))
        return keys[-1]

    yield ask_them
    for key in keys:
        withdraw(office, key)


@pytest.fixture(scope="package")
def books(system: System) -> Iterator[Engine]:
    """The product's database, for what no call of it enters: reminders, payments, a company half set up."""
    engine = connect(system.database_url, 2)
    yield engine
    engine.dispose()


def freeze(page: Page) -> None:
    """Let a timed page's clock stand still until the test moves it; what was due soon happens first."""
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 20)
