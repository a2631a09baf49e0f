"""The whole product in a real browser: `erp up` with the demo group on ports of its own, and Debian's Chromium."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect, sync_playwright

from api.demo import logins
from api.kit.settings import PROJECT_DIR
from tests.e2e.office import ADMIN_PASSWORD, Login, Office, furnish

START_SECONDS = 900
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
)


@dataclass(frozen=True, slots=True)
class System:
    """A running product."""

    address: str


@pytest.fixture(scope="session")
def system() -> Iterator[System]:
    """Everything, started once for the browser tests, stopped as Ctrl-C stops it.

    With ERP_E2E_ADDRESS the tests run against a product that is running already, with the demo group in it.
    """
    if running := os.environ.get("ERP_E2E_ADDRESS"):
        yield System(running)
        return
    place = Path(tempfile.mkdtemp(prefix="erp-e2e-"))
    port = _free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ERP_")}
    environment |= {"ERP_PORT": str(port), "ERP_DATA_DIR": str(place), "ERP_DEMO": "small"}
    environment["ERP_ADMIN_PASSWORD"] = ADMIN_PASSWORD
    command = [str(Path(sys.executable).with_name("erp")), "up"]
    process = subprocess.Popen(
        command, cwd=PROJECT_DIR, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        _await_ready(process)
        yield System(f"http://127.0.0.1:{port}")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        shutil.rmtree(place, ignore_errors=True)


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


def _free_port() -> int:
    """A port whose neighbour, Superset's, is free as well."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, headless."""
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert binary, "no Chromium on this machine; `make test` installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=list(FLAGS))
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


@pytest.fixture
def desks(system: System, chromium: Browser) -> Iterator[Callable[[str], Desk]]:
    """Logged-in users by role, each in a browser profile of his own at 1366 × 768."""
    opened: list[tuple[BrowserContext, Desk]] = []

    def sit(role: str) -> Desk:
        context = chromium.new_context(
            viewport={"width": 1366, "height": 768}, locale="zh-CN", timezone_id="Asia/Shanghai"
        )
        desk = Desk(context, system.address)
        opened.append((context, desk))
        desk.log_in(role)
        return desk

    yield sit
    for context, desk in opened:
        context.close()
        assert not desk.errors, desk.errors


@pytest.fixture(scope="session")
def office(system: System) -> Office:
    """A service station with users, and the administrator who made them."""
    return furnish(system.address)


def silence(page: Page) -> None:
    """Nothing unread and nothing to fill in, so that no dialog comes in the way."""
    for call, data in (("getNoticeMessageList", {"list": [], "more_url": ""}), ("getQuestionnaireList", [])):
        answer = json.dumps({"code": 200, "msg": "", "data": data})
        page.route(f"**/{call}?*", partial(_answered, answer))


def _answered(answer: str, route: Route) -> None:
    route.fulfill(status=200, body=answer, content_type="application/json")


@pytest.fixture
def station(office: Office, system: System, chromium: Browser) -> Iterator[Callable[..., Desk]]:
    """Users of the service station at their browsers.

    `timed` desks stand under a clock that tests may move; only `greeted` ones are told of notices and surveys.
    """
    opened: list[tuple[BrowserContext, Desk]] = []

    def sit(login: Login | None = None, *, timed: bool = False, greeted: bool = False) -> Desk:
        user = login or office.station
        context = chromium.new_context(
            viewport={"width": 1366, "height": 768}, locale="zh-CN", timezone_id="Asia/Shanghai"
        )
        desk = Desk(context, system.address)
        opened.append((context, desk))
        if timed:
            desk.page.clock.install()
        if not greeted:
            silence(desk.page)
        desk.log_in_as(user.user_name, user.password)
        return desk

    yield sit
    for context, desk in opened:
        context.close()
        assert not desk.errors, desk.errors
