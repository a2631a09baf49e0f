"""Browser fixtures: `erp up` with the demo group on ports of its own, and Debian's Chromium."""

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
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Playwright,
    expect,
    sync_playwright,
)
from sqlalchemy import Engine

from api.demo import list_logins
from api.kit.settings import PROJECT_DIR
from api.kit.storage.database import build_engine
from api.launch.browser import find_browser
from api.launch.postgres import EmbeddedPostgres
from tests.e2e.station_setup import (
    ADMIN_PASSWORD,
    StationLogin,
    StationSetup,
    create_setup,
    open_client,
    publish_questionnaire,
    unpublish_questionnaire,
)
from tests.support.client import Caller
from tests.support.ports import free_port
from tests.support.shared_artifacts import copy_artifact, shared_artifact
from tests.support.superset import copy_reports

START_SECONDS = 900
MAP_KEY = "0123456789abcdef"
ERP = str(Path(sys.executable).with_name("erp"))
FIRST_FIGURES = """
from api.kit.settings import read_settings
from warehouse.files import Files
from warehouse.refresh import Refresher

Refresher(Files(read_settings().warehouse_dir), read_settings().database_url).refresh()
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
class RunningProduct:
    """A running product."""

    address: str
    database_url: str


class UserOpener(Protocol):
    def __call__(self, login: StationLogin, *, timed: bool = False) -> BrowserUser: ...


class DemoUserOpener(Protocol):
    def __call__(self, role: str, route: str | None = None) -> BrowserUser: ...


@pytest.fixture(scope="package")
def system(data_dir: Path) -> Iterator[RunningProduct]:
    """Everything, started once for the browser tests, stopped as Ctrl-C stops it. The demo group, its figures and Superset
    are there already: the first start is the subject of `tests/launch`.

    With ERP_E2E_ADDRESS (and ERP_E2E_DATA_DIR, where it isn't `.data`) the tests run against a product that is
    running already, with the demo group in it.
    """
    if running := os.environ.get("ERP_E2E_ADDRESS"):
        yield RunningProduct(
            running, _database_url(Path(os.environ.get("ERP_E2E_DATA_DIR", PROJECT_DIR / ".data")))
        )
        return
    # The data directory's parent is the server's to enter as well, which runs under another account.
    folder = Path(tempfile.mkdtemp(prefix="erp-e2e-"))
    copy_artifact(
        shared_artifact("product", lambda made: _prepare_data(made, data_dir / "secrets.json")) / "data",
        folder,
    )
    place, port = folder / "data", free_port(neighbours=2)  # Superset and exploring
    process = subprocess.Popen(
        [ERP, "up"],
        cwd=PROJECT_DIR,
        env=_product_environment(place, port),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        _await_ready(process)
        yield RunningProduct(f"http://127.0.0.1:{port}", _database_url(place))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def _product_environment(place: Path, port: int) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("ERP_")}
    shape = {"ERP_PORT": str(port), "ERP_DATA_DIR": str(place), "ERP_DEMO": "tiny"}
    return own | shape | {"ERP_MAP_KEY": MAP_KEY}


def _prepare_data(folder: Path, secrets: Path) -> None:
    """Prepare a data directory, `data`, as the first start leaves it: the demo group, its figures, the
    reports' assets."""
    place = folder / "data"
    place.mkdir()
    # Given by the environment, the password would be Superset's too, which knows another one.
    known = json.loads(secrets.read_text()) | {"admin_password": ADMIN_PASSWORD}
    (place / "secrets.json").write_text(json.dumps(known))
    copy_reports(place)
    server = EmbeddedPostgres(place / "postgres", place / "logs" / "postgres.log")
    server.start()
    try:
        environment = _product_environment(place, free_port(neighbours=2)) | {
            "ERP_DATABASE_URL": server.url()
        }
        subprocess.run([ERP, "prepare"], cwd=PROJECT_DIR, env=environment, check=True, capture_output=True)
        published = [sys.executable, "-c", FIRST_FIGURES]
        subprocess.run(published, cwd=PROJECT_DIR, env=environment, check=True, capture_output=True)
    finally:
        server.stop()


def _database_url(place: Path) -> str:
    """Return the address of the database that a product with this data directory runs."""
    return EmbeddedPostgres(place / "postgres", place / "logs" / "postgres.log").url()


def _await_ready(process: subprocess.Popen[str]) -> None:
    """Read the output of the start until READY; later output is discarded, so that the pipe never fills."""
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


def launch_browser(playwright: Playwright) -> Browser:
    """Launch Chromium without a window."""
    binary = find_browser()
    assert binary, "no Chromium on this machine; `make test` installs it"
    return playwright.chromium.launch(executable_path=binary, args=list(FLAGS))


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, headless."""
    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        yield browser
        browser.close()


REPORT_POLICY = """
if (window === top) addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
    console.error(`against the policy: ${effectiveDirective} ${blockedURI} ${sample}`));
"""


class BrowserUser:
    """A user in a browser; errors of the page are collected and must stay empty."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.address = address
        self.page: Page = context.new_page()
        self.page.set_default_timeout(30_000)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        # What the shell's own policy forbids it; what pages of theirs are forbidden is no mistake.
        self.page.add_init_script(REPORT_POLICY)
        self.page.on("console", self._on_console)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.text.startswith("against the policy"):
            self.errors.append(message.text)

    def log_in(self, role: str) -> None:
        """Log in as one of the demo users."""
        [user] = [login for login in list_logins() if login["role"] == role]
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

    def export_list(self, place: Path) -> list[Cell]:
        """Export the open list and return the filled cells of every sheet."""
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
        return read_sheet_cells(self.save_download(download, place))

    def save_download(self, button: Locator, place: Path) -> Path:
        """Save the download of a button."""
        with self.page.expect_download() as file:
            button.click()
        file.value.save_as(place)
        return place


