"""The screen register: the plan whole, each built screen really served, and nothing built ever pending again."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from api import catalogue
from api.kit.declaration import registry
from api.shell.workspace.screen_registry import BROWSER_PAGES, list_screens
from tests.support.fixtures import Site

assert catalogue.__all__
HERE = Path(__file__).parent
PAGES = HERE.parents[1] / "web" / "src" / "app"
SPECIFIED = HERE.parents[2] / "shared" / "spec" / "routes.csv"


def test_a_screen_is_listed_once() -> None:
    routes = [screen.route for screen in list_screens()]
    assert len(routes) == len(set(routes)) > 500


def test_every_screen_has_a_chinese_name() -> None:
    """ "Every route has a Chinese menu title." (2-routes.md 2)"""
    assert [screen.route for screen in list_screens() if not re.search("[\u4e00-\u9fff]", screen.name)] == []


def test_no_two_planned_screens_of_a_module_are_called_alike() -> None:
    named = Counter((screen.module, screen.name) for screen in list_screens() if screen.state == "pending")
    assert {name for (_, name), count in named.items() if count > 1} == {"商城订单详情"}, (
        "two ways to one screen"
    )


@pytest.mark.skipif(
    not SPECIFIED.is_file(), reason="the specification's list of screens is not beside the project"
)
def test_the_plan_is_the_specified_one() -> None:
    with SPECIFIED.open(encoding="utf-8", newline="") as file:
        specified = {(row["route"], row["module"], row["kind"]) for row in csv.DictReader(file)}
    listed = {(screen.route, screen.module, screen.kind) for screen in list_screens()}
    assert specified - listed == set()


def test_the_pending_list_only_shrinks() -> None:
    """Whoever builds a screen strikes it from the file; a screen that is not in it can't be pending again."""
    pending = {screen.route for screen in list_screens() if screen.state == "pending"}
    known = set((HERE / "pending_screens.txt").read_text("utf-8").split())
    assert pending - known == set(), "built before and pending now"
    assert known - pending == set(), "built now: strike it from the file"


def test_a_pending_screen_is_told_from_a_wrong_address(site: Site) -> None:
    def planned(route: str) -> Any:
        return site.as_("nobody").get("v2/Open/Screen/getPlanned", route=route).data

    assert planned("/shopping_mall/plusSetting") == {
        "route": "/shopping_mall/plusSetting",
        "name": "签约设置",
    }
    assert planned("/no/such/page") is planned("/system/unit") is None


def test_pages_that_the_browser_draws_are_there() -> None:
    drawn = "".join(file.read_text("utf-8") for file in (PAGES / "App.tsx", PAGES / "pages.tsx"))
    assert [route for route in BROWSER_PAGES if f"'{route}'" not in drawn and f'"{route}"' not in drawn] == []


@pytest.mark.usefixtures("figures")
def test_built_screens_answer(site: Site) -> None:
    """A described screen has its description and, as a list, its rows."""
    admin, failed = site.as_("admin"), []
    for screen in list_screens():
        found = registry.find_by_route(screen.route)
        if screen.state != "built" or found is None:
            continue
        described = admin.get("v2/Open/Screen/getScreen", route=screen.route)
        listed = (
            admin.get(f"{described.data['api']}/getList", per_page=1)
            if described.ok and found[1] == "list"
            else None
        )
        if not described.ok or (listed is not None and not listed.ok):
            failed.append((screen.route, described.msg, listed and listed.msg))
    assert failed == []