def read_sheet_cells(place: Path) -> list[Cell]:
    """Return the filled cells of every sheet of a workbook."""
    sheets = openpyxl.load_workbook(place)
    return [cell for sheet in sheets for row in sheet.iter_rows() for cell in row if cell.value is not None]


def _open_profile(chromium: Browser) -> BrowserContext:
    return chromium.new_context(
        viewport={"width": 1366, "height": 768},
        locale="zh-CN",
        timezone_id="Asia/Shanghai",
        reduced_motion="reduce",
    )


class BrowserProfiles:
    """Browser profiles that are emptied and reused: assets are loaded and compiled once, not once a test.

    A demo user logs in once; after that a profile gets the storage that the login left.
    """

    def __init__(self, chromium: Browser, address: str) -> None:
        self.chromium = chromium
        self.address = address
        self._idle: list[BrowserContext] = []
        self._storage: dict[str, dict[str, str]] = {}

    def take(self) -> BrowserUser:
        """Return a browser user who has not logged in."""
        desk = BrowserUser(self._idle.pop() if self._idle else _open_profile(self.chromium), self.address)
        self._restore_storage(desk, {})
        return desk

    def take_logged_in(self, role: str) -> BrowserUser:
        """Return a demo user who has logged in."""
        desk = self.take()
        if role not in self._storage or not self._is_logged_in(self._storage[role]):
            desk.log_in(role)
            self._storage[role] = desk.page.evaluate("({...localStorage})")
        self._restore_storage(desk, self._storage[role])
        return desk

    def give_back(self, desk: BrowserUser) -> None:
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

    def _is_logged_in(self, left: dict[str, str]) -> bool:
        """Return whether the login is still valid: a test may have ended it."""
        with open_client(self.address) as http:
            return (
                Caller(http, left["token"], left["sign_key"])
                .get("v2/open/Questionnaire/getQuestionnaireCount")
                .ok
            )

    def _restore_storage(self, desk: BrowserUser, stored: dict[str, str]) -> None:
        # A picture is of the product's origin, and no page that asks or keeps anything.
        desk.page.goto(f"{self.address}/favicon.svg")
        desk.page.evaluate("stored => { localStorage.clear(); Object.assign(localStorage, stored); }", stored)


@pytest.fixture(scope="package")
def profiles(system: RunningProduct, chromium: Browser) -> Iterator[BrowserProfiles]:
    kept = BrowserProfiles(chromium, system.address)
    yield kept
    kept.close()


@pytest.fixture
def profile(system: RunningProduct, chromium: Browser) -> Iterator[Callable[[], BrowserUser]]:
    """Browser users who have not logged in, each in a new profile at 1366 × 768."""
    opened: list[BrowserUser] = []

    def new() -> BrowserUser:
        opened.append(BrowserUser(_open_profile(chromium), system.address))
        return opened[-1]

    yield new
    for desk in opened:
        desk.page.context.close()
        assert not desk.errors, desk.errors


@pytest.fixture
def taken(profiles: BrowserProfiles) -> Iterator[list[BrowserUser]]:
    """Browser users of reused profiles, given back when the test is over."""
    desks: list[BrowserUser] = []
    yield desks
    for desk in desks:
        profiles.give_back(desk)
    for desk in desks:
        assert not desk.errors, desk.errors


@pytest.fixture
def desks(profiles: BrowserProfiles, taken: list[BrowserUser]) -> DemoUserOpener:
    """The demo group's users in browsers, by role; they open a screen themselves, or start on the given one."""

    def sit(role: str, route: str | None = None) -> BrowserUser:
        taken.append(desk := profiles.take_logged_in(role))
        if route:
            desk.open(route)
        return desk

    return sit


@pytest.fixture
def seat(
    profile: Callable[[], BrowserUser], profiles: BrowserProfiles, taken: list[BrowserUser]
) -> UserOpener:
    """Users whom the tests made, in browsers on the home page; `timed` ones under a clock that the test may
    move."""

    def sit(login: StationLogin, *, timed: bool = False) -> BrowserUser:
        if timed:
            desk = profile()
            desk.page.clock.install()
        else:
            taken.append(desk := profiles.take())
        desk.log_in_as(login.user_name, login.password)
        return desk

    return sit


@pytest.fixture(scope="package")
def office(system: RunningProduct) -> StationSetup:
    """A service station with users, and the administrator who made them."""
    return create_setup(system.address)


@pytest.fixture
def publish(office: StationSetup) -> Iterator[Callable[[str], int]]:
    """Questionnaires for every service station until the test is over."""
    keys: list[int] = []

    def ask_them(title: str) -> int:
        keys.append(publish_questionnaire(office, title))
        return keys[-1]

    yield ask_them
    for key in keys:
        unpublish_questionnaire(office, key)


@pytest.fixture(scope="package")
def books(system: RunningProduct) -> Iterator[Engine]:
    """The product's database, for what no call of it enters: reminders, payments, a company half set up."""
    engine = build_engine(system.database_url, 2)
    yield engine
    engine.dispose()


def freeze_clock(page: Page) -> None:
    """Stop a timed page's clock until the test moves it; what is due soon happens first."""
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 20)
